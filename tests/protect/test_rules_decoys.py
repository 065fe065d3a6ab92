"""Decoys of blocking: marks and decoys are not told apart by what lies beside them (B6). catalogue: D-08."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.protect.rules import Baskets, Block, SlidingWindow, hide

PAIR = ("beer", "wipes")


def shop(seed: int, size: int = 600) -> Baskets:
    """Baskets in which beer and wipes go together more often than by chance."""
    rng = np.random.default_rng(seed)
    names = ["bread", "milk", "beer", "wipes", "tea", "eggs"]
    held = rng.random((size, 6)) < [0.5, 0.5, 0.35, 0.35, 0.3, 0.2]
    held[:, 3] |= held[:, 2] & (rng.random(size) < 0.3)
    return Baskets.of([[name for name, there in zip(names, row, strict=True) if there] for row in held])


def told_apart(before: Baskets, after: Baskets) -> float:
    """The share of marks that an intruder calls rightly real or decoy by the partner item alone."""
    right = marks = 0
    for old, new in zip(before.item_lists(), after.item_lists(), strict=True):
        for mark in (one for one in new if one.startswith("?")):
            item = mark[1:]
            partner = PAIR[1 - PAIR.index(item)]
            right += (partner in new or f"?{partner}" in new) == (item in old)
            marks += 1
    assert marks > 40
    return right / marks


@pytest.mark.parametrize("seed", range(3))
def test_marks_and_decoys_are_not_told_apart_by_the_rest_of_the_pattern(seed):
    """All decoys have the partner, so that calling every mark with the partner real is right for half of them."""
    before = shop(seed)
    hidden = hide(before, "beer, wipes", minsup=60, margin=0.1, method=Block(by=SlidingWindow()), seed=7)
    assert hidden.evidence["decoys_alike"] == hidden.evidence["decoys"] > 20
    assert told_apart(before, hidden.baskets) == pytest.approx(0.5, abs=0.02)
    low, high = hidden.baskets.interval(list(PAIR))
    assert low < 60 and high > before.support(list(PAIR)) + 20


def test_where_transactions_run_out_the_evidence_says_so():
    """Nobody has wipes without beer or beer without wipes: no decoy can be alike."""
    before = Baskets.of([["beer", "wipes", "tea"]] * 30 + [["tea"]] * 60)
    hidden = hide(before, "beer, wipes", minsup=10, method=Block(by=SlidingWindow()), seed=7)
    assert hidden.evidence["decoys_alike"] == 0 and hidden.evidence["decoys"] > 0
