"""Who was averaged: the group of known records, from the published means and the counts of records that show them."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator


WORK = 200_000
"""Steps that the search for one group may take among the near records,"""
ALL_WORK = 400_000_000
"""and those that it may take for all groups together among all records."""
TIMES = (1.3, 1.6, 2.0, 3.0, 5.0, 20.0)
"""So many times the records of a group are looked at, one after the other, …"""
NEAR = 60
"""… and at most these."""
ROUNDS = 4
CHANCE = 1e-3
"""A set is believed when so few others would fit by chance."""
LARGEST_GROUP = 40
MOST = 200_000
"""Larger files are not searched, …"""
REPEATED = 50_000
"""… and those not grouped again."""


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """Means of several columns in one grouping: ``centres[g]`` is shown by ``count[g]`` released records.

    ``values`` are the intruder's complete records, ``rounding`` is by how much a mean may be off in each column.
    """

    values: np.ndarray
    centres: np.ndarray
    count: np.ndarray
    rounding: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The group found for each record (−1: none), whether that is proven, and how likely one not proven is wrong.

    ``contradicted`` says that a mean is that of no set of records, so that values or means are not what they should be.
    """

    group: np.ndarray
    proven: np.ndarray
    chance: float
    contradicted: bool = False

    @staticmethod
    def no_members(size: int) -> Members:
        """No group was found."""
        return Members(np.full(size, -1), np.zeros(size, dtype=bool), CHANCE)


def find_members(means: Means, *, complete: bool) -> Members:
    r"""The records whose mean is the published one: a group of s records is the only set of s with its mean.

    For a centre c that s records show, sets of s known records are sought with :math:`|\sum_i x_{ij} - s c_j| \le s r_j`
    in every column j, r being what rounding takes away. If one set fits, its records are explained and leave the others;
    so the next groups are easier to find. Records that have equals outside their set stay open.

    First among all records, if groups are small and records few: with ``complete`` (the file has exactly the people
    released) the only set that fits is proven to be the group. Then among the nearest ones, few at first (of which few
    sets would fit by chance) and up to 60, in rounds: a set is believed when fewer than 1/1000 sets would fit by chance,

    .. math:: \lambda = \binom{m}{s} \prod_j \min\left(1, \frac{2 s r_j}{\sqrt{2\pi s}\,\sigma_j}\right),

    with the spread σ of the m near records, and r at least half the finest difference between values; that is no proof,
    because members may be farther away. Bounded time: 4·10⁸ steps among all records, 2·10⁵ per group and
    round among near ones.
    """
    nobody = Members.no_members(len(means.values))
    if len(means.values) > MOST or not len(means.values) or not len(means.centres):
        return nobody
    search = _Search(means)
    contradicted = complete and not search.among_all()
    if contradicted:
        search = _Search(means)
    proven = search.group >= 0
    for times in TIMES:
        for _ in range(ROUNDS):
            if not search.among_near(times):
                break
    return Members(search.group, proven, CHANCE, contradicted)


