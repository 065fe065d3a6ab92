"""A release job on the terminal: progress on the error stream, the statement on the output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ..plan import LoadedPlan, Outcome
    from ..progress import Progress
    from ..report.commit import CommitResult


def run_and_exit(
    plan: LoadedPlan, out: Path | None, *, seed: str | None, keep_rejected: bool, strict: bool, as_json: bool
) -> NoReturn:
    """Run and publish a plan as a command does, and end with its exit code."""
    import typer

    from ..seed import read_seed

    target = out if out is not None else plan.folder / plan.plan.output.directory
    chosen = None if seed is None else read_seed(seed)
    outcome = run_job(plan, target, seed=chosen, keep_rejected=keep_rejected, strict=strict, as_json=as_json)
    raise typer.Exit(0 if outcome.passes else 1)


def run_job(
    plan: LoadedPlan,
    out: Path,
    *,
    seed: int | bytes | None,
    keep_rejected: bool,
    as_json: bool,
    strict: bool = False,
) -> Outcome:
    """Run and publish a plan, and say what came of it."""
    from ..report import summary
    from ..report.release_job import run_release_job as run_and_publish

    with progress_bar() as progress:
        outcome, placed = run_and_publish(
            plan, out, seed=seed, keep_rejected=keep_rejected, strict=strict, say=_say_note, progress=progress
        )
    if as_json:
        print(json.dumps(outcome.as_json() | placed.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        print(summary(outcome))
        print("\n" + placed_text(placed, released="released"))
    return outcome


def placed_text(placed: CommitResult, *, released: str = "published") -> str:
    """Where the result of an attempt is, and that an earlier release is still there when nothing came of this one."""
    lines = [f"report for the review board  {placed.internal / 'report.html'}"]
    lines.append(f"{released:<28} {placed.public or 'nothing'}")
    if placed.public is None and (placed.folder / "public").exists():
        lines.append(f"the release before it stays  {placed.folder / 'public'}")
    return "\n".join(lines)


def _say_note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on a terminal's error stream, silent in a pipe; answers False after an interruption."""
    from .. import cli

    def still() -> bool:
        return not cli.interrupted

    if not sys.stderr.isatty():
        yield lambda *_: still()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=1.0)

        def told(step: str, share: float) -> bool:
            shown.update(task, description=step, completed=share)
            return still()

        yield told
