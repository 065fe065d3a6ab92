"""What an attack claims: links, values or membership. It is the judge who knows whether a claim is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["LinkClaims", "MemberClaims", "ValueClaims"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkClaims:
    """Which released records each record of the intruder may be; records that look alike share one claim.

    Record b of the intruder makes claim ``claim_of[b]``; claim c names the groups ``candidates[start[c]:start[c+1]]`` of
    released records, and record a of the release is in group ``group_of[a]``. All records of a claim's groups are
    equally likely unless ``weights`` gives each named group a weight per record. ``sure[c]`` says that the intruder
    KNOWS the link to be right. Memory O(n + m + candidates), however large the groups are.
    """

    claim_of: np.ndarray
    start: np.ndarray
    candidates: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray | None = None
    sure: np.ndarray | None = None

    def __post_init__(self) -> None:
        claims = len(self.start) - 1
        assert len(self.claim_of) == 0 or self.claim_of.max() < claims, "an intruder's record has no claim"
        assert self.start[-1] == len(self.candidates), "the claims do not end where the candidates do"
        assert self.weights is None or len(self.weights) == len(self.candidates), "each candidate has one weight"
        assert self.sure is None or len(self.sure) == claims, "each claim is sure or not"

    @staticmethod
    def of_rows(
        start: np.ndarray, candidates: np.ndarray, *, release_size: int, sure: np.ndarray | None = None
    ) -> LinkClaims:
        """Claims that list released rows, one claim for each record of the intruder."""
        return LinkClaims(
            claim_of=np.arange(len(start) - 1),
            start=start,
            candidates=candidates,
            group_of=np.arange(release_size),
            sure=sure,
        )

    @property
    def release_size(self) -> int:
        """Number of released records."""
        return len(self.group_of)

    @property
    def intruder_size(self) -> int:
        """Number of records of the intruder."""
        return len(self.claim_of)

    def groups(self) -> int:
        """How many groups of released records there are."""
        return int(max(self.group_of.max(initial=-1), self.candidates.max(initial=-1))) + 1

    def mass(self) -> np.ndarray:
        """The weight of each candidate group: its records times their weight."""
        sizes = np.bincount(self.group_of, minlength=self.groups())[self.candidates].astype(float)
        mass: np.ndarray = sizes if self.weights is None else sizes * self.weights
        return mass

    def set_sizes(self) -> np.ndarray:
        """How many released records each record of the intruder may be."""
        sizes = np.bincount(self.group_of, minlength=self.groups())[self.candidates]
        found: np.ndarray = _summed(sizes.astype(float), self.start)[self.claim_of].astype(np.int64)
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueClaims:
    """What each record's value of ``column`` is said to be: a number in [low, high] (equal ends claim one value)."""

    column: str
    low: np.ndarray
    high: np.ndarray

    def __post_init__(self) -> None:
        assert len(self.low) == len(self.high), "an interval has two ends"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MemberClaims:
    """How strongly each person of the intruder's list is said to be in the release: a higher score, more likely."""

    scores: np.ndarray


def _summed(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The sum of each stretch; empty stretches give 0."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    summed: np.ndarray = total[start[1:]] - total[start[:-1]]
    return summed
