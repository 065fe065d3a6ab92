"""A masked file and its original as two lessons about the same people, in one coding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.codes import encode_column
from ...release.common_level import as_numbers, at_one_level
from ...release.pairs import CODED, NOT_AMOUNTS, numeric_columns, pair_records
from ...seed import DEFAULT_SEED, child_seed, make_generator
from .estimators import Features, side_of

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


MOST = 20_000
"""So many records are learnt from and asked about; of a larger file they are drawn at random."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoFiles:
    """``made_from[i]`` is the original row that masked row i was made from, −1 for an invented row.

    ``of`` is how many records the original has, of which those here were drawn.
    """

    masked: Release
    original: Release
    made_from: np.ndarray
    of: int

    def columns(self) -> tuple[str, ...]:
        """The common columns that say something of a person: no identifier, weight or household in either file."""
        apart = NOT_AMOUNTS
        both = (column for column in self.original.columns if column in self.masked.columns)
        return tuple(c for c in both if self.original.roles[c] not in apart and self.masked.roles[c] not in apart)

    def amounts(self) -> tuple[str, ...]:
        """Those that are amounts in both files."""
        amounts = numeric_columns(self.masked, self.original)
        return tuple(column for column in self.columns() if column in amounts)

    def categories(self) -> tuple[str, ...]:
        """Those that are categories in the original: text, true or false, or numbers that stand for names."""
        types, kinds = self.original.types, self.original.kinds
        return tuple(c for c in self.columns() if types[c] in ("text", "boolean") or kinds.get(c) in CODED)

    def features(self, columns: Iterable[str]) -> Features:
        """What is learnt from the masked file, and the same columns of the original in its coding, to be asked about."""
        amounts = self.amounts()
        sides = []
        for column in columns:
            theirs, mine, codes = _code_both_files(self, column, number=column in amounts)
            side, _ = side_of(theirs, mine, codes=codes)
            sides += [side] if not np.isnan(side.release).all() else []
        return Features(tuple(sides), self.masked.size, self.original.size)

    def original_only(self) -> TwoFiles:
        """The original in the place of the masked file."""
        return TwoFiles(self.original, self.original, np.arange(self.original.size), self.of)


def two_files(
    release: Release | Masked, original: Release, lineage: np.ndarray | None, *, seed: int | bytes = DEFAULT_SEED
) -> TwoFiles:
    """The files, the original cut to ``MOST`` random records and the masked one to what was made of them."""
    pairs = pair_records(release, original, lineage)
    masked, whole = pairs.masked, pairs.original
    made_from = np.full(masked.size, -1)
    made_from[pairs.of_masked] = pairs.of_original
    if max(whole.size, masked.size) <= MOST:
        return TwoFiles(masked, whole, made_from, whole.size)
    drawn = make_generator(child_seed(seed, "records")).permutation(whole.size)[:MOST]
    chosen = np.sort(drawn)
    place = np.full(whole.size + 1, -2)
    place[chosen] = np.arange(len(chosen))
    place[-1] = -1
    became = place[made_from]
    invented = np.flatnonzero(became == -1)
    step = max(1, -(-whole.size // MOST), -(-len(invented) // MOST))
    kept = np.concatenate([np.flatnonzero(became >= 0), invented[::step]])
    return TwoFiles(masked.take(kept), whole.take(chosen), became[kept], whole.size)


def coded_alike(theirs: pl.Series, mine: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Categories of both files as the same whole numbers; −1 where missing."""
    if theirs.dtype != mine.dtype:
        type = pl.Float64 if theirs.dtype.is_numeric() and mine.dtype.is_numeric() else pl.String
        theirs, mine = theirs.cast(type), mine.cast(type)
    both = encode_column(pl.concat([theirs, mine]))
    codes = np.where(both.codes == len(both.dictionary), -1, both.codes).astype(np.int64)
    return codes[: len(theirs)], codes[len(theirs) :]


def at_masked_level(files: TwoFiles, column: str) -> tuple[pl.Series, pl.Series]:
    """A column of both files at the level of the masked one; as it stands where no hierarchy leads there."""
    levels = files.masked.levels.get(column, 0), files.original.levels.get(column, 0)
    if all(levels) and levels[0] != levels[1]:
        return files.masked.series(column), files.original.series(column)
    return at_one_level(files.masked, files.original, column)


def _code_both_files(files: TwoFiles, column: str, *, number: bool) -> tuple[np.ndarray, np.ndarray, bool]:
    theirs, mine = at_masked_level(files, column)
    dates = theirs.dtype.is_temporal() and mine.dtype.is_temporal()
    if dates or (number and theirs.dtype.is_numeric() and mine.dtype.is_numeric()):
        numbers = as_numbers(theirs, column), as_numbers(mine, column)
        largest = max(float(np.fmax.reduce(np.abs(one), initial=0.0)) for one in numbers)
        exponent = int(np.frexp(largest)[1])  # a power of two, which is exact, so that no square overflows
        return np.ldexp(numbers[0], -exponent), np.ldexp(numbers[1], -exponent), False
    codes = [np.where(one < 0, np.nan, one) for one in coded_alike(theirs, mine)]
    return codes[0], codes[1], True


def no_column(what: str) -> TacitError:
    """Nothing can be learnt: neither file has a column of the kind."""
    return TacitError(
        f"no column of both files holds {what}", code="no_usable_column", fix="name one: target='diagnosis'"
    )
