"""Structure: what a node looks like from its links alone, and where a small graph stands inside a large one."""

from .colours import Colours, refine_colours
from .multisets import number_multisets, number_sequences
from .pattern import Pattern
from .profiles import degree_profiles
from .search import Search

__all__ = ["Colours", "Pattern", "Search", "number_multisets", "degree_profiles", "refine_colours", "number_sequences"]
