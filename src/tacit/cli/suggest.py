"""``tacit suggest FILE``: which column plays which part, with reasons, and a plan to start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import ISO, Dates, Decimal, Encoding, Json, Separator, Thousands

if TYPE_CHECKING:
    from ..release.suggest import SafeHarbor, Suggestions


def suggest(
    file: Annotated[Path, typer.Argument(help="The file to look at.")],
    plan: Annotated[Path | None, typer.Option(help="Write a starter plan to this file.")] = None,
    safe_harbor: Annotated[
        bool, typer.Option(help="Check the HIPAA Safe Harbor list of identifiers too; the plan removes what it finds.")
    ] = False,
    largest: Annotated[int, typer.Option(help="Look for identifying sets of up to so many columns.")] = 3,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = ".",
    thousands: Thousands = None,
    dates: Dates = ISO,
    as_json: Json = False,
) -> None:
    """Suggest roles for the columns of a file, with reasons; you confirm them in the plan.

    Example:  tacit suggest patients.csv --plan plan.toml
    """
    from ..errors import TacitError
    from ..release.read import read
    from ..release.suggest import safe_harbor as checked
    from ..release.suggest import suggest as suggested

    if plan is not None and plan.exists():
        raise TacitError(f"{str(plan)!r} is there already", fix="choose another name, or remove it first")
    release = read(file, separator=separator, encoding=encoding, decimal=decimal, thousands=thousands, dates=dates)
    found = suggested(release, largest=largest)
    harbor = checked(release) if safe_harbor else None
    parts: list[Suggestions | SafeHarbor] = [found, *([harbor] if harbor is not None else [])]
    if as_json:
        print(json.dumps([part.as_json() for part in parts], ensure_ascii=False, indent=2, default=str))
    else:
        print("\n\n".join(str(part) for part in parts))
    if plan is not None:
        from os.path import relpath

        said = {
            "separator": separator,
            "encoding": encoding,
            "decimal": decimal,
            "thousands": thousands,
            "dates": dates,
        }
        usual = {"separator": None, "encoding": "utf-8", "decimal": ".", "thousands": None, "dates": ISO}
        reading = {name: value for name, value in said.items() if value is not None and value != usual[name]}
        if not plan.parent.is_dir():
            raise TacitError(f"there is no folder {str(plan.parent)!r}", fix="make it, or name another for the plan")
        plan.write_text(found.plan_text(relpath(file, plan.parent), reading=reading, harbor=harbor), encoding="utf-8")
        typer.echo(f"\nstarter plan  {plan}   (read it, then: tacit release {plan})", err=as_json)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(suggest)
