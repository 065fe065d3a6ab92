"""What a party does in a session: check the agreement, read its own file, run the protocol, and lay out what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import polars as pl

from .agreement.agreement import Agreement
from .seat import Seat

__all__ = ["Task"]


class Task(Protocol):
    """One kind of computation, made from the ``[task]`` of an agreement; faults of the file are told before anything is sent.

    ``reveals`` says what the output alone tells about the other parties, whatever the protocol; None when it tells no more
    than the name of the task says. A party must accept it.
    """

    @property
    def reveals(self) -> str | None:
        """What the output alone tells about others, if more than its name says."""

    @property
    def drop_outs(self) -> bool:
        """Whether the result stands although somebody went away before the end."""

    @property
    def breaks(self) -> int:
        """The smallest coalition that learns more than its own data and the output tell it; all parties when none does."""

    def seen(self, me: str, /) -> str | None:
        """What this party sees on the way that its figures do not tell; None when there is nothing of that kind."""

    def check(self, agreement: Agreement) -> None:
        """Raise what makes the agreement impossible: too few parties, a modulus that the sum can exceed."""

    def own(self, frame: pl.DataFrame, me: str, /) -> Any:
        """What this party brings along, read from its own file; a file that does not suit its part is told here."""

    async def run(self, seat: Seat, own: Any) -> Mapping[str, Any]:
        """The protocol, and the figures that follow from its output."""
