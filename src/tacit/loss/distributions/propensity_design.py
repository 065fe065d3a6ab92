"""The records of both files as numbers, by which a classifier may tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...release.masked import Masked, checked_lineage
from ...release.one_level import as_numbers, spread
from ...release.pairs import numeric_columns
from ...seed import child, generator
from .codings import by_values, common_columns, dated, two_files

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["Block", "blocks_of", "crossed", "sampled"]

SAMPLE = 10_000
"""Of larger files so many records are taken."""
CATEGORIES = 10
"""The most common categories of a column that have a feature; the others are one."""
FARTHEST = 1000.0
"""Numbers farther than so many standard deviations are no farther for the classifier, so that no square overflows."""
TERMS = 200
"""Features are multiplied with each other while there are no more than this …"""
PER_TERM = 10
"""… and this many records of either file for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The features of one column, the original's records first; the first ``amounts`` of them are amounts."""

    column: str
    features: np.ndarray
    amounts: int


def sampled(
    release: Release | Masked, original: Release, lineage: np.ndarray | None, seed: int | bytes
) -> tuple[Release, Release]:
    """Masked and original, whole or, of more than 10 000 records, that many people of the original and what became of them.

    Where nobody knows what became of whom (other sizes, invented rows), the masked rows are drawn for themselves.
    """
    masked, original = two_files(release, original)
    if lineage is None and isinstance(release, Masked):
        lineage = release.lineage
    if lineage is None:
        same = masked.size == original.size
        rows = np.arange(masked.size) if same else np.full(masked.size, -1)
    else:
        rows = checked_lineage(lineage, masked=masked.size, original=original.size)
    share = min(1.0, SAMPLE / max(masked.size, original.size))
    if share == 1:
        return masked, original
    people = generator(child(seed, "people"))
    chosen = np.zeros(original.size, dtype=bool)
    chosen[people.choice(original.size, max(1, round(share * original.size)), replace=False)] = True
    drawn = generator(child(seed, "invented")).random(masked.size) < share
    kept = np.flatnonzero(np.where(rows >= 0, chosen[rows], drawn))
    kept = kept if len(kept) else np.arange(min(masked.size, SAMPLE))
    return masked.taken(kept), original.taken(np.flatnonzero(chosen))


def blocks_of(masked: Release, original: Release) -> list[Block]:
    """The features of each column of the original; one that the masked file no longer has is missing there."""
    amounts = {*numeric_columns(masked, original), *dated(masked, original)}
    both = common_columns(masked, original)
    found = []
    for column in common_columns(original, original):
        if column not in both:
            missing = np.concatenate([~original.valid(column), np.ones(masked.size, dtype=bool)])
            found.append(Block(column, missing[:, None].astype(float), 0))
        elif column in amounts:
            found.append(_amount(masked, original, column))
        else:
            found.append(_categories(masked, original, column))
    return found


def _amount(masked: Release, original: Release, column: str) -> Block:
    """Standard deviations from the original's mean, and whether it is missing, which counts as the mean."""
    before, after = (as_numbers(side.series(column), column) for side in (original, masked))
    known = before[~np.isnan(before)]
    scale = float(np.abs(known).max(initial=0.0)) or 1.0
    mean = float((known / scale).mean()) * scale if len(known) else 0.0
    unit = spread(before) or scale
    numbers = np.concatenate([before, after])
    missing = np.isnan(numbers)
    numbers = np.clip(numbers / unit - mean / unit, -FARTHEST, FARTHEST)
    numbers[missing] = 0.0
    return Block(column, np.column_stack([numbers, missing]) if missing.any() else numbers[:, None], 1)


def _categories(masked: Release, original: Release, column: str) -> Block:
    """A feature for each common category but one: the rare ones together, or else the most common."""
    coding = by_values(masked, original, column)
    codes = np.concatenate([coding.before, coding.after])
    counts = np.bincount(codes, minlength=coding.count)
    present = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    common = present[1:] if len(present) <= CATEGORIES + 1 else present[:CATEGORIES]
    return Block(column, (codes[:, None] == common[None, :]).astype(float), 0)


def crossed(blocks: list[Block], records: int) -> tuple[np.ndarray, bool]:
    """The features of all columns with the squares of amounts, and with all products of two columns if those are few.

    Few for ``records``, the size of the smaller file: with more terms than it has records, anybody stands out.
    """
    plain = np.column_stack([block.features for block in blocks])
    squares = [block.features[:, : block.amounts] ** 2 for block in blocks if block.amounts]
    sizes = [block.features.shape[1] for block in blocks]
    products = sum(one * other for one, other in combinations(sizes, 2))
    every = plain.shape[1] + len(squares) + products
    if not products or every > min(TERMS, records // PER_TERM):
        return np.column_stack([plain, *squares]), False
    pairs = [
        (one.features[:, :, None] * other.features[:, None, :]).reshape(len(plain), -1)
        for one, other in combinations(blocks, 2)
    ]
    return np.column_stack([plain, *squares, *pairs]), True
