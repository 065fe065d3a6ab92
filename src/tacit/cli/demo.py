"""``tacit demo``: the main job on example data, from nothing to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["add", "demo"]


def demo(out: Annotated[Path, typer.Option(help="Folder for data, plan and report.")] = Path("demo")) -> None:
    """Make a clinic register, protect it by a plan, attack the result, and write the reports.

    Example:  tacit demo --out demo
    """
    from ..plan import load
    from .job import released
    from .written import write_example

    write_example("clinic", out, rows=4000, seed=0, replace=True)
    print(f"data and plan                {out / 'clinic.csv'}, {out / 'plan.toml'}\n")
    outcome = released(load(out / "plan.toml"), out / "out", seed=None, keep_rejected=False, as_json=False)
    raise typer.Exit(0 if outcome.holds else 1)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(demo)
