"""How alike two columns are by their values, in the form in which they are most alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Literal

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.codes import Codes, encode_column
from ...release.hierarchy.base import label_expression
from ...release.release import Release
from .column_view import ColumnView
from .numbers import unit_change

GENERIC = frozenset("0 1 2 3 4 5 6 7 8 9 y n yes no true false".split())
"""Values that many unrelated columns have."""

LARGEST = 50

MOST = 12
"""Codes are mapped onto others only when there are at most so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """A score in [0, 1] for one form of comparison, and what turns their values into ours."""

    score: float
    how: Literal["same values", "same unit", "known unit", "age and year", "fitted", "dates", "other codes"]
    scale: float = 1.0
    shift: float = 0.0
    form: str | None = None
    values: dict[str, str] = field(default_factory=dict)


NONE = Similarity(score=0.0, how="same values")


def column_similarity(theirs: ColumnView, ours: ColumnView, *, file: Release, release: Release) -> Similarity:
    """The best of all forms that both columns have."""
    found = [NONE]
    if release.levels.get(ours.column):
        for form, cells in _cell_readings(theirs, file.series(theirs.column)):
            raised = _generalise_cells(cells, release, ours.column) if not file.levels.get(theirs.column) else None
            if raised is not None and ours.values is not None:
                how: Literal["dates", "same values"] = "dates" if form else "same values"
                found.append(Similarity(score=same_values(raised, ours.values), how=how, form=form))
        return max(found, key=lambda one: one.score)
    if theirs.quantiles is not None and ours.quantiles is not None:
        unit = unit_change(theirs.quantiles, ours.quantiles)
        if unit is not None:
            found.append(Similarity(score=unit.score, how=unit.how, scale=unit.scale, shift=unit.shift))
    for form, days in theirs.date_quantiles.items():
        for own in ours.date_quantiles.values():
            unit = unit_change(days, own)
            if unit is not None and unit.how == "same unit":
                found.append(Similarity(score=unit.score, how="dates", form=form))
    if theirs.values is not None and ours.values is not None:
        found.append(Similarity(score=same_values(theirs.values, ours.values), how="same values"))
        codes = map_codes(theirs.values, ours.values)
        if codes is not None:
            found.append(Similarity(score=codes.score, how="other codes"))
    return max(found, key=lambda one: one.score)


def map_by_profiles(
    like: Similarity, theirs: ColumnView, ours: ColumnView, *, anchors: list[tuple[ColumnView, ColumnView]]
) -> Similarity:
    """The likeness with its codes mapped, by the help of the columns that were matched: who has code 1 earns like who has m."""
    if like.how != "other codes" or theirs.values is None or ours.values is None:
        return like
    pairs = [(a.ordered_cells(), b.ordered_cells()) for a, b in anchors if a.column != theirs.column]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    sides = _code_profiles(theirs.values, [a for a, _ in both]), _code_profiles(ours.values, [b for _, b in both])
    found = map_codes(theirs.values, ours.values, profiles=sides)
    assert found is not None
    own = ours.values.dictionary.gather(found.ours)
    return replace(like, values=dict(zip(theirs.values.dictionary.to_list(), own.to_list(), strict=True)))


def _code_profiles(codes: Codes, columns: list[np.ndarray]) -> np.ndarray:
    """For each code the mean rank, as a share, of each column among its records; one half where there is none."""
    count = len(codes.dictionary)
    found = np.full((count, len(columns)), 0.5)
    for place, cells in enumerate(columns):
        known = ~np.isnan(cells) & (codes.codes < count)
        if not known.any():
            continue
        ranks = pl.Series(cells[known]).rank().to_numpy() / known.sum()
        rows = np.bincount(codes.codes[known], minlength=count)
        sums = np.bincount(codes.codes[known], weights=ranks, minlength=count)
        found[:, place] = np.where(rows > 0, sums / np.maximum(rows, 1), 0.5)
    return found


