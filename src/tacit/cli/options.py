"""The arguments and options of commands: one definition of each that several share, and how their texts become values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ..errors import TacitError

if TYPE_CHECKING:
    from ..plan.pairing import Pairing
    from ..release.release import Release


Columns: TypeAlias = list[str] | None

# What every job takes
PlanArgument = Annotated[Path, typer.Argument(help="The plan file (TOML).")]
OutFolder = Annotated[Path | None, typer.Option(help="Folder for public/ and internal/; wins over [output].")]
ReleaseSeed = Annotated[
    str | None,
    typer.Option(help="Make the run repeatable (a number, or the text of seed.txt); not for publication then."),
]
Seed = Annotated[int | None, typer.Option(help="Make the run repeatable.")]
Strict = Annotated[
    bool,
    typer.Option(help="Let nothing through that no requirement covers: exit code 1 where the state is not_covered."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a pipeline.")]
Report = Annotated[Path | None, typer.Option(help="Write the report to this HTML file.")]

# What columns are
Quasi = Annotated[Columns, typer.Option(help="Columns that an intruder may know; commas or repeated.")]
Confidential = Annotated[Columns, typer.Option(help="Columns that nobody should learn.")]
Identifier = Annotated[Columns, typer.Option(help="Columns that name a person.")]
Unrestricted = Annotated[Columns, typer.Option(help="Columns that you decided to release as they are.")]
Weight = Annotated[str | None, typer.Option(help="Column of sampling weights.")]
Household = Annotated[str | None, typer.Option(help="Column of household ids.")]
Missing = Annotated[
    str | None,
    typer.Option(help="What a missing quasi-identifier means: own (a category) or any (matches anything)."),
]
Kinds = Annotated[Columns, typer.Option("--kind", help="COLUMN=KIND, e.g. --kind region=nominal.")]
Hierarchies = Annotated[
    Columns, typer.Option("--hierarchy", help="COLUMN=FILE or COLUMN=JSON, e.g. --hierarchy 'zip={\"prefix\":[5,3]}'.")
]

# How a CSV file is read
Separator = Annotated[str | None, typer.Option(help="Separator of a CSV file; found when absent.")]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV file, e.g. windows-1252.")]
Decimal = Annotated[str, typer.Option(help="Decimal sign of a CSV file: . or ,")]
Thousands = Annotated[str | None, typer.Option(help="Sign between thousands in a CSV file: , . ' or a blank.")]
Dates = Annotated[str, typer.Option(help="How a CSV file writes days, e.g. DD.MM.YYYY.")]

# Which rows of two files belong together
Key = Annotated[str | None, typer.Option(help="Column that names the person in both files.")]
SameOrder = Annotated[bool, typer.Option(help="Row i of both files is the same person.")]
Lineage = Annotated[
    Path | None,
    typer.Option(help="The lineage file of a release job (internal/lineage.parquet)."),
]
PlanFile = Annotated[
    Path | None,
    typer.Option(help="The plan of the release job: tells hierarchies and kinds, and how the original is read."),
]
ISO = "YYYY-MM-DD"
EXAMPLES = {
    "--require": "k_anonymity=5",
    "--kind": "region=nominal",
    "--hierarchy": "zip=zip.csv",
    "--tag": "about=identity",
    "--grid": "age=5",
    "--parameter": "depth=4",
}


@dataclass(frozen=True)
class Reading:
    """How a CSV file is read; the defaults are those of the options."""

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str | None = None
    dates: str = ISO

    def as_options(self) -> dict[str, Any]:
        """The keyword arguments of ``tacit.read``."""
        return asdict(self)

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}


def split_names(given: Iterable[str] | None) -> list[str]:
    """Column names given one by one or with commas between them."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def parse_pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE texts as a dictionary."""
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise TacitError(
                f"{option} {text!r} is not of the form NAME=VALUE",
                code="wrong_type",
                fix=f"e.g. {option} {EXAMPLES.get(option, 'NAME=VALUE')}",
            )
        found[name.strip()] = value.strip()
    return found


def parse_value(text: str) -> Any:
    """A number or JSON where the text is one, else the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.strip()


def parse_values(given: Iterable[str] | None, option: str) -> dict[str, Any]:
    """NAME=VALUE texts whose values are numbers or JSON."""
    return {name: parse_value(text) for name, text in parse_pairs(given, option).items()}


def make_pairing(key: str | None, same_order: bool, lineage: Path | None) -> Pairing | None:
    """Which rows belong together, where one of the options says so."""
    from ..plan.pairing import Pairing

    if key is None and not same_order and lineage is None:
        return None
    return Pairing(key=key, same_order=same_order, lineage=lineage)


def read_release(
    path: Path,
    *,
    quasi: Columns = None,
    confidential: Columns = None,
    identifier: Columns = None,
    weight: str | None = None,
    household: str | None = None,
    unrestricted: Columns = None,
    missing: str | None = None,
    kinds: Columns = None,
    hierarchies: Columns = None,
    reading: Reading | None = None,
) -> Release:
    """A file as a release, from the texts of the command line."""
    from ..release.read import read

    return read(
        path,
        quasi=split_names(quasi),
        confidential=split_names(confidential),
        identifier=split_names(identifier),
        weight=weight,
        household=household,
        unrestricted=split_names(unrestricted),
        missing=missing,
        kinds=parse_pairs(kinds, "--kind"),
        hierarchies=parse_values(hierarchies, "--hierarchy"),
        **(reading or Reading()).as_options(),
    )


def original_file(path: Path, plan: Path | None, hierarchies: Columns = None) -> Release:
    """The original of a masked file, described by the plan of its job when there is one."""
    if plan is None:
        return read_release(path, hierarchies=hierarchies)
    from ..plan import load, original_of

    return original_of(load(plan).with_data_file(path))


def other_file(path: Path, option: str, *, plan: Path | None, hierarchies: Columns = None) -> Release:
    """Another file of the intruder's, read as the original is; it need have none of the plan's columns."""
    from ..plan import load
    from ..plan.original import other_file as by_plan
    from ..release.read import read

    loaded = None if plan is None else load(plan)
    try:
        if loaded is not None:
            return by_plan(loaded, path)
        found = read(path)
        ladders = parse_values(hierarchies, "--hierarchy").items()
        return found.with_metadata(
            hierarchies={column: ladder for column, ladder in ladders if column in found.columns}
        )
    except TacitError as problem:
        raise problem.with_location(option) from None
