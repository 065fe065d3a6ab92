"""What processes left behind that were killed while they wrote."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from .disk import DRAFT

__all__ = ["DAY", "drop_drafts", "drop_results"]

DAY = 86_400.0
"""Seconds after which nobody is at work any longer on a result that was begun: the command line writes there, too."""
BEHIND = 2.0
"""Seconds by which the clock of a disk may be behind that of the system."""


def drop_drafts(folders: Iterable[Path]) -> None:
    """Remove the drafts of files from folders in which nobody else writes."""
    for folder in folders:
        for draft in folder.glob(f"{DRAFT}*"):
            with suppress(OSError):  # a folder of that name, or one that is closed to us
                draft.unlink()


def drop_results(folders: Iterable[Path], *, since: float | None = None) -> None:
    """Remove what was written for a result that never came into its folder: of work begun ``since`` then, or a day ago.

    One that holds an earlier release stays: the process was killed while that made room, and nobody else has it.
    """
    for folder in folders:
        for made in (*folder.parent.glob(f"{DRAFT}*/"), *folder.glob(f"{DRAFT}*/")):
            with suppress(OSError):
                changed = made.stat().st_mtime
                left = changed >= since - BEHIND if since is not None else changed < time.time() - DAY
                if left and not (made / "earlier").exists():
                    shutil.rmtree(made)
