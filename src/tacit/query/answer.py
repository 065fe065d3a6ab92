"""What a question would cost and how good its answer would be, and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..dp.cost import Cost
from .question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The price of a question and what it buys, known before any data are touched.

    ``accuracy`` gives for each aggregate of the question, in its order, the half-width of a 95 % interval of the noise
    (None: not known beforehand); ``plan`` is what the mode needs again to answer, e.g. scales.
    """

    question: Question
    cost: Cost
    accuracy: tuple[float | None, ...]
    notes: tuple[str, ...] = ()
    plan: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The fingerprint under which the answer is kept: the same question at the same price."""
        return self.question.digest(str(self.cost.as_json()))

    def as_json(self) -> dict[str, Any]:
        """Cost, accuracy and notes."""
        aggregates = [one.as_json() for one in self.question.aggregates]
        return {
            "cost": self.cost.as_json(),
            "cost_text": str(self.cost),
            "accuracy": [
                {"aggregate": one, "half_width_95": width} for one, width in zip(aggregates, self.accuracy, strict=True)
            ],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows of key values and figures, in the order of the question's sorted keys and aggregates.

    A figure is a number, None (nothing can be said) or, in the interval mode, ``[low, high]``. ``accuracy`` has the
    half-width of a 95 % interval for each figure (None: not known): that of a mean depends on the group's noisy number.
    """

    keys: tuple[tuple[Any, ...], ...]
    figures: tuple[tuple[Any, ...], ...]
    accuracy: tuple[tuple[float | None, ...], ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values, as the ledger keeps them."""
        return {
            "keys": [list(key) for key in self.keys],
            "figures": [list(figure) for figure in self.figures],
            "accuracy": [list(widths) for widths in self.accuracy],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Answer:
        """The answer that :meth:`as_json` wrote."""
        return cls(
            keys=tuple(tuple(key) for key in given["keys"]),
            figures=tuple(tuple(figure) for figure in given["figures"]),
            accuracy=tuple(tuple(widths) for widths in given["accuracy"]),
            notes=tuple(given["notes"]),
        )
