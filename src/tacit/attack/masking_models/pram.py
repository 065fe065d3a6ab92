"""Post-randomisation by a known matrix: the true value behind a released one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...release.step_effects import flatten_steps, may_change_column, published_outcome
from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, masked_columns, number_for, step_parameter
from .scales import as_is
from .transition_costs import Rows, category_texts, mix_rows, transition_costs

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


ROUNDED = 5e-7
"""A chance below this is written as 0."""
CLEAR = 1e-4
"""Where the smallest chance that a law can give is above this, a written 0 is none."""


@dataclass(frozen=True, slots=True, eq=False)
class _TransitionMatrices:
    """The matrices of a column: of each stratum who it is and its rows; chances below the floor may be rounded ones."""

    strata: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    rows: tuple[Rows, ...]
    floor: float


def pram_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns that were changed by a published matrix: the intruder reckons with Bayes' rule.

    A released y speaks for x with the likelihood ratio :math:`P(y \mid x) / P(y)`, the chance by the matrix against its
    share in the release: a rare value that stays is strong evidence, and a chance of 0 rules the record out. In strata the
    matrix is that of the intruder's stratum; where it does not know its stratum, or another step may have changed it
    before, the mean over them by their sizes. A value that the matrix does not name speaks neither for nor against.

    Published matrices are rounded to 6 digits: a 0 counts as 5·10⁻⁷ unless the matrix was typed, or the law is known to
    have no chance that small. Without a matrix the parameters are used, with the shares of the release for those of
    the data. O(n + m + categories²) time for each column.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure control: theory and
    implementation, Journal of Official Statistics 14, 463–478.
    """
    published = published_outcome(step, "matrix")
    kept, compared, notes = list[str](), list[ColumnPair](), list[str]()
    for column in masked_columns(step, columns):
        if not as_is(release, scenario.file, column):
            continue
        law = _matrix_from_user(step, column) or _matrices_from_trace(step, column, published, release)
        if law is None:
            law = _from_parameters(step, column, category_texts(release.series(column)))
            notes.append(f"{column}: the matrix was not published; it is made from the parameters and the release")
        if law is None:
            continue
        kept.append(column)
        compared.append(_compare_column(law, column, release, scenario))
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True, notes=tuple(notes))


def _matrix_from_user(step: Trace, column: str) -> _TransitionMatrices | None:
    """A matrix that the user typed is exact, and so are its zeros."""
    typed = step_parameter(step, "matrix")
    if step_parameter(step, "form", "given") != "given" or not isinstance(typed, Mapping) or column not in typed:
        return None
    return _TransitionMatrices((), ((),), (typed[column],), 0.0)


def _matrices_from_trace(step: Trace, column: str, published: Any, release: Release) -> _TransitionMatrices | None:
    listed = published.get(column) if isinstance(published, Mapping) else None
    if not listed:
        return None
    strata = tuple(listed[0]["stratum"])
    cells = tuple(tuple(_value_text(one["stratum"][name]) for name in strata) for one in listed)
    posterior = number_for(step_parameter(step, "posterior"), column)
    clear = posterior is not None and (1.0 - posterior) / max(1, release.size) > CLEAR
    return _TransitionMatrices(strata, cells, tuple(one["matrix"] for one in listed), 0.0 if clear else ROUNDED)


def _value_text(value: Any) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _from_parameters(step: Trace, column: str, shown: pl.Series) -> _TransitionMatrices | None:
    """The matrix that the parameters make of the released shares."""
    counts = shown.drop_nulls().value_counts(sort=False).sort(shown.name)
    names, shares = counts[shown.name].to_list(), counts["count"].to_numpy() / max(1, int(counts["count"].sum()))
    stay = number_for(step_parameter(step, "stay"), column)
    change = number_for(published_outcome(step, "change"), column)
    if len(names) < 2 or (stay is None and change is None):
        return None
    anew = (
        step_parameter(step, "form", "given") == "invariant" or step_parameter(step, "spread", "evenly") == "frequency"
    )
    keep = 1.0 - float(change) if change is not None else float(stay or 0.0)
    away = np.tile(shares if anew else np.ones(len(names)), (len(names), 1))
    np.fill_diagonal(away, 0.0)
    matrix = (1.0 - keep) * away / away.sum(axis=1, keepdims=True) + keep * np.eye(len(names))
    rows = {name: dict(zip(names, row, strict=True)) for name, row in zip(names, matrix.tolist(), strict=True)}
    return _TransitionMatrices((), ((),), (rows,), ROUNDED)


def _compare_column(law: _TransitionMatrices, column: str, release: Release, scenario: Scenario) -> ColumnPair:
    """Each pair of a stratum and a value of the intruder is a kind of its own."""
    file = scenario.file
    mine = category_texts(file.series(column)).alias("value")
    steps = flatten_steps(scenario.told)
    knows = bool(law.strata) and all(
        name in file.columns and not any(may_change_column(step, name, release) for step in steps)
        for name in law.strata
    )
    keys = [
        category_texts(file.series(name)).alias(f"stratum {number}") for number, name in enumerate(law.strata) if knows
    ]
    frame = pl.DataFrame([mine, *keys])
    distinct = frame.unique(maintain_order=False).sort(pl.all()).with_row_index("kind")
    placed = frame.join(distinct, on=frame.columns, how="left", nulls_equal=True, maintain_order="left")
    kinds = np.where(mine.is_null().to_numpy(), -1, placed["kind"].cast(pl.Int64).to_numpy())
    sizes = _stratum_sizes(law, release)
    listed = distinct.drop("kind").rows()

    def row_of(kind: int) -> Mapping[str, Any] | None:
        value, *cell = listed[kind]
        if value is None:
            return None
        inside = [place for place, one in enumerate(law.cells) if one == tuple(cell)] if knows else []
        inside = [place for place in inside or range(len(law.cells)) if value in law.rows[place]]
        return mix_rows([law.rows[place][value] for place in inside], sizes[inside]) if inside else None

    return transition_costs(category_texts(release.series(column)), row_of, kinds=kinds, floor=law.floor)


def _stratum_sizes(law: _TransitionMatrices, release: Release) -> np.ndarray:
    """How many released records each stratum has; one for each where the release does not show them."""
    if not law.strata or any(name not in release.columns for name in law.strata):
        return np.ones(len(law.cells))
    keys: Sequence[pl.Series] = [
        category_texts(release.series(name)).alias(str(place)) for place, name in enumerate(law.strata)
    ]
    counted: dict[tuple[str | None, ...], int] = {}
    for *cell, count in pl.DataFrame(keys).group_by(pl.all()).len().iter_rows():
        counted[tuple(cell)] = count
    return np.array([counted.get(cell, 0) + 1.0 for cell in law.cells])
