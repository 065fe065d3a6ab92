"""``tacit attack MASKED --original FILE``: link a masked file back to its original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from ..errors import TacitError
from .options import Columns, Json, Key, Ladders, Lineage, PlanFile, SameOrder, listed, original_file

__all__ = ["add", "attack"]


def attack(
    masked: Annotated[Path, typer.Argument(help="The masked file, as it would be published.")],
    original: Annotated[Path, typer.Option(help="The original file: what the worst intruder knows.")],
    knows: Annotated[
        Columns, typer.Option(help="Columns that the intruder knows; default: the plan's quasi-identifiers, else all.")
    ] = None,
    key: Key = None,
    same_order: SameOrder = False,
    lineage: Lineage = None,
    plan: PlanFile = None,
    hierarchy: Ladders = None,
    at_most: Annotated[Optional[float], typer.Option(help="Exit with 1 when more may be re-identified.")] = None,  # noqa: UP045
    as_json: Json = False,
) -> None:
    """Attack a masked file with every attack that applies, and count who is found.

    How rows belong together must be said: --key COLUMN, --same-order or --lineage FILE. The attacks do not see it.

    Example:  tacit attack out/public/patients.csv --original patients.csv --plan plan.toml --lineage out/internal/lineage.parquet
    """
    from ..models import Threshold
    from ..plan.pairing import Pairing
    from ..plan.reattack import reattacked

    known = original_file(original, plan, hierarchy)
    if at_most is not None and not 0 < at_most <= 1:
        raise TacitError(f"--at-most {at_most:g} is not a share", fix="give a number in (0, 1], e.g. --at-most 0.05")
    pairing = Pairing(key=key, same_order=same_order, lineage=lineage)
    attacks, warnings = reattacked(masked, known, knows=listed(knows), pairing=pairing)
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)
    results = [attacked.result for attacked in attacks if attacked.result is not None]
    if as_json:
        plain = [
            {"name": a.name, "result": a.result.as_json() if a.result else None, "not run": a.why_not} for a in attacks
        ]
        print(json.dumps(plain, ensure_ascii=False, indent=2, default=str))
    else:
        for attacked in attacks:
            print(f"attack: {attacked.name}")
            print(attacked.result if attacked.result is not None else f"not run: {attacked.why_not}")
    held = at_most is None or all(Threshold(at_most=at_most).holds(result) for result in results)
    if held and at_most is not None and any("left out: it has values" in warning for warning in warnings):
        raise TacitError(
            "--at-most cannot be judged: columns could not be compared", fix="give --plan PLAN or --hierarchy"
        )
    raise typer.Exit(0 if held else 1)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(attack)
