"""Exact answers, as long as they and all earlier ones determine nobody's value.

Every decision is made by :class:`Restriction`, which is given the public part of the data when the service starts and
has no way to the data; the source is asked only in :meth:`Exact.answer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dp.cost import Cost
from ...errors import TacitError
from ..answer import Answer, Quote
from ..atoms import Labels
from ..column import NULL, Column, Schema
from ..identities import check_identities, parse_identity
from ..mode import PastQueries
from ..question import Aggregate, Question
from ..refusal import Refusal
from ..restriction.public import PublicClasses
from ..restriction.restriction import Restriction
from ..restriction.rules import Rules
from ..tally import Measure, Tally
from ..units import UnitSource, confidential_columns, public_columns, read_units
from .figures import within_bounds


class Exact:
    """Exact counts, sums and means over sets of units that are large and different enough.

    Parameters
    ----------
    schema, source
        What is declared, and the data: one row per unit, no missing confidential values.
    rules
        Smallest set, overlap, who is audited together: :class:`Rules`.
    earlier
        Earlier versions, declared alike, by the version of their questions: their answers are audited with these.
    identities
        Columns of which one is a fixed sum of others: they are audited as one system.
    made_up
        Whether the data are made up, of which nothing can be told: they need keep no identity and may lie at bounds.
    """

    name = "exact"

    def __init__(
        self,
        schema: Schema,
        source: UnitSource,
        *,
        rules: Rules,
        earlier: Mapping[str, UnitSource] | None = None,
        identities: Sequence[str] = (),
        made_up: bool = False,
    ) -> None:
        self._schema, self._source = schema, source
        versions = dict(earlier or {}) | {schema.version: source}
        columns = public_columns(schema)
        tied = [parse_identity(text, schema) for text in identities]
        for one in versions.values():  # refused now if a value is missing; then let go of
            codes = read_units(schema, one, confidential_columns(schema)).codes
            if not made_up:
                check_identities(tied, codes)
                for name in codes:
                    _check_bounds(schema.column(name), codes[name], rules.least)
        self._public = PublicClasses.of(
            schema, {name: read_units(schema, one, columns) for name, one in versions.items()}
        )
        self._restriction = Restriction(self._public, rules, tied)

    def quote(self, question: Question, spend: Fraction | None) -> Quote:  # noqa: ARG002  exact answers cost nothing
        """It costs nothing, and the answer is exact."""
        if question.version != self._schema.version:
            raise Refusal("unknown_dataset", "only the present version answers", fix=f"ask {self._schema.version!r}")
        self._restriction.check(question)
        accuracy = (0.0,) * len(question.aggregates)
        return Quote(question=question, cost=Cost.of(0), accuracy=accuracy, notes=self._answer_notes(question))

    def catch_up(self, past: PastQueries) -> None:
        """Take in what was answered before, when the service starts. O(earlier questions · audit)."""
        self._restriction.catch_up(past)

    def decide(self, question: Question, past: PastQueries) -> None:
        """Refuse what would tell too much after what was answered before; no data are read."""
        self._restriction.decide(question, past)

    def answer(self, quote: Quote) -> Answer:
        """The exact figures of every group that is large enough."""
        question, groups = quote.question, self._restriction.listed_groups(quote.question)
        sums = sorted({one.column for one in question.aggregates if one.what in ("sum", "mean")})
        measures = tuple(Measure("sum", column) for column in sums) or (Measure("rows"),)  # an engine needs one
        tally = self._source.tally(question.where, question.by, measures, bounded=False)
        place = {key: number for number, key in enumerate(tally.groups)}
        return Answer(
            keys=tuple(self._decode_key(question, key) for key, _ in groups),
            figures=tuple(
                tuple(self._compute_figure(one, members, tally, place[key]) for one in question.aggregates)
                for key, members in groups
            ),
            accuracy=(quote.accuracy,) * len(groups),
            notes=quote.notes,
        )

    def _compute_figure(self, one: Aggregate, members: Labels, tally: Tally, group: int) -> Any:
        units = self._count_known(one.column, members)
        if one.what in ("count", "units"):
            return units
        total = tally.measures[Measure("sum", one.column)][group]
        column = self._schema.column(one.column)
        if one.what == "sum":
            return column.to_number(total)
        return column.to_number(Fraction(total, units)) if units else None

    def _count_known(self, column: str, members: Labels) -> int:
        """The units of a set that have a value of the column."""
        atoms, place = self._public.versions[self._schema.version]
        codes = atoms.codes.get(column)
        known = members if codes is None else members[codes[place[members]] != NULL]
        return int(np.sum(self._public.units[known]))

    def _decode_key(self, question: Question, key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self._schema.column(by.column).decode(code) for by, code in zip(question.by, key, strict=True))

    def _answer_notes(self, question: Question) -> tuple[str, ...]:
        rules, notes = self._restriction.rules, list(within_bounds(question.aggregates, self._schema))
        if question.by:
            notes.append(f"Groups of fewer than {rules.least} units, or of none, are not listed.")
        if rules.per_account:
            notes.append("Accounts are audited one by one: two that compare their answers may learn a person's value.")
        return tuple(notes)


def _check_bounds(column: Column, codes: npt.NDArray[np.int64], least: int) -> None:
    """Refuse a column with so many values at a bound that a sum over a set which may be asked about can tell them all."""
    for bound in column.bounds():
        if int((codes == bound).sum()) >= least:
            raise TacitError(
                f"has {least} or more values at its bound {column.decode(bound)}: a sum over such units is the value of each",
                code="unsuitable_column",
                column=column.name,
                fix="answer in the dp mode; wider bounds help only where nobody knows the true ones",
            )
