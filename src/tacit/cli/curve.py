"""``tacit curve PLAN``: how re-identification falls with one parameter of a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json


def curve(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML).")],
    parameter: Annotated[str, typer.Option(help="The parameter of a step that is varied, e.g. percent.")],
    values: Annotated[str, typer.Option(help="Its values, with commas between them, e.g. 2,5,10,20.")],
    step: Annotated[
        int | None,
        typer.Option(help="Which step, counted from 1; needed when several take it."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Make the run repeatable.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write the report to this HTML file.")] = None,
    as_json: Json = False,
) -> None:
    """Mask the file of a plan with several values of one parameter, and attack each; nothing is released.

    Example:  tacit curve plan.toml --parameter percent --values 2,5,10,20 --report curve.html
    """
    from ..plan import load
    from ..plan.curve import parameter_curve
    from .job import progress_bar

    if report is not None:
        from ..report import page_target

        page_target(report)
    loaded = load(plan)
    with progress_bar() as progress:
        found = parameter_curve(
            loaded, parameter, _parse_values(values), step=step, seed=seed, progress=progress
        )  # fmt: skip
    if report is not None:
        from ..report import write_page

        write_page(found, report)
    if as_json:
        print(json.dumps(found.curve.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        print(found.curve)
    if found.flat_note:
        typer.echo(f"note: {found.flat_note}", err=True)


def _parse_values(text: str) -> list[Any]:
    """As a JSON list where it is one, so that tables and lists may hold commas; else cut at the commas."""
    try:
        return list(json.loads(f"[{text}]"))
    except json.JSONDecodeError:
        return [_parse_value(one) for one in text.split(",") if one.strip()]


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.strip()


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(curve)
