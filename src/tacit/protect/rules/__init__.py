"""Result privacy: sensitive item-sets and rules hidden in transactions, at the least damage, and mined again.

    baskets → frequent, rules → hide → audit

A *pattern* is a set of items that often lie together, or a rule between two such sets. What nobody is to mine is named
by the user; a method takes out or marks few items; an independent miner says what can be found afterwards.
"""

from .audit import (
    Audit,
    MinedPatterns,
    audit,
    dissimilarity,
    ghost,
    hiding_failure,
    lost,
    mine_independently,
    mine_patterns,
    pile_up,
)
from .baskets import Baskets
from .border import Border
from .build import from_frame
from .exact import Exact
from .fia import MaxFia, MinFia
from .files import read_baskets, write_baskets
from .frequent import frequent, rules
from .hide import Block, HidingResult, hide
from .patterns import ItemSets, Rule, Rules
from .sliding_window import SlidingWindow

__all__ = [
    "Audit",
    "Baskets",
    "Block",
    "Border",
    "Exact",
    "HidingResult",
    "ItemSets",
    "MaxFia",
    "MinFia",
    "MinedPatterns",
    "Rule",
    "Rules",
    "SlidingWindow",
    "audit",
    "dissimilarity",
    "frequent",
    "from_frame",
    "ghost",
    "hide",
    "hiding_failure",
    "lost",
    "mine_patterns",
    "pile_up",
    "read_baskets",
    "mine_independently",
    "rules",
    "write_baskets",
]
