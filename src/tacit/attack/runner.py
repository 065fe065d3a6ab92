"""Run attacks and judge them by the type of their claims: the one way in which a job, a command and a call do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..claims.beliefs import summarise_unjudged
from ..claims.claims import CopyClaims, LinkClaims, MemberClaims, PairClaims, PredicateClaims, ValueClaims
from ..claims.comparability import comparability_notes
from ..claims.copies import score_copies
from ..claims.judge import judge
from ..claims.roc import roc, worst_members
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, check_int
from ..progress import report_progress, sub_progress
from ..risk.intervals import checked_percent
from ..seed import child_seed, seed_or_default
from ._linkability import judge_pairs
from ._scenarios import with_known_links, with_outsiders
from ._target import without_target
from ._value_scoring import ValueScoring, prepend_notes, why_not_judged
from .attack import AttackImpossible

if TYPE_CHECKING:
    from ..claims.roc import Roc
    from ..progress import Progress
    from ..release.release import Release
    from ..result import Result
    from .attack import Attack


NOBODYS = "no record of the file is anybody's, so that nobody can be found in it"
NO_TRUTH = "without the truth nobody can judge claims other than links"
LACKING = {
    "control": "it needs a list of people who are not in the release (control)",
    "second": "the intruder has no second list (--second COLUMNS; in a plan second = […] under [intruder])",
}
"""What attacks need beside the people (a field of :class:`People`) → why one is not made without it."""
OTHER_RELEASES = (
    "the other releases keep the person's records: where an attack reads them, learnt above the rest is what this release "
    "adds to them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """One attack on the release: its result beside guessing, or why it was not run.

    ``about`` is the kind of disclosure, that of the attack's claims. Of attacks on values ``gain`` is what they learn of people
    only because these are in the release; of copies, how many there are above those of outsiders. Of attacks on membership
    ``roc`` is who is found at which cost in false alarms, and ``worst`` how sure an intruder may be of the one member in a hundred
    who is found most easily.
    """

    name: str
    result: Result | None
    why_not: str | None = None
    gain: Result | None = None
    roc: Roc | None = None
    worst: Result | None = None
    about: str = "identity"

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``."""
        result = self.result.as_json() if self.result else None
        found = {"name": self.name, "about": self.about, "result": result, "not_run": self.why_not}
        more = {"gain": self.gain, "worst": self.worst}
        return found | {word: one.as_json() for word, one in more.items() if one is not None}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class People:
    """Those attacked: who is who (None: nobody knows), their true values (``file``), and others not in the release (``control``).

    The rows of ``file`` are those of the scenario's file. ``columns`` are the confidential ones to be learnt. A number counts as
    right within ``percent`` % of the standard deviation of the people's values; the people are dealt into ``folds`` to see what
    the rest of them teach. ``second`` are the columns of a second list of the intruder, which an attack on linkability joins
    with the columns that it knows. ``asked`` are those by which it is asked who is in the data (none: the known ones).
    """

    truth: Truth | None
    file: Release
    control: Release | None = None
    columns: tuple[str, ...] = ()
    percent: float = 10.0
    folds: int = 5
    second: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_int("folds", self.folds, least=2)
        checked_percent(self.percent)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Some attacks whose claims are of one type, and all that they and their judge need."""

    release: Release
    scenario: Scenario
    people: People
    attacks: Mapping[str, Attack]
    seed: int | bytes | None
    progress: Progress | None


def run_attacks(
    release: Release,
    scenario: Scenario,
    people: People,
    attacks: Mapping[str, Attack],
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Run every attack that applies and judge its claims by their type; the others come with the reason.

    - Links are judged against the truth, those of the control beside them; without a truth, what the intruder believes is
      said and nothing judged. In a synthetic file there is nobody to find. An attack that does not concern the data at all
      (households, where there are none) is left out unless it is the only one.
    - Values are judged for each of the people's ``columns``, see :class:`.scoring.ValueScoring`.
    - Members and copies are told apart from the control, in one list of both.
    - Predicates are counted among the people and among the control.
    - Pairs are judged between the columns that the intruder knows and the ``second`` list.

    Attacks that learn do so from the links of other people (:func:`.default_scenario.with_known_links`). Each attack draws from
    a seed of its own. What weakens a comparison (:func:`tacit.claims.comparability_notes`) stands among the notes of a result.
    The cost is that of the attacks; (folds + 1) times that for attacks on values.
    """
    sorts: dict[type[Any], dict[str, Attack]] = {}
    for name, attack in attacks.items():
        sorts.setdefault(attack.makes, {})[name] = attack
    done: list[AttackResult] = []
    for place, (makes, some) in enumerate(sorts.items()):
        lacking = {name: why_not for name, one in some.items() if (why_not := _what_is_lacking(one, people))}
        done += (AttackResult(name=name, about=makes.about, result=None, why_not=lacking[name]) for name in lacking)
        ready = {name: one for name, one in some.items() if name not in lacking}
        share = sub_progress(progress, place / len(sorts), (place + 1) / len(sorts))
        done += JUDGES[makes](_Run(release, scenario, people, ready, seed, share)) if ready else ()
    return tuple(done)


