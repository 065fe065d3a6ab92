"""From two files to inequalities: a row for each rival of each seeker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .all_pairs import rows_between
from .families.family import Family
from .pairs import Pairs
from .rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Places that seeker i must not take for its own: ``places[start[i]:start[i+1]]``."""

    start: np.ndarray
    places: np.ndarray

    @property
    def seekers(self) -> np.ndarray:
        """The seeker of each."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def all_rivals(pairs: Pairs) -> Rivals:
    """Every place that is not one's own; memory O(seekers · places)."""
    many, others = len(pairs.seekers), len(pairs.places) - 1
    place = np.arange(others)[None, :]
    place = place + (place >= pairs.own[:, None])
    return Rivals(np.arange(many + 1) * others, place.ravel())


def near_rivals(pairs: Pairs, weights: tuple[np.ndarray, ...], count: int) -> Rivals:
    """The ``count`` nearest places by each of some weighted means, one's own left out; of a few distances, the likely rivals."""
    from ...kernels.near_lists import near_lists

    count = min(count + 1, len(pairs.places))
    found = []
    for weight in weights:
        costs = pairs.costs._replace(
            **{part: getattr(pairs.costs, part) * weight for part in ("weight", "missing", "both")}
        )
        found.append(near_lists(pairs.places, pairs.seekers, costs, count)[0])
    near = np.hstack(found)
    return _listed(np.repeat(np.arange(len(near)), near.shape[1]), near.ravel(), pairs)


def with_rivals(pairs: Pairs, rivals: Rivals, seekers: np.ndarray, places: np.ndarray) -> Rivals:
    """The same and these."""
    return _listed(np.append(rivals.seekers, seekers), np.append(rivals.places, places), pairs)


def _listed(seekers: np.ndarray, places: np.ndarray, pairs: Pairs) -> Rivals:
    key = np.unique(seekers * len(pairs.places) + places)
    seekers, places = np.divmod(key, len(pairs.places))
    others = places != pairs.own[seekers]
    counts = np.bincount(seekers[others], minlength=len(pairs.seekers))
    return Rivals(np.append(0, np.cumsum(counts)), places[others])


def rows_of(pairs: Pairs, family: Family, rivals: Rivals) -> Rows:
    """The inequalities of all seekers (M-01), without those that others imply where the parameters are at least zero.

    O(rows · terms) time and memory.
    """
    seekers = rivals.seekers
    values = rows_between(pairs, family, seekers, rivals.places)
    lost = np.zeros(len(pairs.seekers), dtype=bool)
    lost[seekers[~values.any(axis=1)]] = True
    rows = Rows(values, rivals.start, _alike(pairs), lost)
    return _needed(rows) if family.cone(pairs.columns).nonnegative else rows


def _needed(rows: Rows) -> Rows:
    from ...kernels.undominated import undominated

    kept = undominated(rows.values, rows.start)
    start = np.append(0, np.cumsum(kept))[rows.start]
    return Rows(np.ascontiguousarray(rows.values[kept]), start, rows.alike, rows.lost)


def _alike(pairs: Pairs) -> tuple[np.ndarray, ...]:
    """Seekers in the same place who look for different ones, one for each place looked for."""
    from ...kernels.nearest import distinct_rows

    group_of, _ = distinct_rows(pairs.seekers)
    _, first = np.unique(group_of * len(pairs.places) + pairs.own, return_index=True)
    order = first[np.argsort(group_of[first], kind="stable")]
    cuts = np.flatnonzero(np.diff(group_of[order])) + 1
    return tuple(group for group in np.split(order, cuts) if len(group) > 1)
