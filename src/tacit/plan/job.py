"""The release job: read, measure, protect, stage, re-read, judge, attack, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ..errors import Cancelled, TacitError
from ..loss import contingency, holdout_prediction, moments, propensity, summary
from ..progress import Progress, report_progress, sub_progress
from ..protect.nonreproducible import nonreproducible_methods
from ..release.files import writable_name
from ..release.kinds import can_have_kind
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..release.write import write
from ..result import Result, Results
from ..risk.disclosure_curve import DisclosureCurve, disclosure_curve
from ..risk.rare_values import rare_values
from ..seed import DEFAULT_SEED, child_seed, secret_seed
from .adversary import Adversary
from .attack_run import AttackResults
from .coverage import Gap, gaps_of_columns, gaps_of_requirements, gaps_of_rows, intruders_considered
from .dp_job import guarantee_gaps
from .engine import engine_use
from .gate import judge_release
from .load import LoadedPlan
from .measure import measure_risks
from .original import original_of
from .outcome import Outcome, Staged
from .privacy import PrivacyGuarantee
from .protection import protect_release
from .register import EarlierAttempts, Fingerprint, attempts_before, fingerprint_of
from .released_identifiers import find_released_identifiers
from .row_links import gaps_of_links
from .staging import staging_folder
from .synthesis import Synthesis, implicate_count, kept_back, refuse_no_generator
from .warnings import column_warnings, guarantee_warnings, unprotected_columns

CATEGORIES, EXTREMES = "categories by column", "extremes by column"

ALONE = 2
"""Fewer than so many people is one: whose category is named in a release that keeps people's records."""


def plan_fingerprint(plan: LoadedPlan) -> Fingerprint:
    """By what the register knows a plan again: its data, all that it does with them, and what it requires."""
    left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}}
    sections = plan.plan.model_dump(mode="json", exclude=left_out)
    required = sections.pop("require")
    return fingerprint_of([plan.data_path], steps=sections, requirements=required)


