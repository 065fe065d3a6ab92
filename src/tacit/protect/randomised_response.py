"""Randomised response: each category is told truthfully with a chance that ε allows, else another one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from secrets import choice
from typing import TYPE_CHECKING, Any

import polars as pl

from ..dp.mechanisms.randomised_response import RandomisedResponse as Mechanism
from ..errors import TacitError, check_columns
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._checks import refuse_empty
from ._pram_matrix.categories import category_text
from .parameters import column_names
from .private.params import checked_categories, checked_epsilon, guarantee_findings, loss_of
from .private.values import declared_types, parse_declared

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


DIGITS = 6
"""Of the entries of a matrix in the trace, as in that of PRAM."""


@describe(
    tags=Tags(about="identity and attribute", kind="method", form="semantic", shown="proven"),
    effects=MethodEffects("changes", ("columns",), model="pram"),
    family="private",
    example={"columns": ["sex"], "epsilon": 1, "categories": {"sex": ["F", "M", "X"]}},
    use="Categories are to be ε-differentially private record by record, and counts may be corrected afterwards.",
    avoid="A column has dozens of categories, or many columns share ε: hardly any true answer is left.",
    repeatable=False,
)
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponse:
    r"""Keep each category with the chance that ε allows and else show another one, all equally likely.

    With d declared categories and ε shared evenly among the columns,

    .. math:: p = \frac{e^{\varepsilon_j}}{e^{\varepsilon_j} + d - 1}, \qquad
              \hat n_c = \frac{n'_c - n q}{p - q}, \quad q = \frac{1 - p}{d - 1}

    is the chance to stay, and the way back to unbiased counts, which
    :func:`tacit.loss.corrected.counts` goes: it is PRAM with one matrix, and the trace has it. Every record is
    differentially private by itself (local), so people need not trust whoever collects. ``categories`` are declared,
    ``{"sex": ["F", "M"]}``: which ones occur is knowledge about people, and the type of the column is theirs. Who has none of them (another value, a gap)
    answers with any of them, evenly; no value makes the step fail.

    δ = 0, neighbours are files of the same size of which one record is replaced, and the promise is of the named columns.
    Many categories leave little truth: above some dozens recode first. Draws come from OpenDP's secure source: no seed
    repeats them. O(n · columns), some ten thousand values a second.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"sex": ["F", "M"] * 50}), quasi="sex")
    >>> m = r.protect(RandomisedResponse(columns="sex", epsilon=1.1, categories={"sex": ["F", "M"]}))
    >>> m.trace[0].outcome["matrix"].value["sex"][0]["matrix"]["F"]
    {'F': 0.75026, 'M': 0.24974}

    References
    ----------
    Warner (1965), Randomized response: a survey technique for eliminating evasive answer bias, Journal of the American
    Statistical Association 60, 63–69. Kairouz, Oh and Viswanath (2014), Extremal mechanisms for local differential
    privacy, NeurIPS, 2879–2887.
    """

    columns: str | Sequence[str]
    epsilon: float
    categories: Mapping[str, Sequence[str | int | bool]]

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        checked_epsilon(self.epsilon)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "categories", _check_categories(self.categories, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002 - the draws have no seed
        """The release with answers drawn at random; the outcome has the guarantee and the matrices."""
        columns = check_columns(self.columns, release.columns)
        refuse_empty(release)
        types, loss = self.declared_types(), loss_of(self.epsilon, len(columns))
        made: dict[str, pl.Series] = {}
        matrices: dict[str, Any] = {}
        absent: dict[str, int] = {}
        for place, column in enumerate(columns):
            report_progress(progress, "randomised_response", place / len(columns))
            listed = self.categories[column]
            texts = tuple(map(category_text, listed))
            mechanism = Mechanism(categories=texts, epsilon=loss)
            cells = parse_declared(release.series(column), types[column])
            answers, absent[column] = _true_answers(cells, texts)
            drawn = mechanism.release(answers)
            back: dict[Hashable, str | int | bool] = dict(zip(texts, listed, strict=True))
            made[column] = pl.Series(column, [back[one] for one in drawn], dtype=types[column])
            matrices[column] = [{"stratum": {}, "matrix": _matrix_as_json(tuple(back), mechanism.truth)}]
        report_progress(progress, "randomised_response", 1.0)
        found = guarantee_findings(release, columns, self.epsilon) | {
            "matrix": Finding(matrices, publishable=True),
            "sensitivity": Finding(PROOF, publishable=True),
            "no_value": Finding(absent, publishable=False),
        }
        return Masked(release.with_columns(made), (Trace.of(self, **found),))

    def declared_types(self) -> dict[str, pl.DataType]:
        """The type of every column, from its categories alone."""
        return declared_types(self.categories)


PROOF = (
    "replacing one record changes its own answers only, whose chances differ by the factor p/q = exp(epsilon/columns)"
)


def _check_categories(given: object, columns: Sequence[str]) -> FrozenDict[str, tuple[str | int | bool, ...]]:
    found = checked_categories(given)
    if set(found) != set(columns):
        raise TacitError(
            "categories are to be declared for each of the columns, and for no other",
            code="unsuitable_column",
            column=columns[0],
            fix=f"e.g. categories={{{columns[0]!r}: ['F', 'M']}}",
        )
    return FrozenDict({column: found[column] for column in columns})


def _true_answers(cells: pl.Series, known: Sequence[str]) -> tuple[list[str], int]:
    """The true answers as texts; who has none of those declared gives any one of them, which any answer could be a lie for.

    The answer that is then drawn is even over the categories: its chances differ from those of any declared category by less than
    the factor p/q, because q < 1/d < p.
    """
    listed, count = frozenset(known), 0
    answers: list[str] = []
    for value in cells:
        answer = None if value is None else category_text(value)
        if answer not in listed:
            answer, count = choice(known), count + 1
        assert answer is not None
        answers.append(answer)
    return answers, count


def _matrix_as_json(listed: Sequence[Hashable], stay: float) -> dict[str, dict[str, float]]:
    other = (1 - stay) / (len(listed) - 1)
    return {
        str(source): {str(to): round(stay if to == source else other, DIGITS) for to in listed} for source in listed
    }
