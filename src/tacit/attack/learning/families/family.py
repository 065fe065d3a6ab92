"""What a family of distances has to say of itself."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..pairs import Pairs
from ..rows import Cone


class Family(Protocol):
    """Distances that are linear in their parameters: d(a, b) = terms(δ(a, b)) · p, δ the differences column by column.

    ``signed`` families need the signed differences of numbers, the others their squares (both in units of what two
    random records differ by).
    """

    @property
    def name(self) -> str:
        """As it is called in a plan."""

    @property
    def signed(self) -> bool:
        """Whether δ keeps its sign."""

    @property
    def code(self) -> int:
        """How the kernels make the terms (:mod:`tacit.kernels.forms`)."""

    @property
    def separable(self) -> bool:
        """Whether the distance is a sum over the columns with weights from zero on, so that a tree can search by it."""

    def too_large(self, columns: int) -> str | None:
        """Why there are too many columns for it; None when there are not."""

    def sets(self, columns: int) -> np.ndarray:
        """The columns of each term as bits, for families whose terms are the smallest of a set; else none."""

    def size(self, columns: int) -> int:
        """How many parameters there are for so many columns."""

    def terms(self, differences: np.ndarray) -> np.ndarray:
        """From (…, columns) to (…, parameters)."""

    def cone(self, columns: int, pairs: Pairs | None = None) -> Cone:
        """Which parameters are allowed; ``pairs`` for the family that is bound by them (nonnegative)."""

    def closed_form(self, pairs: Pairs, who: np.ndarray) -> np.ndarray | None:
        """The parameters that need no search, from the seekers ``who`` and their own; None for a family to learn."""

    def of_weights(self, weights: np.ndarray) -> np.ndarray:
        """The parameters that give the weighted mean with these weights: every family has it (but arithmetic and ordered,
        which have the arithmetic mean alone)."""

    def describe_parameters(self, parameters: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
        """The parameters in words: the share of each column, pairs that count together."""


NAMED = 5
"""So many pairs are told."""
FAINT = 5e-4
"""A pair that counts for less than this share of all is not told."""


def column_shares(values: np.ndarray, columns: tuple[str, ...]) -> dict[str, object]:
    """What share each column has, by size; of numbers with signs those below zero are named.

    >>> column_shares(np.array([3.0, -1.0]), ("zip", "sex"))
    {'share': {'zip': 0.75, 'sex': 0.25}, 'counts against': ('sex',)}
    """
    size = np.abs(values)
    part = size / size.sum() if size.sum() > 0 else size
    told: dict[str, object] = {"share": dict(zip(columns, part.tolist(), strict=True))}
    below = tuple(column for column, value in zip(columns, values, strict=True) if value < 0)
    return told | {"counts against": below} if below else told


def pair_shares(values: np.ndarray, columns: tuple[str, ...], whole: float) -> dict[str, object]:
    """The pairs of columns (upper triangle of ``values``) that count most, beside ``whole``; those that count for nothing are left out.

    >>> pair_shares(np.array([[1.0, 0.5], [0.5, 1.0]]), ("zip", "sex"), whole=2.0)
    {'together': {'zip × sex': 0.25}}
    """
    u, v = np.triu_indices(len(columns), 1)
    part = values[u, v] / whole if whole else np.zeros(len(u))
    largest = [k for k in np.argsort(-np.abs(part), kind="stable")[:NAMED] if abs(part[k]) > FAINT]
    return {"together": {f"{columns[u[k]]} × {columns[v[k]]}": float(part[k]) for k in largest}}
