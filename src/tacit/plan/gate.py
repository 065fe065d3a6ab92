"""The gate: models and attacks on the file as a receiver gets it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..attack import ALL as ATTACKS
from ..attack.attack import Attack
from ..attack.attacked import Attacked, attacked
from ..claims import Scenario, Truth
from ..errors import TacitError, instead
from ..models.verdict import Verdict
from ..progress import Progress
from ..release.masked import Masked
from ..release.release import Release
from ..release.trace import Trace
from ..result import Result
from .load import LoadedPlan
from .measure import measured
from .original import control_of
from .require import REIDENTIFICATION, Requirements

__all__ = ["attacks_on_identity", "judged", "verdicts_on"]


def judged(
    plan: LoadedPlan,
    original: Release,
    masked: Masked,
    reread: Release,
    *,
    seed: int | bytes,
    progress: Progress | None,
) -> tuple[tuple[Verdict, ...], tuple[Attacked, ...], tuple[Result, ...]]:
    """The verdicts on the re-read file, the attacks behind them, and its risk measures."""
    knows = tuple(plan.plan.intruder.knows or original.quasi)
    try:
        scenario = Scenario(file=original, knows=knows, told=_told(plan, masked), inside=True, covers=True)
    except TacitError as problem:
        raise plan.at(problem, "intruder", "knows") from None
    control = _control(plan, scenario)
    truth = Truth.by_lineage(masked.rows(), original.size)
    chosen = attacks_on_identity(plan.attacks)
    attacks = attacked(reread, scenario, truth, chosen, control=control, seed=seed, progress=progress)
    try:
        verdicts = verdicts_on(plan.requirements, reread, attacks)
    except TacitError as problem:
        raise plan.at(problem, "require") from None
    after, _ = measured(reread)
    return verdicts, attacks, after


def _control(plan: LoadedPlan, scenario: Scenario) -> Scenario | None:
    """The same intruder with a list of people who are not in the release."""
    people = control_of(plan)
    if people is None:
        return None
    try:
        return Scenario(file=people, knows=scenario.knows, told=scenario.told)
    except TacitError as problem:
        raise plan.at(problem, "intruder", "control") from None


def attacks_on_identity(
    parameters: Mapping[str, Mapping[str, Any]], *, only: Collection[str] = ()
) -> dict[str, Attack]:
    """Every attack on identities, or the named ones, with parameters; those on values and membership have other truths."""
    known = {name: entry for name, entry in ATTACKS.items() if "identity" in entry.tags.about}
    unknown = next((name for name in only if name not in known), None)
    if unknown is not None:
        said = "finds values, not people" if unknown in ATTACKS else "is unknown"
        raise TacitError(f"the attack {unknown!r} {said}", fix=instead(unknown, list(known)))
    chosen = {name: entry for name, entry in known.items() if not only or name in only}
    return {name: entry.call(**parameters.get(name, {})) for name, entry in chosen.items()}


def verdicts_on(requirements: Requirements, release: Release, attacks: tuple[Attacked, ...]) -> tuple[Verdict, ...]:
    """A verdict for each requirement; re-identification by the worst upper bound over the attacks."""
    verdicts = [model.holds(release) for model in (*requirements.models.values(), *requirements.bounds)]
    if requirements.reidentification is not None:
        verdicts.append(_reidentification(requirements, attacks))
    return tuple(verdicts)


def _reidentification(requirements: Requirements, attacks: tuple[Attacked, ...]) -> Verdict:
    assert requirements.reidentification is not None
    results = [attack.result for attack in attacks if attack.result is not None]
    if not results:
        raise TacitError(
            f"{REIDENTIFICATION} cannot be judged: no attack applies",
            fix="give the intruder a column that the release has",
        )
    worst = max(results, key=lambda result: result.worst_case)
    verdict = requirements.reidentification.holds(worst)
    notes = [f"attack {attack.name} was not run: {attack.why_not}" for attack in attacks if attack.why_not]
    if not verdict.holds and worst.value <= verdict.required:
        notes.append(
            "the found share meets the bound, but the file is too small to be sure: the interval's upper end counts"
        )
    return Verdict(**{**verdict.as_json(), "notes": tuple(notes)})


def _told(plan: LoadedPlan, masked: Masked) -> tuple[Trace, ...]:
    """What the intruder reads about the masking: nothing, the names of the methods, or the published trace."""
    if plan.plan.intruder.told == "nothing":
        return ()
    if plan.plan.intruder.told == "method":
        return tuple(Trace(step.method, {}) for step in masked.trace)
    return masked.trace
