"""``tacit attack MASKED --original FILE``: link a masked file back to its original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from .options import Columns, Json, Ladders, described, listed

if TYPE_CHECKING:
    from ..release.release import Release

__all__ = ["add"]


def attack(
    masked: Annotated[Path, typer.Argument(help="The masked file, as it would be published.")],
    original: Annotated[Path, typer.Option(help="The original file: what the worst intruder knows.")],
    knows: Annotated[
        Columns, typer.Option(help="Columns that the intruder knows; default: the plan's quasi-identifiers, else all.")
    ] = None,
    key: Annotated[Optional[str], typer.Option(help="Column that names the person in both files.")] = None,  # noqa: UP045
    same_order: Annotated[bool, typer.Option(help="Row i of both files is the same person.")] = False,
    lineage: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="The lineage file of a release job (internal/lineage.parquet)."),
    ] = None,
    plan: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="The plan of the release job: tells hierarchies and kinds, and how the original is read."),
    ] = None,
    hierarchy: Ladders = None,
    at_most: Annotated[Optional[float], typer.Option(help="Exit with 1 when more may be re-identified.")] = None,  # noqa: UP045
    as_json: Json = False,
) -> None:
    """Attack a masked file with every attack that applies, and count who is found.

    How rows belong together must be said: --key COLUMN, --same-order or --lineage FILE. The attacks do not see it.

    Example:  tacit attack out/public/patients.csv --original patients.csv --plan plan.toml --lineage out/internal/lineage.parquet
    """
    from ..models import Threshold
    from ..plan.reattack import reattacked

    known = _original(original, plan, hierarchy)
    attacks, warnings = reattacked(masked, known, knows=listed(knows), key=key, same_order=same_order, lineage=lineage)
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
    raise typer.Exit(0 if held else 1)


def _original(path: Path, plan: Path | None, hierarchies: Columns) -> Release:
    if plan is None:
        return described(path, hierarchies=hierarchies)
    from ..plan import load, original_of

    loaded = load(plan)
    return original_of(loaded.reading(path))[0]


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(attack)
