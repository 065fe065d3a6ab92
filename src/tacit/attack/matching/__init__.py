"""Matching: which column of an unknown file is which column of the release, found from the values alone."""

from .applied import Pair, applied
from .assigned import Company, Found, assigned
from .association import associations, structure
from .likeness import Likeness, Recoded, likeness, profiled, recoded, same_values
from .numbers import Quantiles, Unit, quantiles, unit_change
from .view import View, view

__all__ = [
    "Company",
    "Found",
    "Likeness",
    "Pair",
    "Quantiles",
    "Recoded",
    "Unit",
    "View",
    "applied",
    "assigned",
    "associations",
    "likeness",
    "profiled",
    "quantiles",
    "recoded",
    "same_values",
    "structure",
    "unit_change",
    "view",
]
