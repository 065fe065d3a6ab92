"""What is drawn for as one: columns in memory as numbers, of persons or of whole households, by stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...seed import child_seed
from .._numbers import LARGEST, as_numbers, from_numbers, masked_dtypes
from .._units import masking_units
from .draws import read_only
from .moments import overflow_error

if TYPE_CHECKING:
    from ...release.release import Release
    from .._bounds import Bounds


@dataclass(frozen=True, eq=False)
class Part:
    """Columns that are masked together: ``rows`` and ``of_row`` are None where every record stands for itself."""

    columns: tuple[str, ...]
    rows: np.ndarray | None
    of_row: np.ndarray | None
    group: np.ndarray | None
    seed: int | bytes

    @property
    def groups(self) -> int:
        """How many strata there are."""
        return 1 if self.group is None else int(self.group.max()) + 1

    def values(self, release: Release) -> list[np.ndarray]:
        """The columns as numbers, one row for each unit, missing as NaN; not to be changed."""
        found = [read_numbers(release.series(column)) for column in self.columns]
        return found if self.rows is None else [part[self.rows] for part in found]

    def to_rows(self, made: np.ndarray) -> np.ndarray:
        """Values made for the units, for all rows."""
        return made if self.of_row is None else made[self.of_row]


def parts_of(release: Release, columns: Sequence[str], strata: Sequence[str], seed: int | bytes) -> list[Part]:
    """The columns of the person, and apart from them those of the household."""
    if release.household is None and not strata:
        return [Part(tuple(columns), None, None, None, seed)]
    return [
        Part(
            one.columns,
            one.first if one.by_household else None,
            one.of_row if one.by_household else None,
            one.stratum if strata else None,
            child_seed(seed, "household") if one.by_household else seed,
        )
        for one in masking_units(release, columns, strata)
    ]


def read_numbers(series: pl.Series) -> np.ndarray:
    """A column as numbers, missing as NaN: the column itself, not a copy, where it holds floats and all are known."""
    if series.dtype == pl.Float64 and not series.null_count():
        return series.to_numpy()
    return as_numbers(series)


def check_overflow(columns: Sequence[str], values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The columns, none of whose numbers is so large that it overflows; :func:`read_numbers` leaves that to whoever needs it."""
    from ...kernels.exact_sums import min_max_nan

    for column, part in zip(columns, values, strict=True):
        low, high, _ = min_max_nan(read_only(part))
        if low < -LARGEST or high > LARGEST:
            raise overflow_error(column)
    return list(values)


def write_numbers(made: np.ndarray, name: str, dtype: Any, bounds: Bounds, *, complete: bool = False) -> pl.Series:
    """Numbers as a column of the given type, cut off at its bounds; ``complete`` says that none is missing."""
    if complete and dtype == pl.Float64 and name not in bounds:
        return pl.Series(name, made)
    return from_numbers(made, name, dtype, bounds.get(name, (None, None)))


def replace_columns(release: Release, made: Mapping[str, np.ndarray], bounds: Bounds) -> Release:
    """The release with the numbers in place of its columns, in their types and within their bounds."""
    kinds = masked_dtypes(release, tuple(made))
    return release.with_columns(
        {
            name: write_numbers(values, name, kinds[name], bounds, complete=not release.series(name).null_count())
            for name, values in made.items()
        }
    )
