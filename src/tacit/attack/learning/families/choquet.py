"""Choquet integrals: every set of columns may have a weight of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from ....errors import TacitError, whole
from ....kernels.forms import CHOQUET, MOEBIUS, form_of
from ..cone import Cone
from ..pairs import Pairs
from .measure import interactions, moebius_of, shapley, subsets
from .shares import shares, together
from .submodular import submodular_cone

FULL = 12
"""A full measure has 2ⁿ−1 parameters: with more columns nobody can learn it."""
MOST = 2**FULL - 1


@dataclass(frozen=True, slots=True)
class Choquet:
    r"""The Choquet integral of the differences by a measure μ of the sets of columns (M-01).

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
            whole("additive", self.additive, least=1)

    @property
    def code(self) -> int:
        """Steps between sorted differences, or smallest differences of sets."""
        return CHOQUET if self.additive is None else MOEBIUS

    def sets(self, columns: int) -> np.ndarray:
        """The sets of the Möbius terms; none for the full measure, whose sets are all."""
        return np.empty(0, dtype=np.int64) if self.additive is None else self._subsets(columns)

    def too_large(self, columns: int) -> str | None:
        """Why there are too many columns: they would have more than 4095 parameters."""
        many = self._many(columns)
        if many <= MOST:
            return None
        kind = "a full Choquet measure" if self.additive is None else f"a Choquet measure with additive={self.additive}"
        fewer = 2 if self.additive is None else 1
        instead = f"additive={fewer} (in a plan), another family or fewer columns (--knows) will do"
        return f"{kind} of {columns} columns has {many:,} parameters, more than the {MOST:,} of 12 columns; {instead}"

    def size(self, columns: int) -> int:
        """One for each set; a TacitError where they are too many."""
        self._refuse(columns)
        return self._many(columns)

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

    def fixed(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - to be learned
        """None: the measure is learned."""
        return None

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The measure that adds up the weights."""
        sets = self._subsets(len(weights))
        if self.additive is None:
            total: np.ndarray = ((sets[:, None] >> np.arange(len(weights))) & 1) @ weights
            return total
        return np.append(weights, np.zeros(len(sets) - len(weights)))

    def read(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        """The Shapley value of each column as a share, and the pairs of columns that interact most beside their sum.

        >>> Choquet().read(np.array([1.0, 1.0, 1.0]), ("county", "zip"))
        {'share': {'county': 0.5, 'zip': 0.5}, 'together': {'county × zip': -1.0}}
        """
        sets, n = self._subsets(len(columns)), len(columns)
        moebius = moebius_of(parameters) if self.additive is None else parameters
        values = shapley(moebius, sets, n)
        return shares(values, columns) | together(interactions(moebius, sets, n), columns, float(np.abs(values).sum()))

    def _subsets(self, columns: int) -> np.ndarray:
        self._refuse(columns)
        return subsets(columns, self.additive)

    def _many(self, columns: int) -> int:
        most = columns if self.additive is None else min(self.additive, columns)
        return sum(comb(columns, k) for k in range(1, most + 1))

    def _refuse(self, columns: int) -> None:
        why_not = self.too_large(columns)
        if why_not:
            raise TacitError(why_not, fix=f"take a smaller additive, or at most {FULL} columns")


@dataclass(frozen=True, slots=True)
class Monotone(Choquet):
    """The Choquet integral of a monotone and submodular measure (M-01).

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
        return submodular_cone(self._subsets(columns), columns, self.additive)
