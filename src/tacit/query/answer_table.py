"""The answer as the analyst asked to see it: columns, rows kept, their order and number. It reads the noisy answer only."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .answer import Answer
from .question import PostProcessing

_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Names of the columns, rows, and for each value the half-width of its noise (None: a key, or not known)."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    accuracy: tuple[tuple[float | None, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        widths = [list(row) for row in self.accuracy]
        return {"columns": list(self.names), "rows": [list(row) for row in self.rows], "accuracy": widths}


def laid_out(answer: Answer, after: PostProcessing) -> AnswerTable:
    """HAVING, ORDER BY and LIMIT of a protected answer (attack 21); costs nothing, for it adds no knowledge.

    What is missing meets no comparison and comes last in either order. An interval meets a comparison when all of it
    does, and is sorted by its lower end. O(n log n).
    """
    names = tuple(name for _, _, name in after.shown)
    table = [
        (
            tuple((key if part == "key" else figure)[place] for part, place, _ in after.shown),
            shown_widths(widths, after),
        )
        for key, figure, widths in zip(answer.keys, answer.figures, answer.accuracy, strict=True)
    ]
    kept = [
        line
        for line in table
        if all(_meets_bound(line[0][names.index(name)], sign, bound) for name, sign, bound in after.having)
    ]
    for name, descending in reversed(after.order):
        place = names.index(name)
        present = [line for line in kept if line[0][place] is not None]
        present.sort(key=lambda line: _sorted_by(line[0][place]), reverse=descending)
        kept = present + [line for line in kept if line[0][place] is None]
    shown = kept[: after.limit]
    return AnswerTable(names, tuple(row for row, _ in shown), tuple(widths for _, widths in shown))


def shown_widths(widths: Sequence[float | None], after: PostProcessing) -> tuple[float | None, ...]:
    """The half-widths of the aggregates as the columns that are shown have them; a key has none."""
    return tuple(widths[place] if part == "aggregate" else None for part, place, _ in after.shown)


def _meets_bound(value: Any, sign: str, bound: Fraction) -> bool:
    if isinstance(value, list | tuple):
        return all(_meets_bound(end, sign, bound) for end in value)
    return value is not None and _HOLDS[sign](_exact_fraction(value), bound)


def _exact_fraction(value: float) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _sorted_by(value: Any) -> Any:
    return value[0] if isinstance(value, list | tuple) else value
