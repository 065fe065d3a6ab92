"""Counts of categories of the original, from a release after PRAM and its trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns
from ...release.step_effects import published_outcome
from .estimates import Corrected
from .steps import by_column, check_strata_unchanged, release_and_steps, selection_notes, steps_changing

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release
    from ...release.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class TransitionMatrices:
    """The matrix of one step in each of its strata: rows by category, as published.

    ``evenly`` is set instead where only the chance to stay was published, and the rest is spread evenly.
    """

    strata: tuple[str, ...]
    rows: Mapping[tuple[str | None, ...], Mapping[str, Mapping[str, float]]]
    invariant: bool
    evenly: float | None = None

    def categories(self) -> list[str]:
        """All categories that the matrices name."""
        return sorted({name for matrix in self.rows.values() for name in matrix})

    def matrix(self, cell: tuple[str | None, ...], categories: Sequence[str], column: str) -> np.ndarray:
        """The matrix of a stratum in the order of the categories; those that it does not name stay as they are."""
        if self.evenly is not None:
            return _uniform_matrix(len(categories), self.evenly)
        if cell not in self.rows:
            raise TacitError(
                "has a stratum of which no matrix was published",
                code="unsuitable_column",
                column=column,
                fix="take the trace of this very release",
            )
        place = {name: number for number, name in enumerate(categories)}
        found = np.eye(len(categories))
        for source, row in self.rows[cell].items():
            found[place[source]] = 0.0
            for to, chance in row.items():
                found[place[source], place[to]] = float(chance)
        found /= found.sum(axis=1, keepdims=True)
        return found


def as_trace_text(value: Any) -> str | None:
    """A category or a stratum as a trace writes it."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def law_of(step: Trace, column: str) -> TransitionMatrices:
    """The law of a step of PRAM on a column: typed, published, or made of its chance to stay; else refused."""
    form = step.parameters.get("form", "given")
    typed = step.parameters.get("matrix")
    if form == "given" and isinstance(typed, Mapping) and column in typed:
        return TransitionMatrices((), {(): typed[column]}, invariant=False)
    listed = (published_outcome(step, "matrix") or {}).get(column)
    strata = check_columns(step.parameters.get("strata"))
    if listed:
        rows = {tuple(as_trace_text(one["stratum"].get(name)) for name in strata): one["matrix"] for one in listed}
        return TransitionMatrices(strata, rows, invariant=form != "given")
    stay = by_column(step.parameters.get("stay"), column)
    if form == "given" and step.parameters.get("spread", "evenly") == "evenly" and stay is not None and not strata:
        return TransitionMatrices((), {}, invariant=False, evenly=stay)
    raise TacitError(
        "was exchanged by a matrix that was not published, because a category has few records",
        code="too_few_records",
        column=column,
        fix="ask the publisher to merge rare categories before pram (recode with rare), so that the matrix can be published",
    )


def _uniform_matrix(count: int, stay: float) -> np.ndarray:
    if count < 2:
        return np.eye(count)
    found = np.full((count, count), (1.0 - stay) / (count - 1))
    np.fill_diagonal(found, stay)
    return found


TRANSITION_MATRIX = "pram"
"""The masking model whose trace has the chances by which categories were exchanged."""

WORST = 1e4
"""Condition of a matrix: published entries have six digits, of which two are left."""

MOST = 1_000_000
"""Cells of a table."""


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """One column of the table: its categories in the release and before, and the laws of its steps in their order."""

    column: str
    categories: tuple[str, ...]
    laws: tuple[TransitionMatrices, ...]

    @property
    def is_invariant(self) -> bool:
        return all(law.invariant for law in self.laws)

    def matrix(self, cell: dict[str, str | None]) -> np.ndarray:
        """Of all steps together, in a stratum."""
        found = np.eye(len(self.categories))
        for law in self.laws:
            found = found @ law.matrix(tuple(cell[name] for name in law.strata), self.categories, self.column)
        return found


