"""Renames that all happen or none: what went before is undone when one of them fails, or at the next start."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from types import TracebackType

JOURNAL = "moves.jsonl"


class Moves:
    """Within the ``with`` block each :meth:`move` is done at once; an exception puts everything back.

    Every move is written down in ``folder`` before it is done, and the list removed at the end: a process that is killed in
    between leaves a list by which :func:`undo_moves` puts everything back.
    """

    def __init__(self, folder: Path) -> None:
        self._journal = folder / JOURNAL

    def move(self, source: Path, target: Path) -> None:
        """Rename a file or folder; ``target`` must not exist."""
        self._note(str(source.absolute()), target)
        source.rename(target)

    def make_folder(self, folder: Path) -> Path:
        """Make a private folder that is not there yet; undone, it goes again if it is empty."""
        if not folder.exists():
            self._note(None, folder)
            folder.mkdir(mode=0o700)
        return folder

    def _note(self, source: str | None, target: Path) -> None:
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps([source, str(target.absolute())]) + "\n")

    def __enter__(self) -> Moves:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            undo_moves(self._journal.parent)
        else:
            self._journal.unlink(missing_ok=True)


def undo_moves(folder: Path) -> None:
    """Put back what the list in a folder says was moved; what was never moved, or is back already, stays."""
    journal = folder / JOURNAL
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    for line in reversed(lines):
        try:
            source, target = json.loads(line)
        except ValueError:  # the last line of a process that was killed while it wrote: nothing was moved by it
            continue
        if source is None:
            with suppress(OSError):
                Path(target).rmdir()
        elif Path(target).exists() and not Path(source).exists():
            Path(target).rename(source)
    journal.unlink(missing_ok=True)
