"""Hiding rules: the integer program against trying every removal, every method at psi 0, and 10⁵ transactions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from bars import Bars, spent

from tacit.protect.rules import (
    Baskets,
    Block,
    Border,
    Exact,
    MaxFia,
    MinFia,
    SlidingWindow,
    audit,
    frequent,
    hide,
    mine_independently,
)
from tacit.protect.rules.problem import HidingMethod

METHODS = (MinFia(), MaxFia(), SlidingWindow(), SlidingWindow(window=4), Border(), Exact(keep="none"), Exact(), Block())
QUEST = {"transactions": 100_000, "items": 1_000, "length": 10, "patterns": 2_000, "size": 4, "correlation": 0.25}
"""T10I4D100K of the generator of Agrawal and Srikant (1994): numbers of transactions and items, mean length of a transaction,
patterns, their mean size, how much of a pattern comes from the one before; corruption is normal(0.5, 0.1)."""


def bars(bars: Bars) -> None:
    """The bars of this part."""
    _brute_force(bars, 10 if bars.quick else 400)
    _psi(bars, 2 if bars.quick else 60)
    _large(bars)


def _brute_force(bars: Bars, cases: int) -> None:
    equal = lost_equal = tried = 0
    rng = np.random.default_rng(13)
    for _ in range(cases):
        rows, least, secret = _case(rng)
        found = hide(Baskets.of(rows), secret, minsup=least, method=Exact(keep="none"))
        equal += len(found.changed) == _tried(rows, secret, least, lambda _: 0)[1] and found.evidence["proven"]
        if len(secret) > 1:
            continue
        others = [one for one in frequent(Baskets.of(rows), minsup=least) if not set(secret[0]) <= set(one)]
        kept = hide(Baskets.of(rows), secret, minsup=least, method=Exact())
        gone = sum(kept.baskets.support(one) < least for one in others)
        best = _tried(rows, secret, least, lambda after: sum(_support(after, one) < least for one in others))  # noqa: B023
        tried, lost_equal = tried + 1, lost_equal + ((gone, len(kept.changed)) == best)
    bars.true("program = brute force, 8 items × 12 transactions: removals", equal == cases, cases=cases)
    bars.true("program = brute force: sets lost, then removals", lost_equal == tried, cases=tried)


def _case(rng: np.random.Generator) -> tuple[list[list[str]], int, list[tuple[str, ...]]]:
    """12 transactions over 8 items, a threshold, and one or two sensitive sets; few enough removals to try them all."""
    while True:
        rows = [[item for item in "abcdefgh" if rng.random() < 0.5] for _ in range(12)]
        least = int(rng.integers(2, 6))
        sets = [one for one in frequent(Baskets.of(rows), minsup=least) if len(one) > 1]
        if sets:
            secret = [sets[place] for place in rng.choice(len(sets), min(len(sets), rng.integers(1, 3)), replace=False)]
            if np.prod([float(len(_ways(row, secret))) for row in rows]) <= 30_000:
                return rows, least, secret


def _support(rows: list[frozenset[str]], items: tuple[str, ...]) -> int:
    return sum(set(items) <= row for row in rows)


def _ways(row: list[str], secret: list[tuple[str, ...]]) -> list[frozenset[str]]:
    """A transaction with any of the items gone that belong to a sensitive set inside it."""
    inside = sorted({item for one in secret if set(one) <= set(row) for item in one})
    return [frozenset(row) - set(gone) for size in range(len(inside) + 1) for gone in combinations(inside, size)]


def _tried(
    rows: list[list[str]], secret: list[tuple[str, ...]], least: int, damage: Callable[[list[frozenset[str]]], int]
) -> tuple[int, int]:
    """The least damage, and under it the fewest removals, over every choice of removals."""
    best = (10**9, 10**9)
    full = [frozenset(row) for row in rows]
    touched = [place for place, row in enumerate(rows) if len(_ways(row, secret)) > 1]

    def deeper(at: int, after: list[frozenset[str]], gone: int) -> None:
        nonlocal best
        if gone > best[1] and best[0] == 0:
            return
        if at == len(touched):
            if all(_support(after, one) < least for one in secret):
                best = min(best, (damage(after), gone))
            return
        place = touched[at]
        for way in _ways(rows[place], secret):
            after[place] = way
            deeper(at + 1, after, gone + len(full[place]) - len(way))
        after[place] = full[place]

    deeper(0, list(full), 0)
    return best


def _psi(bars: Bars, cases: int) -> None:
    rng, worst = np.random.default_rng(17), 0.0
    for _ in range(cases):
        rows, least, secret = _case(rng)
        held = Baskets.of(rows)
        for method in METHODS:
            after = hide(held, secret, minsup=least, method=method, psi=0, seed=1).baskets
            worst = max(worst, audit(after, held, secret, minsup=least).results[0].value)
    bars.at_most("hiding failure at psi 0, every method", worst, 0.0, methods=len(METHODS), cases=cases)


def _large(bars: Bars) -> None:
    size = 20_000 if bars.quick else QUEST["transactions"]
    held = Baskets.of(quest(**{**QUEST, "transactions": size}, seed=7))
    least, on = size // 500, f"{size:,} × 1,000"
    seconds, sets = spent(lambda: frequent(held, minsup=least))
    bars.stated(f"{on}: mining at 0.2 %, CPU s", seconds, sets=len(sets), items=len(held.items))
    seconds, again = spent(lambda: mine_independently(held, minsup=least))
    bars.true(f"{on}: both miners agree", dict(again) == dict(sets), seconds=seconds)
    some = [one for one in sets if len(one) in (2, 3)]
    secret = [some[place] for place in np.random.default_rng(3).choice(len(some), 20, replace=False)]
    methods: dict[HidingMethod, int | None] = {SlidingWindow(): 60}
    if not bars.quick:
        _libraries(bars, held, least, dict(sets))
        methods |= {
            MinFia(): 60,
            SlidingWindow(window=10_000): 60,
            Border(): None,
            Exact(keep="none"): None,
            Exact(): None,
        }
    for method, most in methods.items():
        seconds, found = spent(lambda: hide(held, secret, minsup=least, method=method))  # noqa: B023
        name = f"{on}, 20 sets, {method!r}".replace("()", "")
        facts = {"removed": len(found.changed), **found.evidence}
        bars.stated(f"{name}: CPU s", seconds, **facts) if most is None else bars.at_most(
            f"{name}: CPU s", seconds, most, at_scale=True, **facts
        )
        seconds, checked = spent(lambda: audit(found.baskets, held, secret, minsup=least))  # noqa: B023
        lost = checked.results[1].facts["lost"]
        bars.true(f"{name}: hidden", checked.holds and checked.results[2].value == 0, lost=lost, audit_seconds=seconds)


def _libraries(bars: Bars, held: Baskets, least: int, sets: dict[tuple[str, ...], int]) -> None:
    """Miners that are installed, on the same file."""
    rows = list(held.item_lists())
    for name, mine in (("mlxtend", _mlxtend), ("pyfim", _pyfim)):
        try:
            seconds, found = spent(lambda: mine(rows, least))  # noqa: B023
        except ImportError:
            bars.skipped(f"mining by {name}", "not installed")
            continue
        bars.true(f"100,000 × 1,000: {name} finds the same", found == sets, seconds=seconds)


def _mlxtend(rows: list[list[str]], least: int) -> dict[tuple[str, ...], int]:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth
    from mlxtend.preprocessing import TransactionEncoder

    encoder = TransactionEncoder()
    cells = encoder.fit(rows).transform(rows, sparse=True)
    frame = pd.DataFrame.sparse.from_spmatrix(cells, columns=encoder.columns_)
    found = fpgrowth(frame, min_support=(least - 0.5) / len(rows), use_colnames=True)
    return {
        tuple(sorted(one)): round(share * len(rows))
        for one, share in zip(found["itemsets"], found["support"], strict=True)
    }


def _pyfim(rows: list[list[str]], least: int) -> dict[tuple[str, ...], int]:
    from fim import eclat

    return {tuple(sorted(one)): count for one, count in eclat(rows, supp=-least, report="a")}


def quest(
    *, transactions: int, items: int, length: int, patterns: int, size: int, correlation: float, seed: int
) -> list[list[str]]:
    """Transactions in the manner of the IBM Quest generator: patterns overlap, are drawn by weight and lose items."""
    rng = np.random.default_rng(seed)
    weights, before, known = rng.exponential(size=patterns), np.zeros(0, np.int64), []
    for _ in range(patterns):
        count = max(1, int(rng.poisson(size)))
        kept = min(len(before), round(min(1.0, rng.exponential(correlation)) * count))
        drawn = np.append(rng.choice(before, kept, replace=False), rng.choice(items, count, replace=False))
        before = np.array(list(dict.fromkeys(drawn.tolist()))[:count])
        known.append(before.tolist())
    corruption = np.clip(rng.normal(0.5, 0.1, patterns), 0, 1)
    lengths = np.maximum(1, rng.poisson(length, transactions))
    chosen = rng.choice(patterns, (transactions, 4 * length // size), p=weights / weights.sum())
    made = []
    for most, choice in zip(lengths.tolist(), chosen.tolist(), strict=True):
        basket: set[int] = set()
        for pattern in choice:
            lose = int(rng.geometric(1 - corruption[pattern])) - 1
            basket.update(rng.permutation(known[pattern])[: max(0, len(known[pattern]) - lose)].tolist())
            if len(basket) >= most:
                break
        made.append([f"i{item:03d}" for item in basket])
    return made