def counts(
    release: Release | Masked, *, columns: str | Iterable[str], trace: Sequence[Trace] | None = None
) -> Corrected:
    r"""How many records had each category, or each combination of two or more, before PRAM.

    With :math:`p_{kl}` the chance that category k was released as l, the released counts t and Q the inverse of P,

    .. math:: \hat T = (P')^{-1} t, \qquad
              \widehat{\mathrm{Var}}(\hat T_k) = \sum_l t_l q_{lk}^2 - \hat T_k

    is unbiased, and so is its variance, over the draws of PRAM for the very file that was masked. Columns are exchanged
    independently: the matrix of a table is the Kronecker product of those of its columns, with 1 for a column that no
    step changed. Each stratum is corrected by its own matrix; several steps on a column by their product. An
    invariant matrix keeps the expected counts, so that those of *one* column stay as they are, which is more
    precise; tables of two are corrected.

    Counts below 0 are given as they are (set to 0 they would be biased upwards), with a note. Missing values are left
    out. Columns that are equal within every household change by household, and so have larger standard errors; in a
    table of such a column and one of persons they are too small. O(n + cells · categories) time.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import Pram
    >>> from tacit.release.trace import Trace
    >>> rows = {"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.1, "M": 0.9}}
    >>> step = Trace.of(Pram(columns="sex", matrix={"sex": rows}))
    >>> found = counts(Release(pl.DataFrame({"sex": ["F"] * 26 + ["M"] * 74})), columns="sex", trace=[step])
    >>> print(found)
    F  20 (95 % interval 12.65 to 27.35), naive 26
    M  80 (95 % interval 72.65 to 87.35), naive 74

    References
    ----------
    Kooiman, Willenborg and Gouweleeuw (1997), PRAM: a method for disclosure limitation of microdata, Research paper 9705,
    Statistics Netherlands.
    """
    table, steps = release_and_steps(release, trace)
    chosen = check_columns(columns, table.columns)
    if not chosen:
        raise TacitError(
            "no column is named", code="no_usable_column", fix="e.g. columns='sex' or columns=['sex', 'region']"
        )
    axes = tuple(_make_axis(table, steps, column) for column in chosen)
    size = int(np.prod([len(axis.categories) for axis in axes]))
    if size > MOST:
        raise TacitError(
            f"the table has {size} cells",
            code="not_applicable",
            fix="name fewer columns, or columns with fewer categories",
        )
    strata = tuple(dict.fromkeys(name for axis in axes for law in axis.laws for name in law.strata))
    check_strata_unchanged(steps, strata, table)
    released = _released_tables(table, axes, strata)
    value, spread = np.zeros(size), np.zeros(size)
    as_it_is = len(axes) == 1 and axes[0].is_invariant
    for cell, found in released.items():
        matrices = [axis.matrix(dict(zip(strata, cell, strict=True))) for axis in axes]
        one, more = _invariant_estimate(found, matrices[0]) if as_it_is else _inverse_estimate(found, matrices, axes)
        value, spread = value + one, spread + more
    shape = [len(axis.categories) for axis in axes]
    naive = sum((one.count for one in released.values()), np.zeros(shape)).ravel()
    return Corrected(
        names=tuple(product(*(axis.categories for axis in axes))),
        naive=naive,
        corrected=value,
        standard_error=np.sqrt(np.maximum(spread, 0.0)),
        records=int(naive.sum()),
        notes=(*selection_notes(steps), *_count_notes(table, axes, value)),
    )


def _make_axis(release: Release, steps: Sequence[Trace], column: str) -> _Axis:
    laws = []
    for step in steps_changing(steps, [column], release):
        if step.model != TRANSITION_MATRIX:
            raise TacitError(
                f"was changed by the step {step.method}, which nothing published about it can undo on average",
                code="already_masked",
                column=column,
                fix="leave the column out: counts are corrected after pram and randomised_response",
            )
        laws.append(law_of(step, column))
    shown = {name for name in map(as_trace_text, release.series(column).drop_nulls().unique()) if name is not None}
    known = {name for law in laws for name in law.categories()}
    if known and shown - known:
        raise TacitError(
            f"has {len(shown - known)} categories that the published matrix does not name",
            code="unsuitable_column",
            column=column,
            fix="take the trace of this very release",
        )
    return _Axis(column, tuple(sorted(shown | known)), tuple(laws))