class _Search:
    """The state of a search: which records and groups are explained so far."""

    def __init__(self, means: Means) -> None:
        self.slack = means.rounding + _finest_differences(means.values) / 2
        finest = np.argsort(self.slack / np.maximum(means.values.std(axis=0), 1e-300), kind="stable")
        middle = means.values.mean(axis=0)
        self.slack, self.rounding = self.slack[finest], means.rounding[finest]
        self.values = np.ascontiguousarray((means.values - middle)[:, finest])
        self.centres = np.ascontiguousarray((means.centres - middle)[:, finest])
        self.spread = np.where(self.values.std(axis=0) > 0, self.values.std(axis=0), 1.0)
        self.count = means.count
        self.twin = np.unique(self.values, axis=0, return_inverse=True)[1].ravel()
        self.group = np.full(len(self.values), -1)
        self.solved = np.zeros(len(self.centres), dtype=bool)

    def among_all(self) -> bool:
        """Sets of all records, as far as there is time, the smallest groups first; False when a group has no set."""
        left = float(ALL_WORK)
        for size, groups in self._by_size():
            free = np.flatnonzero(self.group < 0)
            steps = comb(len(free), size - 1)
            if size > len(free) or steps * len(groups) > left:
                break
            left -= steps * len(groups)
            pool = free[np.argsort(self.twin[free], kind="stable")]
            for some in np.array_split(groups, max(1, len(groups) * len(pool) >> 20)):
                if self._explain_groups(some, np.tile(pool, (len(some), 1)), size, 2 * steps + 1):
                    return False
        return True

    def among_near(self, times: float) -> bool:
        """Sets of so many times the size of nearest records that are not explained; whether any was found."""
        from scipy.spatial import cKDTree

        before = int(self.solved.sum())
        for size, groups in self._by_size():
            free = np.flatnonzero(self.group < 0)
            near = min(_pool_size(size), int(times * size), len(free))
            if near < size:
                continue
            tree = cKDTree(self.values[free] / self.spread)
            for some in np.array_split(groups, max(1, len(groups) >> 12)):
                pool = free[tree.query(self.centres[some] / self.spread, k=np.arange(1, near + 1))[1]]
                pool = np.take_along_axis(pool, np.argsort(self.twin[pool], axis=1, kind="stable"), axis=1)
                self._explain_groups(some, pool, size, WORK, believed=self._significant_groups(pool, size))
        return int(self.solved.sum()) > before

    def _by_size(self) -> Iterator[tuple[int, np.ndarray]]:
        """Groups that are not explained, those of one size together."""
        for size in np.unique(self.count[~self.solved]):
            if 2 <= size <= LARGEST_GROUP:
                yield int(size), np.flatnonzero(~self.solved & (self.count == size))

    def _explain_groups(
        self, groups: np.ndarray, pool: np.ndarray, size: int, work: int, believed: np.ndarray | None = None
    ) -> bool:
        """Explain the groups that one set alone fits; whether there is a group that none fits."""
        from ...kernels.same_mean import NONE, ONE, same_mean

        sums, slack = size * self.centres[groups], size * self.rounding
        verdict, found = same_mean(self.values, self.twin, np.ascontiguousarray(pool), sums, slack, size, work)
        fits = verdict == ONE if believed is None else (verdict == ONE) & believed
        found, groups = found[fits], groups[fits]
        twins = self.twin[found]
        free = np.bincount(self.twin[self.group < 0], minlength=len(self.twin))
        possible = (np.bincount(twins.ravel(), minlength=len(self.twin)) <= free)[twins].all(axis=1)
        # Whoever has an equal outside the set may be that equal: neither is known to be inside.
        own = (twins[:, :, None] == twins[:, None, :]).sum(axis=2) == free[twins]
        self.solved[groups[possible]] = True
        known = own & possible[:, None]
        self.group[found[known]] = np.broadcast_to(groups[:, None], found.shape)[known]
        return bool((verdict == NONE).any())

    def _significant_groups(self, pool: np.ndarray, size: int) -> np.ndarray:
        """Whether a set that fits is no matter of chance."""
        spread = self.values[pool].std(axis=1) * np.sqrt(2 * np.pi * size)
        share = np.minimum(1.0, 2 * size * self.slack / np.maximum(spread, 1e-300))
        found: np.ndarray = comb(pool.shape[1], size) * share.prod(axis=1) <= CHANCE
        return found


def repeat_grouping(means: Means, *, method: str, k: int, gamma: float, standardise: bool) -> np.ndarray | None:
    """The groups that MDAV or V-MDAV makes of all records, if they have the published means and counts; else None.

    The methods draw no lots: whoever has everybody's values repeats them. Records that are equal in all columns may
    change places; those that are not all in one group get −1. O(n²) time, which is why large files are not grouped.
    """
    from scipy.spatial import cKDTree

    from ...kernels.microaggregation import mdav
    from ...kernels.v_mdav import v_mdav

    values = means.values
    if not k <= len(values) <= REPEATED:
        return None
    order = np.lexsort(values.T[::-1])
    points = _standardise_columns(values[order]) if standardise else values[order]
    group = np.empty(len(values), dtype=np.int64)
    group[order] = mdav(points, k) if method == "mdav" else v_mdav(points, k, gamma)
    count = np.bincount(group)
    made = np.column_stack([np.bincount(group, weights=column) / count for column in values.T])
    scale = np.maximum(means.rounding, 1e-300)
    apart, place = cKDTree(means.centres / scale).query(made / scale, p=np.inf)
    shown = np.bincount(place, weights=count, minlength=len(means.centres))
    if (apart > 1).any() or (shown != means.count).any():
        return None
    found = place[group]
    twin = np.unique(values, axis=0, return_inverse=True)[1].ravel()
    least, most = np.full(len(found), len(found)), np.full(len(found), -1)
    np.minimum.at(least, twin, found)
    np.maximum.at(most, twin, found)
    return np.where(least[twin] == most[twin], found, -1)


def _standardise_columns(values: np.ndarray) -> np.ndarray:
    """As the methods have it: columns by their standard deviations, constant ones 0."""
    spread, flat = values.std(axis=0), values.max(axis=0) == values.min(axis=0)
    shifted = np.where(flat, 0.0, values - values.mean(axis=0))
    return np.ascontiguousarray(shifted / np.where(flat | (spread == 0), 1.0, spread))


def _finest_differences(values: np.ndarray) -> np.ndarray:
    """The finest difference between two values of each column."""
    return np.array([np.diff(np.unique(column)).min(initial=np.inf) for column in values.T])


def _pool_size(size: int) -> int:
    """How many near records can be searched for a group."""
    near = size + 1
    while near < NEAR and comb(near + 1, size - 1) <= 40 * WORK:
        near += 1
    return near
