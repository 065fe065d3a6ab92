"""All attacks of a job or a command: on identities, on values, on presence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..attack.attack import Attack
from ..attack.bridge import Bridge
from ..attack.linkability import bridge
from ..attack.membership_runner import run_membership_attacks
from ..attack.runner import AttackResult, run_attacks
from ..attack.values.runner import People, run_value_attacks
from ..claims import Scenario
from ..errors import TacitError
from ..progress import Progress, sub_progress
from ..release.release import Release
from ..seed import child_seed
from .attack_targets import ABOUT, attacks_about, has_attack_about

ABOUT_PRESENCE = ("copies", "membership", "singling out")
NO_SECOND = "the intruder has no second list (--second COLUMNS; in a plan second = […] under [intruder])"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackSelection:
    """The attacks to be made, by what they are about, and the confidential ``columns`` to be learnt.

    ``second`` are the columns of a second list of the intruder, which a bridge joins with the columns that it knows. ``asking``
    are those by which it is asked who is in the data, where they are others than the known ones; ``beside`` are attacks that
    are not made, with the reason.
    """

    about: Mapping[str, Mapping[str, Attack]]
    columns: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    beside: tuple[AttackResult, ...] = ()

    @staticmethod
    def of(
        parameters: Mapping[str, Mapping[str, Any]],
        *,
        columns: Collection[str],
        only: Collection[str] = (),
        required: Collection[str] = (),
        second: Collection[str] = (),
    ) -> AttackSelection:
        """Those named by ``only``; else all on identities, and on values and presence what is set or ``required``."""
        wanted = {ABOUT[name] for name in required} | {"identity"} | ({"linkability"} if second else set())
        about = {}
        for sort in ABOUT.values():
            made = has_attack_about(sort, only) if only else sort in wanted or has_attack_about(sort, parameters)
            about[sort] = attacks_about(sort, parameters, only=only) if made else {}
        return AttackSelection(about=about, columns=tuple(columns), second=tuple(second))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackResults:
    """What the attacks found: ``attacks`` on identities, ``learnt`` on values (one for each column), on ``presence``."""

    attacks: tuple[AttackResult, ...] = ()
    learnt: tuple[AttackResult, ...] = ()
    presence: tuple[AttackResult, ...] = ()
    chosen: AttackSelection = field(default_factory=lambda: AttackSelection(about={}))

    def attacks_behind(self, requirement: str) -> tuple[AttackResult, ...]:
        """The attacks that a requirement is judged by."""
        named = self.chosen.about.get(ABOUT[requirement], {})
        every = {"identity": self.attacks, "attribute": self.learnt}.get(ABOUT[requirement], self.presence)
        return tuple(one for one in every if one.name in named)

    @property
    def all_attacks(self) -> tuple[AttackResult, ...]:
        """All of them."""
        return (*self.attacks, *self.learnt, *self.presence)


def run_all_attacks(
    release: Release,
    scenario: Scenario,
    people: People,
    chosen: AttackSelection,
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AttackResults:
    """Every chosen attack that applies, judged against the truth about the people."""
    control = (
        None if people.control is None else Scenario(file=people.control, knows=scenario.knows, told=scenario.told)
    )
    found = run_attacks(
        release,
        scenario,
        people.truth,
        chosen.about.get("identity", {}),
        control=control,
        seed=seed,
        progress=sub_progress(progress, 0.0, 0.5),
    )
    values = chosen.about.get("attribute", {})
    if people.truth is None and any(sort != "identity" and attacks for sort, attacks in chosen.about.items()):
        raise TacitError(
            "what is learnt about people cannot be judged: it is not said which rows belong together",
            fix="give one of --key COLUMN, --same-order, --lineage FILE",
        )
    known: list[AttackResult] = []
    for place, column in enumerate(chosen.columns if values else ()):
        share = sub_progress(
            progress, 0.5 + 0.4 * place / len(chosen.columns), 0.5 + 0.4 * (place + 1) / len(chosen.columns)
        )
        known += run_value_attacks(release, scenario, people, values, column=column, seed=seed, progress=share)
    others = {name: attack for sort in ABOUT_PRESENCE for name, attack in chosen.about.get(sort, {}).items()}
    asking = _membership_scenario(release, scenario, people, chosen.asking)
    there = run_membership_attacks(
        release, asking, people, others, seed=seed, progress=sub_progress(progress, 0.9, 1.0)
    )
    there += chosen.beside
    there += tuple(
        _attack_linkability(release, scenario, people, attack, name=name, second=chosen.second, seed=seed)
        for name, attack in chosen.about.get("linkability", {}).items()
    )
    return AttackResults(attacks=found, learnt=tuple(known), presence=there, chosen=chosen)


def _membership_scenario(release: Release, scenario: Scenario, people: People, columns: tuple[str, ...]) -> Scenario:
    """The intruder who asks who is in the data: with the columns that it has for that, where the release has them."""
    knows = tuple(column for column in columns if column in release.columns)
    if not knows:
        return scenario
    return Scenario(file=people.file, knows=knows, told=scenario.told, program=scenario.program)


def check_second_list(second: Sequence[str], knows: Sequence[str]) -> tuple[str, ...]:
    """The columns of the second list, none of which the intruder may know already: it would join the lists by it."""
    both = next((column for column in second if column in knows), None)
    if both is not None:
        raise TacitError(
            "is in both lists of the intruder, which are then joined without the release",
            column=both,
            fix="leave it out of what the intruder knows, or out of the second list",
        )
    return tuple(second)


def _attack_linkability(
    release: Release,
    scenario: Scenario,
    people: People,
    attack: Attack,
    *,
    name: str,
    second: tuple[str, ...],
    seed: int | bytes | None,
) -> AttackResult:
    """How many people of two lists are put together: one has the columns that the intruder knows, the other ``second``."""
    if attack != Bridge():
        raise TacitError(
            f"most cannot be set for the attack {name} here", fix="leave it out: as many pairs are kept as fit"
        )
    if not second:
        return AttackResult(name=name, result=None, why_not=NO_SECOND)
    lacks = next((one for one in second if people.control is not None and one not in people.control.columns), None)
    if lacks is not None:
        raise TacitError("is not in the control", column=lacks, fix="give the control the columns of both lists")
    why_not = attack.applies(release, replace(scenario, also=(people.file.select(second),)))
    if why_not:
        return AttackResult(name=name, result=None, why_not=why_not)
    drawn = None if seed is None else child_seed(seed, "attack", name)
    found = bridge(release, original=people.file, left=scenario.knows, right=second, control=people.control, seed=drawn)
    return AttackResult(name=name, result=found)
