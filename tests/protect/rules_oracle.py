"""Slow and plain: mining by trying every set, and the fewest removals by trying every removal."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hypothesis import strategies as st

from tacit.protect.rules import Rule

ITEMS = tuple("abcdefgh")


def subsets(items):
    return [frozenset(part) for size in range(len(items) + 1) for part in combinations(sorted(items), size)]


def support(rows, items) -> int:
    return sum(set(items) <= set(row) for row in rows)


def frequent_sets(rows, least: int) -> dict[tuple[str, ...], int]:
    tried = subsets({item for row in rows for item in row})[1:]
    return {tuple(sorted(one)): count for one in tried if (count := support(rows, one)) >= least}


def confident_rules(rows, least: int, minconf: Fraction) -> set[Rule]:
    found = set()
    for items, count in frequent_sets(rows, least).items():
        for body in subsets(items)[1:-1]:
            if Fraction(count, support(rows, body)) >= minconf:
                found.add(Rule(tuple(body), tuple(set(items) - body)))
    return found


def is_mined(rows, pattern, least: int, minconf: Fraction | None = None) -> bool:
    if not isinstance(pattern, Rule):
        return support(rows, pattern) >= least
    both, body = support(rows, pattern.items), support(rows, pattern.body)
    return both >= least and both >= minconf * body


def every_outcome(rows, victims, tracked) -> dict[tuple[int, ...], dict[str, int]]:
    """Supports of the tracked sets that removals of victims can lead to → the fewest items, and the fewest rows, touched."""
    reached = {tuple(support(rows, one) for one in tracked): {"items": 0, "transactions": 0}}
    for row in rows:
        ways = [
            (gone, [set(one) <= set(row) and not gone.isdisjoint(one) for one in tracked])
            for gone in subsets(set(row) & set(victims))
        ]
        after: dict[tuple[int, ...], dict[str, int]] = {}
        for state, costs in reached.items():
            for gone, ended in ways:
                new = tuple(count - end for count, end in zip(state, ended, strict=True))
                cost = {"items": costs["items"] + len(gone), "transactions": costs["transactions"] + bool(gone)}
                old = after.setdefault(new, cost)
                after[new] = {name: min(old[name], cost[name]) for name in cost}
        reached = after
    return reached


def hidden(pattern, supports, least: int, minconf: Fraction | None = None) -> bool:
    if not isinstance(pattern, Rule):
        return supports[frozenset(pattern)] < least
    both = supports[frozenset(pattern.items)]
    return both < least or both < minconf * supports[frozenset(pattern.body)]


def fewest(rows, sensitive, least: int, minconf: Fraction | None = None) -> dict[str, int]:
    """The fewest items taken out, and the fewest transactions changed, that hide all."""
    sets = [frozenset(one.items if isinstance(one, Rule) else one) for one in sensitive]
    tracked = list(dict.fromkeys([*sets, *(frozenset(one.body) for one in sensitive if isinstance(one, Rule))]))
    good = [
        cost
        for state, cost in every_outcome(rows, frozenset().union(*sets), tracked).items()
        if all(hidden(one, dict(zip(tracked, state, strict=True)), least, minconf) for one in sensitive)
    ]
    return {name: min(cost[name] for cost in good) for name in ("items", "transactions")}


def fewest_lost(rows, sensitive, least: int) -> tuple[int, int]:
    """The fewest other frequent sets lost, and the fewest items taken out for that."""
    sets = [frozenset(one) for one in sensitive]
    others = [frozenset(one) for one in frequent_sets(rows, least) if not any(inner <= set(one) for inner in sets)]
    tracked = [*sets, *(one for one in others if one & frozenset().union(*sets))]
    return min(
        (sum(count < least for count in state[len(sets) :]), cost["items"])
        for state, cost in every_outcome(rows, frozenset().union(*sets), tracked).items()
        if all(count < least for count in state[: len(sets)])
    )


@st.composite
def files(draw, items: int = 6, rows: int = 10):
    """Transactions over a few items, some of them empty, as lists."""
    one = st.lists(st.sampled_from(ITEMS[:items]), max_size=items, unique=True)
    return draw(st.lists(one, min_size=1, max_size=rows))


@st.composite
def jobs(draw, items: int = 6, rows: int = 10):
    """Transactions, a threshold, and up to three sensitive sets of one to three items that occur."""
    held = draw(files(items, rows))
    known = sorted({item for row in held for item in row}) or ["a"]
    held = held if any(held) else [["a"], *held]
    some = st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True).map(lambda one: tuple(sorted(one)))
    sensitive = draw(st.lists(some, min_size=1, max_size=3, unique=True))
    return held, draw(st.integers(1, max(1, len(held) // 2))), sensitive