@dataclass(slots=True, eq=False)
class _Table:
    """Released counts, and the sum of the squares of what was exchanged at once: 1 for a person, the size of a household."""

    count: np.ndarray
    square: np.ndarray


def _released_tables(
    release: Release, axes: Sequence[_Axis], strata: Sequence[str]
) -> dict[tuple[str | None, ...], _Table]:
    """The released table of each stratum, over the records that have all the columns."""
    keys = {str(place): name for place, name in enumerate([*strata, *(axis.column for axis in axes)])}
    known = pl.DataFrame({place: release.series(name) for place, name in keys.items()})
    together = _by_household(release, axes)
    if together:
        known = known.with_columns(release.series(str(release.household)).alias("home"))
    known = known.drop_nulls(list(keys)[len(strata) :])
    units = known.group_by(known.columns).len() if together else known.with_columns(len=pl.lit(1))
    size = units.group_by(*keys).agg(pl.col("len").sum(), square=(pl.col("len").cast(pl.Float64) ** 2).sum())
    places = [{name: place for place, name in enumerate(axis.categories)} for axis in axes]
    shape = [len(axis.categories) for axis in axes]
    found: dict[tuple[str | None, ...], _Table] = {}
    for *cell, count, square in size.iter_rows():
        one = tuple(as_trace_text(value) for value in cell[: len(strata)])
        table = found.setdefault(one, _Table(np.zeros(shape), np.zeros(shape)))
        where = tuple(
            place[str(as_trace_text(value))] for place, value in zip(places, cell[len(strata) :], strict=True)
        )
        table.count[where] += count
        table.square[where] += square
    return found


def _by_household(release: Release, axes: Sequence[_Axis]) -> bool:
    """Whether all columns are equal within every household, whose members were then exchanged together."""
    if release.household is None or release.household not in release.columns:
        return False
    home = release.series(release.household).alias("home")
    table = pl.DataFrame([home, *(release.series(axis.column).alias(str(n)) for n, axis in enumerate(axes))])
    most = table.drop_nulls("home").group_by("home").agg(pl.all().n_unique()).drop("home").max()
    return all(value is not None and value <= 1 for value in most.row(0))


def _invariant_estimate(found: _Table, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counts that are right on average, and the variance of what left and what came."""
    return found.count, found.square @ (matrix * (1.0 - matrix))


def _inverse_estimate(
    found: _Table, matrices: Sequence[np.ndarray], axes: Sequence[_Axis]
) -> tuple[np.ndarray, np.ndarray]:
    value, less, more = found.count, found.square, found.square
    for place, (matrix, axis) in enumerate(zip(matrices, axes, strict=True)):
        if not axis.laws:
            continue
        if np.linalg.cond(matrix) > WORST:
            raise TacitError(
                "was exchanged by a matrix that is singular or nearly so: its counts tell nothing of the original ones",
                code="already_masked",
                column=axis.column,
                fix="leave the column out; the publisher would have to let more values stay",
            )
        inverse = np.linalg.inv(matrix)
        value, less = _multiply_along(inverse, value, place), _multiply_along(inverse, less, place)
        more = _multiply_along(inverse**2, more, place)
    return value.ravel(), (more - less).ravel()


def _multiply_along(matrix: np.ndarray, table: np.ndarray, place: int) -> np.ndarray:
    """The matrix on one dimension of the table."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(0, place)), 0, place)


def _count_notes(release: Release, axes: Sequence[_Axis], value: np.ndarray) -> list[str]:
    said = [f"{axis.column}: no step changed it" for axis in axes if not axis.laws]
    if len(axes) == 1 and axes[0].laws and axes[0].is_invariant:
        said.append(f"{axes[0].column}: its matrix keeps the expected counts, which need no correction")
    if any(law.evenly is not None for axis in axes for law in axis.laws):
        said.append("the matrix was not published: it is made from stay, and the categories are those of the release")
    missing = [axis.column for axis in axes if not release.valid(axis.column).all()]
    said += [f"{column}: records without a value are left out" for column in missing]
    below = int((value < -1e-9).sum())
    return [*said, f"{below} counts are below 0: by their standard errors they may be 0"] if below else said
