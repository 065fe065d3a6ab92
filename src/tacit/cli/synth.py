"""``tacit synth PLAN``: synthetic files made, attacked and measured in one job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Strict


def synth(
    plan: Annotated[
        Path, typer.Argument(help="The plan file (TOML); [synth] says who is kept back, how many are made.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder for public/ and internal/; wins over [output].")] = None,
    seed: Annotated[
        str | None,
        typer.Option(help="Make the run repeatable (a number, or the text of seed.txt); not for publication then."),
    ] = None,
    keep_rejected: Annotated[bool, typer.Option(help="Keep rejected files in internal/.")] = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Make synthetic files as the plan says, attack them beside people kept back, measure their use, and publish them.

    It is tacit release for a plan one of whose steps is a generator. Exit code 0: released. 1: a requirement is not
    met, or the run is strict and something is not covered; nothing is released. 2: a mistake in plan or data.

    Example:  tacit synth plan.toml --out out
    """
    from ..plan import load
    from ..plan.synthesis import as_synthesis
    from .job import run_and_exit

    run_and_exit(as_synthesis(load(plan)), out, seed=seed, keep_rejected=keep_rejected, strict=strict, as_json=as_json)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(synth)
