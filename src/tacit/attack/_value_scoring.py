"""Judge an attack on values: what is right, and how much of it only because the person is in the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..claims.claims import ValueClaims
from ..claims.gain import above_others, above_own
from ..claims.judge import judge
from ..claims.values import known_values
from ..errors import TacitError
from ..loss.learning.estimators import draw_folds
from ..per_record import PerRecord
from ..progress import report_progress, sub_progress
from ..result import Result
from ._scenarios import with_known_links
from ._target import no_target, single_guess, target_of, true_values, with_values
from .lookup import Lookup

if TYPE_CHECKING:
    from ..claims.known_links import KnownLinks
    from ..claims.scenario import Scenario
    from ..claims.truth import Truth
    from ..progress import Progress
    from ..release.release import Release
    from .attack import Attack


ABOVE = "learnt above the rest"
"""The fact that says how much more is right when the person's own records are in the release."""
GAIN = "learnt about members"
"""What is known of people because they are in the release: above outsiders if there are any, else above the rest."""
REST = "the rest of the people"
"""Beside whom people are learnt about where there are no outsiders."""


def why_not_judged(
    release: Release, scenario: Scenario, truth: Truth, control: Release | None, column: str
) -> str | None:
    """Why nothing can be said about what is learnt of the column; None when it can."""
    barred = no_target(release, scenario, column)
    if barred is None and release.distinct(column) == 1:  # an attack may well say it: of nobody in particular
        barred = f"{column!r} has one value only in the release: there is nothing to tell apart"
    if barred is None and truth.is_synthetic():
        barred = _no_outsiders(control, column)
    return barred


