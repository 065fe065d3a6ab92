"""What two records differ by, column by column."""

from __future__ import annotations

import numpy as np

from .pairs import Pairs


def column_differences(pairs: Pairs, who: np.ndarray, where: np.ndarray, *, signed: bool) -> np.ndarray:
    r"""The differences of the seekers ``who`` and the places ``where``, pair by pair: one row each.

    The cost of each column, :math:`w(x-y)^2` for numbers; ``signed``: its root, for numbers :math:`\sqrt w (x-y)` with
    its sign. O(pairs · columns) time and memory.
    """
    from ...kernels.nearest import CODE, FLOOR

    costs = pairs.costs
    weight, missing, both = (np.sqrt(part) if signed else part for part in (costs.weight, costs.missing, costs.both))
    x, y = pairs.seekers[who], pairs.places[where]
    number = weight * (x - y) if signed else weight * (x - y) ** 2
    value = np.select([costs.kind == CODE, costs.kind == FLOOR], [weight * (x != y), weight * (x < y)], number)
    gaps = np.isnan(x).astype(int) + np.isnan(y)
    filled: np.ndarray = np.where(gaps == 2, both, np.where(gaps == 1, missing, value))
    return filled
