"""``tacit audit FILE``: measure a file as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    ISO,
    Columns,
    Dates,
    Decimal,
    Encoding,
    Json,
    Kinds,
    Ladders,
    Missing,
    Separator,
    Strict,
    Thousands,
    parse_values,
    read_release,
    split_names,
)


def audit(
    file: Annotated[Path, typer.Argument(help="The file to measure.")],
    quasi: Annotated[Columns, typer.Option(help="Columns that an intruder may know; commas or repeated.")] = None,
    confidential: Annotated[Columns, typer.Option(help="Columns that nobody should learn.")] = None,
    identifier: Annotated[Columns, typer.Option(help="Columns that name a person.")] = None,
    unrestricted: Annotated[Columns, typer.Option(help="Columns that you decided to release as they are.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of sampling weights.")] = None,
    household: Annotated[str | None, typer.Option(help="Column of household ids.")] = None,
    missing: Missing = None,
    kind: Kinds = None,
    hierarchy: Ladders = None,
    require: Annotated[Columns, typer.Option(help="A requirement, e.g. --require k_anonymity=5; repeatable.")] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            help="A file of the population with the same columns, for k_map, delta_presence and known uniques."
        ),
    ] = None,
    measure: Annotated[Columns, typer.Option(help="Take this measure whatever its cost; repeatable.")] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = ".",
    thousands: Thousands = None,
    dates: Dates = ISO,
    report: Annotated[Path | None, typer.Option(help="Write the report to this HTML file.")] = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Measure how much a file discloses; with --require it is a gate for a pipeline (exit code 0 or 1).

    Example:  tacit audit patients.csv --quasi zip,birth,sex --confidential diagnosis --require k_anonymity=5
    """
    from ..plan.audit import run_audit

    reading = {"separator": separator, "encoding": encoding, "decimal": decimal, "thousands": thousands, "dates": dates}
    release = read_release(
        file, quasi=quasi, confidential=confidential, identifier=identifier, weight=weight, household=household,
        unrestricted=unrestricted, missing=missing, kinds=kind, hierarchies=hierarchy, reading=reading,
    )  # fmt: skip
    if population is not None:
        release = release.with_metadata(population=read_release(population, missing=missing, reading=reading))
    outcome = run_audit(
        release,
        title=f"Audit of {file.name}",
        require=parse_values(require, "--require"),
        wanted=split_names(measure),
        strict=strict,
    )
    if report is not None:
        from ..report import write_page

        write_page(outcome, report)
    if as_json:
        print(json.dumps(outcome.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        from ..report import summary

        print(summary(outcome))
    raise typer.Exit(0 if outcome.passes else 1)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(audit)
