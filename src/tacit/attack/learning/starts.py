"""Where the search for a distance begins, and what no distance can find."""

from __future__ import annotations

import numpy as np

from .differences import differences
from .families import embedded, family_of
from .families.family import Family
from .pairs import Pairs

__all__ = ["SMALLER", "fitting_weights", "most_found", "starts_of"]

LEAST = 1e-6
"""A column in which linked records differ by less than this share of the usual counts as if they differed so much."""

SMALLER = {
    "signed": "weighted",
    "bilinear": "weighted",
    "nonnegative": "weighted",
    "definite": "weighted",
    "choquet": "weighted",
    "monotone": "weighted",
}
"""Family → a smaller one that is learned first."""


def fitting_weights(pairs: Pairs) -> np.ndarray:
    """One over the mean difference of each column between seekers and their own: what was changed least counts most."""
    apart = differences(pairs, np.arange(len(pairs.seekers)), pairs.own, signed=False)
    weights: np.ndarray = 1.0 / np.maximum(apart.mean(axis=0), LEAST)
    return weights


def starts_of(pairs: Pairs, family: Family) -> list[np.ndarray]:
    """Parameters that need no search: the weights that fit, the arithmetic mean, the form of Mahalanobis."""
    everyone = np.arange(len(pairs.seekers))
    found = [embedded(fitting_weights(pairs), family_of("weighted"), family, pairs.columns)]
    for name in ("arithmetic", "mahalanobis"):
        small = family_of(name)
        fixed = small.fixed(pairs, everyone)
        assert fixed is not None
        found.append(embedded(fixed, small, family, pairs.columns))
    return [one for one in found if one is not None]


def most_found(pairs: Pairs) -> int:
    """How many can be found by any distance: of seekers who stand in one place, those who seek the same one.

    O(seekers log seekers).
    """
    from ...kernels.nearest import distinct_rows

    group_of, first = distinct_rows(pairs.seekers)
    _, seeker, many = np.unique(group_of * len(pairs.places) + pairs.own, return_index=True, return_counts=True)
    best = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(best, group_of[seeker], many)
    return int(best.sum())
