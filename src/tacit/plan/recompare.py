"""Compare a masked file that is already on disk with its original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..errors import Cancelled, TacitError
from ..loss import moments, summary
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..result import Result, Results
from ..risk.interval_disclosure import interval_disclosure
from ..risk.intervals import checked_percent
from ..risk.same_values import same_values
from .levels import levelled
from .pairing import Pairing, paired

__all__ = ["Recompared", "recompared"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recompared:
    """What was lost and, where rows are paired, which share of the values can be read off the masked file."""

    losses: Results
    disclosed: tuple[Result, ...] = ()


def recompared(masked: Path, original: Release, *, pairing: Pairing | None = None, percent: float = 10) -> Recompared:
    """Every loss that applies, and attribute disclosure: numbers within ``percent``, by rank and deviation, and categories.

    Without a pairing only the losses of whole columns.
    """
    released = read(masked, missing=original.missing)
    if pairing is None:
        return Recompared(losses=moments(released, original=original))
    rows = paired(released, original, pairing)
    common = [column for column in original.columns if column in released.columns]
    levels, _ = levelled(released, original, common)
    return Recompared(
        losses=summary(Masked(levels, (), lineage=rows), original=original),
        disclosed=_disclosed(Masked(_without(levels, pairing.key), (), lineage=rows), original, percent),
    )


def _without(released: Release, key: str | None) -> Release:
    """The key pairs the rows: that it is the same is no disclosure."""
    return released.selected([column for column in released.columns if column != key]) if key else released


def _disclosed(masked: Masked, original: Release, percent: float) -> tuple[Result, ...]:
    """What each measure finds, of those that apply."""
    checked_percent(percent)
    found: list[Result] = []
    near = partial(interval_disclosure, masked, original=original, percent=percent)
    for measure in (near, partial(near, by="deviation"), partial(same_values, masked, original=original)):
        try:
            found.extend(measure())
        except Cancelled:
            raise
        except TacitError:
            continue
    return tuple(found)