def run(
    plan: LoadedPlan,
    *,
    seed: int | bytes | None = None,
    out: str | Path | None = None,
    strict: bool = False,
    fingerprint: Fingerprint | None = None,
    say: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Do the job of a plan and stage its result; :func:`tacit.report.publish` puts it into place.

    The seed is 128 bits from the operating system unless one is given; a given seed makes the run repeatable, and the
    outcome then says that it is not for publication. A ``strict`` job lets nothing through that its requirements do not cover.
    The verdict is on the file as it was written and read again. It says how often the same was tried before in ``out``;
    ``fingerprint`` is that of :func:`plan_fingerprint` where it is known already. ``say`` is told before anything is masked that
    the engine lacks methods which the steps would try.
    """
    started = time.monotonic()
    target = Path(out) if out is not None else plan.folder / plan.plan.output.directory
    known = fingerprint or plan_fingerprint(plan)
    attempts = attempts_before(target, known)
    key = secret_seed() if seed is None else seed
    report_progress(progress, "reading", 0.0)
    kept = kept_back(plan, original_of(plan), key)
    original = kept.training
    engine = engine_use(plan, original)
    if say is not None and engine.code is not None:
        say(str(engine))
    adversary = Adversary.of(plan, original, held=kept.held)
    files = _mask_files(plan, original, key, sub_progress(progress, 0.1, 0.6))
    nobodys = plan.plan.synth is not None and bool((files[0].rows() < 0).all())
    before, notes = ((), ()) if nobodys else measure_risks(original)
    with staging_folder(target) as folder:
        report_progress(progress, "writing", 0.6)
        staged, said = _stage_files(plan, files, folder)
        reread = [
            _reread_file(one.release, file, plan.plan.data.as_written)
            for one, file in zip(files, staged.files, strict=True)
        ]
        report_progress(progress, "judging", 0.7)
        verdicts, made, after = judge_release(
            plan, adversary, files, reread, seed=key, progress=sub_progress(progress, 0.7, 0.9)
        )
        report_progress(progress, "comparing", 0.9)
        losses, lacking = _measure_losses(plan, adversary, files, key, sub_progress(progress, 0.9, 1.0))
        rare = describe_rare_values(plan, files, original)
        report_progress(progress, "done", 1.0)
        return Outcome(
            title=plan.plan.title or f"Release of {plan.data_path.name}",
            original=original,
            masked=files[0],
            verdicts=verdicts,
            before=before,
            after=() if nobodys else after,
            attacks=made.attacks,
            learnt=made.learnt,
            presence=made.presence,
            curve=_disclosure_curve(files[0], original),
            losses=losses,
            gaps=(*_find_gaps(plan, adversary, files, made, after, nobodys), *attempts.gaps),
            unprotected=None if nobodys else unprotected_columns(files[0].release),
            intruders=intruders_considered(made, adversary.scenario.knows),
            strict=strict,
            synthesis=None if plan.plan.synth is None else Synthesis.of(files, adversary, kept),
            engine=engine,
            fingerprint=known,
            attempts=attempts,
            notes=(
                *notes,
                *_release_warnings(plan, files[0]),
                *said,
                *lacking,
                *_seed_note(seed),
                *_privacy_warnings(files[0]),
                *_attempt_notes(attempts),
                *((str(engine),) if engine.code is not None else ()),
                *rare,
            ),
            plan=plan.plan.model_dump(mode="json"),
            plan_text=plan.text,
            staged=staged,
            seed=key,
            repeatable=seed is not None,
            missing_codes=original.missing_codes,
            seconds=time.monotonic() - started,
        )


def _mask_files(plan: LoadedPlan, original: Release, key: int | bytes, progress: Progress | None) -> tuple[Masked, ...]:
    """The masked release; several where a plan for synthetic data asks for it, each from a seed of its own."""
    count = implicate_count(plan)
    refuse_no_generator(plan)
    made = []
    for number in range(count):
        own = key if number == 0 else child_seed(key, "implicate", number)
        made.append(protect_release(plan, original, own, sub_progress(progress, number / count, (number + 1) / count)))
    return tuple(made)


def _find_gaps(
    plan: LoadedPlan,
    adversary: Adversary,
    files: Sequence[Masked],
    made: AttackResults,
    after: Sequence[Result],
    invented: bool,
) -> tuple[Gap, ...]:
    """What discloses in the released file and no requirement of the plan covers."""
    original, masked = adversary.original, files[0]
    promised = guarantee_gaps(plan, masked)
    if plan.requirements.privacy is not None and PrivacyGuarantee.of(masked) is not None:
        return promised  # identities, attributes and membership are what the guarantee is about
    uncovered = gaps_of_requirements(
        plan.requirements,
        original,
        made=made,
        after=after,
        invented=invented,
        outsiders=adversary.control is not None,
    )
    undecided = () if invented else gaps_of_columns(masked.release)
    identifiers = find_released_identifiers(masked.release, invented=invented)
    rare = gaps_of_rare_values(plan, files, original)
    linked = () if invented else gaps_of_links(adversary, files[0], made)
    return (*promised, *uncovered, *rare, *undecided, *identifiers, *linked, *gaps_of_rows(original))


def _measure_losses(
    plan: LoadedPlan, adversary: Adversary, files: Sequence[Masked], key: int | bytes, progress: Progress | None
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """What was lost, and what of it could not be measured."""
    synth = plan.plan.synth
    if synth is None:
        return tuple(summary(files[0], original=adversary.original)), ()
    try:
        drawn = child_seed(key, "utility")
        held, targets = adversary.control, tuple(synth.predict)
        return measure_utility(files, adversary.original, held, predict=targets, seed=drawn, progress=progress)
    except TacitError as problem:
        raise plan.locate_error(problem, "synth", "predict") from None


def _stage_files(plan: LoadedPlan, files: Sequence[Masked], folder: Path) -> tuple[Staged, tuple[str, ...]]:
    wanted = plan.plan.output.file or plan.data_path.name
    name = Path(writable_name(wanted))
    written = [folder / one for one in _numbered_names(name, len(files))]
    for one, path in zip(files, written, strict=True):
        write(one.release, path)
        path.chmod(0o600)
    said = () if name.name == wanted else (f"written as {name}: {Path(wanted).suffix} files cannot be written",)
    data = plan.plan.data
    if name.suffix == ".csv" and (data.encoding, data.separator or ",", data.decimal) != ("utf-8", ",", "."):
        said = (*said, "the released CSV is in UTF-8, with commas between cells and decimal points")
    return Staged(folder=folder, files=tuple(written)), said


def _numbered_names(name: Path, count: int) -> list[str]:
    """The names of the files: that of one, or numbered from 1 on."""
    return [name.name] if count == 1 else [f"{name.stem}-{number}{name.suffix}" for number in range(1, count + 1)]


def _reread_file(released: Release, file: Path, as_written: Sequence[str]) -> Release:
    """The written file under the description of the masked release: what a receiver gets, and nothing else."""
    again = read(file, missing=released.missing, as_written=as_written)
    kinds = {column: kind for column, kind in released.kinds.items() if can_have_kind(kind, again.types[column])}
    return again.with_metadata(
        roles=released.roles,
        hierarchies=released.hierarchies,
        levels=released.levels,
        mixed=released.mixed,
        population=released.population,
        kinds=kinds,
    )


def _disclosure_curve(masked: Masked, original: Release) -> DisclosureCurve | None:
    """How near the confidential numbers are to the true ones; None where there are none to compare."""
    try:
        found = disclosure_curve(masked, original=original)
    except TacitError:
        return None
    points = tuple(point for point in found.points if point.column in original.confidential)
    return replace(found, points=points) if points else None


def _release_warnings(plan: LoadedPlan, masked: Masked) -> tuple[str, ...]:
    lost = 0 if plan.plan.synth is not None else int(np.sum(masked.rows() < 0))
    return column_warnings(masked.release) + ((f"{lost} records were invented by the masking",) if lost else ())


def _privacy_warnings(masked: Masked) -> tuple[str, ...]:
    return (*nonreproducible_methods(step.method for step in masked.trace), *guarantee_warnings(masked.trace))


def _attempt_notes(attempts: EarlierAttempts) -> tuple[str, ...]:
    return (str(attempts),) if attempts.total else ()


def _seed_note(seed: int | bytes | None) -> tuple[str, ...]:
    return (
        () if seed is None else ("repeatable, not for publication: whoever knows the seed can undo the random steps",)
    )


def gaps_of_rare_values(plan: LoadedPlan, files: Sequence[Masked], original: Release) -> tuple[Gap, ...]:
    """What fewer than five people of the training data hold and a synthetic file shows; nothing where it is required or guaranteed.

    A plan that requires ``rare_values`` is judged by it; a guarantee of differential privacy covers it, its categories are declared.
    """
    required = any(bound.measure == "rare_values" for bound in plan.requirements.bounds)
    if plan.plan.synth is None or required or PrivacyGuarantee.of(files[0]) is not None:
        return ()
    found = max((rare_values(one, original=original) for one in files), key=lambda one: one.value)
    if not found.value:
        return ()
    facts = {"count": int(found.value), "fewest": found.facts["fewest"]}
    return (Gap(code="rare_values_released", columns=_fact_columns(found), facts=facts),)


def describe_rare_values(plan: LoadedPlan, files: Sequence[Masked], original: Release) -> tuple[str, ...]:
    """Notes for internal eyes: how much of it there was before a synthesis; where records are kept, the columns that show it."""
    if PrivacyGuarantee.of(files[0]) is not None:
        return ()
    if plan.plan.synth is not None:
        before, after = rare_values(original, original=original), rare_values(files[0], original=original)
        said = f"categories and extremes held by fewer than {before.facts['fewest']} people: {before.value:g} in the training data"
        return (f"{said}, {after.value:g} of them in the synthetic file",)
    found = rare_values(files[0], original=original, fewest=ALONE)
    alone, far = _fact_counts(found, CATEGORIES), _fact_counts(found, EXTREMES)
    notes = []
    if alone:
        notes.append(
            f"a category that one person has is released in {', '.join(alone)}: whoever knows of it finds the record"
        )
    if far:
        notes.append(
            f"an extreme that one person has, at least twice as far from the median as the next, is released in {', '.join(far)}: "
            "cut it off with top_bottom_code"
        )
    return tuple(notes)


def _fact_counts(found: Result, fact: str) -> Mapping[str, int]:
    counts = found.facts[fact]
    assert isinstance(counts, Mapping)
    return counts


def _fact_columns(found: Result) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_fact_counts(found, CATEGORIES), *_fact_counts(found, EXTREMES)]))


def measure_utility(
    files: Sequence[Masked],
    original: Release,
    held: Release | None,
    *,
    predict: Sequence[str] = (),
    seed: int | bytes = DEFAULT_SEED,
    progress: Progress | None = None,
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The losses of the files against the training data, the mean over them where they are several; and what could not be measured.

    Moments, or all usual losses where rows can be paired (partial synthesis); pMSE and its ratios; tables of one to three
    columns; and models taught by the file and tested on the people ``held`` back.
    """
    measures: list[tuple[str, Callable[[Masked], Results]]] = [
        ("losses", partial(_default_losses, original=original)),
        ("propensity", lambda one: Results(tuple(propensity(one, original=original, seed=seed))[:1])),
        ("tables of up to three columns", partial(contingency, original=original)),
    ]
    notes: list[str] = []
    if held is not None:
        asked = partial(holdout_prediction, original=original, holdout=held, target=predict or None, seed=seed)
        measures.append(("prediction of people held back", asked))
    else:
        notes.append("prediction of people held back was not measured: nobody was kept back")
    found: list[Result] = []
    for place, (name, measure) in enumerate(measures):
        report_progress(progress, f"measuring utility: {name}", place / len(measures))
        try:
            found += _mean_results([measure(one) for one in files])
        except Cancelled:
            raise
        except TacitError as problem:
            if predict and problem.column in predict:
                raise
            column = f"column {problem.column!r} " if problem.column else ""
            notes.append(f"{name}: not measured, {column}{problem.what} ({problem.fix})")
    return tuple(found), tuple(notes)


def _default_losses(masked: Masked, *, original: Release) -> Results:
    return (moments if (masked.rows() < 0).all() else summary)(masked, original=original)


def _mean_results(found: Sequence[Results]) -> list[Result]:
    """Result by result the mean over the files, with the least and the most; the facts are those of the first."""
    if len(found) == 1:
        return list(found[0])
    shared = {_result_key(one) for one in found[0]}.intersection(
        *({_result_key(one) for one in rest} for rest in found[1:])
    )
    means = []
    for first in found[0]:
        if _result_key(first) not in shared:
            continue
        values = [float(one.value) for part in found for one in part if _result_key(one) == _result_key(first)]
        means.append(
            Result(
                name=first.name,
                column=first.column,
                value=fmean(values),
                worse=first.worse,
                about=first.about,
                facts={**first.facts, "over the files": (float(np.min(values)), float(np.max(values)))},
            )
        )
    return means


def _result_key(result: Result) -> tuple[str, str | None]:
    return result.name, result.column
