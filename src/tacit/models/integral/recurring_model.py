"""A model with the databases that are known to give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...result import DisplayMixin, format_fact
from .generators import Generators
from .learner import Key
from .published import PublishedModel

STARTS = 64
"""Databases that a greedy family is begun with."""

PAIRS = 1 << 33
"""Bytes up to which all pairs of databases are compared."""

CELLS = 1 << 27
"""Databases times records up to which records that meet every database are sought."""

BRANCHES = 1_000
"""Of the search for the optimum of a part; what it has found by then is taken."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RecurringModel(DisplayMixin):
    """A candidate: the model (``key`` is its key over all columns of the population), its generators among ``looked`` different databases, and how good it is.

    What was found of the generators is there: more databases can only add generators, and take away from what all of them
    share. ``values`` are the features and the target of the population, a row for each record. ``score`` is measured on records that are in none of them, with a 95 % interval where it is a share.
    """

    key: Key
    model: PublishedModel
    generators: Generators
    looked: int
    score: float
    interval: tuple[float, float] | None = None
    values: np.ndarray | None = None

    @property
    def count(self) -> int:
        """How many databases are known to give the model."""
        return self.generators.count

    @property
    def recurrence(self) -> float:
        """The share of the databases looked at that give it."""
        return self.count / self.looked

    @property
    def common(self) -> int:
        """How many records are in every generator: of these an intruder is sure."""
        return self.generators.common()

    def common_values(self, fewest: int) -> int:
        """Of how many columns every generator has a record with the same value, which fewer than ``fewest`` records have."""
        return 0 if self.values is None else len(self.generators.common_values(self.values, fewest))

    @property
    def share(self) -> float:
        """The share of the generators that have the most frequent record."""
        return self.generators.share()

    @property
    def overlap(self) -> float:
        """What two generators share on average, over their mean size."""
        return self.generators.overlap()

    def family(self) -> Family:
        """A largest family of generators of which no two share a record."""
        return disjoint_family(self.generators)

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees: the generators, then the model."""
        yield "generators", f"{format_fact(self.count)} of {format_fact(self.looked)} databases"
        yield "records in all of them", format_fact(self.common)
        usual = format_fact(self.generators.mean_share())
        yield "most frequent record", f"in {format_fact(self.share)} of them (a record is in {usual} on average)"
        yield "shared by two of them", f"{format_fact(self.overlap)} of their records"
        family = self.family()
        most = "no more among them" if family.is_proven else f"at most {format_fact(family.bound)} among them"
        yield "disjoint generators", f"{format_fact(family.size)} ({most})"
        of = f" (95 % interval {format_fact(self.interval)})" if self.interval else ""
        yield self.model.learner.MEASURED, format_fact(self.score) + of
        yield from self.model.rows()

    def as_json(self) -> dict[str, Any]:
        """Counts and the model; no row of the file."""
        family = self.family()
        return {
            "generators": self.count,
            "databases": self.looked,
            "recurrence": self.recurrence,
            "records in all generators": self.common,
            "most frequent record": self.share,
            "overlap": self.overlap,
            "disjoint generators": {"found": family.size, "at most": family.bound},
            "measured": self.model.learner.MEASURED,
            "score": self.score,
            "interval": self.interval,
            "model": self.model.as_json(),
        }

    def __repr__(self) -> str:
        return f"<Recurring {self.model.learner.NAME}, {format_fact(self.count)} generators, {format_fact(self.score)}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """``members`` are the numbers of databases of which no two share a record; no family has more than ``bound``."""

    members: tuple[int, ...]
    bound: int

    @property
    def size(self) -> int:
        """How many databases it has."""
        return len(self.members)

    @property
    def is_proven(self) -> bool:
        """Whether no larger family exists among the databases."""
        return self.size == self.bound


def disjoint_family(generators: Generators) -> Family:
    r"""A largest family of pairwise disjoint databases (set packing), with a bound.

    .. math:: \max \sum_g x_g, \quad \sum_{g \ni r} x_g \le 1 \text{ for every record } r, \quad x_g \in \{0, 1\}

    First greedily from several starts. A family has no more members than fit into the population by size, nor more than
    records that meet every database (any such set has one record of each member). Where these leave a gap, the
    databases are parted by who is disjoint from whom, since a family lies within one part, and HiGHS solves each part. The
    pairs cost O(g² · n / 8); where this is above 2³³ bytes only the greedy family and the bound are given.

    >>> from .generators import pack_members
    >>> found = Generators.of((pack_members(np.array(one), 6) for one in ([0, 1], [1, 2], [2, 3], [4, 5])), 6)
    >>> disjoint_family(found).size, disjoint_family(found).is_proven
    (3, True)

    References
    ----------
    Torra, Navarro-Arribas and Galván (2020), Explaining recurrent machine learning models: integral privacy revisited,
    PSD, LNCS 12276, 62–73: groups of generators that share records, of which the fewest are such a set of records.
    """
    found = _greedy_family(generators)
    bound = _by_size(generators)
    if len(found) < bound and generators.count * generators.population <= CELLS:
        bound = min(bound, len(greedy_hitting_set(generators)))
    if len(found) >= bound or generators.count * generators.bits.size > PAIRS:
        return Family(members=tuple(sorted(found)), bound=bound)
    parts, most = _connected_parts(generators), len(found)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) <= len(found):
            break
        better, limit = _solve_part(generators, part)
        found = better if len(better) > len(found) else found
        most = max(most, limit)
    return Family(members=tuple(sorted(found)), bound=min(bound, max(most, len(found))))


def greedy_hitting_set(generators: Generators) -> list[int]:
    """Records of which every database has one, chosen greedily: the record that meets most of those not yet met.

    A single one if and only if the databases have a record in common.
    """
    inside, left, chosen = generators.matrix(), np.ones(generators.count, dtype=bool), []
    while left.any():
        record = int(inside[left].sum(axis=0).argmax())
        chosen.append(record)
        left &= ~inside[:, record]
    return chosen


def _by_size(generators: Generators) -> int:
    """As many of the smallest as fit into the population."""
    return int((np.cumsum(np.sort(generators.sizes())) <= generators.population).sum())


def _greedy_family(generators: Generators) -> list[int]:
    best: list[int] = []
    order = np.argsort(generators.sizes(), kind="stable")
    for first in order[:STARTS].tolist():
        taken, used = [first], generators.bits[first].copy()
        free = ~(generators.bits & used).any(axis=1)
        while free.any():
            following = int(order[free[order]][0])
            taken.append(following)
            used |= generators.bits[following]
            free &= ~(generators.bits & generators.bits[following]).any(axis=1)
        best = taken if len(taken) > len(best) else best
    return best


def _connected_parts(generators: Generators) -> list[np.ndarray]:
    """The components of the graph that joins disjoint databases."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    bits = generators.bits
    apart = np.array([~(bits & row).any(axis=1) for row in bits])
    count, of = connected_components(csr_matrix(apart), directed=False)
    return [np.flatnonzero(of == part) for part in range(count)]


def _solve_part(generators: Generators, part: np.ndarray) -> tuple[list[int], int]:
    """The largest family within a part, and a bound on it."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    held = np.unique(Generators(generators.bits[part], generators.population).matrix().T, axis=0)
    held = held[held.sum(axis=1) > 1]
    found = milp(
        -np.ones(len(part)),
        constraints=LinearConstraint(csr_matrix(held.astype(float)), -np.inf, 1.0),
        integrality=np.ones(len(part)),
        bounds=Bounds(0, 1),
        options={"node_limit": BRANCHES},
    )
    chosen = [] if found.x is None else part[np.round(found.x) > 0].tolist()
    bound = len(part) if found.mip_dual_bound is None else int(np.floor(-found.mip_dual_bound + 1e-6))
    return chosen, bound
