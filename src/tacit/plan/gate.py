"""The gate: models and attacks on the file as a receiver gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..attack._value_scoring import REST
from ..attack.runner import AttackResult
from ..errors import Note, TacitError
from ..models.threshold import Threshold
from ..models.verdict import Verdict
from ..progress import Progress
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result
from .adversary import Adversary
from .attack_run import AttackResults, AttackSelection, run_all_attacks
from .load import LoadedPlan
from .measure import measure_risks
from .require import Requirements
from .synthesis import attack_by_distance, chosen_attacks, masking_program, pool_files

if TYPE_CHECKING:
    import numpy as np


REMEDY = {
    "attribute_inference": "declare a confidential column that the release keeps, and one that the intruder knows",
    "copies": "keep people back, holdout = 0.2 under [synth], or name some who are not in the data: control = … under [intruder]",
    "linkability": "name columns that the intruder does not know and the release has: second = […] under [intruder]",
    "membership": "name a file of people who are not in the data: control = … under [intruder]",
    "worst_records": "keep people back, holdout = 0.2 under [synth], or name some who are not in the data: control = … under [intruder]",
}
NOBODYS = (
    "in a file whose records are nobody's there is nobody to find: require copies, membership or attribute_inference"
)
GENERAL = "give the intruder a column that the release has"
NO_OUTSIDERS = (
    "what is learnt was judged above what the rest of the people teach, which is too little where records were masked "
    "together (a class that shares one value teaches it without the person): name people who are not in the data, "
    "control = … under [intruder]"
)


def judge_release(
    plan: LoadedPlan,
    adversary: Adversary,
    files: Sequence[Masked],
    reread: Sequence[Release],
    *,
    seed: int | bytes,
    progress: Progress | None,
) -> tuple[tuple[Verdict, ...], AttackResults, tuple[Result, ...]]:
    """The verdicts on the re-read files, the attacks behind them, and the risk measures of the first.

    Several synthetic files are attacked together, because whoever has one has all; a model has to hold on each.
    """
    original = adversary.original
    masked, release = (
        pool_files(files),
        pool_files([replace(one, release=again) for one, again in zip(files, reread, strict=True)]).release,
    )
    made = attacks_on(plan, adversary, masked, release, seed=seed, progress=progress)
    try:
        each = [
            plan.requirements.judge(again, original=original, lineage=one.rows())
            for one, again in zip(files, reread, strict=True)
        ]
        models = [min(alike, key=lambda one: (one.holds, one.margin)) for alike in zip(*each, strict=True)]
        privacy = plan.requirements.privacy
        promised = () if privacy is None else (privacy.holds(files[0]),)
        verdicts = (*promised, *models, *on_attacks(plan.requirements, made))
    except TacitError as problem:
        raise plan.locate_error(
            problem, "require", *([problem.where] if problem.where in plan.plan.require else [])
        ) from None
    return verdicts, made, measure_risks(reread[0])[0]


def attacks_on(
    plan: LoadedPlan,
    adversary: Adversary,
    masked: Masked,
    release: Release,
    *,
    seed: int | bytes,
    progress: Progress | None,
) -> AttackResults:
    """All attacks of a plan on the release as a receiver gets it; on a synthetic one every sort, and the distance to the closest record."""
    scenario, people = adversary.scenario_for(masked)
    columns = adversary.original.confidential
    required, second = plan.requirements.attacks, adversary.second
    chosen = AttackSelection.of(plan.attacks, columns=columns, required=required, second=second)
    if plan.plan.synth is None:
        return run_all_attacks(release, scenario, people, chosen, seed=seed, progress=progress)
    chosen = chosen_attacks(plan, adversary, masked, chosen)
    scenario = replace(scenario, program=masking_program(plan))
    made = run_all_attacks(release, scenario, people, chosen, seed=seed, progress=progress)
    return replace(made, results=(attack_by_distance(release, adversary), *made.results))


def verdicts_on(
    requirements: Requirements,
    release: Release,
    made: AttackResults,
    *,
    original: Release | None = None,
    lineage: np.ndarray | None = None,
) -> tuple[Verdict, ...]:
    """A verdict for each requirement; what attacks find by the worst upper bound over them."""
    return (*requirements.judge(release, original=original, lineage=lineage), *on_attacks(requirements, made))


def on_attacks(requirements: Requirements, made: AttackResults) -> tuple[Verdict, ...]:
    """A verdict for each requirement on attacks."""
    return tuple(_on_attacks(name, bound, made) for name, bound in requirements.attacks.items())


def results_behind(name: str, made: AttackResults) -> list[Result]:
    """What the attacks behind a requirement found; an error when none of them applies, because nothing is known then."""
    return [result for _, result in _found_behind(name, made)]


def _found_behind(name: str, made: AttackResults) -> list[tuple[str, Result]]:
    """The same beside the names of the attacks, with the column that each was about."""
    attacks = made.attacks_behind(name)
    results = [
        (f"{attack.name} of {found.column}" if found.column else attack.name, found)
        for attack in attacks
        if (found := _bounded_result(name, attack)) is not None
    ]
    if not results and name == "reidentification" and not attacks:
        raise TacitError("reidentification cannot be judged", code="not_applicable", fix=NOBODYS, where=name)
    if not results:
        why = "; ".join(f"{attack.name}: {attack.why_not}" for attack in attacks if attack.why_not)
        raise TacitError(
            f"{name} cannot be judged: no attack applies" + (f" ({why})" if why else ""),
            code="not_applicable",
            fix=REMEDY.get(name, GENERAL),
            where=name,
        )
    return results


def _bounded_result(name: str, attack: AttackResult) -> Result | None:
    """What of an attack a requirement is held against."""
    return attack.worst if name == "worst_records" else attack.gain or attack.result


def _on_attacks(name: str, bound: Threshold, made: AttackResults) -> Verdict:
    by, worst = max(_found_behind(name, made), key=lambda found: found[1].worst_case)
    verdict = bound.holds(worst)
    notes = [
        Note(f"attack {one.name} was not run: {one.why_not}", code="attack_not_run", attack=one.name)
        for one in made.attacks_behind(name)
        if one.why_not
    ]
    if not verdict.holds and worst.value <= verdict.required:
        said = "the found share meets the bound, but the file is too small to be sure: the interval's upper end counts"
        notes.append(Note(said, code="too_small_to_be_sure"))
    if worst.facts.get("beside") == REST:
        notes.append(Note(NO_OUTSIDERS, code="no_outsiders"))
    return replace(verdict, notes=tuple(dict.fromkeys(notes)), by=by)
