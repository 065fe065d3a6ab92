"""Means of the differences, each column with its weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....kernels.forms import ORDERED, WEIGHTED
from ..pairs import Pairs
from ..rows import Cone
from .family import column_shares


@dataclass(frozen=True, slots=True)
class Weighted:
    r"""The weighted mean :math:`d = \sum_v p_v \delta_v`, no weight below zero.

    δ are squared standardised differences (codes: differ or not), so that weights compare: p_v / Σp is the share of
    column v in what tells people apart. One parameter for each column; O(columns) time for a pair.

    >>> Weighted().describe_parameters(np.array([3.0, 1.0]), ("zip", "sex"))
    {'share': {'zip': 0.75, 'sex': 0.25}}

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), Improving record linkage with supervised learning for disclosure risk
    assessment, Information Fusion 13, 274–284.
    """

    name: ClassVar[str] = "weighted"
    signed: ClassVar[bool] = False
    code: ClassVar[int] = WEIGHTED
    separable: ClassVar[bool] = True

    def too_large(self, columns: int) -> str | None:  # noqa: ARG002 - never
        """None: it takes any number of columns."""
        return None

    def sets(self, columns: int) -> np.ndarray:  # noqa: ARG002 - terms are single columns
        """None."""
        return np.empty(0, dtype=np.int64)

    def size(self, columns: int) -> int:
        """One for each column."""
        return columns

    def terms(self, differences: np.ndarray) -> np.ndarray:
        """The differences themselves."""
        return differences

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """No weight below zero."""
        return Cone(columns, nonnegative=True)

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - to be learned
        """None: the weights are learned."""
        return None

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The weights."""
        return weights

    def describe_parameters(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        """The share of each column."""
        return column_shares(parameters, columns)


@dataclass(frozen=True, slots=True)
class Signed(Weighted):
    """The weighted mean with weights of any sign: a column may speak against a link.

    >>> Signed().cone(2).nonnegative
    False
    """

    name: ClassVar[str] = "signed"
    separable: ClassVar[bool] = False

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """Everything."""
        return Cone(columns)


@dataclass(frozen=True, slots=True)
class Arithmetic(Weighted):
    """The plain mean: every column counts alike, nothing is learned.

    >>> Arithmetic().of_weights(np.array([3.0, 1.0])).tolist()
    [2.0, 2.0]
    """

    name: ClassVar[str] = "arithmetic"

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """Equal weights."""
        step = np.eye(columns)[:-1] - np.eye(columns)[1:]
        return Cone(columns, nonnegative=True, sides=np.vstack([step, -step]))

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - nobody is looked at
        """Ones."""
        return np.ones(pairs.columns)

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """Equal weights: their mean."""
        return np.full(len(weights), weights.mean())


LEANING = 0.6
"""From here on (or below its mirror) an orness leans to one side."""


@dataclass(frozen=True, slots=True)
class Ordered:
    r"""The ordered weighted average :math:`d = \sum_k p_k \delta_{(k)}`, :math:`\delta_{(1)} \le … \le \delta_{(n)}`.

    Which columns differ does not matter, only how much the best, the second best, … agree: the largest alone (p = 0, …,
    0, 1), the smallest alone (1, 0, …), or anything between; equal weights are the arithmetic mean. One parameter for each
    column, none below zero; O(columns · log columns) time for a pair.

    >>> Ordered().terms(np.array([[4.0, 1.0, 2.0]])).tolist()
    [[1.0, 2.0, 4.0]]

    References
    ----------
    Yager (1988), On ordered weighted averaging aggregation operators in multicriteria decisionmaking, IEEE Trans.
    Systems, Man, and Cybernetics 18, 183–190.
    """

    name: ClassVar[str] = "ordered"
    signed: ClassVar[bool] = False
    code: ClassVar[int] = ORDERED
    separable: ClassVar[bool] = False

    def too_large(self, columns: int) -> str | None:  # noqa: ARG002 - never
        """None: it takes any number of columns."""
        return None

    def sets(self, columns: int) -> np.ndarray:  # noqa: ARG002 - terms are ranks
        """None."""
        return np.empty(0, dtype=np.int64)

    def size(self, columns: int) -> int:
        """One for each rank."""
        return columns

    def terms(self, differences: np.ndarray) -> np.ndarray:
        """The differences, smallest first."""
        return np.sort(differences, axis=-1)

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:  # noqa: ARG002 - bound by no pair
        """No weight below zero."""
        return Cone(columns, nonnegative=True)

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - to be learned
        """None: the weights are learned."""
        return None

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The arithmetic mean, which has no column before another."""
        return np.full(len(weights), weights.mean())

    def describe_parameters(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        r"""The weight of each rank, and the orness :math:`\sum_k \frac{k-1}{n-1} p_k` (0: the smallest, 1: the largest).

        >>> Ordered().describe_parameters(np.array([0.0, 0.0, 1.0]), ("a", "b", "c"))["counts"]
        'the largest differences'
        """
        n, total = len(columns), parameters.sum()
        part = parameters / total if total > 0 else np.zeros(n)
        orness = float(part @ np.arange(n) / max(n - 1, 1)) if n > 1 else 0.5
        leaning = "the largest" if orness >= LEANING else "the smallest" if orness <= 1 - LEANING else "all"
        weights = {f"{rank + 1} of {n}": float(one) for rank, one in enumerate(part)}
        return {"weight from the smallest difference": weights, "orness": orness, "counts": f"{leaning} differences"}
