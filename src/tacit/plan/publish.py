"""Run a job and publish its outcome: the same for microdata, synthetic data, tables, networks and rules, from every face.

    out/public/     the data, report.html, trace.json: all that is published
    out/internal/   report.html, result.json, plan.toml, seed.txt, attempt.json, and what the kind of job adds: lineage.parquet,
                    missing_codes.json, learnt_from.parquet (the rows that a generator saw), cells.csv, formats/

When a requirement fails, the report goes to ``out/refused/<number>/internal`` and ``public/`` and ``internal/`` stay as they
are. A release that is approved takes their place, and they move to ``out/earlier/<number>``. Files in ``internal/`` that are
not of the above names (a key, say) are never touched; ``public/`` is ours as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar

from ..errors import TacitError
from ..json_text import json_text
from ..progress import Progress, report_progress
from ..seed import written_seed
from .commit import REJECTED, REPORT, RESULT, TRACE, CommitResult, commit_job, open_output, refuse_foreign
from .job_outcome import JobFile, JobOutcome, text_file
from .register import Fingerprint

Renderer: TypeAlias = Callable[[JobOutcome, Literal["internal", "public"]], str]
"""What makes the page of an outcome for an audience: :func:`tacit.report.render`."""

JobT = TypeVar("JobT", bound="Job")
JobT_contra = TypeVar("JobT_contra", bound="Job", contravariant=True)
OutcomeT = TypeVar("OutcomeT", bound=JobOutcome)
OutcomeT_co = TypeVar("OutcomeT_co", bound=JobOutcome, covariant=True)


class Job(Protocol):
    """A job that is ready to run, of any kind: what it reads, where it writes, and by what the register knows it again."""

    @property
    def inputs(self) -> Sequence[Path]:
        """All files that the job reads, the plan among them."""
        ...

    @property
    def output_folder(self) -> Path:
        """The folder that the plan names for its result."""
        ...

    def fingerprint(self) -> Fingerprint:
        """Hashes of the data, of all that is done with them, and of what is required."""
        ...


class Runner(Protocol[JobT_contra, OutcomeT_co]):
    """What runs one kind of job: it reads the data, protects, stages, judges, attacks and compares, and publishes nothing."""

    def __call__(
        self,
        job: JobT_contra,
        /,
        *,
        seed: int | bytes | None,
        out: Path,
        strict: bool,
        fingerprint: Fingerprint,
        progress: Progress | None,
    ) -> OutcomeT_co:
        """Run the job with a verdict at the end."""
        ...


def run_and_publish(
    job: JobT,
    run: Runner[JobT, OutcomeT],
    out: Path | None = None,
    *,
    render: Renderer,
    seed: int | bytes | None = None,
    strict: bool = False,
    keep_rejected: bool = False,
    progress: Progress | None = None,
) -> tuple[OutcomeT, CommitResult]:
    """Run a job and put its outcome into ``out``, else into the folder that its plan names; inputs are never written over.

    ``seed`` makes the run repeatable, and then it is not for publication. A ``strict`` job publishes nothing while something
    that discloses is covered by no requirement. With ``keep_rejected`` data that fail are kept beside their report.
    """
    target = job.output_folder if out is None else out
    fingerprint = job.fingerprint()
    with open_output(target, job.inputs, fingerprint=fingerprint):
        outcome = run(job, seed=seed, out=target, strict=strict, fingerprint=fingerprint, progress=progress)
        report_progress(progress, "publishing", 1.0)
        return outcome, publish_outcome(outcome, target, render=render, keep_rejected=keep_rejected)


def publish_outcome(
    outcome: JobOutcome, out: str | Path, *, render: Renderer, keep_rejected: bool = False
) -> CommitResult:
    """Write the pages and files of an outcome and move them into ``out`` at once; returns where they are.

    Only a release that passes gets into ``public/`` and ``internal/``, and the one before it is kept under ``earlier/``; the
    report of one that does not goes under ``refused/``, that of an audit under ``audits/``. What was staged is removed.
    """
    if not isinstance(outcome, JobOutcome):
        raise TacitError(
            f"a {type(outcome).__name__} cannot be published",
            code="invalid_plan",
            fix="publish what tacit.plan.run returned",
        )
    outcome.check_publishable()
    target = Path(out)
    refuse_foreign(target)
    try:
        return commit_job(
            target,
            lambda folder: _write_folders(outcome, folder, render, keep_rejected=keep_rejected),
            state=outcome.state if outcome.is_release else "audit",
            approved=outcome.is_release and outcome.passes,
            fingerprint=outcome.fingerprint,
            intruders=[f"{one.code}.{attack}" for one in outcome.intruders for attack in one.attacks],
        )
    finally:
        outcome.discard_staged()


def _write_folders(outcome: JobOutcome, folder: Path, render: Renderer, *, keep_rejected: bool) -> None:
    """Fill ``public/`` and ``internal/`` below a staging folder; ``result.json`` comes last, because it lists all files."""
    public, internal = folder / "public", folder / "internal"
    if outcome.is_release and outcome.passes:
        _write_files(public, _described_files(outcome, render))
        # What is staged is private; what is published is as readable as the trace beside it.
        mode = (public / TRACE).stat().st_mode
        for file in _write_files(public, outcome.public_files()):
            file.chmod(mode)
    elif outcome.is_release and keep_rejected:
        _write_files(internal / REJECTED, outcome.public_files())
    _write_files(internal, _kept_files(outcome, render))
    _write_files(internal, outcome.internal_files())
    written = (path for part in (public, internal) for path in part.rglob("*") if path.is_file())
    files = sorted(path.relative_to(folder).as_posix() for path in written)
    _write_files(internal, [text_file(RESULT, json_text(outcome.as_json() | {"files": files}) + "\n")])


def _described_files(outcome: JobOutcome, render: Renderer) -> Iterator[JobFile]:
    """The public page and the public trace."""
    yield text_file(REPORT, render(outcome, "public"))
    yield text_file(TRACE, json_text([step.as_json(public=True) for step in outcome.trace]) + "\n")


def _kept_files(outcome: JobOutcome, render: Renderer) -> Iterator[JobFile]:
    """What every kind of job keeps: the internal page, the plan and the seed."""
    yield text_file(REPORT, render(outcome, "internal"))
    if outcome.plan_text:
        yield text_file("plan.toml", outcome.plan_text)
    if outcome.seed is not None:
        yield text_file("seed.txt", written_seed(outcome.seed) + "\n")


def _write_files(folder: Path, files: Iterable[JobFile]) -> list[Path]:
    written = []
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        file.write(path)
        written.append(path)
    return written
