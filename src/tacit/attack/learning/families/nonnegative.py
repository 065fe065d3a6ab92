"""Forms that are at least zero on every pair of a seeker and a place, as a cone of parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....kernels.forms import BILINEAR, form_of, sides_of
from ..differences import differences
from ..pairs import Pairs
from ..rows import TIE

__all__ = ["beyond_pairs"]

MOST = 100
"""So many rows at once: more would slow down who asked for them."""
NONE = np.empty(0, dtype=np.int64)


def beyond_pairs(pairs: Pairs) -> Callable[[np.ndarray], np.ndarray]:
    """A function that gives the terms of the pairs with the lowest distances below zero, at most one for each seeker."""
    sides, form = sides_of(pairs.seekers, pairs.places, pairs.costs, squared=False), form_of(BILINEAR, NONE)

    def beyond(parameters: np.ndarray) -> np.ndarray:
        from ....kernels.every_pair import lowest

        where, ratio = lowest(sides, form, parameters)
        who = np.flatnonzero(ratio < -TIE * np.abs(parameters).sum())
        who = who[np.argsort(ratio[who], kind="stable")[:MOST]]
        apart = differences(pairs, who, where[who], signed=True)
        u, v = np.triu_indices(pairs.columns)
        terms: np.ndarray = apart[:, u] * apart[:, v]
        return terms

    return beyond
