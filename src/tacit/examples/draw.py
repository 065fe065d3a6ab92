"""Draw one category per person when the shares of the categories depend on the person's cell."""

from __future__ import annotations

import numpy as np


def draw_categories(cell: np.ndarray, *, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A category for each person, drawn with the shares in row ``cell[i]`` of ``shares``.

    The rows' distribution functions are laid end to end, so that one binary search finds all categories:
    time O(n log(cells × categories)), memory O(n). A category with share 0 is never drawn.

    >>> shares = np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> draw_categories(np.array([0, 1, 0]), shares=shares, rng=np.random.default_rng(1)).tolist()
    [0, 1, 0]
    """
    cells, categories = shares.shape
    ends = np.cumsum(shares, axis=1)
    ends /= ends[:, -1:]
    laid = (ends + np.arange(cells)[:, None]).ravel()
    # cell + u may round up to cell + 1, which belongs to the next cell
    point = np.minimum(cell + rng.random(len(cell)), np.nextafter(cell + 1.0, 0.0))
    return np.asarray(np.searchsorted(laid, point, side="right") - cell * categories)


def power_law_shares(count: int, *, power: float = 0.9, head: float = 3.0) -> np.ndarray:
    """Skewed shares by rank, (rank + head)^−power, adding up to one: surnames, towns."""
    shares = (np.arange(count) + head) ** -power
    return np.asarray(shares / shares.sum())
