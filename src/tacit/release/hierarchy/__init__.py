"""Hierarchies: ladders of coarser and coarser labels for the values of a column, from the value itself up to ``*``."""

from .build import hierarchy
from .ladder import Hierarchy
from .rules import Dates, Intervals, Octets, Prefix
from .table import TableHierarchy

__all__ = ["Dates", "Hierarchy", "Intervals", "Octets", "Prefix", "TableHierarchy", "hierarchy"]
