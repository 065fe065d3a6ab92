"""Precision and recall of links at every threshold of how strongly they are believed."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..interval import wilson
from .claims import LinkClaims
from .truth import Truth

SUREST = 0.1
PRECISE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrecisionCurve:
    r"""What is right of the links that are believed at least as strongly as each threshold, the highest first.

    ``links[i]`` links have a score of at least ``thresholds[i]``, ``hits[i]`` of them are expected to be right; ``people``
    of the intruder's ``records`` records are of somebody in the release. All arrays are as long as there are different
    scores, and empty when nothing was linked.

    .. math:: precision_i = hits_i / links_i, \qquad recall_i = hits_i / people.
    """

    thresholds: np.ndarray
    links: np.ndarray
    hits: np.ndarray
    people: int
    records: int

    @property
    def precision(self) -> np.ndarray:
        """The expected share of right links among those made."""
        found: np.ndarray = self.hits / np.maximum(self.links, 1)
        return found

    @property
    def recall(self) -> np.ndarray:
        """The expected share of the people in the release who are found."""
        found: np.ndarray = self.hits / max(self.people, 1)
        return found

    def intervals(self) -> np.ndarray:
        """Wilson's 95 % interval of each precision: low and high ends as two columns."""
        ends = [wilson(float(hits), int(links)) for hits, links in zip(self.hits, self.links, strict=True)]
        return np.array(ends).reshape(-1, 2)

    def most_believed(self, share: float) -> tuple[float, int]:
        """Expected right ones among the given share of all links (rounded up), the most believed first, and how many.

        Of links that are believed equally strongly a random part is taken.
        """
        if not len(self.links):
            return 0.0, 0
        taken = ceil(share * int(self.links[-1]) - 1e-9)
        return float(np.interp(taken, np.append(0, self.links), np.append(0.0, self.hits))), taken

    def found_at(self, precision: float) -> float:
        """The largest share of the intruder's records linked rightly at a threshold with at least this precision."""
        good = self.precision >= precision - 1e-12
        return float(self.hits[good].max(initial=0.0)) / max(self.records, 1)

    def as_json(self) -> dict[str, Any]:
        """Plain lists, for a chart."""
        return {
            "thresholds": self.thresholds.tolist(),
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
            "intervals": self.intervals().tolist(),
        }


def precision_curve(claims: LinkClaims, truth: Truth) -> PrecisionCurve:
    """Precision and recall of links at thresholds of the claims' scores.

    Each record with a candidate makes one link, drawn by the chances of its claim, so a set of m equally likely ones is
    right with 1/m when the right record is among them: the hits are expected values, and the last one is Reid_k times
    the number of records. A claim without a score is believed as much as its likeliest candidate, 1/m. Nothing is
    said about records without a candidate. Time O(n log n + candidates), memory O(n + candidates).

    >>> claims = LinkClaims.of_rows(np.array([0, 2, 3]), np.array([0, 1, 1]), release_size=2)
    >>> curve = precision_curve(claims, Truth(released=np.array([0, 1]), intruder=np.array([0, 1])))
    >>> curve.thresholds.tolist(), curve.precision.tolist(), curve.recall.tolist()
    ([1.0, 0.5], [1.0, 0.75], [0.5, 0.75])
    """
    return _build_curve(claims, right_chances(claims, *own_rows(truth)), people=int(truth.in_release().sum()))


def precision_facts(claims: LinkClaims, chance: np.ndarray, *, people: int) -> dict[str, object]:
    """The few numbers of the curve that a result shows; none when nothing was linked.

    The precision of the surest tenth of the links with its interval, and the share of the records that are found where
    at least 95 of 100 links are right. The threshold of the latter is chosen knowing the truth: an intruder cannot.
    """
    curve = _build_curve(claims, chance, people=people)
    hits, links = curve.most_believed(SUREST)
    if not links:
        return {}
    return {
        "surest tenth right": hits / links,
        "surest tenth right, interval": wilson(hits, links),
        "found at 95 % precision": curve.found_at(PRECISE),
    }


def claim_beliefs(claims: LinkClaims) -> np.ndarray:
    """How strongly each claim is believed: its score, else the chance of its likeliest record."""
    return best_chances(claims) if claims.scores is None else claims.scores.astype(float)


def best_chances(claims: LinkClaims) -> np.ndarray:
    """The chance that each claim gives to its likeliest record; 0 for a claim that names nobody."""
    claim = np.repeat(np.arange(len(claims.start) - 1), np.diff(claims.start))
    best = np.zeros(len(claims.start) - 1)
    held = claims.group_sizes()[claims.candidates] > 0
    np.maximum.at(best, claim[held], claims.chances()[held])
    return best


def _build_curve(claims: LinkClaims, chance: np.ndarray, *, people: int) -> PrecisionCurve:
    linked = claims.set_sizes() > 0
    score = claim_beliefs(claims)[claims.claim_of][linked]
    thresholds, place = np.unique(score, return_inverse=True)
    links = np.bincount(place, minlength=len(thresholds))[::-1].cumsum()
    hits = np.bincount(place, weights=chance[linked], minlength=len(thresholds))[::-1].cumsum()
    return PrecisionCurve(
        thresholds=thresholds[::-1], links=links, hits=hits, people=people, records=claims.intruder_size
    )


def own_rows(truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of an intruder's row and a released row of the same person."""
    known = np.flatnonzero(truth.released >= 0)
    by_person = known[np.argsort(truth.released[known], kind="stable")]
    persons = truth.released[by_person]
    first = np.searchsorted(persons, truth.intruder, side="left")
    count = np.searchsorted(persons, truth.intruder, side="right") - first
    pairs = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(pairs)) - np.repeat(np.cumsum(count) - count - first, count)
    return pairs, by_person[place]


def right_chances(claims: LinkClaims, pairs: np.ndarray, own: np.ndarray) -> np.ndarray:
    """For each record of the intruder the chance of a right link: that of all rows of the person together."""
    groups = claims.groups
    claim = np.repeat(np.arange(len(claims.start) - 1), np.diff(claims.start))
    named = claim * groups + claims.candidates
    order = np.argsort(named, kind="stable")
    named, share = named[order], claims.chances()[order]
    assert (np.diff(named) > 0).all(), "a claim names a group twice"
    wanted = claims.claim_of[pairs].astype(np.int64) * groups + claims.group_of[own]
    place = np.searchsorted(named, wanted)
    hit = np.append(named, -1)[place] == wanted
    chance = np.bincount(pairs[hit], weights=share[place[hit]], minlength=claims.intruder_size)
    return np.minimum(chance, 1.0)
