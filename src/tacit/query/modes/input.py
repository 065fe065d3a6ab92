"""Exact answers from a masked file that a release published: nothing is spent, everything may be asked (H-06)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...dp.cost import Cost, Unit
from ..answer import Answer, Quote
from ..column import Schema
from ..mode import Past
from ..noisy.keys import MOST_GROUPS
from ..question import Aggregate, Key, Question
from ..refusal import Refusal
from ..tally import Code, Measure, Source
from .figures import exact_figure, exact_quantile, measures_of
from .masked_file import published_trace

__all__ = ["InputMode"]

Group = tuple[Code, ...]


class InputMode:
    """Answers computed from public data: the protection is that of the masking, which every answer repeats.

    ``folder`` is the public folder of the release in which the data file lies; the argument is in ``input.md``. ``unit``
    is only what the cost of 0 is written in.
    """

    name = "input"

    def __init__(self, schema: Schema, source: Source, folder: Path | None, *, unit: Unit = "epsilon") -> None:
        self.schema, self.source, self.unit = schema, source, unit
        self.trace = published_trace(folder)

    def quote(self, question: Question, spend: Fraction | None) -> Quote:  # noqa: ARG002  nothing is spent
        """Nothing, however much is offered."""
        if question.joined:
            raise Refusal(
                "mode",
                f"a join with {question.joined[0]!r} reaches beyond the masked file",
                fix="ask with the columns of the file itself",
            )
        for aggregate in question.aggregates:
            measures_of(aggregate, self.schema)
        return Quote(
            question=question,
            cost=Cost(Fraction(0), Fraction(0), self.unit),
            accuracy=(None,) * len(question.aggregates),
            notes=self.notes,
        )

    def decide(self, question: Question, past: Past) -> None:
        """Nothing is refused for what was asked before: the file is public."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How the file was masked, as published."""
        steps = ", ".join(dict.fromkeys(step.method for step in self.trace))
        return (
            f"exact for the masked file, not for the original; masked by: {steps}",
            "how much the masking changed is in the published report; values count as cut to the declared bounds",
        )

    def answer(self, quote: Quote) -> Answer:
        """The figures of every group that occurs in the file."""
        question = quote.question
        tallied = self._tallied(question)
        columns = [self.schema.column(key.column) for key in question.by]
        figures = [self._figures(one, question, tallied) for one in question.aggregates]
        return Answer(
            keys=tuple(tuple(c.shown(code) for c, code in zip(columns, group, strict=True)) for group in tallied),
            figures=tuple(tuple(one[group] for one in figures) for group in tallied),
            accuracy=(quote.accuracy,) * len(tallied),
            notes=quote.notes,
        )

    def _tallied(self, question: Question) -> Mapping[Group, Mapping[Measure, int]]:
        needed = (measure for one in question.aggregates for measure in measures_of(one, self.schema))
        measures = tuple(dict.fromkeys((Measure("rows"), *needed)))
        found = self.source.tally(question.where, question.by, measures, bounded=False)
        if len(found.groups) > MOST_GROUPS:
            raise Refusal(
                "too_complex", f"the answer has more than {MOST_GROUPS} groups", fix="group by fewer keys or wider bins"
            )
        return {
            group: {measure: found.measures[measure][place] for measure in measures}
            for place, group in enumerate(found.groups)
        }

    def _figures(
        self, aggregate: Aggregate, question: Question, tallied: Mapping[Group, Mapping[Measure, int]]
    ) -> Mapping[Group, Any]:
        if aggregate.what != "quantile":
            return {group: exact_figure(aggregate, self.schema, measures) for group, measures in tallied.items()}
        column, rows = self.schema.column(aggregate.column), Measure("rows")
        found = self.source.tally(question.where, (*question.by, Key(column.name)), (rows,), bounded=False)
        counts: dict[Group, dict[int, int]] = {group: {} for group in tallied}
        for (*group, value), number in zip(found.groups, found.measures[rows], strict=True):
            if value is not None:
                counts[tuple(group)][int(value)] = number
        return {group: exact_quantile(aggregate.share, column, of) for group, of in counts.items()}
