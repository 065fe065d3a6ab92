"""Records of two files that are alike: equal categories, and numbers that differ by little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ...release.release import Release
from ..columns import common, compared

__all__ = ["Alike", "alike"]

APART = 4.0
"""So far apart lie records of different categories, where those within 1 are alike."""
ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Rows of both files in a space in which two are alike when no coordinate differs by more than one."""

    released: np.ndarray
    listed: np.ndarray

    def has_like(self) -> np.ndarray:
        """Which rows of the list have a released row like them. O((n + m) log n) in few columns."""
        from scipy.spatial import cKDTree

        from ...kernels.nearest import distinct_rows

        points, (of, first) = np.unique(self.released, axis=0), distinct_rows(self.listed)
        far, _ = cKDTree(points).query(self.listed[first], p=np.inf, distance_upper_bound=ROUNDING)
        found: np.ndarray = np.isfinite(far)[of]
        return found

    def likes(self, rows: np.ndarray) -> np.ndarray:
        """For each released row how many of these rows of the list are like it."""
        from scipy.spatial import cKDTree

        from ...kernels.nearest import distinct_rows

        of, first = distinct_rows(self.released)
        tree = cKDTree(self.listed[rows])
        counts: np.ndarray = np.asarray(
            tree.query_ball_point(self.released[first], ROUNDING, p=np.inf, return_length=True)
        )
        found: np.ndarray = counts[of]
        return found


def alike(release: Release, file: Release, *, percent: float) -> Alike:
    """The common columns of both: one coordinate for all categories together, and one for each number.

    Numbers and dates are measured in ``percent`` % of the standard deviation of the released ones; with 0 they are
    categories too. A missing cell is like a missing one and nothing else. O((n + m)·d).
    """
    codes: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for column in common(release, file):
        for pair in compared(release, file, column, units=False):
            both = np.append(pair.release, pair.intruder)
            unknown = np.isnan(both)
            near = percent / 100 * np.sqrt(pair.usual / 2)
            if pair.kind == "number" and near > 0:
                numbers.append(np.where(unknown, 0.0, both / near))
                codes.append(unknown.astype(float))
            else:
                codes.append(np.where(unknown, np.inf, both))
    table = pl.DataFrame({str(place): one for place, one in enumerate(codes)})
    key = table.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(float)
    whole = np.column_stack([APART * key, *numbers])
    return Alike(whole[: release.size], whole[release.size :])
