"""Exact answers from a masked file that a release published: nothing is spent, everything may be asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...dp.cost import Cost, Unit
from ...errors import TacitError
from ..answer import Answer, Quote
from ..column import Schema
from ..mode import PastQueries
from ..noisy.keys import MOST_GROUPS
from ..question import Aggregate, Key, Question
from ..refusal import Refusal
from ..tally import Code, Measure, Source
from .figures import exact_figure, exact_quantile, measures_of

if TYPE_CHECKING:
    from ...release.trace import Trace


Group = tuple[Code, ...]

TRACE, REPORT = "trace.json", "report.html"


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

    def decide(self, question: Question, past: PastQueries) -> None:
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
        tallied = self._tally_groups(question)
        columns = [self.schema.column(key.column) for key in question.by]
        figures = [self._compute_figures(one, question, tallied) for one in question.aggregates]
        return Answer(
            keys=tuple(tuple(c.decode(code) for c, code in zip(columns, group, strict=True)) for group in tallied),
            figures=tuple(tuple(one[group] for one in figures) for group in tallied),
            accuracy=(quote.accuracy,) * len(tallied),
            notes=quote.notes,
        )

    def _tally_groups(self, question: Question) -> Mapping[Group, Mapping[Measure, int]]:
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

    def _compute_figures(
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


def published_trace(folder: Path | None) -> tuple[Trace, ...]:
    """The steps of the masking, from the public folder of a release in which the data file lies.

    A folder without trace and report was not written by a release whose requirements held, and a trace without a method
    that masks is that of the original: both are refused. The service never masks.
    """
    from ...release.step_effects import flatten_steps, masks_values
    from ...release.trace import Trace  # takes long to load, and the other modes need nothing of a release

    if folder is None or not all((folder / name).is_file() for name in (TRACE, REPORT)):
        raise TacitError(
            f"the data file does not lie in the public folder of a release: no {TRACE} and {REPORT} beside it",
            code="invalid_service",
            fix="mask it with: tacit release PLAN, and give the path of the file in its public/",
        )
    try:
        steps = tuple(Trace.from_json(step) for step in json.loads((folder / TRACE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise TacitError(
            f"{TRACE} beside the data file cannot be read", code="cannot_read", fix="run tacit release PLAN again"
        ) from None
    if not any(masks_values(step) for step in flatten_steps(steps)):
        raise TacitError(
            f"{TRACE} names no method that is known to mask: the file was released as it is, or by an earlier version",
            code="missing_parameter",
            fix="add a method to the plan, or run tacit release PLAN again",
        )
    return steps
