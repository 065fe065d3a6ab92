"""Overlap and difference: how the units of a set may relate to those of an earlier one (H-06)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..atoms import Labels
from ..refusal import Refusal

__all__ = ["check_difference", "check_overlap", "in_common"]

Counts = npt.NDArray[np.int64]


def in_common(chosen: Labels, earlier: npt.NDArray[np.bool_], units: Labels) -> Counts:
    """Units that a set of atoms shares with each earlier one (a row each). O(earlier · atoms)."""
    from ...kernels.overlaps import overlaps

    weights = np.zeros(len(units), np.int64)
    weights[chosen] = units[chosen]
    found: Counts = overlaps(earlier, weights)
    return found


def check_overlap(size: int, sizes: Counts, common: Counts, most: int) -> None:
    """Refuse a set that has more than ``most`` units in common with an earlier one; the same set again is nothing new."""
    same = (common == size) & (sizes == size)
    if bool(((common > most) & ~same).any()):
        raise Refusal(
            "overlap",
            f"more than {most} units are also in a set that was asked about before",
            fix="ask about other units, or read the earlier answer again",
        )


def check_difference(size: int, sizes: Counts, common: Counts, least: int) -> None:
    """Refuse a set that lies within an earlier one, or around it, and differs from it by fewer than ``least`` units."""
    nested = (common == size) | (common == sizes)
    apart = size + sizes - 2 * common
    if bool((nested & (apart > 0) & (apart < least)).any()):
        raise Refusal(
            "small_set",
            f"fewer than {least} units make the difference to a set that was asked about before",
            fix="ask about a set that differs by more units",
        )
