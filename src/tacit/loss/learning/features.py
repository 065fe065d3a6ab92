"""The columns of two files as matrices that an estimator learns from and is asked about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NATIVE = 250
"""So many categories of a column are told apart by estimators that take codes; rarer ones are one category."""
SPREAD = 30
"""So many get a column of their own where categories are spread out."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureColumn:
    """One column of both files: numbers, or codes from 0 on in the order of their frequency; NaN where nothing is known."""

    release: np.ndarray
    people: np.ndarray
    codes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What is known of the records of a release (to learn from) and of some people (to be asked about).

    ``notes`` say what of the people's values could not be used.
    """

    sides: tuple[FeatureColumn, ...]
    release_size: int
    people_size: int
    notes: tuple[str, ...] = ()

    def native_matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both matrices with codes as they are and NaN for gaps, and which of the columns are codes."""
        cut = [_merge_rare(side, NATIVE) if side.codes else (side.release, side.people) for side in self.sides]
        flags = np.array([side.codes for side in self.sides] or [False])
        return self._stack_columns([one[0] for one in cut], self.release_size), self._people_matrix(cut), flags

    def dense_matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Both matrices without gaps: numbers standardised by the release, a column for each frequent category.

        A missing number is the mean of the release and is marked in a column of its own; a missing category is none of
        the categories, and so is one that the release does not have. What is constant in the release is left out.
        """
        pairs = [
            pair
            for side in self.sides
            for pair in (_indicator_columns(side) if side.codes else _standardised_columns(side))
        ]
        return self._stack_columns([one[0] for one in pairs], self.release_size), self._people_matrix(pairs)

    def _people_matrix(self, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        return self._stack_columns([one[1] for one in pairs], self.people_size)

    @staticmethod
    def _stack_columns(columns: list[np.ndarray], size: int) -> np.ndarray:
        return np.column_stack(columns) if columns else np.zeros((size, 1))


def side_of(release: np.ndarray, people: np.ndarray, *, codes: bool) -> tuple[FeatureColumn, int]:
    """Ends of ranges that hold nothing are unknown; codes are numbered by frequency, those not released are unknown."""
    if not codes:
        ends = [np.where(np.isfinite(values), values, np.nan) for values in (release, people)]
        return FeatureColumn(ends[0], ends[1], codes=False), 0
    present, counts = np.unique(release[~np.isnan(release)], return_counts=True)
    rank = np.empty(len(present))
    rank[np.lexsort((present, -counts))] = np.arange(len(present))
    numbered = [_frequency_codes(values, present, rank) for values in (release, people)]
    unseen = int((np.isnan(numbered[1]) & ~np.isnan(people)).sum())
    return FeatureColumn(numbered[0], numbered[1], codes=True), unseen


def _frequency_codes(values: np.ndarray, present: np.ndarray, rank: np.ndarray) -> np.ndarray:
    if not len(present):
        return np.full(len(values), np.nan)
    place = np.minimum(np.searchsorted(present, values), len(present) - 1)
    found: np.ndarray = np.where(present[place] == values, rank[place], np.nan)
    return found


def _merge_rare(side: FeatureColumn, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The rarest categories as one."""
    return np.minimum(side.release, most), np.minimum(side.people, most)  # NaN stays NaN


def _indicator_columns(side: FeatureColumn) -> list[tuple[np.ndarray, np.ndarray]]:
    release, people = _merge_rare(side, SPREAD)
    pairs = ((release == code, people == code) for code in np.unique(release[~np.isnan(release)]))
    return [(one.astype(float), other.astype(float)) for one, other in pairs if not one.all()]


def _standardised_columns(side: FeatureColumn) -> list[tuple[np.ndarray, np.ndarray]]:
    gaps = np.isnan(side.release)
    known = np.sort(side.release[~gaps])  # summed in the order of the values, not of the file
    middle, spread = float(known.mean()), float(known.std())
    found = []
    if spread > 0:
        found.append(tuple(np.where(np.isnan(x), 0.0, (x - middle) / spread) for x in (side.release, side.people)))
    if gaps.any():
        found.append((gaps.astype(float), np.isnan(side.people).astype(float)))
    return found  # type: ignore[return-value]
