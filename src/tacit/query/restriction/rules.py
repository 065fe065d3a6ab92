"""What the owner decides about exact answers."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import check_int
from ..condition import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The smallest set, the largest overlap, who asks together, and whose values the analysts know anyway.

    ``least``: an answer must be about so many units at least, and must leave none or so many out. ``overlap``: units that
    two sets may have in common (None: any number). ``per_account``: every account is audited alone, which is right only
    when accounts never compare answers. ``known``: units (a coalition, say the analysts' own) whose values count as known.
    """

    least: int
    overlap: int | None = None
    per_account: bool = False
    known: Condition | None = None

    def __post_init__(self) -> None:
        check_int("least", self.least, least=2)
        if self.overlap is not None:
            check_int("overlap", self.overlap, least=0)
