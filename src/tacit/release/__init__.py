"""The table with roles, its classes and hierarchies, the trace of what was done to it, and its files and engines."""

from .hierarchy import Hierarchy, hierarchy
from .hierarchy_from_data import Preview, build_hierarchy, preview
from .masked import Masked, Method
from .release import Release
from .trace import Finding, Trace

__all__ = [
    "Finding",
    "Hierarchy",
    "Masked",
    "Method",
    "Preview",
    "Release",
    "Trace",
    "build_hierarchy",
    "hierarchy",
    "preview",
]