def _what_is_lacking(attack: Attack, people: People) -> str | None:
    """Why the attack cannot be made on these people, whatever the release is; None when it can."""
    if people.truth is None and attack.makes is not LinkClaims:
        return NO_TRUTH
    needs = ((need, getattr(people, need)) for need in getattr(attack, "needs", ()))
    return next((LACKING[need] for need, has in needs if has is None or has == ()), None)


AttackT = TypeVar("AttackT")


def run_each(
    attacks: Mapping[str, AttackT],
    run_one: Callable[[str, AttackT, Progress | None], AttackResult],
    *,
    progress: Progress | None,
    task: str = "attacking",
) -> tuple[AttackResult, ...]:
    """Run attacks one after the other, each with its share of the progress."""
    done: list[AttackResult] = []
    for place, (name, attack) in enumerate(attacks.items()):
        report_progress(progress, f"{task}: {name}", place / len(attacks))
        share = sub_progress(progress, place / len(attacks), (place + 1) / len(attacks))
        done.append(run_one(name, attack, share))
    return tuple(done)


def _run_links(run: _Run) -> tuple[AttackResult, ...]:
    release, people, truth = run.release, run.people, run.people.truth
    scenario = with_known_links(run.scenario, truth)
    control = None
    if people.control is not None:
        control = Scenario(file=people.control, knows=scenario.knows, told=scenario.told)
        control = replace(control, acquaintances=scenario.acquaintances)
    notes = cache(lambda: comparability_notes(release, scenario))

    def run_one(name: str, attack: Attack, share: Progress | None) -> AttackResult:
        why_not = NOBODYS if truth is not None and truth.is_synthetic() else attack.applies(release, scenario)
        if why_not is not None:
            return AttackResult(name=name, result=None, why_not=why_not)
        drawn = None if run.seed is None else child_seed(run.seed, "attack", name)
        claims = attack.claims(release, scenario, seed=drawn, progress=share)
        others = None if control is None else attack.claims(release, control, seed=drawn)
        result = summarise_unjudged(claims, others) if truth is None else judge(claims, truth, others)
        return AttackResult(name=name, result=prepend_notes(result, notes()))

    concerned = {name: one for name, one in run.attacks.items() if len(run.attacks) == 1 or _concerns(one, run)}
    return run_each(concerned, run_one, progress=run.progress)


def _concerns(attack: Attack, run: _Run) -> bool:
    concerns = getattr(attack, "concerns", None)
    return concerns is None or bool(concerns(run.release, run.scenario))


def _run_values(run: _Run) -> tuple[AttackResult, ...]:
    columns = run.people.columns
    done: list[AttackResult] = []
    for place, column in enumerate(columns):
        share = sub_progress(run.progress, place / len(columns), (place + 1) / len(columns))
        done += _learn_column(replace(run, progress=share), column)
    return tuple(done)


def _learn_column(run: _Run, column: str) -> tuple[AttackResult, ...]:
    release, people = run.release, run.people
    assert people.truth is not None
    about = ValueClaims.about
    scenario = without_target(release, run.scenario, column)
    barred = why_not_judged(release, scenario, people.truth, people.control, column)
    if barred:
        return tuple(AttackResult(name=name, about=about, result=None, why_not=barred) for name in run.attacks)
    scoring = ValueScoring.of(
        release,
        scenario,
        (people.truth, people.file, people.control),
        column,
        percent=people.percent,
        folds=people.folds,
    )
    notes = (*comparability_notes(release, scoring.scenario), *([OTHER_RELEASES] if scenario.also else []))

    def run_one(name: str, attack: Attack, share: Progress | None) -> AttackResult:
        one: Attack = replace(attack, column=column)  # type: ignore[type-var]
        why_not = one.applies(release, scoring.scenario)
        if why_not is not None:
            return AttackResult(name=name, about=about, result=None, why_not=why_not)
        drawn = child_seed(seed_or_default(run.seed), "attack", name, column)
        result, gain = scoring.judge_attack(one, seed=drawn, progress=share)
        return AttackResult(name=name, about=about, result=prepend_notes(result, notes), gain=gain)

    return run_each(run.attacks, run_one, progress=run.progress, task=f"learning {column}")


