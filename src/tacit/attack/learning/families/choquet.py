"""Choquet integrals: every set of columns may have a weight of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from ....errors import TacitError, check_int
from ....kernels.forms import CHOQUET, MOEBIUS, form_of
from ..pairs import Pairs
from ..rows import Cone
from .family import column_shares, pair_shares

FULL = 12
"""A full measure has 2ⁿ−1 parameters: with more columns nobody can learn it."""

MOST = 2**FULL - 1

LISTED = 4_000_000
"""So many numbers are listed as sides; beyond, they are computed when asked for."""

SUBMODULAR_MOST = 100

FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Choquet:
    r"""The Choquet integral of the differences by a measure μ of the sets of columns.

    .. math:: d = \sum_k (\delta_{(k)} - \delta_{(k-1)})\, \mu(\{v : \delta_v \ge \delta_{(k)}\}),
              \quad \delta_{(1)} \le … \le \delta_{(n)}, \ \delta_{(0)} = 0.

    What two columns say together may be less than both say apart (they are one piece of knowledge), or more. A measure that
    adds up is the weighted mean, one of the size of a set alone the ordered average. The parameters are μ over the sets
    1 … 2ⁿ−1 as bits, at most 12 columns. ``additive=k`` leaves the Möbius terms of at most k columns,

    .. math:: d = \sum_{|T| \le k} m(T) \min_{v \in T} \delta_v,

    in the order of size and bits: n(n+1)/2 parameters for k = 2. Any set function is allowed, also one that falls as sets
    grow. O(n · log n) time for a pair, O(parameters) with ``additive``.

    >>> Choquet().terms(np.array([[1.0, 4.0]])).tolist()
    [[0.0, 3.0, 1.0]]
    >>> Choquet(additive=2).terms(np.array([[1.0, 4.0]])).tolist()
    [[1.0, 4.0, 1.0]]

    References
    ----------
    Choquet (1954), Theory of capacities, Annales de l'Institut Fourier 5, 131–295.
    Abril, Navarro-Arribas and Torra (2012), Choquet integral for record linkage, Annals of Operations Research 195, 97–110.
    """

    additive: int | None = None

    name: ClassVar[str] = "choquet"
    signed: ClassVar[bool] = False
    separable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.additive is not None:
            check_int("additive", self.additive, least=1)

    @property
    def code(self) -> int:
        """Steps between sorted differences, or smallest differences of sets."""
        return CHOQUET if self.additive is None else MOEBIUS

    def sets(self, columns: int) -> np.ndarray:
        """The sets of the Möbius terms; none for the full measure, whose sets are all."""
        return np.empty(0, dtype=np.int64) if self.additive is None else self._allowed_subsets(columns)

    def too_large(self, columns: int) -> str | None:
        """Why there are too many columns: they would have more than 4095 parameters."""
        many = self._subset_count(columns)
        if many <= MOST:
            return None
        kind = "a full Choquet measure" if self.additive is None else f"a Choquet measure with additive={self.additive}"
        fewer = 2 if self.additive is None else 1
        instead = f"additive={fewer} (in a plan), another family or fewer columns (--knows) will do"
        return f"{kind} of {columns} columns has {many:,} parameters, more than the {MOST:,} of 12 columns; {instead}"

    def size(self, columns: int) -> int:
        """One for each set; a TacitError where they are too many."""
        self._check_size(columns)
        return self._subset_count(columns)

    def terms(self, differences: np.ndarray) -> np.ndarray:
        """The steps between the sorted differences, at the set of columns that still differ; or the smallest of each set."""
        n = differences.shape[-1]
        terms = np.zeros((*differences.shape[:-1], self.size(n)))
        if self.additive is not None:
            _, parent, last = form_of(MOEBIUS, self.sets(n))
            for t, (before, column) in enumerate(zip(parent, last, strict=True)):
                value = differences[..., column]
                terms[..., t] = value if before < 0 else np.minimum(terms[..., before], value)
            return terms
        order = np.argsort(differences, axis=-1, kind="stable")
        values = np.take_along_axis(differences, order, axis=-1)
        steps = np.diff(values, axis=-1, prepend=0.0)
        still = np.cumsum((1 << order)[..., ::-1], axis=-1)[..., ::-1]
        np.put_along_axis(terms, still - 1, steps, axis=-1)
        return terms

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """Everything."""
        return Cone(self.size(columns))

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - to be learned
        """None: the measure is learned."""
        return None

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The measure that adds up the weights."""
        sets = self._allowed_subsets(len(weights))
        if self.additive is None:
            total: np.ndarray = ((sets[:, None] >> np.arange(len(weights))) & 1) @ weights
            return total
        return np.append(weights, np.zeros(len(sets) - len(weights)))

    def describe_parameters(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        """The Shapley value of each column as a share, and the pairs of columns that interact most beside their sum.

        >>> Choquet().describe_parameters(np.array([1.0, 1.0, 1.0]), ("county", "zip"))
        {'share': {'county': 0.5, 'zip': 0.5}, 'together': {'county × zip': -1.0}}
        """
        sets, n = self._allowed_subsets(len(columns)), len(columns)
        moebius = moebius_of(parameters) if self.additive is None else parameters
        values = shapley_values(moebius, sets, n)
        return column_shares(values, columns) | pair_shares(
            interaction_indices(moebius, sets, n), columns, float(np.abs(values).sum())
        )

    def _allowed_subsets(self, columns: int) -> np.ndarray:
        self._check_size(columns)
        return column_subsets(columns, self.additive)

    def _subset_count(self, columns: int) -> int:
        most = columns if self.additive is None else min(self.additive, columns)
        return sum(comb(columns, k) for k in range(1, most + 1))

    def _check_size(self, columns: int) -> None:
        why_not = self.too_large(columns)
        if why_not:
            raise TacitError(
                why_not, code="attack_impossible", fix=f"take a smaller additive, or at most {FULL} columns"
            )


@dataclass(frozen=True, slots=True)
class Monotone(Choquet):
    """The Choquet integral of a monotone and submodular measure.

    More that differs is never nearer, and what a column adds shrinks as the set grows: such an integral is at most the sum of
    those of its parts, so that it behaves like a distance. With ``additive`` from 3 on at most 12 columns too, because
    whether a measure is submodular must be looked at in every set.

    >>> Monotone().cone(2).sides.tolist()
    [[1.0, 1.0, -1.0], [0.0, -1.0, 1.0], [-1.0, 0.0, 1.0]]
    """

    name: ClassVar[str] = "monotone"

    def too_large(self, columns: int) -> str | None:
        """Why there are too many columns: too many parameters, or too many sets to look at."""
        if columns > FULL and self.additive is not None and self.additive > 2:
            return f"a monotone measure with additive={self.additive} of {columns} columns has too many sets, more than those of 12 columns; additive=2 looks at pairs"
        return Choquet.too_large(self, columns)

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """Monotone and submodular."""
        return submodular_cone(self._allowed_subsets(columns), columns, self.additive)


@dataclass(frozen=True, slots=True, eq=False)
class SubmodularConstraints:
    """Each row (a, b, c, d) of sets says μ(a) + μ(b) − μ(c) − μ(d) ≥ 0; 0 is the empty set."""

    sets: np.ndarray

    def constraint_values(self, measure: np.ndarray) -> np.ndarray:
        """The left sides for a measure over 1 … 2ⁿ−1."""
        a, b, c, d = np.append(0.0, measure)[self.sets.T]
        left: np.ndarray = a + b - c - d
        return left

    def rows(self, which: np.ndarray, terms: np.ndarray, *, moebius: bool) -> np.ndarray:
        """The sides as rows over ``terms`` (sets), for the measure itself or for its Möbius transform."""
        a, b, c, d = (part[:, None] for part in self.sets[which].T)
        if moebius:
            within = [((terms & ~one) == 0).astype(np.float64) for one in (a, b, c, d)]
        else:
            within = [(terms == one).astype(np.float64) for one in (a, b, c, d)]
        rows: np.ndarray = within[0] + within[1] - within[2] - within[3]
        return rows


def submodular_constraints(columns: int, additive: int | None) -> SubmodularConstraints:
    r"""The sides that suffice: submodular :math:`\mu(S+u) + \mu(S+v) \ge \mu(S+u+v) + \mu(S)`, and monotone at the whole set.

    What a column adds shrinks as the set grows, so that it never falls below zero when it does not at the last step. With
    Möbius terms of at most two columns S = ∅ suffices: that a column adds less does not depend on S.
    """
    single = 1 << np.arange(columns, dtype=np.int64)
    every = np.zeros(1, dtype=np.int64) if additive is not None and additive <= 2 else np.arange(2**columns)
    found = []
    for u in range(columns):
        for v in range(u):
            bits = single[u] | single[v]
            s = every[(every & bits) == 0]
            found.append(np.column_stack([s | single[u], s | single[v], s | bits, s]))
    whole = np.int64((1 << columns) - 1)
    nothing = np.zeros(columns, dtype=np.int64)
    found.append(np.column_stack([np.full(columns, whole), nothing, whole ^ single, nothing]))
    return SubmodularConstraints(np.concatenate(found))


def submodular_cone(terms: np.ndarray, columns: int, additive: int | None) -> Cone:
    """The cone for the parameters of ``terms``: the measure itself, or its Möbius transform (``additive``).

    A list of sides where it is short, else computed on demand in O(columns² · 2^columns) time.
    """
    every, moebius = submodular_constraints(columns, additive), additive is not None
    if len(every.sets) * len(terms) <= LISTED:
        sides = every.rows(np.arange(len(every.sets)), terms, moebius=moebius)
        sides = np.unique(sides[sides.any(axis=1)], axis=0) if moebius else sides
        return Cone(len(terms), sides=sides, inside=_interior_measure(terms, columns, additive))

    def values(parameters: np.ndarray) -> np.ndarray:
        return every.constraint_values(
            measure_of(expand_to_all_sets(parameters, terms, columns)) if moebius else parameters
        )

    def beyond(parameters: np.ndarray) -> np.ndarray:
        left = values(parameters)
        below = np.flatnonzero(left < -FLAT * np.abs(parameters).max(initial=0.0))
        return every.rows(below[np.argsort(left[below], kind="stable")[:SUBMODULAR_MOST]], terms, moebius=moebius)

    def span(parameters: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
        here, along = np.maximum(values(parameters), 0.0), values(direction)
        size = FLAT * np.abs(direction).max(initial=0.0)
        up, down = along > size, along < -size
        low = (-here[up] / along[up]).max(initial=-np.inf)
        return float(low), float((-here[down] / along[down]).min(initial=np.inf))

    return Cone(len(terms), beyond=beyond, span=span, inside=_interior_measure(terms, columns, additive))


def _interior_measure(terms: np.ndarray, columns: int, additive: int | None) -> np.ndarray:
    """A measure that grows with every column, ever less: |S|·(2n − |S|), and what singles and pairs have of it."""
    many = set_sizes(terms)
    if additive is None:
        measure: np.ndarray = (many * (2 * columns - many)).astype(np.float64)
        return measure
    inside: np.ndarray = np.where(many == 1, 2.0 * columns - 1.0, np.where(many == 2, -2.0, 0.0))
    return inside


def set_sizes(sets: np.ndarray) -> np.ndarray:
    """How many columns each set has."""
    count: np.ndarray = np.bitwise_count(sets).astype(np.int64)
    return count


def column_subsets(columns: int, most: int | None = None) -> np.ndarray:
    """All sets but the empty one in the order of their bits; those of at most ``most`` columns, smaller ones first.

    >>> column_subsets(2).tolist(), column_subsets(3, 2).tolist()
    ([1, 2, 3], [1, 2, 4, 3, 5, 6])
    """
    if most is None:
        return np.arange(1, 2**columns, dtype=np.int64)
    of_size = [sorted(sum(1 << v for v in one) for one in combinations(range(columns), k)) for k in range(1, most + 1)]
    return np.array([one for same in of_size for one in same], dtype=np.int64)


def expand_to_all_sets(values: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    """The vector over all sets that has ``values`` at ``sets``, 0 elsewhere."""
    whole = np.zeros(2**columns - 1)
    whole[sets - 1] = values
    return whole


def moebius_of(measure: np.ndarray) -> np.ndarray:
    r"""The Möbius transform :math:`m(T) = \sum_{S \subseteq T} (-1)^{|T \setminus S|} \mu(S)`; O(n·2ⁿ) time.

    >>> moebius_of(np.array([1.0, 2.0, 2.0])).tolist()
    [1.0, 2.0, -1.0]
    """
    return _over_subsets(measure, -1.0)


def measure_of(moebius: np.ndarray) -> np.ndarray:
    r"""The measure :math:`\mu(S) = \sum_{T \subseteq S} m(T)`; O(n·2ⁿ) time.

    >>> measure_of(np.array([1.0, 2.0, -1.0])).tolist()
    [1.0, 2.0, 2.0]
    """
    return _over_subsets(moebius, 1.0)


def _over_subsets(values: np.ndarray, sign: float) -> np.ndarray:
    whole = np.append(0.0, values)
    for bit in range(int(len(whole)).bit_length() - 1):
        halves = whole.reshape(-1, 2, 1 << bit)
        halves[:, 1] += sign * halves[:, 0]
    return whole[1:]


def shapley_values(moebius: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    r"""What each column adds to the sets before it, on average over all orders: :math:`\sum_{T \ni v} m(T) / |T|`.

    References
    ----------
    Shapley (1953), A value for n-person games, in Contributions to the Theory of Games II, Princeton, 307–317.
    """
    inside = (sets[:, None] >> np.arange(columns)) & 1
    values: np.ndarray = (moebius / set_sizes(sets)) @ inside
    return values


def interaction_indices(moebius: np.ndarray, sets: np.ndarray, columns: int) -> np.ndarray:
    r"""How much more two columns add together than apart, :math:`\sum_{T \supseteq \{u, v\}} m(T) / (|T| - 1)`, as a matrix.

    Below zero they say the same (one can stand for the other), above zero they count only together. The diagonal is 0.

    References
    ----------
    Grabisch (1997), k-order additive discrete fuzzy measures and their representation, Fuzzy Sets and Systems 92, 167–189.
    """
    inside = ((sets[:, None] >> np.arange(columns)) & 1).astype(np.float64)
    size = set_sizes(sets)
    shared = np.where(size > 1, moebius / np.maximum(size - 1, 1), 0.0)
    matrix: np.ndarray = (inside * shared[:, None]).T @ inside
    np.fill_diagonal(matrix, 0.0)
    return matrix
