"""``tacit example``, ``tacit demo`` and ``tacit warm``: example data, the whole job on them, and compiled kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..seed import DEFAULT_SEED
from .terminal import progress_bar


def example(
    name: Annotated[str | None, typer.Argument(help="The example; all are listed when absent.")] = None,
    out: Annotated[Path, typer.Option(help="Folder to write it to.")] = Path(),
    rows: Annotated[int | None, typer.Option(help="How many records (clinic, companies).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the generator (clinic, companies).")] = DEFAULT_SEED,
) -> None:
    """Write example data, its hierarchies and a plan.

    Example:  tacit example clinic --out try --rows 5000
    """
    from ..plan.example_files import examples_listed, write_example

    if name is None:
        print(examples_listed())
        return
    for path in write_example(name, out, rows=rows, seed=seed):
        print(path)


def demo(out: Annotated[Path, typer.Option(help="Folder for data, plan and report.")] = Path("demo")) -> None:
    """Make a clinic register, protect it by a plan, attack the result, and write the reports.

    Example:  tacit demo --out demo
    """
    from ..kernels.warm import JOB, has_uncompiled, warm_kernels
    from ..plan import load
    from ..plan.example_files import write_example
    from .release import run_release

    write_example("clinic", out, rows=4000, replace=True)
    print(f"data and plan                {out / 'clinic.csv'}, {out / 'plan.toml'}\n")
    if has_uncompiled(JOB):  # on all cores at once; the job would compile one kernel after the other
        with progress_bar() as progress:
            warm_kernels(lambda name, share: progress(f"compiling {name}, the first time only", share), only=JOB)
    outcome = run_release(load(out / "plan.toml"), out / "out")
    raise typer.Exit(0 if outcome.passes else 1)


def warm() -> None:
    """Compile all kernels (one or two minutes the first time; kept on disk).

    Example:  tacit warm
    """
    from ..kernels.warm import warm_kernels

    with progress_bar() as progress:
        warm_kernels(progress)
