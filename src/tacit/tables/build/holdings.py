"""Cells whose respondents are holdings: one that stands in several finer cells counts once above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..dimension import Dimension
from ..table import Contributions


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Held:
    """Per cell: how many holdings, the sum of their absolute contributions, and the largest of these."""

    contributors: np.ndarray
    shadow: np.ndarray
    contributions: Contributions


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of cell and holding, sorted by both; ``sums`` has rows Σx, Σ|x|, Σw|x|, Σ1, Σw over the records of a pair."""

    cells: np.ndarray
    owners: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, cells: np.ndarray, owners: np.ndarray, sums: np.ndarray) -> _Pairs:
        """What may stand more than once, added up."""
        if not len(cells):
            return cls(cells, owners, sums)
        keys = cells * (int(owners.max()) + 1) + owners
        order = np.argsort(keys, kind="stable")
        starts = _starts(keys[order])
        first = order[starts]
        return cls(cells[first], owners[first], np.add.reduceat(sums[:, order], starts, axis=1))

    def kept(self, which: np.ndarray) -> _Pairs:
        return _Pairs(self.cells[which], self.owners[which], self.sums[:, which])


def by_holding(
    dimensions: Sequence[Dimension], places: Sequence[np.ndarray], owners: np.ndarray, figures: np.ndarray, *, top: int
) -> Held:
    r"""Contributions by holding in every cell (G-01); ``figures`` has the rows x and w over the records.

    A holding h gives a cell :math:`x_h = \sum_{i \in h} x_i` over its records there, with the mean weight
    :math:`w_h = \sum w_i |x_i| / \sum |x_i|`. Such sums do not follow from the largest ones below, so all pairs of
    cell and holding are added up along one dimension after the other, level by level: the pairs get fewer on the way. Time
    O(n log n × Π (levels of the dimension + 1)) at most, memory O(n × dimensions).
    """
    shape = tuple(len(one.codes) for one in dimensions)
    size = int(np.prod(shape))
    found = Held(
        contributors=np.zeros(size),
        shadow=np.zeros(size),
        contributions=Contributions(
            values=np.zeros((size, top)), owners=np.full((size, top), -1), weights=np.zeros((size, top))
        ),
    )
    values, weights = figures
    sums = np.stack([values, np.abs(values), weights * np.abs(values), np.ones(len(values)), weights])
    pairs = _Pairs.of(np.ravel_multi_index(tuple(places), shape), owners, sums)
    for level in _climbed(dimensions, pairs, 0):
        _note(found, level, top)
    return found


def _climbed(dimensions: Sequence[Dimension], pairs: _Pairs, axis: int) -> Iterator[_Pairs]:
    """The pairs at every combination of levels; each cell is in exactly one of them."""
    if axis == len(dimensions):
        yield pairs
        return
    parents, depths = np.array(dimensions[axis].parents), np.array(dimensions[axis].depths)
    stride = int(np.prod([len(one.codes) for one in dimensions[axis + 1 :]], dtype=np.int64))
    for level in range(int(depths.max()), -1, -1):
        at = pairs.cells // stride % len(parents)
        here = depths[at] == level
        yield from _climbed(dimensions, pairs if here.all() else pairs.kept(here), axis + 1)
        if level:
            raised = pairs.cells + np.where(here, parents[at] - at, 0) * stride
            pairs = _Pairs.of(raised, pairs.owners, pairs.sums)


def _note(found: Held, pairs: _Pairs, top: int) -> None:
    """Write down what the pairs tell of their cells, a run of pairs for each."""
    if not len(pairs.cells):
        return
    starts = _starts(pairs.cells)
    lengths = np.diff(np.r_[starts, len(pairs.cells)])
    cells, run = pairs.cells[starts], np.repeat(np.arange(len(starts)), lengths)
    value, size, weighted, members, weight = pairs.sums
    mean = np.where(size > 0, weighted / np.where(size > 0, size, 1.0), weight / members)
    left = np.abs(value)
    found.contributors[cells] = lengths
    found.shadow[cells] = np.add.reduceat(mean * left, starts)
    for rank in range(top):
        largest = np.maximum.reduceat(left, starts)
        reached = np.flatnonzero((left == largest[run]) & (left >= 0))
        taken = reached[_starts(run[reached])] if len(reached) else reached
        into = pairs.cells[taken]
        found.contributions.values[into, rank] = value[taken]
        found.contributions.owners[into, rank] = pairs.owners[taken]
        found.contributions.weights[into, rank] = mean[taken]
        left[taken] = -1.0


def _starts(ordered: np.ndarray) -> np.ndarray:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
