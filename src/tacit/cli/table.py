"""``tacit table``: protect, audit and take over aggregate tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Columns, Decimal, Encoding, Json, Ladders, Separator, Strict, parse_values, split_names

table = typer.Typer(no_args_is_help=True, help="Protect and audit aggregate tables: counts and sums.")


@table.command()
def protect(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML) with a section [table].")],
    out: Annotated[Path | None, typer.Option(help="Folder for public/ and internal/; wins over [output].")] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            help="Make a method that changes figures repeatable (a number, or the text of seed.txt); not for publication then."
        ),
    ] = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Build tables, find the cells that disclose, protect them, audit the result, and publish it if it is safe.

    Exit code 0: published. 1: the audit fails, the table cannot be protected, or the run is strict and something is not
    covered; nothing is published. 2: a mistake in plan or data.

    Example:  tacit table protect plan.toml --out out
    """
    from ..plan.table import load_table_plan
    from ..report.table_folder import released_table
    from ..report.table_statement import table_summary
    from ..seed import read_seed
    from .job import placed_text, progress_bar

    loaded = load_table_plan(plan)
    target = out if out is not None else loaded.folder / loaded.plan.output.directory
    chosen = None if seed is None else read_seed(seed)
    with progress_bar() as progress:
        outcome, placed = released_table(loaded, target, seed=chosen, strict=strict, progress=progress)
    if as_json:
        print(json.dumps(outcome.as_json() | placed.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        print(table_summary(outcome))
        print("\n" + placed_text(placed))
    raise typer.Exit(0 if outcome.passes else 1)


@table.command()
def audit(
    file: Annotated[
        Path, typer.Argument(help="A protected table: csv, tsv, xlsx, jj, sbs, or τ-ARGUS .tab with its .rda.")
    ],
    by: Annotated[Columns, typer.Option(help="Its dimensions; commas or repeated.")] = None,
    value: Annotated[str | None, typer.Option(help="The column of figures.")] = None,
    status: Annotated[
        str | None,
        typer.Option(help="The column of statuses; when absent, figures that are blank, x, … are suppressed."),
    ] = None,
    hierarchy: Ladders = None,
    form: Annotated[str | None, typer.Option(help="long, pivot, sbs, jj or tab; found when absent.")] = None,
    total: Annotated[str, typer.Option(help="The code of all together.")] = "Total",
    percent: Annotated[
        float, typer.Option(help="An interval narrower than so many per cent of its middle counts as disclosed.")
    ] = 0.0,
    marks: Annotated[
        Columns, typer.Option(help="Signs for suppressed figures beside blank, x, c, :, *, …; commas or repeated.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Levels that unsafe cells need, in per cent of the figure, where the file has none."),
    ] = None,
    lower: Annotated[str | None, typer.Option(help="The column of lower protection levels.")] = None,
    upper: Annotated[str | None, typer.Option(help="The column of upper protection levels.")] = None,
    contributors: Annotated[
        str | None,
        typer.Option(help="The column of numbers of respondents: what a sole one learns of others is judged too."),
    ] = None,
    insiders: Annotated[bool, typer.Option(help="Whether sole respondents are looked at.")] = True,
    tolerance: Annotated[
        float | None,
        typer.Option(help="How far sums may be off by rounding; found from the digits of the figures when absent."),
    ] = None,
    cells: Annotated[Path | None, typer.Option(help="Write every suppressed cell's interval to this CSV.")] = None,
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
    from .job import progress_bar

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
    with progress_bar() as progress:
        found = audit_file(
            file,
            by=split_names(by) or None,
            value=value,
            status=status,
            hierarchies={
                name: _resolve_hierarchy(given)
                for name, given in (parse_values(hierarchy, "--hierarchy") or {}).items()
            },
            layout=layout,
            percent=percent,
            insiders=insiders,
            progress=progress,
        )
    if cells is not None:
        save(found.frame(), cells)
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False, indent=2, default=str))
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
        raise TacitError("is a file, not a folder", where=str(folder), fix="name a folder with --out")
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


def add(app: typer.Typer) -> None:
    """Put the commands into the list."""
    app.add_typer(table, name="table")
