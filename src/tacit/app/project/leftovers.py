"""What processes left behind that were killed while they wrote."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...plan.staging import staging_prefix
from .disk import DRAFT

__all__ = ["DAY", "drop_drafts", "drop_results"]

DAY = 86_400.0
"""Seconds after which nobody is at work any longer on a result that was begun: the command line writes there, too."""


def drop_drafts(folders: Iterable[Path]) -> None:
    """Remove the drafts of files from folders in which nobody else writes."""
    for folder in folders:
        for draft in folder.glob(f"{DRAFT}*"):
            with suppress(OSError):  # a folder of that name, or one that is closed to us
                draft.unlink()


def drop_results(folders: Iterable[Path], *, process: int | None = None) -> None:
    """Remove what was written for a result that never came into its folder: by a ``process`` that died, or a day ago.

    One that holds an earlier release stays: the process was killed while that made room, and nobody else has it.
    """
    named = DRAFT if process is None else staging_prefix(process)
    for folder in folders:
        for made in (*folder.parent.glob(f"{named}*/"), *folder.glob(f"{named}*/")):
            with suppress(OSError):
                left = process is not None or made.stat().st_mtime < time.time() - DAY
                if left and not (made / "earlier").exists():
                    shutil.rmtree(made)
