"""What processes left behind that were killed while they wrote."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...files import PREFIX
from ...plan.commit import sweep_output
from ...release.scratch import list_leftovers, remove_private_folder


def drop_drafts(folders: Iterable[Path]) -> None:
    """Remove the drafts of files from folders in which nobody else writes, and copies of data that engines left there."""
    for folder in folders:
        for draft in folder.glob(f"{PREFIX}*"):
            with suppress(OSError):  # a folder of that name, or one that is closed to us
                draft.unlink()
        for left in list_leftovers(folder):
            remove_private_folder(left)


def drop_results(folders: Iterable[Path]) -> None:
    """Remove what was written for results by processes that are dead; what a process is at work on stays."""
    for folder in folders:
        sweep_output(folder)
