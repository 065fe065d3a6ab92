"""Categories exchanged along a taxonomy: by a published law, or within a reach of the walk through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.hierarchy.cover import domain_of
from ...release.hierarchy.taxonomy import build_taxonomy
from ...release.step_effects import adds_records, drops_records, published_outcome
from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, masked_columns, number_for, step_parameter
from .scales import as_is
from .transition_costs import Rows, category_texts, transition_costs

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


ROUNDED = 5e-10
"""A chance below this is written as 0."""
MOST_VALUES = 4000


def semantic_noise_model(
    step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    r"""Columns that were changed by the law :math:`P(y \mid x) \propto e^{-\varepsilon d(x, y)/2}`, used as that of PRAM.

    The matrix is that of the trace or, for a large taxonomy, computed from ε and the hierarchy of the release. No chance
    is 0, so nothing is ruled out. O(n + m + values²) time.
    """
    published = published_outcome(step, "matrix") or {}
    kept, compared = list[str](), list[ColumnPair]()
    for column in masked_columns(step, columns):
        if not as_is(release, scenario.file, column):
            continue
        listed = published.get(column)
        rows = listed[0]["matrix"] if listed else _compute_rows(step, column, release)
        if rows is None:
            continue
        mine = category_texts(scenario.file.series(column))
        values = mine.drop_nulls().unique().sort()
        kinds = mine.replace_strict(values, list(range(len(values))), default=-1, return_dtype=pl.Int64)
        names = values.to_list()
        compared.append(
            transition_costs(
                category_texts(release.series(column)), _row_of(names, rows), kinds=kinds.to_numpy(), floor=ROUNDED
            )
        )
        kept.append(column)
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True)


def _row_of(names: list[str], rows: Rows) -> Any:
    return lambda kind: rows.get(names[kind]) if kind < len(names) else None


def _compute_rows(step: Trace, column: str, release: Release) -> Rows | None:
    """The law from ε and the taxonomy, where the release has it."""
    epsilon = number_for(published_outcome(step, "epsilon"), column) or number_for(
        step_parameter(step, "epsilon"), column
    )
    if epsilon is None or column not in release.hierarchies:
        return None
    try:
        hierarchy = release.hierarchies[column]
        known = build_taxonomy(hierarchy, column, domain_of(hierarchy, release.series(column).clear()).drop_nulls())
    except TacitError:  # a hierarchy without a table of values tells no law
        return None
    if not 0 < len(known.values) <= MOST_VALUES:
        return None
    chances = np.exp(-0.5 * epsilon * known.distances(step_parameter(step, "distance", "ancestors")))
    chances /= chances.sum(axis=1, keepdims=True)
    names = category_texts(known.values).to_list()
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, chances.tolist(), strict=True)}


def semantic_swap_model(
    step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    """Columns whose values were exchanged over at most r records along the taxonomy.

    Counts are kept, so that the release shows where each value stands in the walk through the taxonomy: the records of
    x hold the places L to U of it, and the released value is one that holds a place from L − r to U + r. Hard, if the
    release has all the records among which values were swapped; with strata, or columns of the household, whose places
    are others, the column is left unexplained. O(n log n) time.
    """
    lost = drops_records(scenario.told) or adds_records(scenario.told)
    complete = not lost and release.household is None
    reach = published_outcome(step, "reach")
    kept, compared = list[str](), list[ColumnPair]()
    for column in masked_columns(step, columns):
        far = reach.get(column) if isinstance(reach, Mapping) else None
        if step_parameter(step, "strata") or far is None or not complete or not as_is(release, scenario.file, column):
            continue
        pair = _compare_by_walk(column, int(far), release, scenario)
        if pair is not None:
            kept.append(column)
            compared.append(pair)
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True)


def _compare_by_walk(column: str, reach: int, release: Release, scenario: Scenario) -> ColumnPair | None:
    """Values as their places in the walk, with the first and the last that lie within the reach."""
    if column not in release.hierarchies:
        return None
    codes = release.codes(column)
    if not len(codes.dictionary):
        return None
    try:
        place = build_taxonomy(release.hierarchies[column], column, codes.dictionary).depth_first_order()
    except TacitError:  # labels that the hierarchy lacks
        return None
    walk = np.append(place.astype(float), np.nan)
    released = walk[np.minimum(codes.codes, len(place))]
    names = category_texts(codes.dictionary).to_list()
    mine = category_texts(scenario.file.series(column))
    own = mine.replace_strict(names, place.astype(float), default=float("nan"), return_dtype=pl.Float64)
    values = own.fill_null(float("nan")).to_numpy()
    ordered = np.sort(released[~np.isnan(released)])
    first = np.searchsorted(ordered, values, side="left") - reach
    last = np.searchsorted(ordered, values, side="right") - 1 + reach
    low, high = (ordered[np.clip(side, 0, len(ordered) - 1)] for side in (first, last))
    usual = 2.0 * float(ordered.var())
    return ColumnPair(released, values, kind="number", usual=usual, low=low, high=high)