@dataclass(frozen=True, slots=True, eq=False)
class ValueScoring:
    """The people who are in the release, at the ``rows`` of the intruder's file, and the truth about their values.

    The intruder of ``scenario`` has its whole file of ``size`` rows; that of ``members`` those rows alone. What it claims of the
    others is not judged.

    Beside the share that is right stand: guessing (the same claims dealt out at random), the best single guess for
    everybody, what is right by the rest of the people (no claim rests on the person's own records), the difference of
    both with its interval, and the control group. The gain is what is learnt about members: the gain on them minus the gain on
    the control, or, without one, above what the rest of the people teach. The control is the better measure. Where records were
    masked together (centroids, swapped values, classes) a person's value lives on in the records of others, so that what these
    teach is too much and the difference too small; people who were never in the file do not have this. On the other hand a fold
    takes some of the others too, so that small classes teach a little less than they do, and the difference is a little too
    large. Other releases (``scenario.also``) keep the person's records: of an attack that reads them, the difference is what this
    release adds to them. From a synthetic file, whose rows are nobody's, no person can be taken out: there it is the control alone
    that says what is learnt.
    """

    release: Release
    scenario: Scenario
    members: Scenario
    truth: Truth
    control: Release | None
    rows: np.ndarray
    size: int
    column: str
    folds: int

    @staticmethod
    def of(
        release: Release,
        scenario: Scenario,
        people: tuple[Truth, Release, Release | None],
        column: str,
        *,
        percent: float,
        folds: int,
    ) -> ValueScoring:
        """The scoring of one column; ``people`` are the truth, the file of the people with their values, and the control."""
        truth, file, control = people
        inside = np.flatnonzero(np.isin(truth.intruder, truth.made_from()))
        if not len(inside):
            raise TacitError(
                "none of the people is in the release, so that nothing is learnt from their own records",
                code="attack_impossible",
                fix="give the file from which the release was made, and the truth about its rows",
            )
        whole_file = with_known_links(scenario, truth)
        members = replace(whole_file, file=scenario.file.take(inside), households=None)
        values = with_values(truth.of_rows(inside), release, file.take(inside), column, percent=percent)
        return ValueScoring(release, whole_file, members, values, control, inside, file.size, column, folds)

    def judge_attack(self, attack: Attack, *, seed: int | bytes, progress: Progress | None) -> tuple[Result, Result]:
        """What is right, and what of it only because the people are in the release."""
        folds = self.folds
        claims = attack.claims(
            self.release, self.scenario, seed=seed, progress=sub_progress(progress, 0.0, 1 / (folds + 1))
        )
        assert isinstance(claims, ValueClaims)
        result = judge(_select_claims(claims, self.rows), self.truth)
        absent = self._of_rest(attack, seed, sub_progress(progress, 1 / (folds + 1), 1.0))
        beside: dict[str, object] = {"best single guess": self._guess_rate()}
        facts: dict[str, object] = {}
        if absent is not None:
            beside["right by the rest of the people"] = absent.value
            more, reach = self._above_rest(result, absent)
            facts |= {ABOVE: more, f"{ABOVE}, 95 % interval": reach}
        others = self._of_outsiders(attack, seed)
        if others is not None:
            more, reach = above_others(result, others)
            facts |= {"control": others.value, "control, 95 % interval": others.interval}
            facts |= {"above the control": more, "above the control, 95 % interval": reach}
        elif absent is None:
            more, reach = result.value, result.interval or (0.0, 1.0)
        gain = Result(
            name=GAIN,
            id="attribute_inference",
            column=result.column,
            value=more,
            interval=reach,
            worse="high",
            about="attribute",
            facts={"right": result.value, **beside, "beside": self._baseline_name(absent, others)},
            per_record=self._record_gains(result, absent),
        )
        return prepend_notes(
            result.with_facts(**beside, **facts), () if absent is None else tuple(notes_of(absent))
        ), gain

    def _of_rest(self, attack: Attack, seed: int | bytes, progress: Progress | None) -> Result | None:
        """The same attack where the person's own records are taken out; None where no record is anybody's."""
        if self.truth.is_synthetic():
            return None
        folds = self.folds
        said = without_own(attack, self.release, self.members, self.truth, folds=folds, seed=seed, progress=progress)
        return judge(said, self.truth)

    def _baseline_name(self, absent: Result | None, others: Result | None) -> str:
        return "outsiders" if others is not None else "nobody" if absent is None else REST

    def _guess_rate(self) -> float:
        """How often the same value for everybody is right at best: the judge's yardstick, of values that the release has."""
        assert self.truth.values is not None
        values = self.truth.values[known_values(self.truth.values)]
        if values.dtype.kind in "iu":
            values = np.where(values < len(self.release.codes(self.column).dictionary), values, np.nan)
        return float(single_guess(values, within=self.truth.within).mean()) if len(values) else 0.0

    def _above_rest(self, result: Result, absent: Result) -> tuple[float, tuple[float, float]]:
        assert self.truth.values is not None and result.per_record is not None and absent.per_record is not None
        known = known_values(self.truth.values)
        return above_own(result.per_record.values()[known], absent.per_record.values()[known])

    def _record_gains(self, result: Result, absent: Result | None) -> PerRecord:
        """For each row of the intruder's file how much more is right by the person's own records, or what is right."""
        assert result.per_record is not None
        each = np.zeros(self.size)
        each[self.rows] = result.per_record.values()
        if absent is not None and absent.per_record is not None:
            each[self.rows] -= absent.per_record.values()
        return PerRecord(array=each, rows_of="intruder")

    def _of_outsiders(self, attack: Attack, seed: int | bytes) -> Result | None:
        """The same attack on people who are not in the release: what is right of them, anybody could infer."""
        control, column = self.control, getattr(attack, "column", "")
        if control is None or column not in control.columns:
            return None
        members = self.members
        outsiders = replace(members, file=control, inside=False, covers=False, households=None)
        if attack.applies(self.release, outsiders):
            return None
        nobody, values = np.full(control.size, -1), true_values(self.release, control, column)
        truth = replace(self.truth, intruder=nobody, values=values)
        return judge(attack.claims(self.release, outsiders, seed=seed), truth)


def _no_outsiders(control: Release | None, column: str) -> str | None:
    """Why nothing can be said about a synthetic file; None when there are outsiders whose values are known."""
    if control is None:
        return "no record of the file is anybody's: what it tells is judged beside people who are not in it (control)"
    return None if column in control.columns else f"the control has no column {column!r} to judge outsiders by"


def _select_claims(claims: ValueClaims, rows: np.ndarray) -> ValueClaims:
    """What is claimed of the people at these rows."""
    if claims.low is None or claims.high is None:
        return replace(claims, claim_of=claims.claim_numbers()[rows])
    return replace(claims, low=claims.low[rows], high=claims.high[rows])


def prepend_notes(result: Result, notes: tuple[str, ...]) -> Result:
    """The result with notes in front of its own."""
    return result.with_facts(notes=[*notes, *notes_of(result)]) if notes else result


def notes_of(result: Result) -> list[str]:
    """What a result tells its reader beside its numbers."""
    own = result.facts.get("notes", [])
    assert isinstance(own, list)
    return own


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
