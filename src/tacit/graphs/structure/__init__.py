"""Structure: what a node looks like from its links alone, and where a small graph stands inside a large one."""

from .colours import Colours, refined
from .multisets import multisets, sequences
from .pattern import Pattern
from .profiles import profiles
from .search import Search

__all__ = ["Colours", "Pattern", "Search", "multisets", "profiles", "refined", "sequences"]
