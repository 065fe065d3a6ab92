"""Columns made row by row on any engine; what is equal within households is made once for all their members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from ..release.households import household_level
from ._units import masking_units

if TYPE_CHECKING:
    from ..release.release import Release


class MakeColumn(Protocol):
    """A column from a batch of consecutive rows, of which the first has the number ``start``; picklable."""

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.Series:
        """The new column of the batch."""


@dataclass(frozen=True)
class _Columns:
    """The row kernel of several columns."""

    make: tuple[MakeColumn, ...]
    names: tuple[str, ...]

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        return pl.DataFrame([make(batch, start).alias(name) for name, make in zip(self.names, self.make, strict=True)])


def row_by_row(
    release: Release, make: Mapping[str, MakeColumn], types: Mapping[str, Any], strata: Sequence[str] = ()
) -> Release:
    """The release with the columns made anew, each from itself and the ``strata`` columns; O(n) time.

    A column that is equal within every household is made from one row of each household. That needs the household
    ids in memory: on other engines such a column is refused.
    """
    if release.household is None:
        return _map_columns(release, make, types, strata)
    if not release.capabilities.in_memory:
        shared = household_level(release, list(make))
        if shared:
            refused, instead = (
                "cannot stay equal within households",
                "describe the release without its household column",
            )
            raise release.capabilities.unsupported("in_memory", refused, column=shared[0], instead=instead)
        return _map_columns(release, make, types, strata)
    changes: dict[str, pl.Series] = {}
    for part in masking_units(release, list(make), strata):
        one_each = pl.DataFrame([release.series(name) for name in (*part.columns, *strata)])[part.first]
        for name in part.columns:
            changes[name] = make[name](one_each, 0).cast(types[name])[part.of_row]
    return release.with_columns(changes)


def _map_columns(
    release: Release, make: Mapping[str, MakeColumn], types: Mapping[str, Any], strata: Sequence[str]
) -> Release:
    kernel = _Columns(tuple(make.values()), tuple(make))
    return release.map_batches([*make, *strata], kernel, {name: types[name] for name in make})
