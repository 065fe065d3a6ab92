"""Pairs that change places: who may, who does, and what the rows hold afterwards."""

from __future__ import annotations

import numpy as np


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
