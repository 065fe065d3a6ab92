"""The full cross of some dimensions: every combination of codes is a cell, every sum of one dimension an equation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy.sparse as sp

from ...errors import TacitError
from ..dimension import Dimension
from ..equations import Equations

MOST_CELLS = 5_000_000
"""More cells than anybody publishes in one table; beyond them memory would run out before an answer came."""


def cross_dimensions(dimensions: Sequence[Dimension]) -> tuple[pl.DataFrame, Equations]:
    """The labels and equations of a full cross; the last dimension varies fastest. O(cells × dimensions) time and memory.

    >>> labels, equations = cross_dimensions([Dimension.flat("sex", "fm"), Dimension.flat("age", ["young", "old"])])
    >>> labels.height, len(equations)
    (9, 6)
    """
    shape = _cross_shape(dimensions)
    cells = np.arange(int(np.prod(shape))).reshape(shape)
    columns, signs, lengths = [], [], []
    for axis, dimension in enumerate(dimensions):
        lines = np.moveaxis(cells, axis, 0).reshape(shape[axis], -1)
        for total, parts in dimension.sums:
            block = np.vstack([lines[list(parts)], lines[total]]).T
            columns.append(block.ravel())
            signs.append(np.tile(np.r_[np.ones(len(parts)), -1.0], len(block)))
            lengths.append(np.full(len(block), len(parts) + 1))
    starts = np.r_[0, np.cumsum(np.concatenate(lengths))] if lengths else np.zeros(1, dtype=np.int64)
    together = (
        (np.concatenate(signs), np.concatenate(columns), starts) if lengths else (np.zeros(0), np.zeros(0), starts)
    )
    matrix = sp.csr_matrix(together, shape=(len(starts) - 1, cells.size))
    places = np.unravel_index(np.arange(cells.size), shape)
    labels = pl.DataFrame(
        {one.name: pl.Series(one.codes, dtype=pl.String)[at] for one, at in zip(dimensions, places, strict=True)}
    )
    return labels, Equations.of(matrix)


def added_up(dimensions: Sequence[Dimension], inner: np.ndarray) -> np.ndarray:
    """An array over all codes from one whose finest cells are filled: every sum is put in its place. O(cells × dimensions)."""
    full = inner.reshape(*_cross_shape(dimensions), *inner.shape[len(dimensions) :]).copy()
    for axis, dimension in enumerate(dimensions):
        along = np.moveaxis(full, axis, 0)
        for total, parts in reversed(dimension.sums):
            along[total] = along[list(parts)].sum(axis=0)
    return full


def _cross_shape(dimensions: Sequence[Dimension]) -> tuple[int, ...]:
    shape = tuple(len(one.codes) for one in dimensions)
    cells = float(np.prod([float(length) for length in shape])) if shape else 0.0
    if not shape:
        raise TacitError(
            "the table has no dimension", code="invalid_table", fix="name at least one, e.g. by=['region']"
        )
    if cells > MOST_CELLS:
        raise TacitError(
            f"the table would have {cells:,.0f} cells ({' × '.join(map(str, shape))})",
            code="invalid_table",
            fix=f"use fewer or coarser dimensions; at most {MOST_CELLS:,} cells can be protected together",
        )
    return shape
