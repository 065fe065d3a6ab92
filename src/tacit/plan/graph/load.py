"""From the text of a plan about a network to a checked plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...graphs.attack.scenario import check_seeds
from ...graphs.files.graphml import SUFFIXES
from ...graphs.masked import GraphMethod
from ...release.files.formats import writable_format
from ..parse import error_key, parse_plan, text_of, where_in
from .intruder import attacks_of
from .loaded_plan import LoadedGraphPlan
from .protection import graph_step
from .require import GraphRequirements
from .schema import GraphPlan


def load_graph_plan(path: str | Path) -> LoadedGraphPlan:
    """The plan in a TOML file."""
    text, file = text_of(path), Path(path)
    return graph_plan(text, folder=file.parent, name=file.name)


def graph_plan(text: str, *, folder: Path = Path(), name: str = "plan") -> LoadedGraphPlan:
    """The plan in a text."""
    plan = parse_plan(text, name, GraphPlan)
    found = LoadedGraphPlan(
        plan=plan,
        text=text,
        folder=folder,
        name=name,
        steps=tuple(_parse_step(given, number, text, name) for number, given in enumerate(plan.protect)),
        attacks=_parse_attacks(plan, text, name),
        requirements=_parse_requirements(plan, text, name),
    )
    _check_plan(found)
    return found


def _parse_step(given: Mapping[str, Any], number: int, text: str, name: str) -> GraphMethod:
    try:
        return graph_step(given)
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("protect", number, *error_key(problem, given)))) from None


def _parse_attacks(plan: GraphPlan, text: str, name: str) -> dict[str, Any]:
    try:
        return attacks_of(plan.intruder.structure, plan.attack)
    except TacitError as problem:
        number = next((place for place, one in enumerate(plan.attack) if str(one.get("method")) in problem.what), 0)
        raise problem.with_location(where_in(name, text, ("attack", number))) from None


def _parse_requirements(plan: GraphPlan, text: str, name: str) -> GraphRequirements:
    try:
        return GraphRequirements.of(plan.require)
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("require", *error_key(problem, plan.require)))) from None


def _check_plan(loaded: LoadedGraphPlan) -> None:
    """What no section can know alone."""
    of, output, intruder = loaded.plan.graph, loaded.plan.output, loaded.plan.intruder
    if of.ends is not None and len(of.ends) != 2:
        raise loaded.locate_error(
            TacitError(
                f"an edge has two ends, not {len(of.ends)}", code="invalid_plan", fix='e.g. ends = ["from", "to"]'
            ),
            "graph",
            "ends",
        )
    if of.label is not None and of.nodes is None and Path(of.edges).suffix.lower() not in SUFFIXES:
        problem = TacitError(
            "label names a column of a node file, and none is given",
            code="invalid_plan",
            fix='add nodes = "people.csv"',
        )
        raise loaded.locate_error(problem, "graph", "label")
    if of.weight is not None:
        what = "weights of edges are not released by a plan: no attack here judges what they give away"
        raise loaded.locate_error(
            TacitError(what, code="wrong_type", fix="leave weight out: the edges go out without it"), "graph", "weight"
        )
    for key in ("file", "nodes"):
        file = getattr(output, key)
        if file is not None:
            _check_writable(loaded, key, file)
    if not 0 <= intruder.wrong < 1:
        problem = TacitError(
            f"wrong = {intruder.wrong!r} is no share", code="out_of_range", parameter="wrong", fix="e.g. wrong = 0.05"
        )
        raise loaded.locate_error(problem, "intruder", "wrong")
    try:
        check_seeds(intruder.seeds)
    except TacitError as problem:
        raise loaded.locate_error(problem.restate(where=None), "intruder", "seeds") from None


def _check_writable(loaded: LoadedGraphPlan, key: str, file: str) -> None:
    try:
        if "/" in file or "\\" in file:
            raise TacitError(
                f"{file!r} is a path, not a name", code="cannot_write", fix="name the folder with directory"
            )
        if Path(file).suffix.lower() not in SUFFIXES:
            writable_format(Path(file))
    except TacitError as problem:
        raise loaded.locate_error(problem.restate(where=None), "output", key) from None
