"""Mining while hiding: frequent sets by bits, and the rules that they make."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ...errors import TacitError, check_int
from .baskets import Baskets
from .patterns import ItemSet, ItemSets, Rule, Rules
from .thresholds import least_count, parse_confidence

MOST = 1_000_000
"""Sets or rules beyond which mining stops: nobody reads so many, and the threshold was meant to be higher."""


def frequent(baskets: Baskets, *, minsup: float, largest: int | None = None, most: int = MOST) -> ItemSets:
    r"""All sets of items that lie together in at least ``minsup`` of the transactions.

    :math:`\mathrm{sup}(S) = |\{t : S \subseteq t\}| \ge s`, where s is ``minsup`` if it is a whole number, else that
    share of the transactions, rounded up. ``largest`` bounds the size of the sets. What is unknown does not count: for
    blocked files these are the sets that are surely frequent.

    Depth first over columns of bits (Zaki's Eclat). Time O(sets tried · transactions / 64), memory O(depth · items ·
    transactions / 64); more than ``most`` sets are an error.

    >>> b = Baskets.of([["bread", "milk"], ["bread", "milk", "tea"], ["tea"]])
    >>> dict(frequent(b, minsup=2))
    {('bread',): 2, ('milk',): 2, ('tea',): 2, ('bread', 'milk'): 2}

    References
    ----------
    Zaki (2000), Scalable algorithms for association mining, IEEE TKDE 12, 372–390.
    """
    return ordered_sets(mined_codes(baskets, least_count(minsup, baskets.size), largest, most), baskets)


def rules(baskets: Baskets, *, minsup: float, minconf: float, largest: int | None = None, most: int = MOST) -> Rules:
    r"""All rules X → Y with enough support and confidence.

    :math:`\mathrm{sup}(X \cup Y) \ge s` and :math:`\mathrm{sup}(X \cup Y) \ge c \cdot \mathrm{sup}(X)`, compared in
    whole numbers: a confidence of 0.7 is 7/10. Time as :func:`frequent` and 2^size for each set.

    >>> b = Baskets.of([["bread", "milk"], ["bread", "milk", "tea"], ["tea"]])
    >>> {str(rule): found for rule, found in rules(b, minsup=2, minconf=0.7).items()}
    {'bread -> milk': 1.0, 'milk -> bread': 1.0}

    References
    ----------
    Agrawal and Srikant (1994), Fast algorithms for mining association rules, VLDB, 487–499.
    """
    return derived_rules(frequent(baskets, minsup=minsup, largest=largest, most=most), minconf, most)


def derived_rules(sets: ItemSets, minconf: float, most: int = MOST) -> Rules:
    """The rules of frequent sets, whoever mined these."""
    least, found = parse_confidence(minconf), dict[Rule, float]()
    for items, count in sets.items():
        for size in range(1, len(items)):
            for body in combinations(items, size):
                if count * least.denominator >= least.numerator * sets[body]:
                    head = tuple(item for item in items if item not in body)
                    found[Rule(body, head)] = count / sets[body]
        if len(found) > most:
            raise TacitError(
                f"more than {most:,} rules have this support and confidence",
                code="out_of_range",
                fix="use a higher minconf or minsup",
            )
    return Rules(found, sets)


def mined_codes(
    baskets: Baskets, least: int, largest: int | None = None, most: int = MOST
) -> dict[tuple[int, ...], int]:
    """Frequent sets of numbers of items, with their support."""
    from ...kernels.item_sets import FULL, deep_sets, pack_bits

    if largest is not None:
        check_int("largest", largest, least=1)
    supports = baskets.supports
    often = np.flatnonzero(supports >= least)
    # Rare items first: their lines are the shortest to extend.
    often = often[np.argsort(supports[often], kind="stable")]
    line = np.full(len(baskets.items), -1, np.int64)
    line[often] = np.arange(len(often))
    kept = line[baskets.held.codes] >= 0
    bits = pack_bits(line[baskets.held.codes[kept]], baskets.held.rows[kept], len(often), baskets.size)
    tree, number = deep_sets(bits, supports[often].astype(np.int64), least, largest or len(often) + 1, most)
    if number == FULL:
        raise TacitError(
            f"more than {most:,} sets of items lie together in {least:,} transactions",
            code="out_of_range",
            fix="use a higher minsup, or bound the size of the sets with largest=3",
        )
    found: list[tuple[int, ...]] = []
    for parent, last, _ in tree.tolist():
        found.append((*found[parent], last) if parent >= 0 else (last,))
    codes = often.tolist()
    return {
        tuple(sorted(codes[place] for place in lines)): count
        for lines, count in zip(found, tree[:, 2].tolist(), strict=True)
    }


def ordered_sets(found: Mapping[tuple[int, ...], int], baskets: Baskets) -> ItemSets:
    """Sets by name, small ones first."""
    order = sorted(found, key=lambda codes: (len(codes), codes))
    named: dict[ItemSet, int] = {tuple(baskets.items[code] for code in codes): found[codes] for codes in order}
    return ItemSets(named, baskets.size)
