"""Categories exchanged along a taxonomy: by a published law, or within a reach of the walk through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.hierarchy.cover import domain_of
from ...release.hierarchy.taxonomy import taxonomy
from ...release.steps import adds_records, drops_records, told
from ..compared import Compared
from .chances import Rows, costs, texts
from .known import Known
from .parameters import masked, number_for, parameter
from .scales import as_is

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


ROUNDED = 5e-10
"""A chance below this is written as 0."""
MOST_VALUES = 4000


def semantic_noise(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:
    r"""Columns that were changed by the law :math:`P(y \mid x) \propto e^{-\varepsilon d(x, y)/2}`, used as that of PRAM (M-05).

    The matrix is that of the trace or, for a large taxonomy, computed from ε and the hierarchy of the release. No chance
    is 0, so nothing is ruled out. O(n + m + values²) time.
    """
    published = told(step, "matrix") or {}
    kept, compared = list[str](), list[Compared]()
    for column in masked(step, columns):
        if not as_is(release, scenario.file, column):
            continue
        listed = published.get(column)
        rows = listed[0]["matrix"] if listed else _computed(step, column, release)
        if rows is None:
            continue
        mine = texts(scenario.file.series(column))
        values = mine.drop_nulls().unique().sort()
        kinds = mine.replace_strict(values, list(range(len(values))), default=-1, return_dtype=pl.Int64)
        names = values.to_list()
        compared.append(
            costs(texts(release.series(column)), _row_of(names, rows), kinds=kinds.to_numpy(), floor=ROUNDED)
        )
        kept.append(column)
    return Known(columns=tuple(kept), compared=tuple(compared), certain=True)


def _row_of(names: list[str], rows: Rows) -> Any:
    return lambda kind: rows.get(names[kind]) if kind < len(names) else None


def _computed(step: Trace, column: str, release: Release) -> Rows | None:
    """The law from ε and the taxonomy, where the release has it."""
    epsilon = number_for(told(step, "epsilon"), column) or number_for(parameter(step, "epsilon"), column)
    if epsilon is None or column not in release.hierarchies:
        return None
    try:
        hierarchy = release.hierarchies[column]
        known = taxonomy(hierarchy, column, domain_of(hierarchy, release.series(column).clear()).drop_nulls())
    except TacitError:  # a hierarchy without a table of values tells no law
        return None
    if not 0 < len(known.values) <= MOST_VALUES:
        return None
    chances = np.exp(-0.5 * epsilon * known.distances(parameter(step, "distance", "ancestors")))
    chances /= chances.sum(axis=1, keepdims=True)
    names = texts(known.values).to_list()
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, chances.tolist(), strict=True)}


def semantic_swapped(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:
    """Columns whose values were exchanged over at most r records along the taxonomy (M-05).

    Counts are kept, so that the release shows where each value stands in the walk through the taxonomy: the records of
    x hold the places L to U of it, and the released value is one that holds a place from L − r to U + r. Hard, if the
    release has all the records among which values were swapped; with strata, or columns of the household, whose places
    are others, the column is left unexplained. O(n log n) time.
    """
    lost = drops_records(scenario.told) or adds_records(scenario.told)
    complete = not lost and release.household is None
    reach = told(step, "reach")
    kept, compared = list[str](), list[Compared]()
    for column in masked(step, columns):
        far = reach.get(column) if isinstance(reach, Mapping) else None
        if parameter(step, "strata") or far is None or not complete or not as_is(release, scenario.file, column):
            continue
        pair = _walked(column, int(far), release, scenario)
        if pair is not None:
            kept.append(column)
            compared.append(pair)
    return Known(columns=tuple(kept), compared=tuple(compared), certain=True)


def _walked(column: str, reach: int, release: Release, scenario: Scenario) -> Compared | None:
    """Values as their places in the walk, with the first and the last that lie within the reach."""
    if column not in release.hierarchies:
        return None
    codes = release.codes(column)
    if not len(codes.dictionary):
        return None
    try:
        place = taxonomy(release.hierarchies[column], column, codes.dictionary).walk()
    except TacitError:  # labels that the hierarchy lacks
        return None
    walk = np.append(place.astype(float), np.nan)
    released = walk[np.minimum(codes.codes, len(place))]
    names = texts(codes.dictionary).to_list()
    mine = texts(scenario.file.series(column))
    own = mine.replace_strict(names, place.astype(float), default=float("nan"), return_dtype=pl.Float64)
    values = own.fill_null(float("nan")).to_numpy()
    ordered = np.sort(released[~np.isnan(released)])
    first = np.searchsorted(ordered, values, side="left") - reach
    last = np.searchsorted(ordered, values, side="right") - 1 + reach
    low, high = (ordered[np.clip(side, 0, len(ordered) - 1)] for side in (first, last))
    usual = 2.0 * float(ordered.var())
    return Compared(released, values, kind="number", usual=usual, low=low, high=high)
