"""A column moved by its matrices, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ...seed import child_seed, keyed_bytes
from .tables import build_guide, cumulative_rows

if TYPE_CHECKING:
    from .categories import Categories


CELL = "__cell"
SPARSE = 8
"""Whole numbers that span more than so many times their count are looked up like text."""
PIECE = 1 << 17
"""Rows that are moved at once, so that their random bits stay in the cache."""
WORD = 4
"""Bytes of a draw."""
STRATA = {"text": pl.String, "integer": pl.Int64, "boolean": pl.Boolean, "date": pl.Date}
"""Types of columns that can make strata, and the types in which they are compared."""


@dataclass(frozen=True, eq=False)
class PramRows:
    """The row kernel of one column (picklable): categories become others by the matrix of the row's stratum.

    ``strata`` has the columns that make strata and the number of each; ``by_value`` says that the numbers of the kernel
    are the values themselves, and not their places among the categories.
    """

    column: str
    categories: pl.Series
    by_value: bool
    strata: pl.DataFrame
    moves: tuple[Any, ...]
    seed: bytes

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.Series:
        """The new categories of a batch; missing stays missing."""
        from ...kernels.transitions import Moves, move_categories

        given, moves = batch[self.column], Moves(*self.moves)
        values = (
            self._integer_values(given) if self.by_value else self._category_codes(given) + self._stratum_offsets(batch)
        )
        values.flags.writeable = False  # as columns of Polars come, so that the kernel is compiled for one of the two
        out, left = np.empty(len(values), dtype=np.int64), np.empty(PIECE, dtype=np.int32)
        strange = 0
        for begin in range(0, len(values), PIECE):
            piece = slice(begin, min(len(values), begin + PIECE))
            draws = keyed_bytes(self.seed, (start + begin) * WORD, (piece.stop - begin) * WORD).view(np.uint32)
            strange += move_categories(values[piece], draws, moves, left, out[piece])
        if strange != given.null_count():
            raise TacitError(
                "has categories that it had not when they were counted",
                code="unsuitable_column",
                column=self.column,
                fix="apply the method anew",
            )
        return self._write_column(out, given)

    def _integer_values(self, given: pl.Series) -> np.ndarray:
        whole = given.cast(pl.Int64)
        return (whole.fill_null(self.moves[0] - 1) if given.null_count() else whole).to_numpy()

    def _category_codes(self, given: pl.Series) -> np.ndarray:
        """The place of each value among the categories, one beyond for missing."""
        known = pl.Enum(self.categories.cast(pl.String))
        places = given.cast(pl.String).cast(known, strict=False).to_physical()
        return places.cast(pl.Int64).fill_null(len(self.categories)).to_numpy()

    def _stratum_offsets(self, batch: pl.DataFrame) -> np.ndarray | int:
        """What a stratum adds to the place of a category."""
        keys = [name for name in self.strata.columns if name != CELL]
        if not keys:
            return 0
        given = batch.select(pl.col(name).cast(self.strata.schema[name]) for name in keys)
        placed = given.join(self.strata, on=keys, how="left", nulls_equal=True, maintain_order="left")
        # A record without a category may be alone in its stratum, which then has no number and needs none.
        return placed[CELL].fill_null(0).to_numpy() * (len(self.categories) + 1)

    def _write_column(self, out: np.ndarray, given: pl.Series) -> pl.Series:
        found = pl.Series(out) if self.by_value else self.categories.gather(out)
        if given.null_count():
            found = pl.select(pl.when(given.is_not_null()).then(found)).to_series()
        return found.alias(self.column).cast(given.dtype)


def make_row_kernel(found: Categories, matrices: np.ndarray, strata: Mapping[str, str], seed: bytes) -> PramRows:
    """The kernel of a column: ``matrices`` has one matrix for each stratum, in the order of the categories;
    ``strata`` are the columns that make the strata, and their types.
    """
    upto, listed, low = cumulative_rows(matrices), pl.Series(found.values), 0
    into = np.arange(len(listed))
    by_value = not strata and listed.dtype != pl.String and found.values[-1] - found.values[0] < SPARSE * len(listed)
    if by_value:
        low = int(found.values[0])
        into = listed.cast(pl.Int64).to_numpy() - low
        rows, upto = upto, np.zeros((into[-1] + 2, len(listed)), dtype=np.uint64)
        upto[into] = rows[:-1]
    moves = (low, upto, into, *build_guide(upto, into))
    keys = {name: STRATA[kind] for name, kind in strata.items()}
    cells = pl.DataFrame(list(found.strata), schema=keys, orient="row") if keys else pl.DataFrame()
    cells = cells.with_columns(pl.Series(CELL, range(len(cells)), dtype=pl.Int64)) if keys else cells
    return PramRows(found.column, listed, by_value, cells, moves, child_seed(seed, "moves"))
