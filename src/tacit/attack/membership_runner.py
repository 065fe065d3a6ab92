"""Attacks on presence, made and judged: who is in the data, and who is singled out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..claims.claims import MemberClaims
from ..claims.copies import score_copies
from ..claims.judge import judge
from ..claims.roc import roc
from ..claims.truth import Truth
from ..claims.worst_records import worst_members
from ..errors import Cancelled, TacitError
from ..progress import report_progress, sub_progress
from ..release.households import one_per_household
from ..seed import DEFAULT_SEED, child_seed, make_generator, seed_or_default
from .control_group import with_outsiders
from .file_membership import Membership
from .runner import AttackResult
from .singling_out import SinglingOut
from .synthetic.copies import Copies
from .synthetic.shadow_generators import ShadowGenerators

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from .attack import Attack
    from .values.runner import People


OUTSIDERS = "it needs a list of people who are not in the release (control)"


def run_membership_attacks(
    release: Release,
    scenario: Scenario,
    people: People,
    attacks: Mapping[str, Attack],
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Every attack that applies: those on membership on the people and the control together, singling out on the people.

    The population of the file is what densities are compared with, or where it has none the people of the control
    (:class:`.CrossFittedMembership`). Costs those of the attacks.
    """
    done: list[AttackResult] = []
    for place, (name, attack) in enumerate(attacks.items()):
        report_progress(progress, f"attacking: {name}", place / len(attacks))
        drawn = child_seed(seed_or_default(seed), "attack", name)
        share = sub_progress(progress, place / len(attacks), (place + 1) / len(attacks))
        made = _run_singling_out if isinstance(attack, SinglingOut) else _run_membership
        done.append(made(release, scenario, people, attack, name=name, seed=drawn, progress=share))
    return tuple(done)


def _run_singling_out(
    release: Release,
    scenario: Scenario,
    people: People,
    attack: Attack,
    *,
    name: str,
    seed: bytes,
    progress: Progress | None,
) -> AttackResult:
    why_not = attack.applies(release, scenario)
    if why_not is not None:
        return AttackResult(name=name, result=None, why_not=why_not)
    nobody = np.zeros(0, dtype=np.int64)
    truth = Truth(released=nobody, intruder=nobody, people=people.file, others=people.control)
    return AttackResult(name=name, result=judge(attack.claims(release, scenario, seed=seed, progress=progress), truth))


def _run_membership(
    release: Release,
    scenario: Scenario,
    people: People,
    attack: Attack,
    *,
    name: str,
    seed: bytes,
    progress: Progress | None,
) -> AttackResult:
    """Members and outsiders in one list; a program that cannot be run on a part of it is a reason, not an error."""
    if people.control is None or people.truth is None:
        return AttackResult(name=name, result=None, why_not=OUTSIDERS)
    listed = with_outsiders(scenario, people.control, population=people.file.population)
    if isinstance(attack, Membership) and attack.by == "density" and not listed.also:
        attack = CrossFittedMembership(attack=attack, control=people.control)
    why_not = attack.applies(release, listed)
    if why_not is not None:
        return AttackResult(name=name, result=None, why_not=why_not)
    try:
        return judged_members(attack, release, listed, people.truth, name=name, seed=seed, progress=progress)
    except Cancelled:
        raise
    except TacitError as problem:
        if not isinstance(attack, ShadowGenerators):
            raise
        return AttackResult(name=name, result=None, why_not=problem.what)


def judged_members(
    attack: Attack,
    release: Release,
    listed: Scenario,
    truth: Truth,
    *,
    name: str = "membership",
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> AttackResult:
    """What an attack on membership says of a list whose first rows are those of the truth, all others being outsiders.

    Where no released row is anybody's (a synthetic file), everybody of the truth went into it.
    """
    claims = attack.claims(release, listed, seed=seed, progress=progress)
    if not isinstance(claims, MemberClaims):
        raise TacitError(
            f"{type(attack).__name__} does not claim who is in the release", fix="e.g. attack=tacit.attack.Membership()"
        )
    outside = np.full(listed.file.size - len(truth.intruder), -1)
    whole = Truth(released=truth.made_from(), intruder=np.append(truth.intruder, outside))
    inside = whole.in_release()
    if isinstance(attack, Copies):
        result, gain = score_copies(claims, inside)
        return AttackResult(name=name, result=result, gain=gain)
    return AttackResult(
        name=name, result=judge(claims, whole), roc=roc(claims, inside), worst=worst_members(claims, inside)
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossFittedMembership:
    """A comparison of densities where the only people like those of the data are the outsiders, the last of the list.

    Were an outsider compared with all of them, it would meet itself there, and its family: the population would be denser
    around outsiders than around members whatever was released. So the outsiders are dealt into two halves, a household
    into one, and each is compared with the other half; members with either, at random. All meet as many people, none of
    them its own. Costs twice a :class:`.Membership` of half the people.
    """

    attack: Membership
    control: Release

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if min(np.bincount(self._control_halves(0), minlength=2)) <= self.attack.nearest:
            return f"half of the people kept back are fewer than {self.attack.nearest + 1}"
        return self.attack.applies(release, replace(scenario, also=(self.control,)))

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> MemberClaims:
        """The scores of both halves; the same scale, because distances are measured in units of the release."""
        drawn = seed if isinstance(seed, int | bytes) else DEFAULT_SEED
        halves, members = self._control_halves(drawn), scenario.file.size - self.control.size
        either = make_generator(child_seed(drawn, "members")).permutation(members) % 2
        with_half = np.append(either, 1 - halves)
        scores = np.empty(scenario.file.size)
        for half in (0, 1):
            asked = np.flatnonzero(with_half == half)
            like = self.control.take(np.flatnonzero(halves == half))
            alone = replace(scenario, file=scenario.file.take(asked), also=(like,), households=None)
            scores[asked] = self.attack.claims(release, alone, progress=progress).scores
        return MemberClaims(scores=scores, threshold=0.0, facts={"records of the population": self.control.size // 2})

    def _control_halves(self, seed: int | bytes) -> np.ndarray:
        """The half of each outsider."""
        first, units = one_per_household(self.control)
        order: np.ndarray = make_generator(child_seed(seed, "halves")).permutation(len(first)) % 2
        found: np.ndarray = order[units]
        return found
