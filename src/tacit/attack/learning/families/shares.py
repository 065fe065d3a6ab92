"""Numbers of columns as shares, and the pairs of columns that count most together."""

from __future__ import annotations

import numpy as np

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
