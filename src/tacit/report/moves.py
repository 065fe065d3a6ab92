"""Renames that all happen or none: what went before is undone when one of them fails."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

__all__ = ["Moves"]


class Moves:
    """Within the ``with`` block each :meth:`move` is done at once; an exception puts everything back."""

    def __init__(self) -> None:
        self._done: list[tuple[Path, Path]] = []

    def move(self, source: Path, target: Path) -> None:
        """Rename a file or folder; ``target`` must not exist."""
        source.rename(target)
        self._done.append((source, target))

    def __enter__(self) -> Moves:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for source, target in reversed(self._done):
                target.rename(source)
