"""``tacit explore PLAN``: the risk–utility map, and the best release on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from .options import Json

if TYPE_CHECKING:
    from ..plan.load import LoadedPlan

__all__ = ["add", "explore"]


def explore(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML); [study] says what is tried.")],
    budget: Annotated[Optional[str], typer.Option(help="How long it may take: 90s, 10m, 1h30m.")] = None,  # noqa: UP045
    candidates: Annotated[Optional[int], typer.Option(help="How many are tried at most.")] = None,  # noqa: UP045
    search: Annotated[Optional[str], typer.Option(help="optimiser, random or grid.")] = None,  # noqa: UP045
    seed: Annotated[int, typer.Option(help="The same seed tries the same candidates in the same order.")] = 0,
    workers: Annotated[Optional[int], typer.Option(help="Processes; one for each core when absent.")] = None,  # noqa: UP045
    out: Annotated[Optional[Path], typer.Option(help="Folder for the study; study/ when absent.")] = None,  # noqa: UP045
    point: Annotated[Optional[int], typer.Option(help="A point of the study in that folder, for --write.")] = None,  # noqa: UP045
    write: Annotated[Optional[Path], typer.Option(help="Write the best point, or --point, as a plan.")] = None,  # noqa: UP045
    as_json: Json = False,
) -> None:
    """Try methods and parameters, attack every candidate, measure its loss, and draw the risk–utility map.

    Nothing is released. An interrupted study goes on where it was when the same command is given again. Exit code 0: a
    candidate meets every requirement. 1: none does. 2: a mistake in plan or data.

    Example:  tacit explore plan.toml --budget 10m --write best.toml
    """
    from ..plan import load

    loaded = load(plan)
    folder = out if out is not None else loaded.folder / "study"
    if write is not None:
        _beside(write, loaded)
    if point is not None:
        _write_point(loaded, folder, point, write)
        return
    said = {"budget": budget, "candidates": candidates, "search": search}
    asked = {name: value for name, value in said.items() if value is not None}
    _explore(loaded, folder, plan, write=write, as_json=as_json, seed=seed, workers=workers, **asked)


def _explore(loaded: LoadedPlan, folder: Path, plan: Path, *, write: Path | None, as_json: bool, **asked: Any) -> None:
    from ..report.map_statement import map_statement
    from ..report.study_folder import MAP, STORE, write_study
    from ..study import explore as explored
    from .job import bar

    with bar() as progress:
        found = explored(loaded, store=folder / STORE, progress=progress, **asked)
    command = f"tacit explore {plan}"
    write_study(found, folder, command=command)
    if write is not None:
        _save(found.plan(), write)
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        said = map_statement(found)
        print("\n".join([f"{found}\n", said.headline, *said.reasons]))
        print(f"\nmap   {folder / MAP}")
        print(f"plan  {write}" if write else f"plan  {command} --point {found.best.number} --write best.toml")
    raise typer.Exit(0 if found.chosen is not None else 1)


def _write_point(loaded: LoadedPlan, folder: Path, point: int, write: Path | None) -> None:
    from ..errors import TacitError
    from ..report.study_folder import kept_point

    if write is None:
        raise TacitError("it is not said where the point goes", fix="name a file, e.g. --write best.toml")
    _save(kept_point(folder, point).plan(loaded.text), write)
    typer.echo(f"plan  {write}   (read it, then: tacit release {write})")


def _beside(write: Path, loaded: LoadedPlan) -> None:
    """Refuses, before the work begins, a place where a plan would not find its files, and one that is taken."""
    from ..errors import TacitError

    if write.absolute().parent.resolve() != loaded.folder.absolute().resolve():
        raise TacitError(
            f"{str(write)!r} is not in the folder of the plan, and the paths in a plan are relative to it",
            fix=f"write it beside the plan, e.g. --write {loaded.folder / write.name}",
        )
    if write.exists():
        raise TacitError(f"{str(write)!r} is there already", fix="choose another name, or remove it first")


def _save(text: str, path: Path) -> None:
    from ..errors import TacitError

    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        raise TacitError(
            f"{str(path)!r} cannot be written: {problem.strerror}", fix="choose another place"
        ) from problem


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(explore)
