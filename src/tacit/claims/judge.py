"""The judge: counts what of the claims is right, beside what guessing gets; all attacks are scored alike."""

from __future__ import annotations

from functools import singledispatch
from typing import TypeAlias

import numpy as np

from ..errors import TacitError
from ..per_record import PerRecord
from ..result import Result
from .claims import LinkClaims, MemberClaims, ValueClaims
from .interval import wilson
from .truth import Truth

__all__ = ["Claims", "judge"]

Claims: TypeAlias = LinkClaims | ValueClaims | MemberClaims


def judge(claims: Claims, truth: Truth, control: Claims | None = None) -> Result:
    r"""How much of what an attack claims is right (C-03).

    Links: the expected share of the intruder's records that are linked rightly,

    .. math:: Reid = \tfrac{1}{|B|} \sum_{b \in B} \Pr[r(b) = true(b)],

    a set of m equally likely candidates counting 1/m when the right record is among them. (A deck sums a cardinality
    over b for the single link; it is the share of right links.) ``facts`` has ``baseline``, what guessing gets;
    ``sure links``, the share that the intruder knows to be right (K.Reid); ``single links``, the share with one
    candidate, and the right one. Values: the share of claims that hold the true value. Members: the area under the
    ROC curve. ``control`` are claims of the same attack on people who are not in the release, judged on the same truth.

    The interval is Wilson's at 95 %. Time O(n + candidates).
    """
    result = _judged(claims, truth)
    if control is not None:
        result = result.with_facts(control=_judged(control, truth).value)
    return result


@singledispatch
def _judged(claims: Claims, truth: Truth) -> Result:  # noqa: ARG001 - the kinds below use it
    raise TypeError(f"{type(claims).__name__} are no claims")


@_judged.register
def _(claims: LinkClaims, truth: Truth) -> Result:
    _check(len(truth.released) == claims.release_size, "the release")
    _check(len(truth.intruder) == claims.intruder_size, "the intruder's file")
    chance, single = _chances(claims, truth)
    trials, sizes = claims.intruder_size, claims.set_sizes()
    sure = np.zeros(trials, dtype=bool) if claims.sure is None else claims.sure[claims.claim_of]
    persons = np.bincount(truth.released[truth.released >= 0], minlength=int(truth.intruder.max(initial=0)) + 1)
    there = np.where(truth.intruder >= 0, persons[np.maximum(truth.intruder, 0)], 0)
    facts = {
        "baseline": float(there.mean()) / claims.release_size,
        "records attacked": trials,
        "single links": float(single.mean()),
        "sure links": float(sure.mean()),
        "sure links that are right": float(chance[sure].mean()) if sure.any() else 0.0,
        "mean candidates": float(sizes.mean()),
    }
    return Result(
        name="re-identification",
        value=float(chance.mean()),
        interval=wilson(float(chance.sum()), trials),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=chance, rows_of="intruder"),
    )


@_judged.register
def _(claims: ValueClaims, truth: Truth) -> Result:
    _check(truth.values is not None and len(truth.values) == len(claims.low), "the true values")
    assert truth.values is not None
    right = ((claims.low <= truth.values) & (truth.values <= claims.high)).astype(float)
    width = claims.high - claims.low
    guess = [
        float(((low <= truth.values) & (truth.values <= low + span)).mean())
        for low, span in _guesses(truth.values, width)
    ]
    return Result(
        name="attribute inference",
        column=claims.column,
        value=float(right.mean()),
        interval=wilson(float(right.sum()), len(right)),
        worse="high",
        about="attribute",
        facts={"baseline": max(guess, default=0.0), "records attacked": len(right), "mean width": float(width.mean())},
        per_record=PerRecord(array=right, rows_of="intruder"),
    )


@_judged.register
def _(claims: MemberClaims, truth: Truth) -> Result:
    _check(len(truth.intruder) == len(claims.scores), "the intruder's list")
    inside = truth.present()
    if inside.all() or not inside.any():
        raise TacitError(
            "membership cannot be judged", fix="the list needs people who are in the release and people who are not"
        )
    scores = claims.scores
    thresholds = np.unique(scores)[::-1]
    found = np.array([(scores[inside] >= at).mean() for at in thresholds])
    false = np.array([(scores[~inside] >= at).mean() for at in thresholds])
    ahead = (scores[inside][:, None] > scores[~inside]).mean() + (scores[inside][:, None] == scores[~inside]).mean() / 2
    return Result(
        name="membership inference",
        value=float(ahead),
        worse="high",
        about="identity",
        facts={
            "baseline": 0.5,
            "advantage": float((found - false).max()),
            "found at 1 % false alarms": float(found[false <= 0.01].max(initial=0.0)),
            "members": int(inside.sum()),
            "others": int((~inside).sum()),
        },
    )


def _chances(claims: LinkClaims, truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    """For each record of the intruder the chance of a right link, and whether it is the only candidate."""
    mass = claims.mass()
    claim = np.repeat(np.arange(len(claims.start) - 1), np.diff(claims.start))
    total = np.bincount(claim, weights=mass, minlength=len(claims.start) - 1)
    share = (np.ones(len(mass)) if claims.weights is None else claims.weights) / np.where(
        total[claim] > 0, total[claim], 1
    )
    groups = claims.groups()
    named = claim.astype(np.int64) * groups + claims.candidates
    order = np.argsort(named, kind="stable")
    known = np.flatnonzero(truth.released >= 0)
    by_person = known[np.argsort(truth.released[known], kind="stable")]
    persons = truth.released[by_person]
    first = np.searchsorted(persons, truth.intruder, side="left")
    last = np.where(truth.intruder >= 0, np.searchsorted(persons, truth.intruder, side="right"), first)
    record = np.repeat(np.arange(claims.intruder_size), last - first)
    place = (
        np.arange(len(record))
        - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        + np.repeat(first, last - first)
    )
    wanted = claims.claim_of[record].astype(np.int64) * groups + claims.group_of[by_person[place]]
    at = np.minimum(np.searchsorted(named[order], wanted), max(0, len(named) - 1))
    hit = named[order][at] == wanted if len(named) else np.zeros(len(wanted), dtype=bool)
    chance = np.bincount(record[hit], weights=share[order][at][hit], minlength=claims.intruder_size)
    return np.minimum(chance, 1.0), (claims.set_sizes() == 1) & (chance > 0)


def _guesses(values: np.ndarray, width: np.ndarray) -> list[tuple[float, float]]:
    """The best that a guesser does with an interval of the usual width: one that starts at each decile."""
    span = float(np.median(width)) if len(width) else 0.0
    return [(float(low), span) for low in np.quantile(values, np.linspace(0, 1, 11))] if len(values) else []


def _check(fits: bool, what: str) -> None:
    if not fits:
        raise TacitError(
            f"the truth does not have a row for each row of {what}", fix="give the truth of these very files"
        )
