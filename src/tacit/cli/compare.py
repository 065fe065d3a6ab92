"""``tacit compare ORIGINAL MASKED``: how much information was lost, and what is disclosed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TacitError
from .options import (
    Columns,
    Hierarchies,
    Json,
    Key,
    Lineage,
    PlanFile,
    SameOrder,
    make_pairing,
    original_file,
    other_file,
    split_names,
)
from .terminal import print_json, print_warning

if TYPE_CHECKING:
    from ..plan.compare_file import FileComparison

Percent = Annotated[float, typer.Option(help="Width of the intervals in which a number counts as disclosed.")]
Losses = Annotated[
    Columns, typer.Option("--loss", help="A loss that is measured when asked for, or all; see tacit methods loss.")
]
Earlier = Annotated[
    list[Path] | None,
    typer.Option(help="An edition about the same people that was released before; repeatable."),
]
Knows = Annotated[
    Columns, typer.Option(help="With --earlier: columns that the intruder knows; the plan's quasi-identifiers.")
]
Wanted = Annotated[
    Columns, typer.Option(help="With --earlier: columns that it wants to learn; the plan's confidential ones.")
]


def compare(
    original: Annotated[Path, typer.Argument(help="The original file.")],
    masked: Annotated[Path, typer.Argument(help="The masked file.")],
    key: Key = None,
    same_order: SameOrder = False,
    lineage: Lineage = None,
    plan: PlanFile = None,
    hierarchy: Hierarchies = None,
    percent: Percent = 10,
    loss: Losses = None,
    earlier: Earlier = None,
    knows: Knows = None,
    confidential: Wanted = None,
    as_json: Json = False,
) -> None:
    """Compare a masked file with its original: means, variances, correlations; row by row when rows can be paired.

    A released file is in random order: say with --lineage, --key or --same-order which rows belong together to see
    squared errors, generalisation and suppression too, and what is disclosed: the share of original numbers that lie
    near their masked ones, by rank and by standard deviation, and of categories that are as they were.

    With --earlier FILE it says, before the file is released, what it tells together with an edition that is out already.

    Example:  tacit compare patients.csv out/public/patients.csv --plan plan.toml --lineage out/internal/lineage.parquet
    """
    from ..plan.compare_file import compare_file
    from ..plan.earlier_releases import EarlierReleases, check_files

    pairing = make_pairing(key, same_order, lineage)
    if (knows or confidential) and not earlier:
        raise TacitError(
            "--knows and --confidential are for editions that were released before",
            code="conflicting_parameters",
            fix="give one: --earlier FILE",
        )
    check_files(earlier or (), original=original, masked=masked)
    before = {
        str(path): other_file(path, f"--earlier {path}", plan=plan, hierarchies=hierarchy) for path in earlier or ()
    }
    found = compare_file(
        masked,
        original_file(original, plan, hierarchy),
        pairing=pairing,
        percent=percent,
        wanted=split_names(loss),
        editions=EarlierReleases(earlier=before, knows=split_names(knows), learn=split_names(confidential))
        if before
        else None,
    )
    _print_results(found, as_json=as_json)
    if pairing is None:
        typer.echo("\nnote: rows are not paired, so only the columns as a whole are compared", err=True)


def _print_results(found: FileComparison, *, as_json: bool) -> None:
    from ..result import Results

    for warning in found.warnings:
        print_warning(warning, as_json=as_json)
    if as_json:
        print_json([one.as_json() for one in (*(found.losses or ()), *found.disclosed, *found.composed)])
        return
    parts = {
        "": found.losses,
        "What is disclosed\n": found.disclosed,
        "With what was released before\n": found.composed,
    }
    print("\n\n".join(f"{title}{Results(tuple(part))}" for title, part in parts.items() if part))
