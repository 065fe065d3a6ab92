"""People kept back from a generator: what attacks find of them is chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TacitError, typed
from ..release.households import one_per_household
from ..release.release import Release
from ..seed import child, generator

__all__ = ["HeldOut", "held_out"]

LEAST = 10
"""So many people are needed on either side for any figure to mean something."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """The training data, those kept back (None: nobody), and which rows of the file the former are."""

    training: Release
    held: Release | None = None
    rows: np.ndarray | None = None


def held_out(original: Release, share: float, *, seed: int | bytes) -> HeldOut:
    """A random ``share`` of the people kept back; a household stays together, on either side.

    Households are drawn until the share is reached. O(n log n).

    >>> import polars as pl
    >>> kept = held_out(Release(pl.DataFrame({"age": list(range(100))})), 0.2, seed=7)
    >>> kept.training.size, len(kept.rows), kept.held.size
    (80, 80, 20)
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise TacitError(
            f"holdout = {typed(share)} is not a share of the people",
            fix="give a number between 0 and 1, e.g. 0.2 or 0.5",
        )
    first, units = one_per_household(original)
    order = generator(child(seed, "holdout")).permutation(len(first))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    size = np.bincount(units, minlength=len(order))[order]
    count = int(np.searchsorted(np.cumsum(size), round(share * original.size))) + 1
    back = place[units] < count
    for part, what in ((back, "kept back"), (~back, "left to learn from")):
        if part.sum() < LEAST:
            raise TacitError(
                f"holdout = {share:g} leaves {int(part.sum())} of {original.size} people {what}, fewer than {LEAST}",
                fix="choose another share, or give people who are not in the data: control = … under [intruder]",
            )
    rows = np.flatnonzero(~back)
    return HeldOut(training=original.taken(rows), held=original.taken(np.flatnonzero(back)), rows=rows)
