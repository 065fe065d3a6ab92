"""Compare a masked file that is already on disk with its original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..errors import Cancelled, Note, TacitError
from ..loss import LOSSES, moments, summary
from ..loss.numbers.moments import moments_of
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..result import Result, Results
from ..risk.interval_disclosure import interval_disclosure
from ..risk.intervals import checked_percent
from ..risk.same_values import same_values
from .earlier_releases import EarlierReleases, measure_composition
from .levels import with_levels
from .pairing import Pairing, pair_rows

EVERY = "all"
"""Asks for every loss that applies."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileComparison:
    """What was lost, where rows are paired which share of the values can be read off the masked file, and what it tells
    together with earlier editions; there are no losses where editions were asked for and no column holds numbers.
    """

    losses: Results | None
    disclosed: tuple[Result, ...] = ()
    composed: tuple[Result, ...] = ()
    warnings: tuple[Note, ...] = ()


def compare_file(
    masked: Path,
    original: Release,
    *,
    pairing: Pairing | None = None,
    percent: float = 10,
    wanted: Sequence[str] = (),
    editions: EarlierReleases | None = None,
) -> FileComparison:
    """Every loss that applies, and attribute disclosure: numbers within ``percent``, by rank and deviation, and categories.

    Without a pairing only the losses of whole columns. ``wanted`` names losses that are measured only when asked for,
    or "all"; ``editions`` were released before about the same people.
    """
    released = read(masked, missing=original.missing)
    composed, warnings = ((), ()) if editions is None else measure_composition(released, original, editions)
    if pairing is None:
        if wanted:
            raise TacitError(
                "losses cannot be chosen while it is not said which rows belong together",
                code="conflicting_parameters",
                fix="give one of --key COLUMN, --same-order, --lineage FILE",
                where="--loss",
            )
        whole = moments_of(released, original) if composed else moments(released, original=original)
        losses = Results(tuple(whole)) if whole else None
        return FileComparison(losses=losses, composed=composed, warnings=warnings)
    rows = pair_rows(released, original, pairing)
    common = [column for column in original.columns if column in released.columns]
    levels, _ = with_levels(released, original, common)
    return FileComparison(
        losses=_measure_losses(Masked(levels, (), lineage=rows), original, wanted),
        disclosed=_measure_disclosure(Masked(_drop_key(levels, pairing.key), (), lineage=rows), original, percent),
        composed=composed,
        warnings=warnings,
    )


def _measure_losses(masked: Masked, original: Release, wanted: Sequence[str]) -> Results:
    """The losses of a summary and those that are wanted; of "all" those that apply."""
    if EVERY not in wanted:
        return summary(masked, original=original, wanted=wanted)
    found: list[Result] = []
    for entry in LOSSES.values():
        try:
            parts: Result | Results = entry.call(masked, original=original)
        except Cancelled:
            raise
        except TacitError:
            continue
        found.extend(parts if isinstance(parts, Results) else (parts,))
    return Results(tuple(found))


def _drop_key(released: Release, key: str | None) -> Release:
    """The key pairs the rows: that it is the same is no disclosure."""
    return released.select([column for column in released.columns if column != key]) if key else released


def _measure_disclosure(masked: Masked, original: Release, percent: float) -> tuple[Result, ...]:
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
