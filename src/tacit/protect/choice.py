"""What was tried, what it lost, and why one method was taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..result import Shown, shown

__all__ = ["Choice", "Tried"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One method: its loss, the records that it removed and the seconds it took, or why it was not tried."""

    name: str
    loss: float | None = None
    removed: int = 0
    seconds: float = 0.0
    why_not: str | None = None

    def said(self) -> str:
        """In words."""
        if self.loss is None:
            return f"not taken: {self.why_not}"
        lost = f", {shown(self.removed)} records removed" if self.removed else ""
        return f"loss {shown(self.loss)}{lost} in {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Shown):
    """All methods that were thought of, and the one taken."""

    taken: str
    tried: tuple[Tried, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "taken", f"{self.taken}, {self._why()}"
        yield from ((one.name, one.said()) for one in self.tried)

    def _why(self) -> str:
        """Why it was taken."""
        losses = {one.name: one.loss for one in self.tried if one.loss is not None}
        if losses[self.taken] <= min(losses.values()):
            return "which loses least of all that were tried"
        return "which is easier to use and loses hardly more than the one that loses least"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"taken": self.taken, "tried": {one.name: one.said() for one in self.tried}}
