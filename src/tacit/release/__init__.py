"""The table with roles, its classes and hierarchies, the trace of what was done to it, and its files and engines."""

from .grown import Preview, grown, preview
from .hierarchy import Hierarchy, hierarchy
from .masked import Masked, Method
from .release import Release
from .trace import Finding, Trace

__all__ = ["Finding", "Hierarchy", "Masked", "Method", "Preview", "Release", "Trace", "grown", "hierarchy", "preview"]
