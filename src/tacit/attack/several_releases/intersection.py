"""What several releases together leave of a person's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...claims.claims import segment_sums
from .candidates import CandidateValues


@dataclass(frozen=True, slots=True, eq=False)
class RemainingValues:
    """Person b is of kind ``kind_of[b]``; kind c has the values ``codes[start[c]:start[c+1]]`` left, with ``shares``.

    ``said[c]`` is the number of releases that say something of the kind, ``known[c]`` the chance that the person's record
    has a value in all of them.
    """

    kind_of: np.ndarray
    start: np.ndarray
    codes: np.ndarray
    shares: np.ndarray
    said: np.ndarray
    known: np.ndarray

    def remaining_counts(self) -> np.ndarray:
        """How many values are left for each person; −1 where no release says anything."""
        count = np.where(self.said > 0, np.diff(self.start), -1)
        found: np.ndarray = count[self.kind_of]
        return found

    def determined_people(self) -> np.ndarray:
        """Which people have one value left, and no record without a value that might be theirs."""
        found: np.ndarray = (self.remaining_counts() == 1) & (self.known[self.kind_of] > 1 - 1e-9)
        return found


def intersect_candidates(helds: Sequence[CandidateValues]) -> RemainingValues:
    """The values that every release leaves, each with its chance; see :class:`.composition.Composition`.

    People with the same claims in all releases are one kind. The values of a kind are read off the release that names
    fewest of them and looked up in the others: O(kinds · fewest values · releases · log) time.
    """
    claims = np.column_stack([held.claim_of for held in helds])
    kinds, kind_of = np.unique(claims, axis=0, return_inverse=True)
    sizes = np.column_stack([np.diff(held.start)[kinds[:, j]] for j, held in enumerate(helds)])
    said = (sizes > 0).sum(axis=1)
    fewest = np.where(sizes > 0, sizes, np.iinfo(np.int64).max).argmin(axis=1)
    width = 1 + max(int(held.codes.max(initial=0)) for held in helds)
    keys = np.sort(np.concatenate([_kind_value_keys(held, kinds, j, fewest, width) for j, held in enumerate(helds)]))
    score, known = np.zeros(len(keys)), np.ones(len(kinds))
    for j, held in enumerate(helds):
        if not len(held.codes):
            continue
        kind = keys // width
        says = sizes[kind, j] > 0
        place, found = _locate_value(held, kinds[kind, j], keys % width, width)
        kept = found | ~says
        place, says, kind = place[kept], says[kept], kind[kept]
        keys, score = keys[kept], score[kept]
        share, lift = np.where(says, held.shares[place], 1.0), np.where(says, held.lift[place], 1.0)
        # The usual share of the value is the share over the lift; it counts once in all, not once in every release.
        score += np.log(share) / said[kind] + np.log(lift) * (1.0 - 1.0 / said[kind])
        known *= np.where(sizes[:, j] > 0, held.known[kinds[:, j]], 1.0)
    start = np.searchsorted(keys, np.arange(len(kinds) + 1) * width)
    shares = _normalise_chances(score, start) * np.repeat(known, np.diff(start))
    return RemainingValues(kind_of.reshape(-1), start, keys % width, shares, said, known)


def _kind_value_keys(held: CandidateValues, kinds: np.ndarray, j: int, fewest: np.ndarray, width: int) -> np.ndarray:
    """Kind and value as one number, for the kinds of which release j names fewest values."""
    chosen = np.flatnonzero(fewest == j)
    begin, size = held.start[kinds[chosen, j]], np.diff(held.start)[kinds[chosen, j]]
    place = np.arange(size.sum()) + np.repeat(begin - np.cumsum(size) + size, size)
    found: np.ndarray = np.repeat(chosen, size) * width + held.codes[place]
    return found


def _locate_value(
    held: CandidateValues, claim: np.ndarray, code: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where the value stands among those of the claim, and whether it does."""
    every = np.repeat(np.arange(len(held.start) - 1), np.diff(held.start)) * width + held.codes
    asked = claim * width + code
    place = np.minimum(np.searchsorted(every, asked), len(every) - 1)
    return place, every[place] == asked


def _normalise_chances(score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Chances from their logarithms, one in all for each stretch."""
    count = np.diff(start)
    filled = np.flatnonzero(count)
    if not len(filled):
        return score
    highest = np.maximum.reduceat(score, start[filled])
    chance = np.exp(score - np.repeat(highest, count[filled]))
    found: np.ndarray = chance / np.repeat(segment_sums(chance, start)[filled], count[filled])
    return found
