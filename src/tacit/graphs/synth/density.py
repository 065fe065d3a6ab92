"""Where the nodes of a made network lie: drawn from a density, never from a list of addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...errors import TacitError, whole
from .positive import positive

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Raster:
    """Square cells with weights: a node draws a cell by weight and a place in it uniformly.

    ``cells[r][c]`` is the weight of the cell that begins at ``corner + (c, r) · side``: row 0 has the smallest y. A place
    within a cell says nothing but the cell. O(nodes + cells).

    >>> Raster(cells=((1, 0), (0, 3)), side=10.0).drawn(2, np.random.default_rng(7)).shape
    (2, 2)
    """

    cells: tuple[tuple[float, ...], ...]
    side: float
    corner: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        rows = tuple(tuple(float(weight) for weight in row) for row in self.cells)
        object.__setattr__(self, "cells", rows)
        object.__setattr__(self, "corner", (float(self.corner[0]), float(self.corner[1])))
        positive("side", self.side)
        if not rows or len({len(row) for row in rows}) > 1 or not rows[0]:
            raise TacitError("the rows of the raster are not equally long", fix="give one weight for each cell")
        _checked_weights(self.weights().ravel())

    def weights(self) -> np.ndarray:
        """The weights of the cells, rows from small y to large."""
        return np.array(self.cells)

    def drawn(self, nodes: int, rng: Generator) -> np.ndarray:
        """The places of the nodes, n×2."""
        weights = self.weights()
        cell = rng.choice(weights.size, nodes, p=weights.ravel() / weights.sum())
        low = np.column_stack([cell % weights.shape[1], cell // weights.shape[1]])
        return np.array(self.corner) + (low + rng.random((nodes, 2))) * self.side


@dataclass(frozen=True, slots=True, kw_only=True)
class Centres:
    """Weighted centres, such as towns: a node draws one by weight and lies normally around it, ``spread`` in x and y.

    ``centres`` are (x, y, weight). O(nodes + centres).
    """

    centres: tuple[tuple[float, float, float], ...]
    spread: float

    def __post_init__(self) -> None:
        given = np.asarray(self.centres, dtype=np.float64)
        if given.ndim != 2 or given.shape[1:] != (3,) or not np.isfinite(given[:, :2]).all():
            raise TacitError("a centre is not three numbers", fix="give (x, y, weight) for each centre")
        object.__setattr__(self, "centres", tuple(tuple(row) for row in given.tolist()))
        positive("spread", self.spread)
        _checked_weights(given[:, 2])

    def drawn(self, nodes: int, rng: Generator) -> np.ndarray:
        """The places of the nodes, n×2."""
        given = np.array(self.centres)
        which = rng.choice(len(given), nodes, p=given[:, 2] / given[:, 2].sum())
        return given[which, :2] + self.spread * rng.standard_normal((nodes, 2))


DENSITIES: dict[str, type] = {"raster": Raster, "centres": Centres}
"""The densities by their name in a plan."""
Density: TypeAlias = Raster | Centres


def raster_of(x: np.ndarray, y: np.ndarray, *, side: float, least: int) -> Raster:
    """The raster of real places: how many lie in each cell; cells with fewer than ``least`` of them count as empty.

    ``least`` has no default, because it decides what the map tells of the people of thinly settled cells. O(n + cells).

    >>> raster_of(np.array([0.1, 0.2, 1.5]), np.array([0.1, 0.9, 0.5]), side=1.0, least=2).cells
    ((2.0, 0.0),)
    """
    positive("side", side)
    whole("least", least, least=1)
    places = np.column_stack([x, y]).astype(np.float64)
    if not len(places) or not np.isfinite(places).all():
        raise TacitError("a place is missing or there is none", fix="give finite x and y for each node")
    at = np.floor(places / side).astype(np.int64)
    low = at.min(axis=0)
    columns, rows = at.max(axis=0) - low + 1
    if rows * columns > 10**7:
        raise TacitError(f"the raster would have {rows * columns:,} cells", fix="take a larger side")
    counts = np.bincount((at[:, 1] - low[1]) * columns + at[:, 0] - low[0], minlength=rows * columns)
    if counts.max() < least:
        raise TacitError(f"no cell has {least} places", fix="take a larger side")
    kept = np.where(counts < least, 0, counts).reshape(rows, columns)
    return Raster(cells=tuple(map(tuple, kept.tolist())), side=side, corner=(low[0] * side, low[1] * side))


def _checked_weights(weights: np.ndarray) -> None:
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.sum() <= 0:
        raise TacitError("a weight is negative or not finite, or all are 0", fix="weights are numbers from 0 on")
