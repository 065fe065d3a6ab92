"""Attacks on presence, made and judged: who is in the data, and who is singled out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..claims.claims import MemberClaims
from ..claims.judge import judge
from ..claims.roc import Roc, roc
from ..claims.truth import Truth
from ..errors import TacitError
from ..progress import part, report
from ..seed import child
from .attacked import Attacked
from .singling_out import SinglingOut

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..release.release import Release
    from ..result import Result
    from .attack import Attack
    from .values.learnt import People

__all__ = ["judged_members", "present", "with_outsiders"]

OUTSIDERS = "it needs a list of people who are not in the release (control)"


def present(
    release: Release,
    scenario: Scenario,
    people: People,
    attacks: Mapping[str, Attack],
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[Attacked, ...]:
    """Every attack that applies: those on membership on the people and the control together, singling out on the people.

    The population of the file, where it has one, is what densities are compared with. Costs those of the attacks.
    """
    done: list[Attacked] = []
    for place, (name, attack) in enumerate(attacks.items()):
        report(progress, f"attacking: {name}", place / len(attacks))
        drawn = child(0 if seed is None else seed, "attack", name)
        share = part(progress, place / len(attacks), (place + 1) / len(attacks))
        result: Result | None = None
        curve: Roc | None = None
        if isinstance(attack, SinglingOut):
            why_not = attack.applies(release, scenario)
            if why_not is None:
                nobody = np.zeros(0, dtype=np.int64)
                truth = Truth(released=nobody, intruder=nobody, people=people.file, others=people.control)
                result = judge(attack.claims(release, scenario, seed=drawn, progress=share), truth)
        elif people.control is None or people.truth is None:
            why_not = OUTSIDERS
        else:
            listed = with_outsiders(scenario, people.control, population=people.file.population)
            why_not = attack.applies(release, listed)
            if why_not is None:
                result, curve = judged_members(attack, release, listed, people.truth, seed=drawn, progress=share)
        done.append(Attacked(name=name, result=result, why_not=why_not, roc=curve))
    return tuple(done)


def with_outsiders(scenario: Scenario, control: Release, *, population: Release | None = None) -> Scenario:
    """The same intruder with one list of its people and of others who are not in the release."""
    lacks = next((column for column in scenario.knows if column not in control.columns), None)
    if lacks is not None:
        raise TacitError(
            "is not in the control", column=lacks, fix="give the control the columns that the intruder knows"
        )
    listed = scenario.file.extended(pl.DataFrame([control.series(column) for column in scenario.knows]))
    also = scenario.also if population is None else (population,)
    return replace(scenario, file=listed, inside=False, covers=False, acquaintances=None, also=also)


def judged_members(
    attack: Attack,
    release: Release,
    listed: Scenario,
    truth: Truth,
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[Result, Roc]:
    """What an attack on membership says of a list whose first rows are those of the truth, all others being outsiders.

    Where no released row is anybody's (a synthetic file), everybody of the truth went into it.
    """
    claims = attack.claims(release, listed, seed=seed, progress=progress)
    if not isinstance(claims, MemberClaims):
        raise TacitError(
            f"{type(attack).__name__} does not claim who is in the release", fix="e.g. attack=tacit.attack.Membership()"
        )
    released = truth.released if (truth.released >= 0).any() else truth.intruder
    outside = np.full(listed.file.size - len(truth.intruder), -1)
    whole = Truth(released=released, intruder=np.append(truth.intruder, outside))
    return judge(claims, whole), roc(claims, whole.present())