def _cell_readings(theirs: ColumnView, cells: pl.Series) -> list[tuple[str | None, pl.Series]]:
    """Their cells as they are, and as dates where they are dates written out."""
    found: list[tuple[str | None, pl.Series]] = [(None, cells)]
    if cells.dtype not in (pl.Date, pl.Datetime):
        found += [(form, cells.cast(pl.String).str.to_date(form, strict=False)) for form in theirs.dates]
    return found


def _generalise_cells(cells: pl.Series, release: Release, target: str) -> Codes | None:
    """Their values at the published level of ours, if the hierarchy knows values of that sort."""
    hierarchy, level = release.hierarchies.get(target), release.levels[target]
    if hierarchy is None or level >= hierarchy.height:
        return None
    alone = Release(cells.to_frame(target))
    try:
        hierarchy.check_type(target, alone.types[target])
        raised = alone.with_columns({target: label_expression(hierarchy, target, level)}).series(target)
    except (TacitError, pl.exceptions.PolarsError):  # values of another sort, or that it cannot read
        return None
    return encode_column(raised.cast(pl.String).str.strip_chars().str.to_lowercase())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodeMapping:
    """Which of our codes each of their codes is, and in [0, 1] how alike they are."""

    ours: np.ndarray
    score: float


def same_values(theirs: Codes, ours: Codes) -> float:
    """How far two columns of text are the same values, in [0, 1].

    The share of their cells whose value we have too; with few values times how alike the frequencies are, less what
    chance explains. Values that anything may have (yes and no, small numbers) count four fifths. O(values).
    """
    p, q = _code_shares(theirs), _code_shares(ours)
    if not p.size or not q.size:
        return 0.0
    place = {value: number for number, value in enumerate(ours.dictionary)}
    own = np.array([place.get(value, -1) for value in theirs.dictionary])
    covered = float(p[own >= 0].sum())
    trust = 0.8 if all(value in GENERIC for value in theirs.dictionary) else 1.0
    if max(len(p), len(q)) > LARGEST:
        return trust * covered
    moved = np.bincount(own[own >= 0], weights=p[own >= 0], minlength=len(q))
    apart = float(np.abs(moved - q).sum()) / 2 + (1 - covered) / 2
    return trust * covered * max(0.0, 1 - max(0.0, apart - _sampling_distance(theirs, ours)))


def map_codes(
    theirs: Codes, ours: Codes, *, profiles: tuple[np.ndarray, np.ndarray] | None = None
) -> CodeMapping | None:
    """Their codes as other names of ours, found from how often each occurs and what goes with it; a guess.

    ``profiles`` gives for each code of either side further numbers in [0, 1], such as the mean rank of each column that was
    matched before among the records with that code. The codes are assigned one to one with the least total
    difference of frequencies and profiles. Evidence that two columns belong together is only half as good as equal values,
    because any two columns of two values look alike. None when their numbers differ or there are many.
    """
    from scipy.optimize import linear_sum_assignment

    p, q = _code_shares(theirs), _code_shares(ours)
    if len(p) != len(q) or not 2 <= len(p) <= MOST:
        return None
    cost = np.abs(p[:, None] - q[None, :])
    if profiles is not None and profiles[0].shape[1]:
        cost = cost + np.abs(profiles[0][:, None, :] - profiles[1][None, :, :]).sum(axis=2)
    _, own = linear_sum_assignment(cost)
    apart = float(np.abs(p - q[own]).sum()) / 2
    return CodeMapping(ours=own, score=0.5 * max(0.0, 1 - 2 * max(0.0, apart - _sampling_distance(theirs, ours))))


def _code_shares(codes: Codes) -> np.ndarray:
    counts = np.bincount(codes.codes, minlength=len(codes.dictionary) + 1)[: len(codes.dictionary)]
    found: np.ndarray = counts / max(1, counts.sum())
    return found


def _sampling_distance(theirs: Codes, ours: Codes) -> float:
    """About the distance of the frequencies of two samples from one population."""
    k, n, m = len(ours.dictionary), max(1, len(theirs.codes)), max(1, len(ours.codes))
    return 0.4 * sqrt(k * (1 / n + 1 / m))
