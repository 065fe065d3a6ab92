"""The nodes of all columns and levels in one numbering, and the bit fields of their keys: once for all runs of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .columns import Column
    from .objectives import Objective

__all__ = ["Tables", "tables_of"]

WORD = 62
"""Bits of a word that keys may use."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """As in :class:`tacit.kernels.lattice.Lattice`, columns in the release's order.

    ``leaf[at[j, h] + v]`` is the node of value v of column j at level h.
    """

    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    first: np.ndarray
    up: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    most: np.ndarray
    leaf: np.ndarray
    at: np.ndarray


def tables_of(columns: list[Column], objective: Objective, records: list[np.ndarray]) -> Tables:
    """The tables; ``records[j][v]`` records have value v of column j. O(values · levels)."""
    deepest = max(column.height for column in columns)
    first = np.zeros((len(columns), deepest + 2), np.int64)
    at = np.zeros((len(columns), deepest + 1), np.int64)
    total, most = (np.zeros((len(columns), deepest + 1)) for _ in range(2))
    up, cost, leaf = [], [], []
    laid = leaves = 0
    for j, column in enumerate(columns):
        total[j, : column.height + 1] = objective.totals(column, records[j])
        for level, costs in enumerate(objective.costs(column)):
            first[j, level], at[j, level] = laid, leaves
            most[j, level] = costs[column.number[level]].max()
            above = np.zeros(len(costs), np.int64)
            if level < column.height:
                above[column.number[level]] = column.number[level + 1]
            up.append(above)
            cost.append(costs)
            leaf.append(column.number[level])
            laid += len(costs)
            leaves += column.number.shape[1]
        first[j, column.height + 1 :] = laid
    fields = _fields([len(column.leaves[0]) for column in columns])
    return Tables(*fields, first, np.concatenate(up), np.concatenate(cost), total, most, np.concatenate(leaf), at)


def _fields(values: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Word, shift and mask of each column's field: wide enough for its values and for missing."""
    word, shift, mask = (np.zeros(len(values), np.int64) for _ in range(3))
    used = 0
    for j, count in enumerate(values):
        bits = max(1, count.bit_length())
        if used % WORD + bits > WORD:
            used = (used // WORD + 1) * WORD
        word[j], shift[j], mask[j] = used // WORD, used % WORD, (1 << bits) - 1
        used += bits
    return word, shift, mask
