"""``tacit release PLAN`` and ``tacit synth PLAN``: the whole job."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .options import Json, OutFolder, PlanArgument, ReleaseSeed, Strict
from .terminal import print_note, print_outcome, run_job

if TYPE_CHECKING:
    from ..plan import LoadedPlan, Outcome


def release(
    plan: PlanArgument,
    out: OutFolder = None,
    seed: ReleaseSeed = None,
    keep_rejected: Annotated[bool, typer.Option(help="Keep a rejected file in internal/.")] = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Protect a file as the plan says, attack the result, and publish it if every requirement holds.

    Exit code 0: released. 1: a requirement is not met, or the run is strict and something is not covered; nothing is
    released. 2: a mistake in plan or data.

    Example:  tacit release plan.toml --out out
    """
    from ..plan import load

    _run_and_exit(load(plan), out, seed=seed, keep_rejected=keep_rejected, strict=strict, as_json=as_json)


def synth(
    plan: Annotated[
        Path, typer.Argument(help="The plan file (TOML); [synth] says who is kept back, how many are made.")
    ],
    out: OutFolder = None,
    seed: ReleaseSeed = None,
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

    loaded = as_synthesis(load(plan))
    _run_and_exit(loaded, out, seed=seed, keep_rejected=keep_rejected, strict=strict, as_json=as_json)


def _run_and_exit(
    plan: LoadedPlan, out: Path | None, *, seed: str | None, keep_rejected: bool, strict: bool, as_json: bool
) -> NoReturn:
    """Run and publish a plan, and end with its exit code."""
    outcome = run_release(plan, out, seed=seed, keep_rejected=keep_rejected, strict=strict, as_json=as_json)
    raise typer.Exit(0 if outcome.passes else 1)


def run_release(
    plan: LoadedPlan,
    out: Path | None,
    *,
    seed: str | None = None,
    keep_rejected: bool = False,
    as_json: bool = False,
    strict: bool = False,
) -> Outcome:
    """Run and publish a plan, and print what came of it."""
    from ..plan import run

    announced = partial(run, say=print_note)
    outcome, placed = run_job(plan, announced, out, seed=seed, strict=strict, keep_rejected=keep_rejected)
    print_outcome(outcome, placed, as_json=as_json, verb="released")
    return outcome
