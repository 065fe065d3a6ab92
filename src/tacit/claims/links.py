"""How many links are right: re-identification, as the general form Reid(B, A) has it."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..result import Result
from .claims import LinkClaims
from .interval import wilson
from .truth import Truth

__all__ = ["believed", "right_links"]


def right_links(claims: LinkClaims, truth: Truth) -> Result:
    """The expected share of the intruder's records that are linked to the right released one; see :func:`.judge.judge`."""
    pairs, own = _own_rows(truth)
    chance = _chances(claims, pairs, own)
    sizes, trials = claims.set_sizes(), claims.intruder_size
    sure = np.zeros(trials, dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    facts: dict[str, object] = {
        "baseline": len(pairs) / (trials * claims.release_size) if pairs.size else 0.0,
        "records attacked": trials,
        "in the release": float(truth.present().mean()),
        "single links": float((sizes == 1).mean()),
        "right single links": float(((sizes == 1) & (chance > 0)).mean()),
        "sure links": float(sure.mean()),
        "mean candidates": float(sizes[sizes > 0].mean()) if sizes.any() else 0.0,
        "without candidate": float((sizes == 0).mean()),
    }
    if sure.any():
        facts["sure links that are right"] = float((chance[sure] > 0).mean())
    return Result(
        name="re-identification",
        value=float(chance.mean()),
        interval=wilson(float(chance.sum()), trials),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=chance, rows_of="intruder"),
    )


def believed(claims: LinkClaims) -> float:
    """What the intruder takes the share of right links for when it follows the most likely candidate of each record."""
    claim = np.repeat(np.arange(len(claims.start) - 1), np.diff(claims.start))
    best = np.zeros(len(claims.start) - 1)
    np.maximum.at(best, claim, claims.chances())
    return float(best[claims.claim_of].mean()) if claims.intruder_size else 0.0


def _own_rows(truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of an intruder's row and a released row of the same person."""
    known = np.flatnonzero(truth.released >= 0)
    by_person = known[np.argsort(truth.released[known], kind="stable")]
    persons = truth.released[by_person]
    first = np.searchsorted(persons, truth.intruder, side="left")
    count = np.searchsorted(persons, truth.intruder, side="right") - first
    pairs = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(pairs)) - np.repeat(np.cumsum(count) - count - first, count)
    return pairs, by_person[place]


def _chances(claims: LinkClaims, pairs: np.ndarray, own: np.ndarray) -> np.ndarray:
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
