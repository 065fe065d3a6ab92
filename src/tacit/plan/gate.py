"""The gate: models and attacks on the file as a receiver gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attack.values.learnt import REST
from ..errors import TacitError
from ..models.threshold import Threshold
from ..models.verdict import Verdict
from ..progress import Progress
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from .adversary import Adversary
from .load import LoadedPlan
from .made import Chosen, Made, attacked_by_all
from .measure import measured
from .require import Requirements

if TYPE_CHECKING:
    import numpy as np

__all__ = ["judged", "results_behind", "verdicts_on"]

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
    adversary = Adversary.of(plan, original)
    scenario, people = adversary.facing(masked)
    chosen = Chosen.of(
        plan.attacks,
        columns=original.confidential,
        required=plan.requirements.attacks,
        second=adversary.second,
    )
    made = attacked_by_all(reread, scenario, people, chosen, seed=seed, progress=progress)
    try:
        verdicts = verdicts_on(plan.requirements, reread, made, original=original, lineage=masked.rows())
    except TacitError as problem:
        raise plan.at(problem, "require", *([problem.where] if problem.where in plan.plan.require else [])) from None
    after, _ = measured(reread)
    return verdicts, made, after


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


def results_behind(name: str, made: Made) -> list[Result]:
    """What the attacks behind a requirement found; an error when none of them applies, because nothing is known then."""
    attacks = made.behind(name)
    results = [found for attack in attacks if (found := attack.gain or attack.result) is not None]
    if not results:
        why = "; ".join(f"{attack.name}: {attack.why_not}" for attack in attacks if attack.why_not)
        raise TacitError(
            f"{name} cannot be judged: no attack applies" + (f" ({why})" if why else ""),
            fix=REMEDY.get(name, GENERAL),
            where=name,
        )
    return results


def _on_attacks(name: str, bound: Threshold, made: Made) -> Verdict:
    worst = max(results_behind(name, made), key=lambda result: result.worst_case)
    verdict = bound.holds(worst)
    notes = [f"attack {one.name} was not run: {one.why_not}" for one in made.behind(name) if one.why_not]
    if not verdict.holds and worst.value <= verdict.required:
        notes.append(
            "the found share meets the bound, but the file is too small to be sure: the interval's upper end counts"
        )
    if worst.facts.get("beside") == REST:
        notes.append(NO_OUTSIDERS)
    return Verdict(**{**verdict.as_json(), "notes": tuple(dict.fromkeys(notes))})
