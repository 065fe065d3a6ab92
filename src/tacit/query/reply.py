"""What goes back to the analyst: the answer laid out, its price, and where it stands in the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..dp.cost import Cost
from .answer import Quote
from .answer_table import AnswerTable, shown_widths
from .ledger import Cap
from .question import PostProcessing
from .refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer as the analyst reads it.

    ``number`` is the line of its charge; ``charged`` nothing when it was paid for before (``repeated``) or when it is
    made from dummy data.
    """

    dataset: str
    version: str
    mode: str
    table: AnswerTable
    kinds: tuple[str, ...]
    cost: Cost
    charged: Cost
    number: int
    time: str
    notes: tuple[str, ...]
    repeated: bool = False
    dummy: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain values; exact costs as texts."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "mode": self.mode,
            **self.table.as_json(),
            "kinds": list(self.kinds),
            "cost": self.cost.as_json(),
            "cost_text": str(self.cost),
            "charged": self.charged.as_json(),
            "repeated": self.repeated,
            "dummy": self.dummy,
            "number": self.number,
            "time": self.time,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a question would cost now, how good the answer would be, and whether it would be given."""

    mode: str
    quote: Quote
    after: PostProcessing
    caps: tuple[tuple[Cap, Cost], ...]
    repeated: bool
    refusal: Refusal | None

    def as_json(self) -> dict[str, Any]:
        """Plain values: columns and the accuracy that is known beforehand, and what is left under each cap."""
        return {
            "dataset": self.quote.question.dataset,
            "version": self.quote.question.version,
            "mode": self.mode,
            "columns": [name for _, _, name in self.after.shown],
            "kinds": list(column_kinds(self.after)),
            "accuracy": list(shown_widths(self.quote.accuracy, self.after)),
            "cost": self.quote.cost.as_json(),
            "cost_text": "nothing: it was answered before" if self.repeated else str(self.quote.cost),
            "repeated": self.repeated,
            "refusal": None if self.refusal is None else self.refusal.as_json(),
            "caps": [cap.as_json(used) for cap, used in self.caps],
            "notes": list(self.quote.notes),
        }


def column_kinds(after: PostProcessing) -> tuple[str, ...]:
    """For every column that is shown whether it is a key or a figure."""
    return tuple("key" if part == "key" else "figure" for part, _, _ in after.shown)
