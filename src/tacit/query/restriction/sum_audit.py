"""The audit of exact sums: what follows from the answered ones must not be about too few units.

Chin and Özsoyoğlu keep the answered sums as a system of linear equations in reduced row-echelon form. Ours has one
unknown for each *cell*, a set of units that no answered question tells apart, and column: the columns that identities tie to
each other are audited as one system, in which every cell keeps every identity. Cells are cut when a question does.

References
----------
Chin and Özsoyoğlu (1982), Auditing and inference control in statistical databases, IEEE TSE 8(6), 574–582.

Which sums of one, two or three unknowns follow from the answers.

A vector of zeros and ones lies in the row space exactly when the rows of the pivots that it meets add up to it. For a random
vector r let H(u) be the product of r with the row of u, without its pivot, if u is a pivot, and −r_u if it is none: then the sum of
a set of unknowns follows only if their H add up to 0 modulo the prime. What does so is looked at exactly. So no sum is
missed, and sets of three are found in the time of sets of two.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..atoms import Labels
from ..refusal import Refusal

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowSpace:
    """Rows in reduced row-echelon form: row k is 1 at ``pivots[k]``, where all other rows are 0.

    A unit vector is in the space exactly when it is one of the rows, because it is the combination of the rows whose
    pivots it meets.
    """

    prime: int
    rows: Whole
    pivots: Whole

    @classmethod
    def empty(cls, width: int, prime: int) -> RowSpace:
        """Nothing is known yet about ``width`` unknowns."""
        return cls(prime=prime, rows=np.zeros((0, width), np.int64), pivots=np.zeros(0, np.int64))

    def split(self, parents: Whole) -> RowSpace:
        """The same rows where some unknowns are the sums of two: a new column, equal to its parent, for each."""
        if not len(parents):
            return self
        return RowSpace(prime=self.prime, rows=np.hstack([self.rows, self.rows[:, parents]]), pivots=self.pivots)

    def with_vector(self, vector: Whole) -> RowSpace:
        """The space with one more vector; the same object when it was in it. O(rank · width) time."""
        from ...kernels.row_space import add_row, reduce_vector

        free = np.delete(np.arange(self.rows.shape[1]), self.pivots)
        rest = reduce_vector(self.rows, self.pivots, free, vector, self.prime)
        support = np.flatnonzero(rest)
        if not len(support):
            return self
        factor = pow(int(rest[support[0]]), -1, self.prime)
        rest[support] = [int(entry) * factor % self.prime for entry in rest[support]]
        rows = add_row(self.rows, support[0], rest, self.prime)
        return RowSpace(prime=self.prime, rows=rows, pivots=np.append(self.pivots, support[0]))

    def determined_unknowns(self) -> Whole:
        """The unknowns whose value follows from the answers. O(rank · width) at the worst, mostly O(rank)."""
        from ...kernels.row_space import single_entry_rows

        found: Whole = self.pivots[single_entry_rows(self.rows)]
        return found


MOST_SMALL = 4_000
"""Cells of few units that an audit looks at in threes; O(cells²·log)."""

HALF = 25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SumAudit:
    """The answered sums of ``width`` columns; ``cell`` numbers the cell of every atom. A value: asking makes another.

    The unknown of a cell and a column stands at ``cell · width + column``; ``ties`` are the coefficients of the identities.
    """

    units: Labels
    cell: Labels
    space: RowSpace
    width: int = 1
    ties: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def empty(cls, units: Labels, prime: int, *, width: int = 1, ties: tuple[tuple[int, ...], ...] = ()) -> SumAudit:
        """Nothing was answered; nobody is told apart from anybody."""
        cell = np.zeros(len(units), np.int64)
        start = cls(units=units, cell=cell, space=RowSpace.empty(width, prime), width=width, ties=ties)
        return start._with_identities([0])

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(self.space.rows.shape[1]) // self.width

    def with_sums(self, sets: Iterable[Labels], column: int = 0) -> SumAudit:
        """With the sums of a column over some more sets of atoms. Each O(atoms + rank · unknowns)."""
        audit = self
        for chosen in sets:
            audit = audit._with_sum(chosen, column)
        return audit

    def _with_sum(self, chosen: Labels, column: int) -> SumAudit:
        count = self.cells
        inside, size = np.bincount(self.cell[chosen], minlength=count), np.bincount(self.cell, minlength=count)
        cut = np.flatnonzero((inside > 0) & (inside < size))
        renamed = np.arange(count)
        renamed[cut] = count + np.arange(len(cut))
        cell = self.cell.copy()
        cell[chosen] = renamed[cell[chosen]]
        parents = (cut[:, None] * self.width + np.arange(self.width)).ravel()
        divided = replace(self, cell=cell, space=self.space.split(parents))._with_identities(
            range(count, count + len(cut))
        )
        vector = np.zeros((count + len(cut)) * self.width, np.int64)
        vector[cell[chosen] * self.width + column] = 1
        return replace(divided, space=divided.space.with_vector(vector))

    def _with_identities(self, cells: Iterable[int]) -> SumAudit:
        """With the identities of some cells; of a cell that was cut, those of one half tell those of the other."""
        space = self.space
        for cell in cells:
            for tie in self.ties:
                vector = np.zeros(space.rows.shape[1], np.int64)
                vector[cell * self.width : (cell + 1) * self.width] = [factor % space.prime for factor in tie]
                space = space.with_vector(vector)
        return replace(self, space=space)

    def exposed_sets(self, least: int) -> frozenset[tuple[int, ...]]:
        """The sets of fewer than ``least`` units whose sum follows, as far as three cells make them: atoms, and the column."""
        return frozenset(self._iter_exposed_sets(least))

    def _iter_exposed_sets(self, least: int) -> Iterator[tuple[int, ...]]:
        totals = np.bincount(self.cell, weights=self.units, minlength=self.cells).astype(np.int64)
        few = np.flatnonzero((totals > 0) & (totals < least))
        for column in range(self.width):
            for place in small_sums(self.space, few * self.width + column, totals[few], least):
                yield (*np.flatnonzero(np.isin(self.cell, few[list(place)])).tolist(), -1 - column)


def small_sums(space: RowSpace, unknowns: Whole, units: Whole, least: int) -> Iterator[tuple[int, ...]]:
    """Places among ``unknowns`` of one to three whose sum follows and whose units are fewer than ``least`` together."""
    if not len(unknowns):
        return
    yield from ((place,) for place in np.flatnonzero(np.isin(unknowns, space.determined_unknowns())).tolist())
    smallest = int(units.min())
    among = np.flatnonzero(units + smallest < least)  # the others are too many with any partner
    if len(among) < 2:
        return
    if len(among) > MOST_SMALL:
        raise Refusal(
            "too_complex",
            f"more than {MOST_SMALL} small groups are told apart by the answers, too many to audit their sums",
            fix="ask about wider groups; the owner of the data may declare fewer or coarser columns",
        )
    tags = _unknown_tags(space, unknowns[among])
    for found in _zero_sums(tags, 3 * smallest < least, space.prime):
        places = tuple(among[list(found)].tolist())
        if units[list(places)].sum() < least and _is_sum_determined(space, unknowns[list(places)]):
            yield places


def _zero_sums(tags: Whole, three: bool, prime: int) -> Iterator[tuple[int, ...]]:
    """Sets of two and, where those can be few units, of three places whose tags add up to 0."""
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    for first, second in _matching_pairs(ordered, order, -tags % prime):
        if first < second:
            yield first, second
    if three:
        for first in range(len(tags) - 2):
            for place, third in _matching_pairs(ordered, order, -(tags[first + 1 :] + tags[first]) % prime):
                if first + 1 + place < third:
                    yield first, first + 1 + place, third


def _matching_pairs(ordered: Whole, order: Whole, wanted: Whole) -> Iterator[tuple[int, int]]:
    """Each place of ``wanted`` with all places that have its tag. O(wanted · log), for hardly any has one."""
    start = np.searchsorted(ordered, wanted)
    found = ordered[np.minimum(start, len(ordered) - 1)] == wanted
    for place in np.flatnonzero(found).tolist():
        for rank in range(int(start[place]), len(ordered)):
            if ordered[rank] != wanted[place]:
                break
            yield place, int(order[rank])


def _unknown_tags(space: RowSpace, unknowns: Whole) -> Whole:
    """H of each unknown. O(rank · unknowns)."""
    prime, width = space.prime, space.rows.shape[1]
    rng = np.random.default_rng(secrets.randbits(128))
    draw: Whole = np.asarray(rng.integers(0, prime, width), np.int64)
    free = np.ones(width, bool)
    free[space.pivots] = False
    tags: Whole = np.asarray(-draw % prime, np.int64)
    if len(space.pivots):
        tags[space.pivots] = _modular_product(space.rows * free, draw, prime)
    found: Whole = tags[unknowns]
    return found


def _modular_product(rows: Whole, draw: Whole, prime: int) -> Whole:
    """Rows times a vector modulo a prime below 2⁵⁰, in halves of 25 bits: 2¹³ products of 50 bits fit into 63."""
    found = np.zeros(len(rows), np.int64)
    mask = (1 << HALF) - 1
    for start in range(0, rows.shape[1], 2**13):
        part, by = rows[:, start : start + 2**13], draw[start : start + 2**13]
        high = (part >> HALF) @ (by >> HALF) % prime
        middle = ((part >> HALF) @ (by & mask) % prime + (part & mask) @ (by >> HALF) % prime) % prime
        low = (part & mask) @ (by & mask) % prime
        found = (found + _modular_shift((_modular_shift(high, prime) + middle) % prime, prime) + low) % prime
    return found


def _modular_shift(values: Whole, prime: int) -> Whole:
    """Times 2²⁵, in shifts that 63 bits hold."""
    for bits in (12, 12, 1):
        values = (values << bits) % prime
    return values


def _is_sum_determined(space: RowSpace, unknowns: Whole) -> bool:
    """Whether the sum of some unknowns lies in the row space."""
    vector = np.zeros(space.rows.shape[1], np.int64)
    vector[unknowns] = 1
    met = np.flatnonzero(np.isin(space.pivots, unknowns))
    total = np.zeros_like(vector)
    for row in met:
        total = (total + space.rows[row]) % space.prime
    return bool((total == vector).all())
