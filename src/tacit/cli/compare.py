"""``tacit compare ORIGINAL MASKED``: how much information was lost, and what is disclosed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Key, Ladders, Lineage, PlanFile, SameOrder, original_file

__all__ = ["add", "compare"]


def compare(
    original: Annotated[Path, typer.Argument(help="The original file.")],
    masked: Annotated[Path, typer.Argument(help="The masked file.")],
    key: Key = None,
    same_order: SameOrder = False,
    lineage: Lineage = None,
    plan: PlanFile = None,
    hierarchy: Ladders = None,
    percent: Annotated[float, typer.Option(help="Width of the intervals in which a number counts as disclosed.")] = 10,
    as_json: Json = False,
) -> None:
    """Compare a masked file with its original: means, variances, correlations; row by row when rows can be paired.

    A released file is in random order: say with --lineage, --key or --same-order which rows belong together to see
    squared errors, generalisation and suppression too, and what is disclosed: the share of original numbers that lie
    near their masked ones, by rank and by standard deviation, and of categories that are as they were.

    Example:  tacit compare patients.csv out/public/patients.csv --plan plan.toml --lineage out/internal/lineage.parquet
    """
    from ..plan.pairing import Pairing
    from ..plan.recompare import recompared
    from ..result import Results

    paired = key is not None or same_order or lineage is not None
    pairing = Pairing(key=key, same_order=same_order, lineage=lineage) if paired else None
    found = recompared(masked, original_file(original, plan, hierarchy), pairing=pairing, percent=percent)
    if as_json:
        every = [one.as_json() for one in (*found.losses, *found.disclosed)]
        print(json.dumps(every, ensure_ascii=False, indent=2, default=str))
    else:
        print(found.losses)
        if found.disclosed:
            print(f"\nWhat is disclosed\n{Results(found.disclosed)}")
    if not paired:
        typer.echo("\nnote: rows are not paired, so only the columns as a whole are compared", err=True)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(compare)
