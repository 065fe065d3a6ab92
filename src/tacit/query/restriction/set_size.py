"""Set size: no answer about fewer units than the least, nor about all but fewer (Denning's trackers, H-06)."""

from __future__ import annotations

from ..refusal import Refusal

__all__ = ["check_size", "large_enough"]


def large_enough(units: int, everybody: int, least: int) -> bool:
    """Whether a set of so many units may be asked about: at least ``least`` of them, and none or ``least`` left out.

    >>> [large_enough(units, 20, 5) for units in (0, 4, 5, 15, 16, 19, 20)]
    [False, False, True, True, False, False, True]
    """
    return units >= least and (units == everybody or units <= everybody - least)


def check_size(sizes: list[int], everybody: int, least: int) -> None:
    """Refuse when one of the sets is too small or too large; how many of them are is all that it says."""
    short = sum(not large_enough(units, everybody, least) for units in sizes)
    if not short:
        return
    if len(sizes) == 1:
        raise Refusal(
            "small_set",
            f"the question is about fewer than {least} units, or about all but fewer than {least}",
            fix="ask about more units, or about everybody",
        )
    raise Refusal(
        "small_set",
        f"{short} of {len(sizes)} groups have fewer than {least} units, or all but fewer than {least}",
        fix="take wider groups, or leave those out that COUNT with the same keys does not list",
    )
