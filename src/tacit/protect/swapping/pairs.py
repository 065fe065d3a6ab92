"""Pairs that change places: who may, who does, and what the rows hold afterwards."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def swap_pairs(size: int, pairs: Iterable[tuple[int, int]]) -> np.ndarray:
    """The row whose value each row holds after the pairs have changed places, one pair after the other.

    Six people, of whom the fourth and the fifth exchange a value:

    >>> swap_pairs(6, [(3, 4)]).tolist()
    [0, 1, 2, 4, 3, 5]
    """
    source = np.arange(size)
    for one, other in pairs:
        source[one], source[other] = source[other], source[one]
    return source


def match_partners(
    seekers: np.ndarray, group: np.ndarray, label: np.ndarray, *, most: int, rng: np.random.Generator
) -> np.ndarray:
    """A partner for each seeker in turn, uniformly among the free units of its group with another label; −1 for none.

    ``group`` is −1 for whoever takes no part. Ends after ``most`` pairs. Expected time O(n log n), memory O(n).
    """
    from ...kernels.partners import draw_partners, free_units

    units = free_units(group, label, rng.permutation(len(group)))
    partner = np.full(len(group), -1)
    draw_partners(seekers, units, rng.random(len(seekers)), most, partner)
    return partner
