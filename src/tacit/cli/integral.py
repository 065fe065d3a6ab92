"""``tacit integral FILE``: a model that many different databases give, found, judged and written as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files import check_target_path, write_text
from ..json_text import json_text
from .options import (
    ISO,
    Columns,
    Dates,
    Decimal,
    Encoding,
    Json,
    Kinds,
    Reading,
    Seed,
    Separator,
    Thousands,
    parse_values,
    read_release,
    split_names,
)
from .terminal import print_json, progress_bar

if TYPE_CHECKING:
    from ..models.integral import IntegralPrivacy, ModelSpace, RecurringModel


Grid = Annotated[Columns, typer.Option(help="COLUMN=STEP of an amount, e.g. --grid age=5; else half a deviation.")]
Sizes = Annotated[Columns, typer.Option(help="Records of a database, several with commas; a tenth when absent.")]
HeldOut = Annotated[
    float | None,
    typer.Option(help="Share of the records that judges models and is in no database; a fifth when absent."),
]


def integral(
    file: Annotated[Path, typer.Argument(help="The file: the population that databases are drawn from.")],
    k: Annotated[int, typer.Option(help="So many databases at least must give the model.")],
    model: Annotated[str, typer.Option(help="tree, logistic, linear, k_means or moments.")] = "tree",
    target: Annotated[str | None, typer.Option(help="The column that is predicted.")] = None,
    on: Annotated[Columns, typer.Option(help="Columns to learn from; all others when absent.")] = None,
    identifier: Annotated[Columns, typer.Option(help="Columns that are left out.")] = None,
    grid: Grid = None,
    parameter: Annotated[Columns, typer.Option(help="NAME=VALUE of the model, e.g. --parameter depth=4.")] = None,
    size: Sizes = None,
    draws: Annotated[int, typer.Option(help="How many databases are drawn.")] = 1000,
    held_out: HeldOut = None,
    disjoint: Annotated[int, typer.Option(help="So many generators must share no record, two by two.")] = 1,
    share: Annotated[float, typer.Option(help="No record may be in a larger share of the generators.")] = 1.0,
    delta: Annotated[float, typer.Option(help="Count models within this distance as one.")] = 0.0,
    seed: Seed = None,
    out: Annotated[Path | None, typer.Option(help="Write the model to this JSON file.")] = None,
    kind: Kinds = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = ".",
    thousands: Thousands = None,
    dates: Dates = ISO,
    as_json: Json = False,
) -> None:
    """Find the best model that at least k databases of the file give, with no record in all of them (exit code 0 or 1).

    Example:  tacit integral people.csv --target income --model tree --k 100 --out model.json
    """
    from ..models.integral import IntegralPrivacy, find_recurrent_models
    from ..seed import secret_seed

    if out is not None:
        check_target_path(out, replace=False)  # before the work begins
    reading = Reading(separator, encoding, decimal, thousands, dates)
    asked = IntegralPrivacy(k=k, disjoint=disjoint, share=share)
    learner = _make_learner(
        model,
        target=target,
        on=split_names(on),
        grid=parse_values(grid, "--grid"),
        more=parse_values(parameter, "--parameter"),
    )
    release = read_release(file, identifier=identifier, kinds=kind, reading=reading)
    with progress_bar() as progress:
        space = find_recurrent_models(
            release, learner, draws=draws, sizes=_parse_sizes(size), held_out=held_out,
            seed=secret_seed() if seed is None else seed, progress=progress,
        )  # fmt: skip
        if delta:
            space = space.relax(delta, progress=progress)
    found = space.select_candidate(asked)
    if found is not None and out is not None:
        write_text(out, json_text(_model_as_json(space, found, asked)) + "\n")
    _print_results(space, found, asked, out, as_json=as_json)
    raise typer.Exit(1 if found is None else 0)


def _make_learner(name: str, *, target: str | None, on: list[str], grid: dict[str, Any], more: dict[str, Any]) -> Any:
    from ..errors import TacitError, suggest_alternative
    from ..models.integral import LEARNERS
    from ..registry import build_from_params

    if name not in LEARNERS:
        raise TacitError(f"--model {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, LEARNERS))
    given = {"target": target, "on": on or None, "grid": grid or None}
    return build_from_params(
        name, LEARNERS[name], {key: value for key, value in given.items() if value is not None} | more
    )


def _parse_sizes(given: Columns) -> list[int] | None:
    from ..errors import TacitError

    said = split_names(given)
    wrong = next((one for one in said if not one.isdecimal()), None)
    if wrong is not None:
        raise TacitError(f"--size {wrong!r} is no number of records", code="wrong_kind", fix="e.g. --size 500,1000")
    return [int(one) for one in said] or None


def _model_as_json(space: ModelSpace, found: RecurringModel, asked: IntegralPrivacy) -> dict[str, Any]:
    """The model and what was asked of it; nothing that was counted in the file."""
    promise = {"k": asked.k, "disjoint": asked.disjoint, "share": asked.share, "delta": space.delta}
    return found.model.as_json() | {"integral privacy": {**promise, "sizes": list(space.sizes)}}


def _print_results(
    space: ModelSpace, found: RecurringModel | None, asked: IntegralPrivacy, out: Path | None, *, as_json: bool
) -> None:
    nearest = space.candidates[0] if found is None else found
    verdict = asked.holds(nearest)
    if as_json:
        plain = {"space": space.as_json(), "verdict": verdict.as_json(), "candidate": nearest.as_json()}
        print_json(plain)
        return
    print("\n\n".join(str(part) for part in (space, verdict, nearest)))
    if found is None:
        print(
            "\nmodel  none: that above is the most recurrent one; draw more databases, coarsen --grid, or use --delta"
        )
    elif out is not None:
        print(f"\nmodel  {out}")
