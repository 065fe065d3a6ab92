"""Attacks on values, made and judged: what is right, and how much of it only because the person is in the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...claims.claims import ValueClaims
from ...claims.comparability import comparability_notes
from ...claims.gain import above_others, above_own
from ...claims.judge import judge
from ...claims.scenario import Scenario
from ...claims.values import known_values
from ...errors import TacitError, check_int
from ...per_record import PerRecord
from ...progress import report_progress, sub_progress
from ...result import Result
from ...risk.intervals import checked_percent
from ...seed import child_seed, seed_or_default
from ..default_scenario import with_known_links
from ..runner import AttackResult, notes_of, prepend_notes
from .exclusion_baseline import without_own
from .single_guess import single_guess
from .target import no_target, true_values, with_values, without_target

if TYPE_CHECKING:
    from ...claims.truth import Truth
    from ...progress import Progress
    from ...release.release import Release
    from ..attack import Attack


ABOVE = "learnt above the rest"
"""The fact that says how much more is right when the person's own records are in the release."""
GAIN = "learnt about members"
"""What is known of people because they are in the release: above outsiders if there are any, else above the rest."""
REST = "the rest of the people"
"""Beside whom people are learnt about where there are no outsiders."""
KEPT = (
    "the other releases keep the person's records: where an attack reads them, learnt above the rest is what this release "
    "adds to them"
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class People:
    """Those attacked: who is who (None: nobody knows), their true values (``file``), and others not in the release (``control``).

    The rows of ``file`` are those of the scenario's file. A number counts as right within ``percent`` % of the standard
    deviation of the people's values; the people are dealt into ``folds`` to see what the rest of them teach.
    """

    truth: Truth | None
    file: Release
    control: Release | None = None
    percent: float = 10.0
    folds: int = 5

    def __post_init__(self) -> None:
        check_int("folds", self.folds, least=2)
        checked_percent(self.percent)


def run_value_attacks(
    release: Release,
    scenario: Scenario,
    people: People,
    attacks: Mapping[str, Attack],
    *,
    column: str,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Every attack that applies, on one confidential column of the people who are in the release.

    Beside the share that is right stand: guessing (the same claims dealt out at random), the best single guess for
    everybody, what is right by the rest of the people (no claim rests on the person's own records), the difference of
    both with its interval, and the control group. ``gain`` of what is returned is what is learnt about members: the gain on
    them minus the gain on the control, or, without one, above what the rest of the people teach. The control is the better
    measure. Where records were masked together (centroids, swapped values, classes) a person's value lives on in the
    records of others, so that what these teach is too much and the difference too small; people who were never in the file
    do not have this. On the other hand a fold takes some of the others too, so that small classes teach a little less than
    they do, and the difference is a little too large. Other releases (``scenario.also``) keep the person's records: of an attack that reads them, the
    difference is what this release adds to them. The attack has the whole file of the intruder, also those who are not in
    the release; what it claims of these is not judged. From a synthetic file, whose rows are nobody's, no person can be taken out:
    there it is the control alone that says what is learnt, and without one no attack is made.
    Costs (folds + 1) times the attack.
    """
    scenario = without_target(release, scenario, column)
    barred = no_target(release, scenario, column)
    if barred is None and release.distinct(column) == 1:  # an attack may well say it: of nobody in particular
        barred = f"{column!r} has one value only in the release: there is nothing to tell apart"
    if barred is None and people.truth is not None and people.truth.is_synthetic():
        barred = _no_outsiders(people.control, column)
    if barred:
        return tuple(AttackResult(name=name, result=None, why_not=barred) for name in attacks)
    ground = _build_scoring(release, scenario, people, column)
    notes = (*comparability_notes(release, ground.scenario), *([KEPT] if scenario.also else []))
    done: list[AttackResult] = []
    for place, (name, attack) in enumerate(attacks.items()):
        report_progress(progress, f"learning {column} by {name}", place / len(attacks))
        one: Attack = replace(attack, column=column)  # type: ignore[type-var]
        why_not = one.applies(release, ground.scenario)
        result = gain = None
        if why_not is None:
            drawn = child_seed(seed_or_default(seed), "attack", name, column)
            share = sub_progress(progress, place / len(attacks), (place + 1) / len(attacks))
            result, gain = ground.judge_attack(one, seed=drawn, progress=share)
            result = prepend_notes(result, notes)
        done.append(AttackResult(name=name, result=result, why_not=why_not, gain=gain))
    return tuple(done)


@dataclass(frozen=True, slots=True, eq=False)
class _ValueScoring:
    """The people who are in the release, at the ``rows`` of the intruder's file, and the truth about their values.

    The intruder of ``scenario`` has its whole file; that of ``members`` those rows alone.
    """

    release: Release
    scenario: Scenario
    members: Scenario
    truth: Truth
    people: People
    rows: np.ndarray
    column: str

    def judge_attack(self, attack: Attack, *, seed: int | bytes, progress: Progress | None) -> tuple[Result, Result]:
        """What is right, and what of it only because the people are in the release."""
        folds = self.people.folds
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
        folds = self.people.folds
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
        each = np.zeros(self.people.file.size)
        each[self.rows] = result.per_record.values()
        if absent is not None and absent.per_record is not None:
            each[self.rows] -= absent.per_record.values()
        return PerRecord(array=each, rows_of="intruder")

    def _of_outsiders(self, attack: Attack, seed: int | bytes) -> Result | None:
        """The same attack on people who are not in the release: what is right of them, anybody could infer."""
        control, column = self.people.control, getattr(attack, "column", "")
        if control is None or column not in control.columns:
            return None
        members = self.members
        outsiders = replace(members, file=control, inside=False, covers=False, households=None)
        if attack.applies(self.release, outsiders):
            return None
        nobody, values = np.full(control.size, -1), true_values(self.release, control, column)
        truth = replace(self.truth, intruder=nobody, values=values)
        return judge(attack.claims(self.release, outsiders, seed=seed), truth)


def _build_scoring(release: Release, scenario: Scenario, people: People, column: str) -> _ValueScoring:
    if people.truth is None:
        raise TacitError("nobody knows who is who, so that no value can be judged", fix="give a truth")
    inside = np.flatnonzero(np.isin(people.truth.intruder, people.truth.made_from()))
    if not len(inside):
        raise TacitError(
            "none of the people is in the release, so that nothing is learnt from their own records",
            fix="give the file from which the release was made, and the truth about its rows",
        )
    whole_file = with_known_links(scenario, people.truth)
    members = replace(whole_file, file=scenario.file.take(inside), households=None)
    truth = with_values(people.truth.of_rows(inside), release, people.file.take(inside), column, percent=people.percent)
    return _ValueScoring(release, whole_file, members, truth, people, inside, column)


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
