"""The answer of a model: does it hold, what was asked, what was found, and how many classes and records miss it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Note
from ..result import DisplayMixin, format_fact, identifier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(DisplayMixin):
    """True iff the model holds. Counts only: no class, record or value is shown.

    Programs know the model by its ``id``, readers by its name. ``margin`` is how much better than required the release is; negative when it fails. ``by`` is the attack that decided,
    where attacks did.
    """

    holds: bool
    model: str
    id: str = ""
    required: float
    found: float
    margin: float
    column: str | None = None
    failing_classes: int = 0
    failing_records: int = 0
    notes: tuple[Note, ...] = ()
    by: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self.id or identifier_of(self.model))
        if self.holds and self.margin < 0:  # a bound that is met but for rounding is met exactly
            object.__setattr__(self, "margin", 0.0)

    def __bool__(self) -> bool:
        return self.holds

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        of = f" of {self.column}" if self.column else ""
        yield self.model + of, "holds" if self.holds else "does not hold"
        yield "required", format_fact(self.required)
        yield "found", format_fact(self.found)
        if not self.holds:
            records = f"{format_fact(self.failing_records)} records"
            alone = self.failing_records and not self.failing_classes
            yield "failing", records if alone else f"{format_fact(self.failing_classes)} classes with {records}"
        if self.by:
            yield "by the attack", self.by
        yield from (("note", note) for note in self.notes)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in self.__slots__} | {"notes": [one.as_json() for one in self.notes]}
