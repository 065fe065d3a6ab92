"""Hierarchies: ladders of coarser and coarser labels for the values of a column, from the value itself up to ``*``."""

from .base import Hierarchy
from .build import Addresses, Addresses6, Quantiles, hierarchy
from .clusters import Clusters
from .cuts import Cuts
from .frequency import Frequency, Priority
from .recipe import GrownHierarchy, Recipe
from .rules import Dates, Intervals, Prefix
from .table import TableHierarchy

__all__ = [
    "Addresses",
    "Addresses6",
    "Clusters",
    "Cuts",
    "Dates",
    "Frequency",
    "GrownHierarchy",
    "Hierarchy",
    "Intervals",
    "Prefix",
    "Priority",
    "Quantiles",
    "Recipe",
    "TableHierarchy",
    "hierarchy",
]
