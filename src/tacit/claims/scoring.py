"""Whether links are right: the chance that each claim gives to the released rows of the very person."""

from __future__ import annotations

import numpy as np

from .claims import LinkClaims
from .truth import Truth


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
