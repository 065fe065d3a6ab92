"""The common case in one call: how many people an intruder finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..release.trace import Trace
from ..result import Result
from ._scenarios import scenario_of, truth_of
from .registry import Attacks, resolve_attacks
from .runner import AttackResult, People, run_attacks


def reidentify(
    masked: Masked | Release,
    *,
    original: Release | Scenario,
    knows: str | Iterable[str] | None = None,
    told: tuple[Trace, ...] | None = None,
    lineage: np.ndarray | None = None,
    truth: Truth | Literal["by lineage"] | None = "by lineage",
    attack: Attacks = None,
    control: Release | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """The share of the original's people whom an intruder finds in the masked release, by the worst attack.

    The worst case: the intruder knows the columns ``knows`` (all quasi-identifiers when absent) of everybody and is told
    the trace (``told``: something else, () for nothing). Any other intruder is given as a :class:`~tacit.claims.Scenario` in the place of
    ``original``, with its own file, knowledge, and what it is told. Every attack on identities that applies is made, or
    those named by ``attack``; the result is that with the highest upper end of its interval, and its facts say which
    attack it was and which were not made. ``control`` holds people who are not in the release; ``seed`` is for attacks
    that draw. The cost is that of the attacks, see :class:`Distance`.

    A bare release needs its ``lineage``, the original row of every released row (−1 where it was invented), or a
    ``truth``. With ``truth=None`` nobody knows who is who: the result tells what the intruder believes, and says so.

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"age": [20, 31, 44, 59]}), quasi="age", kinds={"age": "continuous"})
    >>> reidentify(r, original=r, lineage=np.arange(4)).value
    1.0
    """
    done = every_attack(
        masked,
        scenario_of(masked, original, knows=knows, told=told),
        truth=truth_of(masked, original, lineage) if truth == "by lineage" else truth,
        attack=attack,
        control=control,
        seed=seed,
    )
    worst = worst_of(done)
    not_made = [f"{one.name}: {one.why_not}" for one in done if one.why_not]
    assert worst.result is not None
    found = worst.result.with_facts(attack=worst.name)
    return found.with_facts(**{"not made": not_made}) if not_made else found


def every_attack(
    masked: Masked | Release,
    scenario: Scenario,
    *,
    truth: Truth | None,
    attack: Attacks = None,
    control: Release | None = None,
    seed: int | bytes | None = None,
) -> tuple[AttackResult, ...]:
    """The attacks asked for (all on identities when absent), made on the release by the scenario's intruder."""
    others = None if control is None else release_of(control)
    people = People(truth=truth, file=scenario.file, control=others)
    return run_attacks(release_of(masked), scenario, people, resolve_attacks(attack), seed=seed)


def worst_of(
    done: tuple[AttackResult, ...], *, fix: str = "say with knows= what the intruder has of the release"
) -> AttackResult:
    """The attack with the highest upper end of its interval; where none was made, an error with this ``fix``."""
    made = [one for one in done if one.result is not None]
    if not made:
        not_made = "; ".join(f"{one.name}: {one.why_not}" for one in done)
        raise TacitError(f"no attack can be made ({not_made})", code="not_applicable", fix=fix)
    return max(made, key=lambda one: one.result.worst_case if one.result is not None else 0.0)
