"""``tacit example NAME``: example data with a plan, to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def example(
    name: Annotated[str | None, typer.Argument(help="The example; all are listed when absent.")] = None,
    out: Annotated[Path, typer.Option(help="Folder to write it to.")] = Path(),
    rows: Annotated[int | None, typer.Option(help="How many records (clinic, companies).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the generator (clinic, companies).")] = 0,
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


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(example)
