"""The gate: models and attacks on the file as a receiver gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attack.values.learnt import REST, People
from ..claims import Scenario, Truth
from ..errors import TacitError, names
from ..models.threshold import Threshold
from ..models.verdict import Verdict
from ..progress import Progress
from ..release.masked import Masked
from ..release.release import Release
from ..release.trace import Trace
from ..result import Result
from .load import LoadedPlan
from .made import Chosen, Made, apart, attacked_by_all
from .measure import measured
from .original import also_of, control_of
from .require import Requirements

if TYPE_CHECKING:
    import numpy as np

__all__ = ["judged", "verdicts_on"]

REMEDY = {
    "attribute_inference": "declare a confidential column that the release keeps, and one that the intruder knows",
    "linkability": "name columns that the intruder does not know and the release has: second = […] under [intruder]",
    "membership": "name a file of people who are not in the data: control = … under [intruder]",
}
GENERAL = "give the intruder a column that the release has"
NO_OUTSIDERS = (
    "what is learnt was judged above what the rest of the people teach, which is too little where records were masked "
    "together (a class that shares one value teaches it without the person): name people who are not in the data, "
    "control = … under [intruder]"
)


def judged(
    plan: LoadedPlan,
    original: Release,
    masked: Masked,
    reread: Release,
    *,
    seed: int | bytes,
    progress: Progress | None,
) -> tuple[tuple[Verdict, ...], Made, tuple[Result, ...]]:
    """The verdicts on the re-read file, the attacks behind them, and its risk measures."""
    knows = tuple(plan.plan.intruder.knows or original.quasi)
    also = also_of(plan, original, knows)
    try:
        scenario = Scenario(file=original, knows=knows, told=_told(plan, masked), inside=True, covers=True, also=also)
    except TacitError as problem:
        raise plan.at(problem, "intruder", "knows") from None
    truth = Truth.by_lineage(masked.rows(), original.size)
    people = People(truth=truth, file=original, control=_control(plan, scenario))
    chosen = Chosen.of(
        plan.attacks,
        columns=original.confidential,
        required=plan.requirements.attacks,
        second=_second(plan, scenario, original),
    )
    made = attacked_by_all(reread, scenario, people, chosen, seed=seed, progress=progress)
    try:
        verdicts = verdicts_on(plan.requirements, reread, made, original=original, lineage=masked.rows())
    except TacitError as problem:
        raise plan.at(problem, "require", *([problem.where] if problem.where in plan.plan.require else [])) from None
    after, _ = measured(reread)
    return verdicts, made, after


def _control(plan: LoadedPlan, scenario: Scenario) -> Release | None:
    """The people who are not in the release; their list has to have the columns that the intruder knows."""
    people = control_of(plan)
    if people is not None:
        try:
            Scenario(file=people, knows=scenario.knows)
        except TacitError as problem:
            raise plan.at(problem, "intruder", "control") from None
    return people


def _second(plan: LoadedPlan, scenario: Scenario, original: Release) -> tuple[str, ...]:
    """The columns of the intruder's second list: of the data, and none that is in its first."""
    try:
        return apart(names(plan.plan.intruder.second, original.columns), scenario.knows)
    except TacitError as problem:
        raise plan.at(problem, "intruder", "second") from None


def verdicts_on(
    requirements: Requirements,
    release: Release,
    made: Made,
    *,
    original: Release | None = None,
    lineage: np.ndarray | None = None,
) -> tuple[Verdict, ...]:
    """A verdict for each requirement; what attacks find by the worst upper bound over them."""
    verdicts = requirements.judged(release, original=original, lineage=lineage)
    verdicts += [_on_attacks(name, bound, made) for name, bound in requirements.attacks.items()]
    return tuple(verdicts)


def _on_attacks(name: str, bound: Threshold, made: Made) -> Verdict:
    attacks = made.behind(name)
    results = [found for attack in attacks if (found := attack.gain or attack.result) is not None]
    if not results:
        why = "; ".join(f"{attack.name}: {attack.why_not}" for attack in attacks if attack.why_not)
        raise TacitError(
            f"{name} cannot be judged: no attack applies" + (f" ({why})" if why else ""),
            fix=REMEDY.get(name, GENERAL),
            where=name,
        )
    worst = max(results, key=lambda result: result.worst_case)
    verdict = bound.holds(worst)
    notes = [f"attack {attack.name} was not run: {attack.why_not}" for attack in attacks if attack.why_not]
    if not verdict.holds and worst.value <= verdict.required:
        notes.append(
            "the found share meets the bound, but the file is too small to be sure: the interval's upper end counts"
        )
    if worst.facts.get("beside") == REST:
        notes.append(NO_OUTSIDERS)
    return Verdict(**{**verdict.as_json(), "notes": tuple(dict.fromkeys(notes))})


def _told(plan: LoadedPlan, masked: Masked) -> tuple[Trace, ...]:
    """What the intruder reads about the masking: nothing, the names of the methods, or the published trace."""
    if plan.plan.intruder.told == "nothing":
        return ()
    if plan.plan.intruder.told == "method":
        return tuple(Trace(step.method, {}) for step in masked.trace)
    return masked.trace
