"""``tacit explore PLAN`` and ``tacit curve PLAN``: the risk–utility map with its best release, and one parameter varied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files import check_target_path, write_text
from ..seed import DEFAULT_SEED
from .options import Json, PlanArgument, Report, Seed, parse_value
from .terminal import check_page, print_json, progress_bar

if TYPE_CHECKING:
    from ..study.data_kind import StudyPlan
    from ..study.results import Study


LINES = 12
"""Points of the front that are printed; the map has all."""


def explore(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML); [study] says what is tried.")],
    budget: Annotated[str | None, typer.Option(help="How long it may take: 90s, 10m, 1h30m.")] = None,
    candidates: Annotated[int | None, typer.Option(help="How many are tried at most.")] = None,
    search: Annotated[str | None, typer.Option(help="optimiser, random or grid.")] = None,
    seed: Annotated[
        int, typer.Option(help="The same seed tries the same candidates in the same order.")
    ] = DEFAULT_SEED,
    workers: Annotated[int | None, typer.Option(help="Processes; one for each core when absent.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the study; study/ when absent.")] = None,
    point: Annotated[int | None, typer.Option(help="A point of the study in that folder, for --write.")] = None,
    write: Annotated[Path | None, typer.Option(help="Write the best point, or --point, beside PLAN.")] = None,
    as_json: Json = False,
) -> None:
    """Try methods and parameters, attack every candidate, measure its loss, and draw the risk–utility map.

    Nothing is released. An interrupted study goes on where it was when the same command is given again. Exit code 0: a
    candidate meets every requirement. 1: none does. 2: a mistake in plan or data.

    Example:  tacit explore plan.toml --budget 10m --write best.toml
    """
    from ..study.data_kinds import read_plan

    loaded = read_plan(plan)
    folder = out if out is not None else loaded.folder / "study"
    write = None if write is None else _resolve_plan_path(write, loaded)
    if point is not None:
        _write_point(loaded, folder, point, write)
        return
    said = {"budget": budget, "candidates": candidates, "search": search}
    asked = {name: value for name, value in said.items() if value is not None}
    command = shlex.join(["tacit", "explore", str(plan), *([] if out is None else ["--out", str(out)])])
    _run_study(loaded, folder, command, write=write, as_json=as_json, seed=seed, workers=workers, **asked)


def _run_study(
    loaded: StudyPlan, folder: Path, command: str, *, write: Path | None, as_json: bool, **asked: Any
) -> None:
    from ..report.study_folder import STORE, write_study
    from ..study import explore as explored

    with progress_bar() as progress:
        found = explored(loaded, store=folder / STORE, progress=progress, **asked)
    write_study(found, folder, command=command)
    if as_json:
        print_json(found.as_json())
    else:
        print(
            "\n".join(
                _format_study(found, folder, command, None if write is None else _plan_instructions(loaded, write))
            )
        )
    if write is not None:
        write_text(write, found.plan())
    raise typer.Exit(0 if found.chosen is not None else 1)


def _format_study(found: Study, folder: Path, command: str, ready: str | None) -> Iterator[str]:
    """What is printed: the front about the best point, the best point in words, and where everything is."""
    from ..report.map_statement import map_statement
    from ..report.study_folder import MAP

    said = map_statement(found)
    yield from _format_front(found)
    yield from ("", said.headline, *said.reasons)
    yield f"\nmap   {folder / MAP}"
    number = found.chosen if found.chosen is not None else found.nearest
    if ready is not None and number is not None:
        yield ready if found.chosen is not None else f"{ready}; it does not meet what was asked"
    elif number:  # of the file as it is there is nothing to write
        yield f"plan  {command} --point {number} --write best.toml"


def _format_front(found: Study) -> Iterator[str]:
    """The study line by line; of a long front the points that are nearest to the best one in risk."""
    if len(found.front) <= LINES:
        yield str(found)
        return
    at = found.best.risk or 0.0
    near = sorted(found.front, key=lambda number: abs((found.point(number).risk or 0.0) - at))[:LINES]
    yield str(replace(found, front=tuple(number for number in found.front if number in near)))
    yield f"… and {len(found.front) - LINES} more points of the front, which are on the map"


def _write_point(loaded: StudyPlan, folder: Path, point: int, write: Path | None) -> None:
    from ..errors import TacitError
    from ..report.study_folder import kept_point

    if write is None:
        raise TacitError(
            "it is not said where the point goes", code="missing_parameter", fix="name a file, e.g. --write best.toml"
        )
    write_text(write, kept_point(folder, point).plan(loaded.text))
    typer.echo(_plan_instructions(loaded, write))


def _plan_instructions(loaded: StudyPlan, write: Path) -> str:
    """Where the plan is, and what makes the release of it."""
    from ..study.data_kinds import noun_of

    return f"plan  {write}   (read it, then: {noun_of(loaded).command} {shlex.quote(str(write))})"


def _resolve_plan_path(write: Path, loaded: StudyPlan) -> Path:
    """A place beside the plan, where a bare name goes; refuses, before the work begins, any other and one that is taken.

    Paths in a plan are relative to its folder: elsewhere it would not find its files.
    """
    from ..errors import TacitError

    if write == Path(write.name):
        write = loaded.folder / write
    if write.absolute().parent.resolve() != loaded.folder.absolute().resolve():
        raise TacitError(
            f"{str(write)!r} is not in the folder of the plan, and the paths in a plan are relative to it",
            code="out_of_range",
            fix=f"write it beside the plan, e.g. --write {loaded.folder / write.name}",
        )
    return check_target_path(write, replace=False)


def curve(
    plan: PlanArgument,
    parameter: Annotated[str, typer.Option(help="The parameter of a step that is varied, e.g. percent.")],
    values: Annotated[str, typer.Option(help="Its values, with commas between them, e.g. 2,5,10,20.")],
    step: Annotated[
        int | None,
        typer.Option(help="Which step, counted from 1; needed when several take it."),
    ] = None,
    seed: Seed = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """Mask the file of a plan with several values of one parameter, and attack each; nothing is released.

    Example:  tacit curve plan.toml --parameter percent --values 2,5,10,20 --report curve.html
    """
    from ..plan import load
    from ..plan.curve import parameter_curve

    check_page(report)
    loaded = load(plan)
    with progress_bar() as progress:
        found = parameter_curve(
            loaded, parameter, _parse_list(values), step=step, seed=seed, progress=progress
        )  # fmt: skip
    if report is not None:
        from ..report import write_page

        write_page(found, report)
    if as_json:
        print_json(found.curve.as_json())
    else:
        print(found.curve)
    if found.flat_note:
        typer.echo(f"note: {found.flat_note}", err=True)


def _parse_list(text: str) -> list[Any]:
    """As a JSON list where it is one, so that tables and lists may hold commas; else cut at the commas."""
    try:
        return list(json.loads(f"[{text}]"))
    except json.JSONDecodeError:
        return [parse_value(one) for one in text.split(",") if one.strip()]
