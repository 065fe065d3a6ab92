"""What commands show: progress on the error stream, results on the output as text or JSON."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..json_text import json_text
from ._interrupt import is_interrupted

if TYPE_CHECKING:
    from ..errors import Note
    from ..plan.commit import CommitResult
    from ..plan.job_outcome import JobOutcome
    from ..plan.publish import JobT, OutcomeT, Runner
    from ..progress import Progress


def check_page(report: Path | None) -> None:
    """Refuse a file for a report that cannot be written, before the work begins."""
    if report is not None:
        from ..report import page_target

        page_target(report)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json_text(value))


def print_warning(warning: Note, *, as_json: bool) -> None:
    """Print a warning on the error stream; a pipeline that asked for JSON gets its code and fields."""
    told = json_text({"warning": warning.as_json()}, indent=None) if as_json else f"warning: {warning}"
    print(told, file=sys.stderr)


def print_note(text: str) -> None:
    """Print a note on the error stream."""
    print(f"note: {text}", file=sys.stderr)


def run_job(
    job: JobT,
    run: Runner[JobT, OutcomeT],
    out: Path | None,
    *,
    seed: str | None = None,
    strict: bool = False,
    keep_rejected: bool = False,
) -> tuple[OutcomeT, CommitResult]:
    """Run and publish a job of any kind under a progress bar; ``seed`` is as it was typed."""
    from ..plan.publish import run_and_publish
    from ..report import render
    from ..seed import read_seed

    chosen = None if seed is None else read_seed(seed)
    with progress_bar() as progress:
        return run_and_publish(
            job, run, out, render=render, seed=chosen, strict=strict, keep_rejected=keep_rejected, progress=progress
        )


def print_outcome(outcome: JobOutcome, placed: CommitResult, *, as_json: bool, verb: str = "published") -> None:
    """Print what came of a job of any kind, and where its results are."""
    from ..report import summary

    if as_json:
        print_json(outcome.as_json() | placed.as_json())
    else:
        print(f"{summary(outcome)}\n\n{_placed_text(placed, verb)}")


def _placed_text(placed: CommitResult, verb: str) -> str:
    """Where the result of an attempt is, and that an earlier release is still there when nothing came of this one."""
    lines = [f"report for the review board  {placed.internal / 'report.html'}"]
    lines.append(f"{verb:<28} {placed.public or 'nothing'}")
    if placed.public is None and (placed.folder / "public").exists():
        lines.append(f"the release before it stays  {placed.folder / 'public'}")
    return "\n".join(lines)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on a terminal's error stream, silent in a pipe; answers False after an interruption."""

    def still() -> bool:
        return not is_interrupted()

    if not sys.stderr.isatty():
        yield lambda *_: still()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=1.0)

        def report(step: str, share: float) -> bool:
            shown.update(task, description=step, completed=share)
            return still()

        yield report


def outlive_peers() -> None:
    """Take a connection that was closed for an error of that connection, which the server knows how to handle.

    Other commands are ended by a closed pipe, as :func:`tacit.cli.main` wants it; to a server, this would be its end.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
