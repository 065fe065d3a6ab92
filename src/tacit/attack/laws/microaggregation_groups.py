"""Groups of several columns: how far known records are from published centres, and which of them made which centre."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..compared import Compared
from .microaggregation_members import Means, Members, members, repeated

if TYPE_CHECKING:
    from .microaggregation_columns import Averaged

__all__ = ["Again", "in_groups", "near"]

SMALL = 1e-9
"""Least deviation within groups, in standard deviations."""
MOST_SURE = 25.0
"""What a wrong group costs at most."""


class Again(NamedTuple):
    """What it takes to group the records again: the method and its parameters."""

    method: str
    k: int
    gamma: float
    standardise: bool


def near(columns: Sequence[Averaged], weights: Sequence[float], *, fuzzifier: float | None = None) -> list[Compared]:
    r"""The columns of one grouping, so that differences cost what they would if records scatter normally about centres.

    .. math:: -\log \frac{f(x \mid c)}{f(x)} = \sum_j \frac{w_j (x_j - c_j)^2}{2 \sigma^2 s_j^2} + const,

    with the standard deviations s of the release, and the deviation σ within groups, the same in all columns because
    groups are made so. σ is estimated from the distances of the intruder's records to their nearest centres; for
    fuzzy microaggregation from the eight nearest, as likely as they are drawn. O(n log n) time in few columns.
    """
    released = np.column_stack([one.release for one in columns])
    mine = np.column_stack([one.intruder for one in columns])
    with np.errstate(invalid="ignore"):
        spread = np.nanstd(released, axis=0)
    spread = np.where(spread > 0, spread, 1.0) / np.sqrt(weights)
    released, mine = released / spread, mine / spread
    within = max(SMALL, _within(released, mine, fuzzifier))
    found = []
    for theirs, own in zip(released.T, mine.T, strict=True):
        usual = 2.0 * float(np.nanvar(theirs))
        if usual == 0:
            continue
        weight = 0.5 / within
        neutral = 0.5 + max(0.0, 0.5 * float(np.log(usual / 2 / within)))
        share = neutral / (weight * usual)
        found.append(Compared(theirs, own, kind="number", usual=usual, share=share, weight=weight))
    return found


def in_groups(
    columns: Sequence[Averaged], *, everybody: bool, again: Again | None
) -> tuple[Compared | None, tuple[str, ...]]:
    """The number of the group as a dimension of its own, for those whose group is found; None when nobody's is.

    Released records that show the same means in all ``columns`` are one group. Groups are found by making them again
    (``again``; needs all columns of the grouping and ``everybody``), else by the means (:func:`members`). Where the
    group is proven, it is a bound; where it is only very likely, another one costs as much as that is unlikely.
    """
    released = np.column_stack([one.release for one in columns])
    mine = np.column_stack([one.intruder for one in columns])
    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    centres, shown = np.unique(released[there], axis=0, return_inverse=True)
    if len(centres) < 2 or not has.any():
        return None, ()
    complete = everybody and int(has.sum()) == int(there.sum())
    averaged = [place for place, one in enumerate(columns) if one.mean]
    rounding = np.array([one.rounding for one in columns])
    means = Means(mine[has], centres, np.bincount(shown.ravel()), rounding)
    found, notes = _found(means, averaged, complete=complete, again=again)
    if not (found.group >= 0).any():
        return None, notes
    released_group = np.full(len(released), -1.0)
    released_group[there] = shown.ravel()
    own, low, high = np.full(len(mine), np.nan), np.full(len(mine), -1.0), np.full(len(mine), len(centres) - 1.0)
    own[has] = np.where(found.group >= 0, found.group, np.nan)
    low[has] = np.where(found.proven, found.group, -1.0)
    high[has] = np.where(found.proven, found.group, len(centres) - 1.0)
    weight = float(min(MOST_SURE, -np.log(found.chance)))
    dimension = Compared(released_group, own, kind="code", usual=1.0, weight=weight, low=low, high=high)
    return dimension, notes


def _found(
    means: Means, averaged: list[int], *, complete: bool, again: Again | None
) -> tuple[Members, tuple[str, ...]]:
    """The groups of the records, made again or found by their means; only means tell who was averaged."""
    if again is not None and complete:
        group = repeated(means, **again._asdict())
        if group is not None:
            return Members(group, group >= 0, chance=1e-12), ()
    if not averaged:
        return Members.nobody(len(means.values)), ()
    part = Means(means.values[:, averaged], means.centres[:, averaged], means.count, means.rounding[averaged])
    found = members(part, complete=complete)
    if found.contradicted:
        return found, ("no set of the intruder's records has some of the published means, so no group is certain",)
    return found, ()


def _within(released: np.ndarray, mine: np.ndarray, fuzzifier: float | None) -> float:
    """The mean squared distance in each column between a record and its centre."""
    from scipy.spatial import cKDTree

    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    if not there.any() or not has.any():
        return 1.0
    centres = np.unique(released[there], axis=0)
    nearest = 1 if fuzzifier is None else min(8, len(centres))
    squares = np.square(cKDTree(centres).query(mine[has], k=np.arange(1, nearest + 1))[0])
    if fuzzifier is not None:
        power = -np.log(np.maximum(squares, 1e-300)) / (fuzzifier - 1)
        chance = np.exp(power - power.max(axis=1, keepdims=True))
        squares = (squares * chance).sum(axis=1) / chance.sum(axis=1)
    return float(squares.mean() / released.shape[1])
