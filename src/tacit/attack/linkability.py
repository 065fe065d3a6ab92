"""The mosaic effect in one call: how many people of two halves of a file are put together through its release."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..claims.claims import LinkClaims
from ..claims.gain import above_others
from ..claims.judge import judge
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, check_columns, check_int
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ..seed import child_seed, make_generator, seed_or_default
from .bridge import Bridge

FACTS = ("baseline", "records attacked", "single links", "right single links", "mean candidates", "notes")


def bridge(
    masked: Masked | Release,
    *,
    original: Release,
    left: str | Iterable[str],
    right: str | Iterable[str],
    control: Release | None = None,
    attempts: int | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """The share of people whose two halves an intruder puts together through the release: linkability.

    One list of the intruder has the columns ``left`` of the original's people, another the columns ``right``; they have
    none in common, so that without the release one in n guesses is right (``baseline``). :class:`.Bridge` joins them.
    ``attempts`` people, drawn by ``seed``, are looked for in place of all; the list in which they are looked for stays whole.

    ``control`` holds people who are not in the release, with the same columns. What is right of *their* halves comes from
    how the columns go together in the world (a nurse is likelier a woman), not from anybody's record. Fact ``control`` is
    that share and ``above control`` the difference of the gains over guessing, with its interval; both in lists of
    equal length, the shorter one's: where the control is smaller, ``linked in as short a list`` is the share it is
    compared with. The cost is that of two or three bridges.

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N2", "N3"], "job": ["cook", "smith", "judge"]}), quasi=["zip", "job"])
    >>> bridge(r, original=r, left="zip", right="job").value
    1.0

    References
    ----------
    Article 29 Data Protection Working Party (2014), Opinion 05/2014 on anonymisation techniques (linkability).
    """
    release, original = release_of(masked), release_of(original)
    halves = _check_halves(original, left, right)
    if attempts is not None:
        check_int("attempts", attempts, least=1)
    drawn: int | bytes = seed_or_default(seed)
    found = _bridge_result(release, original, halves, attempts, drawn)
    facts = {name: found.facts[name] for name in FACTS if name in found.facts}
    if control is not None:
        facts |= _control_facts(release, (original, release_of(control)), halves, attempts, (found, drawn))
    return Result(
        name="linkability",
        value=found.value,
        interval=found.interval,
        worse="high",
        about="identity",
        facts=facts,
        per_record=found.per_record if attempts is None else None,
    )


def _check_halves(
    original: Release, left: str | Iterable[str], right: str | Iterable[str]
) -> tuple[tuple[str, ...], ...]:
    halves = check_columns(left, original.columns), check_columns(right, original.columns)
    shared = next((column for column in halves[0] if column in halves[1]), None)
    if shared is not None:
        raise TacitError(
            "is in both lists, which are then linked without the release",
            column=shared,
            fix="name each column on one side only",
        )
    if not halves[0] or not halves[1]:
        raise TacitError("one of the lists has no column", fix="e.g. left=['zip', 'birth'], right=['occupation']")
    return halves


def _bridge_result(
    release: Release, people: Release, halves: tuple[tuple[str, ...], ...], attempts: int | None, seed: int | bytes
) -> Result:
    everybody = np.arange(people.size)
    rows = everybody
    if attempts is not None and attempts < people.size:
        rows = np.sort(make_generator(child_seed(seed, "attempts")).permutation(people.size)[:attempts])
    file = people if len(rows) == people.size else people.take(rows)
    scenario = Scenario(file=file, knows=halves[0], also=(people.select(halves[1]),))
    claims = Bridge().claims(release, scenario, seed=child_seed(seed, "bridge"))
    assert isinstance(claims, LinkClaims)
    return judge(claims, Truth(released=everybody, intruder=rows))


def _control_facts(
    release: Release,
    sides: tuple[Release, Release],
    halves: tuple[tuple[str, ...], ...],
    attempts: int | None,
    made: tuple[Result, int | bytes],
) -> dict[str, object]:
    """The facts about outsiders, in lists as long as those of the people compared with."""
    found, seed = made
    size = min(side.size for side in sides)
    if size == 0:
        raise TacitError("the control has no rows", fix="give people who are not in the release")
    shorter = [
        side
        if side.size == size
        else side.take(np.sort(make_generator(child_seed(seed, name)).permutation(side.size)[:size]))
        for side, name in zip(sides, ("people", "control"), strict=True)
    ]
    own = found if shorter[0] is sides[0] else _bridge_result(release, shorter[0], halves, attempts, seed)
    others = _bridge_result(release, shorter[1], halves, attempts, seed)
    difference, interval = above_others(own, others)
    facts: dict[str, object] = {} if own is found else {"linked in as short a list": own.value}
    return {**facts, "control": others.value, "above control": difference, "above control, interval": interval}
