"""Row by row on any engine: a kernel for batches of consecutive rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .parts import check_overflow, read_numbers, write_numbers

if TYPE_CHECKING:
    from .._bounds import Bounds
    from .factors import Factors
    from .linear import LinearNoise


@dataclass(frozen=True, eq=False)
class AddNoiseRows:
    """Adds noise to a batch; the stratum of a row is looked up among ``strata``."""

    noise: LinearNoise
    types: dict[str, Any]
    bounds: Bounds
    strata: pl.DataFrame | None

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The masked columns of the batch."""
        made = self.noise.add_to(
            [read_numbers(batch[name]) for name in self.types], start, self._stratum_numbers(batch), reuse=True
        )
        return _write_batch(batch, made, self.types, self.bounds)

    def _stratum_numbers(self, batch: pl.DataFrame) -> np.ndarray | None:
        if self.strata is None:
            return None
        keys = self.strata.columns
        placed = batch.select(keys).join(
            self.strata.with_row_index("stratum number"), on=keys, how="left", nulls_equal=True, maintain_order="left"
        )
        return placed["stratum number"].to_numpy()


@dataclass(frozen=True, eq=False)
class MultiplyNoiseRows:
    """Multiplies a batch by factors."""

    factors: Factors
    types: dict[str, Any]
    bounds: Bounds

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The masked columns of the batch."""
        values = check_overflow(list(self.types), [read_numbers(batch[name]) for name in self.types])
        made = self.factors.multiply_columns(values, start)
        return _write_batch(batch, made, self.types, self.bounds)


def _write_batch(batch: pl.DataFrame, made: list[np.ndarray], types: dict[str, Any], bounds: Bounds) -> pl.DataFrame:
    return pl.DataFrame(
        [
            write_numbers(values, name, dtype, bounds, complete=not batch[name].null_count())
            for values, (name, dtype) in zip(made, types.items(), strict=True)
        ]
    )
