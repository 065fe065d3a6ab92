"""Answers with noise: differentially private for every unit, whoever asks and whatever they know (H-03, H-04, H-07)."""

from __future__ import annotations

from fractions import Fraction

from ...dp.cost import Cost, Unit, exact
from ...dp.neighbours import Neighbours
from ...errors import TacitError
from ..answer import Answer, Quote
from ..column import Schema
from ..condition import Condition
from ..ledger.caps import on_grid
from ..mode import Past
from ..noisy.design import Design, designed
from ..noisy.draw import drawn
from ..noisy.promise import Promise
from ..question import Question
from ..refusal import Refusal
from ..tally import Measure, Source

__all__ = ["DpMode"]

LEAST: dict[Unit, Fraction] = {"epsilon": Fraction(1, 10**4), "rho": Fraction(1, 10**6)}
"""Less buys nothing but noise, and would let a budget pay for very many questions."""

MOST = Fraction(100)
"""More protects nobody."""


class DpMode:
    """Noise on every figure, as much as one unit can change it divided by what is spent; the argument is in ``dp.md``.

    ``unit`` is that of the data set's budget: ``epsilon`` buys discrete Laplace noise, ``rho`` discrete Gaussian noise.
    ``size`` is the number of units where the owner has promised it publicly (``replace`` alone); it is checked once.
    ``threshold_delta`` is the δ that a question by keys without a list costs; without it they are refused.
    """

    name = "dp"

    def __init__(
        self,
        schema: Schema,
        source: Source,
        *,
        unit: Unit,
        neighbours: Neighbours,
        size: int | None = None,
        threshold_delta: Fraction | str | float | None = None,
    ) -> None:
        self.schema, self.source = schema, source
        rows = 1 if schema.unit is None else schema.rows
        self.promise = Promise(unit=unit, neighbours=neighbours, rows=rows, size=size)
        self.threshold_delta = None if threshold_delta is None else _chance(threshold_delta)
        if size is not None:
            self._check(size)

    def quote(self, question: Question, spend: Fraction | None) -> Quote:
        """The spend, rounded up to the ledger's grid, with the noise that it buys; nothing of the data is read."""
        design = self._design(question, _sensible(spend, self.promise.unit))
        return Quote(
            question=question,
            cost=design.cost,
            accuracy=tuple(one.width(design.laws) for one in design.aggregates),
            notes=(self.said, *design.notes),
            plan={"design": design},
        )

    def decide(self, question: Question, past: Past) -> None:
        """Nothing is refused for what was asked before: the budget alone counts."""

    def answer(self, quote: Quote) -> Answer:
        """The noisy figures of every group."""
        design: Design = quote.plan["design"]
        found = drawn(self.source, design)
        columns = [self.schema.column(key.column) for key in quote.question.by]
        return Answer(
            keys=tuple(tuple(c.shown(code) for c, code in zip(columns, group, strict=True)) for group in found),
            figures=tuple(tuple(one.figure(parts) for one in design.aggregates) for parts in found.values()),
            accuracy=tuple(
                tuple(one.width_after(parts, design.laws) for one in design.aggregates) for parts in found.values()
            ),
            notes=quote.notes,
        )

    @property
    def said(self) -> str:
        """The promise in a sentence."""
        whose = f"one {self.schema.unit!r}" if self.schema.unit is not None else "one row"
        change = "coming or going" if self.promise.neighbours == "add_remove" else "being another"
        counted = f", of which at most {self.promise.rows} rows count" if self.promise.rows > 1 else ""
        return f"noise hides {whose} {change}{counted}"

    def _design(self, question: Question, spend: Fraction) -> Design:
        cost = Cost(spend, Fraction(0), self.promise.unit)
        return designed(question, self.schema, cost=cost, promise=self.promise, threshold_delta=self.threshold_delta)

    def _check(self, size: int) -> None:
        """Whether the public size is that of the data; under ``replace`` it is the same for all neighbours."""
        counted = Measure("rows" if self.schema.unit is None else "units")
        found = self.source.tally(Condition.everything(), (), (counted,), bounded=False)
        if found.measures[counted] != (size,):
            raise TacitError(
                f"size = {size} is not the size of {self.schema.name!r}", fix="declare the right one, or leave it out"
            )


def _sensible(spend: Fraction | None, unit: Unit) -> Fraction:
    if spend is None:
        raise Refusal(
            "bad_request",
            f"it is not said how much {unit} to spend",
            fix="say how much to spend, e.g. 0.1 (on the command line: --spend 0.1)",
        )
    if not LEAST[unit] <= spend <= MOST:
        raise Refusal(
            "bad_request",
            f"the {unit} to spend is not a number from {float(LEAST[unit]):g} to {MOST}",
            fix="say how much to spend, e.g. 0.1 (on the command line: --spend 0.1)",
        )
    return on_grid(Cost(spend, Fraction(0), unit)).amount


def _chance(delta: Fraction | str | float) -> Fraction:
    found = exact(delta, "threshold_delta")
    if not 0 < found < 1:
        raise TacitError("threshold_delta is not between 0 and 1", fix="e.g. threshold_delta = 1e-8")
    return found
