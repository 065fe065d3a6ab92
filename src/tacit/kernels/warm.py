"""Compile every kernel once, so that no user waits for it later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["CALLS", "warm"]


def _groups() -> None:
    from .groups import group_rows, members, offsets

    small = [np.arange(9, dtype=np.int32), np.zeros(9, dtype=np.int32)]
    group_rows(small, [9, 1])
    group_rows(small, [2**40, 1])
    members(np.zeros(9, dtype=np.int32), 1)
    offsets(np.arange(9), 0, 9)


def _diversity() -> None:
    from .diversity import distinct_and_variational, ordered_distance

    start, rows, codes = np.array([0, 9]), np.arange(9, dtype=np.int32), np.arange(9, dtype=np.int32)
    distinct_and_variational(start, rows, codes, 9)
    ordered_distance(start, rows, codes, 9)


def _ranks() -> None:
    from .ranks import neighbour_pairs

    neighbour_pairs(9, 2, np.linspace(0, 0.9, 4))


def _microaggregation() -> None:
    from .microaggregation import mdav

    mdav(np.arange(18, dtype=np.float64).reshape(9, 2), 2)


def _wildcards() -> None:
    from .wildcards import fill_again

    codes, free = np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=bool)
    fill_again(codes, free, free.copy(), np.ones(3, dtype=np.int64), np.full(3, 3, dtype=np.int64), 2)


def _nearest() -> None:
    from .nearest import Costs, distinct_rows, nearest

    points = np.arange(18, dtype=np.float64).reshape(9, 2)
    ones = np.ones(2)
    distinct_rows(points)
    nearest(points, points, Costs(np.array([False, True]), ones, ones, ones))


def _rules() -> None:
    from .rules import Cells, Rules, meets
    from .spread import DISTINCT, spread, whole_of

    one, none = np.ones(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    room, present = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    whole = whole_of(one)
    spread(DISTINCT, 0.0, one, present, 1, 1, whole)
    cells = Cells(one, none, np.array([[0, 1]]), np.zeros(1, dtype=np.int64), one, np.array([0, 1]))
    parts = whole.share, whole.cumulated, whole.prefix, np.zeros((0, 1), dtype=np.int64), np.zeros(1, dtype=np.int64)
    rules = Rules(1, 0, 0.0, 1.0, np.zeros(1, dtype=np.int64), one - 1, np.zeros(1), np.ones(1), *parts)
    meets(rules, cells, np.zeros(1, dtype=np.int64), room, present)


CALLS: dict[str, Callable[[], None]] = {
    "groups": _groups,
    "diversity": _diversity,
    "ranks": _ranks,
    "microaggregation": _microaggregation,
    "wildcards": _wildcards,
    "nearest": _nearest,
    "rules": _rules,
}
"""Kernel module → a call of each of its functions on a few numbers, of the types that the package uses."""


def warm(told: Callable[[str, float], object] | None = None) -> None:
    """Call every kernel once; numba keeps the compiled code on disk."""
    for place, (name, call) in enumerate(CALLS.items()):
        if told is not None:
            told(name, place / len(CALLS))
        call()
