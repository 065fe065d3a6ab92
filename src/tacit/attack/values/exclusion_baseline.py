"""What the rest of the people teach: the same attack on a release in which the person attacked does not stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...claims.claims import ValueClaims
from ...loss.learning.estimators import draw_folds
from ...progress import report_progress, sub_progress
from .lookup import Lookup
from .target import target_of

if TYPE_CHECKING:
    from ...claims.known_links import KnownLinks
    from ...claims.scenario import Scenario
    from ...claims.truth import Truth
    from ...progress import Progress
    from ...release.release import Release
    from ..attack import Attack


STOOD_IN = (
    "the attack cannot be made without the person: what stands in the records of people who look alike counts as what the "
    "rest of the people teach"
)


def without_own(
    attack: Attack,
    release: Release,
    scenario: Scenario,
    truth: Truth,
    *,
    folds: int,
    seed: int | bytes | None,
    progress: Progress | None = None,
) -> ValueClaims:
    """The claims that the attack makes of each person when the records of that person are not in the release.

    People are dealt into ``folds``; the release without those of a fold is attacked for them, so that no claim rests on a
    person's own record and what is right nevertheless is knowledge about the world. (Of ``scenario.also`` nobody knows
    whose records are there: they stay.) Of the acquaintances those who stand in the smaller release are left to learn from.
    Where the attack cannot be made on it, what stands in the records of people who look alike is claimed. Costs ``folds`` times the attack.
    """
    column = target_of(release, getattr(attack, "column", None)).column
    people = np.unique(truth.intruder)
    fold_of = draw_folds(len(people), folds, seed)
    fold = fold_of[np.searchsorted(people, truth.intruder)]
    parts: list[tuple[np.ndarray, ValueClaims]] = []
    stood_in = False
    for number in range(min(folds, len(people))):
        report_progress(progress, "attacking without the person", number / folds)
        rows = np.flatnonzero(fold == number)
        kept = np.flatnonzero(~np.isin(truth.released, people[(fold_of == number) & (people >= 0)]))
        if not len(kept):
            continue
        fewer = release.take(kept)
        alone = replace(
            scenario,
            file=scenario.file.take(rows),
            households=None,
            acquaintances=_remaining_known_links(scenario.acquaintances, kept, release.size),
            inside=False,
            covers=False,
        )
        claims = _attack_claims(
            attack, fewer, alone, seed, sub_progress(progress, number / folds, (number + 1) / folds)
        )
        if claims is None:
            several = fewer.distinct(column) > 1
            claims = _attack_claims(
                Lookup(column=column, says="all" if several else "likeliest"), fewer, alone, seed, None
            )
            stood_in |= several and claims is not None
        if claims is not None:
            parts.append((rows, _recode_claims(claims, fewer, release)))
    joined = _join_folds(parts, len(truth.intruder), column)
    return replace(joined, notes=(STOOD_IN,)) if stood_in else joined


def _attack_claims(
    attack: Attack, release: Release, scenario: Scenario, seed: int | bytes | None, progress: Progress | None
) -> ValueClaims | None:
    """The claims of the attack; None where it cannot be made."""
    if attack.applies(release, scenario):
        return None
    claims = attack.claims(release, scenario, seed=seed, progress=progress)
    assert isinstance(claims, ValueClaims)
    return claims


def _remaining_known_links(known: KnownLinks | None, kept: np.ndarray, size: int) -> KnownLinks | None:
    """The acquaintances as they stand in the kept rows of the release."""
    if known is None or len(known.truth.released) != size:
        return None
    return replace(known, truth=replace(known.truth, released=known.truth.released[kept]))


def _recode_claims(claims: ValueClaims, fewer: Release, release: Release) -> ValueClaims:
    """Codes of the smaller release as those of the whole."""
    if claims.codes is None:
        return claims
    whole = release.codes(claims.column).dictionary
    codes = pl.Series(range(len(whole)), dtype=pl.Int64)
    place = fewer.codes(claims.column).dictionary.replace_strict(whole, codes, return_dtype=pl.Int64).to_numpy()
    return replace(claims, codes=place[claims.codes])


def _join_folds(parts: list[tuple[np.ndarray, ValueClaims]], size: int, column: str) -> ValueClaims:
    """The claims of all folds as one; nothing is claimed of people whom no fold could attack."""
    if all(claims.start is None for _, claims in parts):
        low, high = (_scatter_rows(parts, end, size) for end in ("low", "high"))
        return ValueClaims(column=column, low=low, high=high)
    over_codes = any(claims.codes is not None for _, claims in parts)
    claim_of = np.zeros(size, dtype=np.int64)
    starts: list[np.ndarray] = [np.array([0, 0])]  # claim 0 says nothing
    claimed, stands = 1, 0
    for rows, claims in parts:
        assert claims.start is not None
        claim_of[rows] = claimed + claims.claim_numbers()
        starts.append(claims.start[1:] + stands)
        claimed, stands = claimed + len(claims.start) - 1, stands + int(claims.start[-1])
    named = np.concatenate([getattr(claims, "codes" if over_codes else "numbers") for _, claims in parts])
    return ValueClaims(
        column=column,
        start=np.concatenate(starts),
        codes=named if over_codes else None,
        numbers=None if over_codes else named,
        shares=np.concatenate([claims.shares for _, claims in parts if claims.shares is not None]),
        claim_of=claim_of,
    )


def _scatter_rows(parts: list[tuple[np.ndarray, ValueClaims]], end: str, size: int) -> np.ndarray:
    found = np.full(size, np.nan)
    for rows, claims in parts:
        found[rows] = getattr(claims, end)
    return found
