"""Records as places of finite axes, and how many stand in each cell of some of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def count_cells(sizes: Sequence[int], axes: Sequence[int]) -> int:
    """How many cells a table of these axes has.

    >>> count_cells([2, 3, 4], [0, 2])
    8
    """
    return math.prod(sizes[axis] for axis in axes)


@dataclass(frozen=True, slots=True, eq=False)
class CodedRecords:
    """The places of every record (rows) on every axis (columns), each from 0 to below the axis's size."""

    places: np.ndarray
    sizes: tuple[int, ...]

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.places)

    def cell(self, axes: Sequence[int]) -> np.ndarray:
        """The cell of each record in the table of these axes, the last axis running fastest. O(n)."""
        return cell_of(self.places, self.sizes, axes)

    def table(self, axes: Sequence[int]) -> np.ndarray:
        """How many records stand in each cell of these axes, in whole numbers. O(n + cells)."""
        shape = tuple(self.sizes[axis] for axis in axes)
        return np.bincount(self.cell(axes), minlength=math.prod(shape)).reshape(shape)


def cell_of(places: np.ndarray, sizes: Sequence[int], axes: Sequence[int]) -> np.ndarray:
    """The cell of each row of places in the table of these axes."""
    found = np.zeros(len(places), dtype=np.int64)
    for axis in axes:
        found = found * sizes[axis] + places[:, axis]
    return found
