"""``tacit demo``: the main job on example data, from nothing to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(out: Annotated[Path, typer.Option(help="Folder for data, plan and report.")] = Path("demo")) -> None:
    """Make a clinic register, protect it by a plan, attack the result, and write the reports.

    Example:  tacit demo --out demo
    """
    from ..kernels.warm import JOB, has_uncompiled
    from ..kernels.warm import warm_kernels as compiled
    from ..plan import load
    from ..plan.example_files import write_example
    from .job import progress_bar, run_job

    write_example("clinic", out, rows=4000, seed=0, replace=True)
    print(f"data and plan                {out / 'clinic.csv'}, {out / 'plan.toml'}\n")
    if has_uncompiled(JOB):  # on all cores at once; the job would compile one kernel after the other
        with progress_bar() as progress:
            compiled(lambda name, share: progress(f"compiling {name}, the first time only", share), only=JOB)
    outcome = run_job(load(out / "plan.toml"), out / "out", seed=None, keep_rejected=False, as_json=False)
    raise typer.Exit(0 if outcome.passes else 1)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(demo)
