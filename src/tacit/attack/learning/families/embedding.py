"""Which family contains which: the same distance in the parameters of a larger family."""

from __future__ import annotations

import numpy as np

from ....kernels.forms import BILINEAR, CHOQUET, MOEBIUS, ORDERED, WEIGHTED
from .choquet import column_subsets, expand_to_all_sets, measure_of, set_sizes
from .family import Family

INSIDE = {
    "arithmetic": {"weighted", "signed", "ordered", "bilinear", "nonnegative", "definite", "choquet", "monotone"},
    "weighted": {"signed", "bilinear", "nonnegative", "definite", "choquet", "monotone"},
    "signed": {"bilinear", "choquet"},
    "ordered": {"choquet"},
    "mahalanobis": {"definite", "nonnegative", "bilinear"},
    "definite": {"nonnegative", "bilinear"},
    "nonnegative": {"bilinear"},
    "monotone": {"choquet"},
}
"""Family → the larger ones that have all its distances."""


def embed_parameters(parameters: np.ndarray, small: Family, large: Family, columns: int) -> np.ndarray | None:
    """The parameters of ``large`` that give the same distances as ``parameters`` of ``small``; None where it is not contained.

    So a larger family that starts from what a smaller one found never finds fewer people.

    >>> from . import family_of
    >>> embed_parameters(np.array([1.0, 2.0]), family_of("weighted"), family_of("choquet"), 2).tolist()
    [1.0, 2.0, 3.0]
    """
    if large.name != small.name and large.name not in INSIDE.get(small.name, ()):
        return None
    if small.code == WEIGHTED:
        return parameters if large.code == WEIGHTED else large.of_weights(parameters)
    if small.code == large.code and small.code in (ORDERED, BILINEAR, CHOQUET):
        return parameters
    if small.code == ORDERED:
        return _symmetric_measure(parameters, columns) if large.code == CHOQUET else None
    if small.code == MOEBIUS and large.code == CHOQUET:
        return measure_of(expand_to_all_sets(parameters, small.sets(columns), columns))
    if small.code == MOEBIUS and large.code == MOEBIUS and small.size(columns) <= large.size(columns):
        return np.append(parameters, np.zeros(large.size(columns) - len(parameters)))
    return None


def _symmetric_measure(weights: np.ndarray, columns: int) -> np.ndarray:
    """The measure of the size of a set alone: the weights of so many largest differences."""
    largest = np.append(0.0, np.cumsum(weights[::-1]))
    measure: np.ndarray = largest[set_sizes(column_subsets(columns))]
    return measure
