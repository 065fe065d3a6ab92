"""From two releases to rows that can be compared."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import TacitError, names
from ...release.release import Release
from ..columns import common
from .comparison import comparison, exact_codes
from .files import Files, distinct, side_by_side

__all__ = ["prepared", "rows_of"]


def prepared(
    release: Release,
    file: Release,
    *,
    near: tuple[float, ...],
    partial: Mapping[str, tuple[float, ...]],
    block: tuple[str, ...],
) -> tuple[Files, tuple[str, ...]]:
    """Both files as distinct rows of their common columns, and notes on columns that say nothing."""
    shared = common(release, file)
    for asked in (partial, block):
        names(tuple(asked), shared)
    found, silent = [], []
    for column in shared:
        if column in block:
            continue
        one = comparison(release, file, column, partial=partial.get(column, ()), near=near)
        if one is None:
            silent.append(column)
        else:
            found.append(one)
    notes = (f"{', '.join(silent)} tells nobody in the release apart",) if silent else ()
    blocks = _blocks(release, file, block) if block else None
    return side_by_side(found, sizes=(release.size, file.size), blocks=blocks), notes


def _blocks(release: Release, file: Release, block: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The number of every record's block; records with a gap there are in none."""
    sides = [exact_codes(release, file, column) for column in block]
    matrix = np.column_stack([np.append(side.release, side.intruder) for side in sides])
    numbers = distinct([matrix])[0].astype(float)
    if release.missing != "own":
        numbers[np.isnan(matrix).any(1)] = np.nan
    theirs, mine = numbers[: release.size], numbers[release.size :]
    return np.where(np.isnan(theirs), -2.0, theirs), np.where(np.isnan(mine), -1.0, mine)


def rows_of(files: Files, known: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The rows of known pairs of records."""
    pairs = np.array(known)
    for side, (what, size) in enumerate((("the intruder's file", files.claim_of), ("the release", files.group_of))):
        if pairs[:, side].max() >= len(size):
            raise TacitError(
                f"a known pair names row {int(pairs[:, side].max())} of {what}, which has {len(size)}",
                fix="rows are counted from 0",
            )
    return np.column_stack([files.claim_of[pairs[:, 0]], files.group_of[pairs[:, 1]]])
