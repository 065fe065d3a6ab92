"""Covariances that a trace publishes, or that a release shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from ...release.release import Release


def covariance_of(published: Any, columns: Sequence[str]) -> np.ndarray | None:
    """The published covariance of the noise on the columns; None where one of them has none.

    Columns whose noise was drawn apart have no entry for each other, which means 0.
    """
    if not isinstance(published, Mapping) or any(column not in published for column in columns):
        return None
    found = np.array([[float(published[row].get(column, 0.0)) for column in columns] for row in columns])
    return found if np.isfinite(found).all() and (np.diag(found) > 0).all() else None


def released_covariance(release: Release, values: np.ndarray, strata: str | Sequence[str]) -> np.ndarray:
    """Of the complete records, within the strata where the release has their columns; never NaN."""
    groups = [strata] if isinstance(strata, str) else list(strata)
    complete = ~np.isnan(values).any(axis=1)
    kept = values[complete]
    if len(kept) < 2:
        return np.diag(np.nan_to_num(np.nanvar(values, axis=0)) + 1e-300)
    if groups and all(column in release.columns for column in groups):
        keys = pl.DataFrame([release.series(column) for column in groups]).filter(pl.Series(complete))
        rank = keys.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy() - 1
        counts = np.bincount(rank)
        means = np.column_stack([np.bincount(rank, weights=part) / counts for part in kept.T])
        kept = kept - means[rank]
    found: np.ndarray = np.atleast_2d(np.cov(kept, rowvar=False))
    return found