def _run_members(run: _Run) -> tuple[AttackResult, ...]:
    people, truth = run.people, run.people.truth
    scenario = _asking_scenario(run)
    assert truth is not None

    def run_one(name: str, attack: Attack, share: Progress | None) -> AttackResult:
        about, control = attack.makes.about, people.control
        assert control is not None, "an attack on membership needs a control"
        listed = with_outsiders(scenario, control, population=people.file.population)
        if hasattr(attack, "with_control"):
            attack = attack.with_control(listed, control)
        why_not = attack.applies(run.release, listed)
        if why_not is not None:
            return AttackResult(name=name, about=about, result=None, why_not=why_not)
        drawn = child_seed(seed_or_default(run.seed), "attack", name)
        try:
            return judge_members(attack, run.release, listed, truth, name=name, seed=drawn, progress=share)
        except AttackImpossible as problem:
            return AttackResult(name=name, about=about, result=None, why_not=problem.what)

    return run_each(run.attacks, run_one, progress=run.progress)


def _asking_scenario(run: _Run) -> Scenario:
    """The intruder who asks who is in the data: with the columns that it has for that, where the release has them."""
    knows = tuple(column for column in run.people.asked if column in run.release.columns)
    if not knows:
        return run.scenario
    return Scenario(file=run.people.file, knows=knows, told=run.scenario.told, program=run.scenario.program)


def judge_members(
    attack: Attack,
    release: Release,
    listed: Scenario,
    truth: Truth,
    *,
    name: str = "membership",
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AttackResult:
    """Judge an attack on membership by a list whose first rows are those of the truth, all others being outsiders.

    Where no released row is anybody's (a synthetic file), everybody of the truth went into it.
    """
    claims = attack.claims(release, listed, seed=seed, progress=progress)
    if not isinstance(claims, MemberClaims):
        raise TacitError(
            f"{type(attack).__name__} does not claim who is in the release",
            code="attack_impossible",
            fix="e.g. attack=tacit.attack.Membership()",
        )
    outside = np.full(listed.file.size - len(truth.intruder), -1)
    whole = Truth(released=truth.made_from(), intruder=np.append(truth.intruder, outside))
    inside = whole.in_release()
    if isinstance(claims, CopyClaims):
        result, gain = score_copies(claims, inside)
        return AttackResult(name=name, about=claims.about, result=result, gain=gain)
    return AttackResult(
        name=name,
        about=claims.about,
        result=judge(claims, whole),
        roc=roc(claims, inside),
        worst=worst_members(claims, inside),
    )


def _run_predicates(run: _Run) -> tuple[AttackResult, ...]:
    nobody = np.zeros(0, dtype=np.int64)
    truth = Truth(released=nobody, intruder=nobody, people=run.people.file, others=run.people.control)

    def run_one(name: str, attack: Attack, share: Progress | None) -> AttackResult:
        why_not = attack.applies(run.release, run.scenario)
        result = None
        if why_not is None:
            drawn = child_seed(seed_or_default(run.seed), "attack", name)
            result = judge(attack.claims(run.release, run.scenario, seed=drawn, progress=share), truth)
        return AttackResult(name=name, about=PredicateClaims.about, result=result, why_not=why_not)

    return run_each(run.attacks, run_one, progress=run.progress)


def _run_pairs(run: _Run) -> tuple[AttackResult, ...]:
    people, control, second = run.people, run.people.control, run.people.second
    lacks = next((one for one in second if control is not None and one not in control.columns), None)
    if lacks is not None:
        raise TacitError(
            "is not in the control",
            code="unknown_column",
            column=lacks,
            fix="give the control the columns of both lists",
        )

    def run_one(name: str, attack: Attack, _: Progress | None) -> AttackResult:
        why_not = attack.applies(run.release, replace(run.scenario, also=(people.file.select(second),)))
        result = None
        if why_not is None:
            drawn = seed_or_default(None if run.seed is None else child_seed(run.seed, "attack", name))
            lists = run.scenario.knows, second
            result = judge_pairs(attack, run.release, people.file, lists, control=control, seed=drawn)
        return AttackResult(name=name, about=PairClaims.about, result=result, why_not=why_not)

    return run_each(run.attacks, run_one, progress=run.progress)


JUDGES: Mapping[type[Any], Callable[[_Run], tuple[AttackResult, ...]]] = {
    LinkClaims: _run_links,
    ValueClaims: _run_values,
    MemberClaims: _run_members,
    CopyClaims: _run_members,
    PredicateClaims: _run_predicates,
    PairClaims: _run_pairs,
}
"""Type of the claims → how attacks that make them are run and judged."""
