"""What an attack claims: links, values or membership. It is the judge who knows whether a claim is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from ..release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredicateClaims:
    """Predicates, each said to hold for exactly one person.

    Predicate p is the conjunction of the conditions from ``start[p]`` to ``start[p+1]``. Condition i asks that the value of
    ``columns[column[i]]`` is among those of the release's codes ``first[i]`` to ``last[i]``: one category, or an interval of
    numbers, which reaches halfway to the next released values (and on for ever past the smallest and largest one).
    ``weights[p]`` is the chance that a random person satisfies the predicate, as the intruder estimates it; ``asked`` is
    how many predicates were wanted. ``release`` is what the conditions are written in. Memory O(conditions).
    """

    about: ClassVar[str] = "singling out"
    release: Release
    columns: tuple[str, ...]
    start: np.ndarray
    column: np.ndarray
    first: np.ndarray
    last: np.ndarray
    weights: np.ndarray
    asked: int
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.start[0] == 0 and self.start[-1] == len(self.column), "the predicates do not span the conditions"
        assert len(self.column) == len(self.first) == len(self.last), "a condition has a column and two ends"
        assert (self.first <= self.last).all(), "a condition has two ends"
        assert len(self.weights) == self.predicate_count, "each predicate has one weight"
        assert ((self.weights >= 0) & (self.weights <= 1)).all(), "a weight is a share"
        assert self.predicate_count <= self.asked, "more predicates than were wanted"

    @property
    def predicate_count(self) -> int:
        """How many predicates there are."""
        return len(self.start) - 1


ROUNDING = 1e-9
"""By how much chances may add up to more than one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkClaims:
    """Which released records each record of the intruder may be; records that look alike share one claim.

    Record b of the intruder makes claim ``claim_of[b]``; claim c names the groups ``candidates[start[c]:start[c+1]]`` of
    released records, and record a of the release is in group ``group_of[a]``. All records of a claim's groups are
    equally likely, unless ``weights`` gives for each named group the chance of each of its records; the chances of a
    claim add up to at most one, what is left goes to nobody. ``sure[c]`` says that the intruder KNOWS that one of them
    is right; ``clusters[b]`` is the household of record b where records were linked by households, whose members are found or missed together; ``scores[c]`` how strongly it believes the claim (on any scale, higher is stronger). ``notes`` tell a
    reader what the attack could not use, ``facts`` what it found out on the way (plain values by name). Memory O(n + m + candidates), however large the groups are.

    >>> claims = LinkClaims.of_rows(np.array([0, 2, 3]), np.array([0, 1, 2]), release_size=4)
    >>> claims.set_sizes().tolist()
    [2, 1]
    """

    about: ClassVar[str] = "identity"
    claim_of: np.ndarray
    start: np.ndarray
    candidates: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray | None = None
    sure: np.ndarray | None = None
    scores: np.ndarray | None = None
    clusters: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        claims = len(self.start) - 1
        assert _is_in_range(self.claim_of, claims), "an intruder's record has no claim"
        assert self.start[0] == 0 and self.start[-1] == len(self.candidates), "the claims do not span the candidates"
        assert (np.diff(self.start) >= 0).all(), "the claims overlap"
        assert _is_in_range(self.candidates, self.groups) and _is_in_range(self.group_of, self.groups), (
            "a group has no number"
        )
        assert self.sure is None or len(self.sure) == claims, "each claim is sure or not"
        assert self.scores is None or _has_valid_scores(self.scores, claims), "each claim has one score"
        assert self.clusters is None or len(self.clusters) == len(self.claim_of), "each record is in one cluster"
        if self.weights is not None:
            assert len(self.weights) == len(self.candidates), "each candidate has one weight"
            total = segment_sums(self.weights * self.group_sizes()[self.candidates], self.start)
            assert (self.weights >= 0).all() and (total <= 1 + ROUNDING).all(), "the chances of a claim exceed one"

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

    @property
    def groups(self) -> int:
        """How many groups of released records there are."""
        return int(max(self.group_of.max(initial=-1), self.candidates.max(initial=-1))) + 1

    def group_sizes(self) -> np.ndarray:
        """How many released records each group has."""
        return np.bincount(self.group_of, minlength=self.groups)

    def claim_sizes(self) -> np.ndarray:
        """How many released records each claim names."""
        return segment_sums(self.group_sizes()[self.candidates], self.start)

    def set_sizes(self) -> np.ndarray:
        """How many released records each record of the intruder may be."""
        found: np.ndarray = self.claim_sizes()[self.claim_of]
        return found

    def chances(self) -> np.ndarray:
        """For each named group the chance that the claim gives to each of its records."""
        if self.weights is not None:
            return self.weights
        uniform: np.ndarray = 1.0 / np.repeat(np.maximum(self.claim_sizes(), 1), np.diff(self.start))
        return uniform


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairClaims(LinkClaims):
    """Which people of a second list each person of the first may be: the second list stands in the place of the release."""

    about: ClassVar[str] = "linkability"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueClaims:
    """What each record's value of ``column`` is said to be: an interval, or a distribution over codes or numbers.

    An interval is [``low``, ``high``] for each record, with equal ends for one value, NaN for no claim. A distribution has
    the ``codes`` or ``numbers`` from ``start[c]`` to ``start[c+1]`` with their ``shares``, which add up to at most one; a
    set of m values has m equal shares. Records that look alike may share one: record b makes claim ``claim_of[b]`` (none
    given: claim b). ``notes`` and ``facts`` as for links. Memory O(n + values named).
    """

    about: ClassVar[str] = "attribute"
    column: str
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    start: np.ndarray | None = None
    codes: np.ndarray | None = None
    numbers: np.ndarray | None = None
    shares: np.ndarray | None = None
    claim_of: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.start is None:
            assert self.low is not None and self.high is not None, "an interval has two ends"
            assert len(self.low) == len(self.high) and not (self.low > self.high).any(), "an interval has two ends"
            return
        assert self.low is None and self.high is None, "a claim is an interval or a distribution"
        named = self.codes if self.numbers is None else self.numbers
        assert (self.codes is None) != (self.numbers is None), "a distribution is over codes or over numbers"
        assert named is not None and self.shares is not None, "a distribution has values and shares"
        assert self.start[-1] == len(named) == len(self.shares), "the claims do not span their values"
        assert (segment_sums(self.shares, self.start) <= 1 + ROUNDING).all(), "the shares of a claim exceed one"
        assert self.claim_of is None or _is_in_range(self.claim_of, len(self.start) - 1), "a record has no claim"

    @property
    def intruder_size(self) -> int:
        """Number of records of the intruder."""
        if self.start is not None:
            return len(self.start) - 1 if self.claim_of is None else len(self.claim_of)
        assert self.low is not None
        return len(self.low)

    def claim_numbers(self) -> np.ndarray:
        """Which distribution each record claims."""
        return np.arange(self.intruder_size) if self.claim_of is None else self.claim_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MemberClaims:
    """How strongly each person of the intruder's list is said to be in the release: a higher score, more likely.

    Those with a score of at least ``threshold`` the attack takes for members, where it says so. ``notes`` and ``facts``
    as for links.
    """

    about: ClassVar[str] = "membership"
    scores: np.ndarray
    threshold: float | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.scores.ndim == 1 and not np.isnan(self.scores).any(), "each person has one score"
        assert self.threshold is None or self.threshold == self.threshold, "a threshold is a number"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CopyClaims(MemberClaims):
    """Which people stand in the release as they are, or nearly so: those with a score of at least ``threshold``."""

    about: ClassVar[str] = "copies"


Claims: TypeAlias = LinkClaims | ValueClaims | MemberClaims | PredicateClaims


def segment_sums(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The sum of each stretch ``values[start[i]:start[i+1]]``; empty stretches give 0."""
    stretch = np.repeat(np.arange(len(start) - 1), np.diff(start))
    found = np.bincount(stretch, weights=values, minlength=len(start) - 1)
    return found if values.dtype.kind == "f" else found.astype(np.int64)


def _has_valid_scores(scores: np.ndarray, claims: int) -> bool:
    return len(scores) == claims and not bool(np.isnan(scores).any())


def _is_in_range(numbers: np.ndarray, count: int) -> bool:
    return len(numbers) == 0 or bool(numbers.min() >= 0 and numbers.max() < count)
