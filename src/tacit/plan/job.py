"""The release job: read, measure, protect, stage, re-read, judge, attack, compare."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import TacitError
from ..loss import summary
from ..progress import Progress, part, report
from ..protect.drawn_anew import drawn_anew
from ..release.files import writable_name
from ..release.kinds import fits
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..release.write import write
from ..risk.disclosure_curve import DisclosureCurve, disclosure_curve
from ..seed import secret
from .gate import judged
from .load import LoadedPlan
from .measure import measured
from .original import original_of
from .outcome import Outcome, Staged
from .protected import protected
from .warnings import unattacked, warned

__all__ = ["run"]


def run(
    plan: LoadedPlan,
    *,
    seed: int | bytes | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Do the job of a plan and stage its result; :func:`tacit.report.publish` puts it into place.

    The seed is 128 bits from the operating system unless one is given; a given seed makes the run repeatable, and the
    outcome then says that it is not for publication. The verdict is on the file as it was written and read again.
    """
    started = time.monotonic()
    key = secret() if seed is None else seed
    report(progress, "reading", 0.0)
    original = original_of(plan)
    before, notes = measured(original)
    masked = protected(plan, original, key, part(progress, 0.1, 0.6))
    target = Path(out) if out is not None else plan.folder / plan.plan.output.directory
    with _staging(target) as folder:
        report(progress, "writing", 0.6)
        staged, said = _staged(plan, masked, folder)
        reread = _reread(masked.release, staged.file)
        report(progress, "judging", 0.7)
        verdicts, made, after = judged(plan, original, masked, reread, seed=key, progress=part(progress, 0.7, 0.9))
        report(progress, "comparing", 0.9)
        losses = summary(masked, original=original)
        report(progress, "done", 1.0)
        return Outcome(
            title=plan.plan.title or f"Release of {plan.data_path.name}",
            original=original,
            masked=masked,
            verdicts=verdicts,
            before=before,
            after=after,
            attacks=made.attacks,
            learnt=made.learnt,
            presence=made.presence,
            curve=_curve(masked, original),
            losses=tuple(losses),
            unattacked=unattacked(masked.release),
            notes=(
                *notes,
                *_warnings(masked),
                *said,
                *_seed_note(seed),
                *drawn_anew(step.method for step in masked.trace),
            ),
            plan=plan.plan.model_dump(mode="json"),
            plan_text=plan.text,
            staged=staged,
            seed=key,
            repeatable=seed is not None,
            missing_codes=original.missing_codes,
            seconds=time.monotonic() - started,
        )


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A folder beside the target, removed when the job does not end well."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".tacit-", dir=target.parent))
    except OSError as problem:
        raise TacitError(
            f"the folder of {str(target)!r} cannot be written", fix="choose another with --out"
        ) from problem
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _staged(plan: LoadedPlan, masked: Masked, folder: Path) -> tuple[Staged, tuple[str, ...]]:
    wanted = plan.plan.output.file or plan.data_path.name
    name = writable_name(wanted)
    write(masked.release, folder / name)
    said = () if name == wanted else (f"written as {name}: {Path(wanted).suffix} files cannot be written",)
    data = plan.plan.data
    if name.endswith(".csv") and (data.encoding, data.separator or ",", data.decimal) != ("utf-8", ",", "."):
        said = (*said, "the released CSV is in UTF-8, with commas between cells and decimal points")
    return Staged(folder=folder, file=folder / name), said


def _reread(released: Release, file: Path) -> Release:
    """The written file under the description of the masked release: what a receiver gets, and nothing else."""
    again = read(file, missing=released.missing)
    kinds = {column: kind for column, kind in released.kinds.items() if fits(kind, again.types[column])}
    return again.described(
        roles=released.roles,
        hierarchies=released.hierarchies,
        levels=released.levels,
        mixed=released.mixed,
        population=released.population,
        kinds=kinds,
    )


def _curve(masked: Masked, original: Release) -> DisclosureCurve | None:
    """How near the confidential numbers are to the true ones; None where there are none to compare."""
    try:
        found = disclosure_curve(masked, original=original)
    except TacitError:
        return None
    points = tuple(point for point in found.points if point.column in original.confidential)
    return replace(found, points=points) if points else None


def _warnings(masked: Masked) -> tuple[str, ...]:
    lost = int(np.sum(masked.rows() < 0))
    return warned(masked.release) + ((f"{lost} records were invented by the masking",) if lost else ())


def _seed_note(seed: int | bytes | None) -> tuple[str, ...]:
    return (
        () if seed is None else ("repeatable, not for publication: whoever knows the seed can undo the random steps",)
    )
