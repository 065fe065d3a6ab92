"""Row by row on any engine: a kernel for batches of consecutive rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .parts import checked, read, written

if TYPE_CHECKING:
    from ..bounds import Bounds
    from .factors import Factors
    from .linear import Linear


@dataclass(frozen=True, eq=False)
class AddedRows:
    """Adds noise to a batch; the stratum of a row is looked up among ``strata``."""

    noise: Linear
    types: dict[str, Any]
    bounds: Bounds
    strata: pl.DataFrame | None

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The masked columns of the batch."""
        made = self.noise.added([read(batch[name]) for name in self.types], start, self._group(batch), reuse=True)
        return _written(batch, made, self.types, self.bounds)

    def _group(self, batch: pl.DataFrame) -> np.ndarray | None:
        if self.strata is None:
            return None
        keys = self.strata.columns
        placed = batch.select(keys).join(
            self.strata.with_row_index("stratum number"), on=keys, how="left", nulls_equal=True, maintain_order="left"
        )
        return placed["stratum number"].to_numpy()


@dataclass(frozen=True, eq=False)
class MultipliedRows:
    """Multiplies a batch by factors."""

    factors: Factors
    types: dict[str, Any]
    bounds: Bounds

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The masked columns of the batch."""
        values = checked(list(self.types), [read(batch[name]) for name in self.types])
        made = self.factors.multiplied(values, start)
        return _written(batch, made, self.types, self.bounds)


def _written(batch: pl.DataFrame, made: list[np.ndarray], types: dict[str, Any], bounds: Bounds) -> pl.DataFrame:
    return pl.DataFrame(
        [
            written(values, name, dtype, bounds, complete=not batch[name].null_count())
            for values, (name, dtype) in zip(made, types.items(), strict=True)
        ]
    )
