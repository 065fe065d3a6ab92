"""Judge how many people of two lists an attack puts together through a release, beside people who are not in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..claims.claims import PairClaims
from ..claims.gain import above_others
from ..claims.judge import judge
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError
from ..result import Result
from ..seed import child_seed, make_generator

if TYPE_CHECKING:
    from ..release.release import Release
    from .attack import Attack


FACTS = ("baseline", "records attacked", "single links", "right single links", "mean candidates", "notes")


def judge_pairs(
    attack: Attack,
    release: Release,
    people: Release,
    lists: tuple[tuple[str, ...], tuple[str, ...]],
    *,
    control: Release | None,
    attempts: int | None = None,
    seed: int | bytes,
) -> Result:
    """The share of people whose records in two lists, with these columns each, the attack joins; see :func:`.bridge.bridge`."""
    found = _joined_share(attack, release, people, lists, attempts, seed)
    facts = {name: found.facts[name] for name in FACTS if name in found.facts}
    if control is not None:
        facts |= _control_facts(attack, release, (people, control), lists, attempts, (found, seed))
    return Result(
        name="linkability",
        value=found.value,
        interval=found.interval,
        worse="high",
        about="identity",
        facts=facts,
        per_record=found.per_record if attempts is None else None,
    )


def _joined_share(
    attack: Attack,
    release: Release,
    people: Release,
    lists: tuple[tuple[str, ...], ...],
    attempts: int | None,
    seed: int | bytes,
) -> Result:
    everybody = np.arange(people.size)
    rows = everybody
    if attempts is not None and attempts < people.size:
        rows = np.sort(make_generator(child_seed(seed, "attempts")).permutation(people.size)[:attempts])
    file = people if len(rows) == people.size else people.take(rows)
    scenario = Scenario(file=file, knows=lists[0], also=(people.select(lists[1]),))
    claims = attack.claims(release, scenario, seed=child_seed(seed, "bridge"))
    assert isinstance(claims, PairClaims)
    return judge(claims, Truth(released=everybody, intruder=rows))


def _control_facts(
    attack: Attack,
    release: Release,
    sides: tuple[Release, Release],
    lists: tuple[tuple[str, ...], ...],
    attempts: int | None,
    made: tuple[Result, int | bytes],
) -> dict[str, object]:
    """The facts about outsiders, in lists as long as those of the people compared with."""
    found, seed = made
    size = min(side.size for side in sides)
    if size == 0:
        raise TacitError(
            "the control has no rows", code="too_few_records", fix="give people who are not in the release"
        )
    shorter = [
        side
        if side.size == size
        else side.take(np.sort(make_generator(child_seed(seed, name)).permutation(side.size)[:size]))
        for side, name in zip(sides, ("people", "control"), strict=True)
    ]
    own = found if shorter[0] is sides[0] else _joined_share(attack, release, shorter[0], lists, attempts, seed)
    others = _joined_share(attack, release, shorter[1], lists, attempts, seed)
    difference, interval = above_others(own, others)
    facts: dict[str, object] = {} if own is found else {"linked in as short a list": own.value}
    return {**facts, "control": others.value, "above control": difference, "above control, interval": interval}
