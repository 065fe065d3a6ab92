"""Blocking: question marks instead of removals, so that a support becomes an interval."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...errors import TacitError, typed
from ..parameters import number
from .baskets import Baskets, Cells
from .fia import MinFia
from .problem import Choice, HidingMethod, Problem

__all__ = ["Block", "decoys_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Replace items by "?" instead of taking them out (D-08): nothing false is published, supports become intervals.

    ``by`` chooses the places. ``decoys`` marks are added for each of them in transactions *without* the item, drawn at
    random: with none, every mark would say that the item was there. A pattern counts as hidden when the transactions
    that surely hold it are fewer than the threshold less the safety margin (``margin`` of :func:`.hide.hide`); of a rule
    also when its confidence is below, counted where nothing of its head is unknown. The most that may hold a pattern is
    never less than the truth. Time and memory as ``by``.

    >>> from tacit.protect.rules import Baskets, MinFia, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> hide(shop, "bread, milk", minsup=3, method=Block(by=MinFia(), decoys=0)).baskets.interval(["bread", "milk"])
    (2, 6)

    References
    ----------
    Saygin, Verykios, Clifton (2001), Using unknowns to prevent discovery of association rules, SIGMOD Record 30(4), 45–54.
    """

    by: HidingMethod = field(default_factory=MinFia)
    decoys: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.by, Block) or not hasattr(self.by, "choose"):
            raise TacitError(f"by={typed(self.by)} does not choose places", fix="e.g. by=SlidingWindow()")
        if not number(self.decoys) or self.decoys < 0:
            raise TacitError(f"decoys={typed(self.decoys)} is no number of marks", fix="e.g. decoys=1.0")

    def choose(self, problem: Problem) -> Choice:
        """The places to mark, decoys apart."""
        return self.by.choose(problem)


def decoys_of(baskets: Baskets, cells: Cells, share: float, rng: np.random.Generator) -> Cells:
    """For each item in ``cells``, ``share`` times as many transactions without it, as far as there are any."""
    rows: list[int] = []
    codes: list[int] = []
    for code, count in zip(*np.unique(cells.codes, return_counts=True), strict=True):
        free = np.setdiff1d(np.arange(baskets.size), baskets.rows([code], maybe=True))
        drawn = rng.choice(free, min(round(share * count), len(free)), replace=False)
        rows += drawn.tolist()
        codes += [int(code)] * len(drawn)
    return Cells.of(rows, codes)
