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


CALLS: dict[str, Callable[[], None]] = {"groups": _groups, "diversity": _diversity}
"""Kernel module → a call of each of its functions on a few numbers, of the types that the package uses."""


def warm(told: Callable[[str, float], object] | None = None) -> None:
    """Call every kernel once; numba keeps the compiled code on disk."""
    for place, (name, call) in enumerate(CALLS.items()):
        if told is not None:
            told(name, place / len(CALLS))
        call()
