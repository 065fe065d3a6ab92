"""The frequent sets of baskets that are not sensitive, all of them or their border."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from .baskets import Baskets
from .frequent import mined_codes
from .problem import Kept, Sought

__all__ = ["kept_sets"]


def kept_sets(baskets: Baskets, least: int, sought: Sequence[Sought]) -> Callable[[bool], Sequence[Kept]]:
    """Mined when asked for: frequent sets that have an item of a sensitive pattern and none that must end inside.

    A set around a rule that stays frequent (its confidence falls, not its support) is to be kept as well.
    """

    def kept(every: bool) -> Sequence[Kept]:
        ending = [frozenset(one.units) for one in sought if one.leave < least]
        units = {unit for one in sought for unit in one.units}
        family = {
            codes
            for codes in mined_codes(baskets, least)
            if units.intersection(codes) and not any(one.issubset(codes) for one in ending)
        }
        wanted = family if every else _largest(family)
        of_item = _rows_of_items(baskets)
        return [Kept(codes, _common(of_item, codes)) for codes in sorted(wanted, key=lambda one: (len(one), one))]

    return kept


def _largest(family: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The sets that lie in no other of a family that has every part of its members."""
    inner = {part for codes in family for part in combinations(codes, len(codes) - 1)}
    return family - inner


def _rows_of_items(baskets: Baskets) -> list[np.ndarray]:
    order = np.argsort(baskets.held.codes, kind="stable")
    return np.split(baskets.held.rows[order], np.cumsum(baskets.supports)[:-1])


def _common(of_item: list[np.ndarray], codes: Sequence[int]) -> np.ndarray:
    """The rows of all these items."""
    ordered = sorted((of_item[code] for code in codes), key=len)
    found = ordered[0]
    for rows in ordered[1:]:
        found = found[np.isin(found, rows, assume_unique=True)]
    return found
