"""How a question will be answered: its parts, the noise of each, and the groups; made without the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...dp.cost import Cost
from ..column import Schema
from ..condition import Condition
from ..question import Question
from ..refusal import Refusal
from ..tally import Code
from .aggregate import noisy
from .figure import Laws, Noisy
from .keys import declared_groups
from .law import Law
from .part import Part, units
from .pick import Pick
from .promise import Promise
from .threshold import threshold

__all__ = ["Design", "designed"]

MOST_FIGURES = 100_000
"""Noise is drawn for at most so many numbers (bins of a quantile included) of declared groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Aggregates in the question's order, the law of each part, and either all groups or the part and τ that show them."""

    question: Question
    cost: Cost
    aggregates: tuple[Noisy, ...]
    laws: Laws
    groups: tuple[tuple[Code, ...], ...] | None
    gate: Part
    threshold: int

    @property
    def sums(self) -> list[Part]:
        """The parts that are sums."""
        return [part for part in self.laws if isinstance(part, Part)]

    @property
    def picks(self) -> list[Pick]:
        """The parts that are choices."""
        return [part for part in self.laws if isinstance(part, Pick)]

    @property
    def notes(self) -> tuple[str, ...]:
        """What an analyst should know, each once."""
        said = dict.fromkeys(one.note(self.laws) for one in self.aggregates)
        if self.groups is None:
            said[f"groups with a noisy number of {self.threshold} or fewer are left out"] = None
        return tuple(said)


def designed(
    question: Question, schema: Schema, *, cost: Cost, promise: Promise, threshold_delta: Fraction | None
) -> Design:
    """The design for a spend: it is split evenly over the parts, each drawn once, however many aggregates need it.

    Basic composition: the parts' shares add up to the spend exactly, and all groups share the noise of a part because
    its reach is that of all groups together.
    """
    groups = declared_groups(question, schema)
    whole = not question.by and not question.joined and question.where == Condition.everything()
    size = promise.size if whole and promise.rows == 1 else None
    aggregates = tuple(noisy(one, schema, promise=promise, size=size) for one in question.aggregates)
    gate = units(promise)
    parts: dict[Part | Pick, None] = dict.fromkeys(part for one in aggregates for part in one.parts)
    delta = Fraction(0)
    if groups is None:
        parts[gate] = None
        delta = _allowed(question, schema, threshold_delta)
    else:
        _refuse_many(len(groups), list(parts))
    number = None if groups is None else len(groups)
    share = cost.amount / len(parts)
    laws = {part: _law(part, share, number, promise) for part in parts}
    return Design(
        question=question,
        cost=Cost(cost.amount, delta, cost.unit),
        aggregates=aggregates,
        laws=laws,
        groups=groups,
        gate=gate,
        threshold=threshold(laws[gate], delta, promise) if groups is None else 0,
    )


def _law(part: Part | Pick, share: Fraction, groups: int | None, promise: Promise) -> Law:
    reach = part.reach(groups=groups, promise=promise)
    return part.law(reach, share, promise.unit) if isinstance(part, Pick) else Law.of(reach, share, promise.unit)


def _allowed(question: Question, schema: Schema, delta: Fraction | None) -> Fraction:
    if delta is not None:
        return delta
    open_key = next(key.column for key in question.by if not schema.column(key.column).listed)
    raise Refusal(
        "undeclared_bounds",
        "has no public list of values, and no δ is set aside to find those that many share",
        column=open_key,
        fix="the owner of the data declares its values or a threshold_delta; group by another column",
    )


def _refuse_many(groups: int, parts: Sequence[Part | Pick]) -> None:
    figures = groups * sum(part.bins if isinstance(part, Pick) else 1 for part in parts)
    if figures > MOST_FIGURES:
        raise Refusal(
            "too_complex",
            f"the answer needs {figures} noisy numbers, more than {MOST_FIGURES}",
            fix="group by fewer keys or wider bins, or ask for fewer quantiles at once",
        )
