"""The release job on microdata: read, measure, protect, stage, re-read, judge, attack, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import TacitError
from ..loss import summary
from ..progress import Progress, report_progress, sub_progress
from ..protect.nonreproducible import nonreproducible_methods
from ..release.files import writable_name
from ..release.kinds import can_have_kind
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..release.write import write
from ..result import Result
from ..risk.disclosure_curve import DisclosureCurve, disclosure_curve
from ..seed import child_seed, secret_seed
from .adversary import Adversary
from .attack_run import AttackResults
from .coverage import Gap, gaps_of_columns, gaps_of_requirements, gaps_of_rows, intruders_considered
from .dp_job import guarantee_gaps
from .engine import EngineUse, engine_use
from .gate import judge_release
from .load import LoadedPlan
from .measure import measure_risks
from .original import original_of
from .outcome import Outcome, Staged
from .privacy import PrivacyGuarantee
from .protection import protect_release
from .register import EarlierAttempts, Fingerprint, attempts_before
from .released_values import describe_rare_values, find_released_identifiers, gaps_of_rare_values
from .row_links import gaps_of_links
from .staging import staging_folder
from .synthesis import HeldOut, Synthesis, implicate_count, kept_back, measure_utility, refuse_no_generator
from .warnings import column_warnings, guarantee_warnings, unprotected_columns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _MaskedData:
    """The masked file, or several synthetic ones, with what they were made from and who attacks them."""

    plan: LoadedPlan
    key: int | bytes
    kept: HeldOut
    adversary: Adversary
    engine: EngineUse
    files: tuple[Masked, ...]

    @property
    def original(self) -> Release:
        return self.kept.training

    @property
    def masked(self) -> Masked:
        return self.files[0]

    @property
    def is_fully_synthetic(self) -> bool:
        """Whether no record of the file is anybody's."""
        return self.plan.plan.synth is not None and bool((self.masked.rows() < 0).all())


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
    ``fingerprint`` is that of the plan where it is known already. ``say`` is told before anything is masked that
    the engine lacks methods which the steps would try.
    """
    started = time.monotonic()
    target = plan.output_folder if out is None else Path(out)
    known = fingerprint or plan.fingerprint()
    attempts = attempts_before(target, known)
    data = _mask_data(plan, secret_seed() if seed is None else seed, say, progress)
    before, unmeasured = ((), ()) if data.is_fully_synthetic else measure_risks(data.original)
    with staging_folder(target) as folder:
        report_progress(progress, "writing", 0.6)
        staged, staging_notes = _stage_files(plan, data.files, folder)
        outcome = _judge_and_compare(data, staged, progress)
        report_progress(progress, "done", 1.0)
        return replace(
            outcome,
            before=before,
            gaps=(*outcome.gaps, *attempts.gaps),
            notes=(
                *unmeasured,
                *_release_warnings(data),
                *staging_notes,
                *outcome.notes,
                *_seed_note(seed),
                *_privacy_warnings(data.masked),
                *_attempt_notes(attempts),
                *((str(data.engine),) if data.engine.code is not None else ()),
                *describe_rare_values(plan, data.files, data.original),
            ),
            strict=strict,
            fingerprint=known,
            attempts=attempts,
            repeatable=seed is not None,
            seconds=time.monotonic() - started,
        )


def _mask_data(
    plan: LoadedPlan, key: int | bytes, say: Callable[[str], None] | None, progress: Progress | None
) -> _MaskedData:
    """Read the data, keep people back where the plan asks for it, and mask or synthesise the rest."""
    report_progress(progress, "reading", 0.0)
    kept = kept_back(plan, original_of(plan), key)
    engine = engine_use(plan, kept.training)
    if say is not None and engine.code is not None:
        say(str(engine))
    adversary = Adversary.of(plan, kept.training, held=kept.held)
    files = _mask_files(plan, kept.training, key, sub_progress(progress, 0.1, 0.6))
    return _MaskedData(plan=plan, key=key, kept=kept, adversary=adversary, engine=engine, files=files)


def _judge_and_compare(data: _MaskedData, staged: Staged, progress: Progress | None) -> Outcome:
    """Judge and attack the files as they were written and read again, and compare them with the original."""
    plan, adversary, synthetic = data.plan, data.adversary, data.is_fully_synthetic
    reread = [
        _reread_file(one.release, file, plan.plan.data.as_written)
        for one, file in zip(data.files, staged.files, strict=True)
    ]
    report_progress(progress, "judging", 0.7)
    verdicts, made, after = judge_release(
        plan, adversary, data.files, reread, seed=data.key, progress=sub_progress(progress, 0.7, 0.9)
    )
    report_progress(progress, "comparing", 0.9)
    losses, unmeasured = _measure_losses(data, sub_progress(progress, 0.9, 1.0))
    return Outcome(
        title=plan.plan.title or f"Release of {plan.data_path.name}",
        original=data.original,
        masked=data.masked,
        verdicts=verdicts,
        after=() if synthetic else after,
        attacks=made.attacks,
        learnt=made.learnt,
        presence=made.presence,
        curve=_disclosure_curve(data.masked, data.original),
        losses=losses,
        gaps=_find_gaps(data, made, after),
        unprotected=None if synthetic else unprotected_columns(data.masked.release),
        intruders=intruders_considered(made, adversary.scenario.knows),
        synthesis=None if plan.plan.synth is None else Synthesis.of(data.files, adversary, data.kept),
        engine=data.engine,
        notes=unmeasured,
        plan=plan.plan.model_dump(mode="json"),
        plan_text=plan.text,
        staged=staged,
        seed=data.key,
        missing_codes=data.original.missing_codes,
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


def _find_gaps(data: _MaskedData, made: AttackResults, after: Sequence[Result]) -> tuple[Gap, ...]:
    """What discloses in the released file and no requirement of the plan covers."""
    plan, original, masked, synthetic = data.plan, data.original, data.masked, data.is_fully_synthetic
    promised = guarantee_gaps(plan, masked)
    if plan.requirements.privacy is not None and PrivacyGuarantee.of(masked) is not None:
        return promised  # identities, attributes and membership are what the guarantee is about
    uncovered = gaps_of_requirements(
        plan.requirements,
        original,
        made=made,
        after=after,
        invented=synthetic,
        outsiders=data.adversary.control is not None,
    )
    undecided = () if synthetic else gaps_of_columns(masked.release)
    identifiers = find_released_identifiers(masked.release, invented=synthetic)
    rare = gaps_of_rare_values(plan, data.files, original)
    linked = () if synthetic else gaps_of_links(data.adversary, masked, made)
    return (*promised, *uncovered, *rare, *undecided, *identifiers, *linked, *gaps_of_rows(original))


def _measure_losses(data: _MaskedData, progress: Progress | None) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """What was lost, and what of it could not be measured."""
    synth = data.plan.plan.synth
    if synth is None:
        return tuple(summary(data.masked, original=data.original)), ()
    try:
        drawn, held = child_seed(data.key, "utility"), data.adversary.control
        return measure_utility(
            data.files, data.original, held, predict=tuple(synth.predict), seed=drawn, progress=progress
        )
    except TacitError as problem:
        raise data.plan.locate_error(problem, "synth", "predict") from None


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


def _release_warnings(data: _MaskedData) -> tuple[str, ...]:
    lost = 0 if data.plan.plan.synth is not None else int(np.sum(data.masked.rows() < 0))
    warnings = column_warnings(data.masked.release)
    return warnings + ((f"{lost} records were invented by the masking",) if lost else ())


def _privacy_warnings(masked: Masked) -> tuple[str, ...]:
    return (*nonreproducible_methods(step.method for step in masked.trace), *guarantee_warnings(masked.trace))


def _attempt_notes(attempts: EarlierAttempts) -> tuple[str, ...]:
    return (str(attempts),) if attempts.total else ()


def _seed_note(seed: int | bytes | None) -> tuple[str, ...]:
    return (
        () if seed is None else ("repeatable, not for publication: whoever knows the seed can undo the random steps",)
    )
