"""``tacit table``: protect, audit and take over aggregate tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import (
    Columns,
    Decimal,
    Encoding,
    Hierarchies,
    Json,
    OutFolder,
    ReleaseSeed,
    Separator,
    Strict,
    parse_values,
    split_names,
)
from .terminal import print_json, print_outcome, progress_bar, run_job

table = typer.Typer(no_args_is_help=True, help="Protect and audit aggregate tables: counts and sums.")


@table.command()
def protect(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML) with a section [table].")],
    out: OutFolder = None,
    seed: ReleaseSeed = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Build tables, find the cells that disclose, protect them, audit the result, and publish it if it is safe.

    Exit code 0: published. 1: the audit fails, the table cannot be protected, or the run is strict and something is not
    covered; nothing is published. 2: a mistake in plan or data.

    Example:  tacit table protect plan.toml --out out
    """
    from ..plan.table import load_table_plan, protect_table

    outcome, placed = run_job(load_table_plan(plan), protect_table, out, seed=seed, strict=strict)
    print_outcome(outcome, placed, as_json=as_json)
    raise typer.Exit(0 if outcome.passes else 1)


TableFile = Annotated[
    Path, typer.Argument(help="A protected table: csv, tsv, xlsx, jj, sbs, or τ-ARGUS .tab with its .rda.")
]
Dimensions = Annotated[Columns, typer.Option(help="Its dimensions; commas or repeated.")]
Value = Annotated[str | None, typer.Option(help="The column of figures.")]
Status = Annotated[
    str | None,
    typer.Option(help="The column of statuses; when absent, figures that are blank, x, … are suppressed."),
]
Form = Annotated[str | None, typer.Option(help="long, pivot, sbs, jj or tab; found when absent.")]
Total = Annotated[str, typer.Option(help="The code of all together.")]
Percent = Annotated[
    float, typer.Option(help="An interval narrower than so many per cent of its middle counts as disclosed.")
]
Marks = Annotated[
    Columns, typer.Option(help="Signs for suppressed figures beside blank, x, c, :, *, …; commas or repeated.")
]
Margin = Annotated[
    float | None,
    typer.Option(help="Levels that unsafe cells need, in per cent of the figure, where the file has none."),
]
Lower = Annotated[str | None, typer.Option(help="The column of lower protection levels.")]
Upper = Annotated[str | None, typer.Option(help="The column of upper protection levels.")]
Contributors = Annotated[
    str | None,
    typer.Option(help="The column of numbers of respondents: what a sole one learns of others is judged too."),
]
Insiders = Annotated[bool, typer.Option(help="Whether sole respondents are looked at.")]
Tolerance = Annotated[
    float | None,
    typer.Option(help="How far sums may be off by rounding; found from the digits of the figures when absent."),
]
CellsFile = Annotated[Path | None, typer.Option(help="Write every suppressed cell's interval to this CSV.")]


@table.command()
def audit(
    file: TableFile,
    by: Dimensions = None,
    value: Value = None,
    status: Status = None,
    hierarchy: Hierarchies = None,
    form: Form = None,
    total: Total = "Total",
    percent: Percent = 0.0,
    marks: Marks = None,
    margin: Margin = None,
    lower: Lower = None,
    upper: Upper = None,
    contributors: Contributors = None,
    insiders: Insiders = True,
    tolerance: Tolerance = None,
    cells: CellsFile = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = ".",
    as_json: Json = False,
) -> None:
    """Compute what everybody can of the suppressed cells of a table, whoever protected it.

    A column of statuses says which cells are unsafe; --margin, or --lower and --upper, how uncertain they must be.
    Exit code 0: protected. 1: a suppressed cell can be computed, an unsafe one misses its levels, or a sole respondent
    learns too much of another. 2: a mistake.

    Example:  tacit table audit published.csv --by region,sex --value turnover --percent 10
    """
    from ..release.files import save
    from ..tables.files.layout import MARKS, Layout
    from ..tables.tasks.audit_file import audit_file

    layout = Layout(
        form=form,  # type: ignore[arg-type]  # the layout refuses what it does not know
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        total=total,
        marks=(*MARKS, *split_names(marks)),
        margin=margin,
        lower=lower,
        upper=upper,
        contributors=contributors,
        tolerance=tolerance,
    )
    given = parse_values(hierarchy, "--hierarchy")
    hierarchies = {name: _resolve_hierarchy(ladder) for name, ladder in given.items()}
    with progress_bar() as progress:
        found = audit_file(
            file,
            by=split_names(by) or None,
            value=value,
            status=status,
            hierarchies=hierarchies,
            layout=layout,
            percent=percent,
            insiders=insiders,
            progress=progress,
        )
    if cells is not None:
        save(found.frame(), cells)
    if as_json:
        print_json(found.as_json())
    else:
        print(found)
    raise typer.Exit(0 if found.holds else 1)


@table.command("from-argus")
def take_over(
    batch: Annotated[Path, typer.Argument(help="A τ-ARGUS batch file (.arb).")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the plan and the files that it needs; named after the batch when absent."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace files that are in the folder already.")] = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Write the plan that does what a τ-ARGUS batch asks for, and the data with the header that plans need.

    Example:  tacit table from-argus job.arb --out job
    """
    from ..errors import TacitError
    from ..tables.files.from_tau_argus import from_tau_argus

    folder = Path(batch.stem) if out is None else out
    if folder.is_file():
        raise TacitError(
            "is a file, not a folder", code="cannot_write", where=str(folder), fix="name a folder with --out"
        )
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        plan = from_tau_argus(batch, folder, encoding=encoding, replace=replace)
    except BaseException:
        if made:
            folder.rmdir()
        raise
    print(f"{plan}   (read it, then: tacit table protect {plan})")


def _resolve_hierarchy(given: Any) -> Any:
    """A hierarchy as it was typed; a file's path is relative to where the command runs."""
    if not isinstance(given, str):
        return given
    return {"hrc" if given.lower().endswith(".hrc") else "file": str(Path(given).absolute())}
