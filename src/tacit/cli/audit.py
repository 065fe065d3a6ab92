"""``tacit audit FILE`` and ``tacit suggest FILE``: measure a file as it is, and suggest a plan for it."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..files import check_target_path, write_text
from .options import (
    ISO,
    Columns,
    Confidential,
    Dates,
    Decimal,
    Encoding,
    Hierarchies,
    Household,
    Identifier,
    Json,
    Kinds,
    Missing,
    Quasi,
    Reading,
    Report,
    Separator,
    Strict,
    Thousands,
    Unrestricted,
    Weight,
    parse_values,
    read_release,
    split_names,
)
from .terminal import print_json

if TYPE_CHECKING:
    from ..release.suggest import SafeHarbor, Suggestions

Population = Annotated[
    Path | None,
    typer.Option(help="A file of the population with the same columns, for k_map, delta_presence and known uniques."),
]


def audit(
    file: Annotated[Path, typer.Argument(help="The file to measure.")],
    quasi: Quasi = None,
    confidential: Confidential = None,
    identifier: Identifier = None,
    unrestricted: Unrestricted = None,
    weight: Weight = None,
    household: Household = None,
    missing: Missing = None,
    kind: Kinds = None,
    hierarchy: Hierarchies = None,
    require: Annotated[Columns, typer.Option(help="A requirement, e.g. --require k_anonymity=5; repeatable.")] = None,
    population: Population = None,
    measure: Annotated[Columns, typer.Option(help="Take this measure whatever its cost; repeatable.")] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = ".",
    thousands: Thousands = None,
    dates: Dates = ISO,
    report: Report = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Measure how much a file discloses; with --require it is a gate for a pipeline (exit code 0 or 1).

    Example:  tacit audit patients.csv --quasi zip,birth,sex --confidential diagnosis --require k_anonymity=5
    """
    from ..plan.audit import run_audit

    reading = Reading(separator, encoding, decimal, thousands, dates)
    release = read_release(
        file, quasi=quasi, confidential=confidential, identifier=identifier, weight=weight, household=household,
        unrestricted=unrestricted, missing=missing, kinds=kind, hierarchies=hierarchy, reading=reading,
    )  # fmt: skip
    if population is not None:
        release = release.with_metadata(population=read_release(population, missing=missing, reading=reading))
    required, wanted = parse_values(require, "--require"), split_names(measure)
    outcome = run_audit(release, title=f"Audit of {file.name}", require=required, wanted=wanted, strict=strict)
    if report is not None:
        from ..report import write_page

        write_page(outcome, report)
    if as_json:
        print_json(outcome.as_json())
    else:
        from ..report import summary

        print(summary(outcome))
    raise typer.Exit(0 if outcome.passes else 1)


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
    from ..release.read import read
    from ..release.suggest import safe_harbor as check_safe_harbor
    from ..release.suggest import suggest as suggest_roles

    if plan is not None:
        check_target_path(plan, replace=False)
    reading = Reading(separator, encoding, decimal, thousands, dates)
    release = read(file, **reading.as_options())
    found = suggest_roles(release, largest=largest)
    harbor = check_safe_harbor(release) if safe_harbor else None
    parts: list[Suggestions | SafeHarbor] = [found, *([harbor] if harbor is not None else [])]
    if as_json:
        print_json([part.as_json() for part in parts])
    else:
        print("\n\n".join(str(part) for part in parts))
    if plan is not None:
        text = found.plan_text(relpath(file, plan.parent), reading=reading.changed(), harbor=harbor)
        write_text(plan, text)
        typer.echo(f"\nstarter plan  {plan}   (read it, then: tacit release {plan})", err=as_json)
