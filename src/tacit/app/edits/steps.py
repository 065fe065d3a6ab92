"""Changes of the steps: added, changed, moved, switched off and on, removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TacitError, suggest_alternative
from ...plan.load import with_models
from ...plan.parse import error_key
from ...plan.require import Requirements
from ...protect import METHODS
from ...protect.load import from_json
from ...study.plan_text import import_tomlkit
from ..forms import FormErrors, parse_form
from ..pages.starts import starting_steps
from ..project.steps import OFF, off_of, said_of, step_title
from .edit import Editing, require_text
from .toml_tables import put_tables, table_of, tables_of


def step_add(editing: Editing) -> None:
    """One more step, after all others."""
    step = _step_from_form(editing)
    _change_steps(editing, _describe_change(step, "added"), lambda tables: tables.append(table_of(step)))


def step_set(editing: Editing) -> None:
    """Other parameters for a step."""
    place, step = _step_index(editing), _step_from_form(editing)

    def change(tables: list[Any]) -> None:
        tables[place] = table_of(step)

    _change_steps(editing, _describe_change(step, "changed"), change)


def step_remove(editing: Editing) -> None:
    """A step is taken away, whether it is on or off."""
    if "off" in editing.form:
        place, off = _step_index(editing, off=True), off_of(editing.project)
        step = off.pop(place)
        editing.save_texts(f"{step_title(step)} removed", {OFF: _off_steps_text(off)})
        return
    place = _step_index(editing)
    _change_steps(editing, f"{step_title(_plan_steps(editing)[place])} removed", lambda tables: tables.pop(place))


def step_move(editing: Editing) -> None:
    """A step changes places with its neighbour, or goes to another place."""
    place, to = _step_index(editing), editing.form.number("to")
    steps = _plan_steps(editing)
    if not 0 <= to < len(steps):
        raise TacitError(
            "the step cannot be moved farther", code="bad_request", fix="it is the first or the last one already"
        )
    said = f"{step_title(steps[place])} moved {'up' if to < place else 'down'}"
    _change_steps(editing, said, lambda tables: tables.insert(to, tables.pop(place)))


def step_off(editing: Editing) -> None:
    """A step is not done any longer, and kept."""
    place = _step_index(editing)
    step = _plan_steps(editing)[place]
    kept = [{**one, "place": one["place"] - (one["place"] > place)} for one in off_of(editing.project)]
    off = sorted([*kept, {"place": place, **step}], key=lambda one: int(one["place"]))
    _change_steps(
        editing, f"{step_title(step)} switched off", lambda tables: tables.pop(place), {OFF: _off_steps_text(off)}
    )


def step_on(editing: Editing) -> None:
    """A step that was off is done again, where it stood."""
    off = off_of(editing.project)
    step = off.pop(_step_index(editing, off=True))
    to = min(step.pop("place"), len(_plan_steps(editing)))
    kept = [{**one, "place": one["place"] + (one["place"] > to)} for one in off]
    _change_steps(
        editing,
        f"{step_title(step)} switched on",
        lambda tables: tables.insert(to, table_of(step)),
        {OFF: _off_steps_text(kept)},
    )


def step_start(editing: Editing) -> None:
    """The steps of a way to begin."""
    wanted = require_text(editing.form, "name", "a way to start")
    offered = starting_steps(editing.project.draft(), editing.project.raw(), editing.columns.heights)
    chosen = next((one for one in offered if one.name == wanted), None)
    if chosen is None:
        raise TacitError(
            f"there is no start {wanted!r} now",
            code="unknown_name",
            fix=suggest_alternative(wanted, [one.name for one in offered]),
        )
    said = " and ".join(_describe_change(step, "added") for step in chosen.steps)
    _change_steps(editing, said, lambda tables: tables.extend(map(table_of, chosen.steps)))


def _describe_change(step: Mapping[str, Any], what: str) -> str:
    words = said_of(step)
    return f"{step_title(step)} {what}: {words}" if words else f"{step_title(step)} {what}"


def _step_from_form(editing: Editing) -> dict[str, Any]:
    """The step that a form describes, made once to see whether it can be; a mistake is told beside its field."""
    method = require_text(editing.form, "method", "a method")
    if method not in METHODS:
        raise TacitError(
            f"the method {method!r} is unknown", code="unknown_name", fix=suggest_alternative(method, list(METHODS))
        )
    step = {"method": method, **parse_form(METHODS[method].call, editing.form, columns=editing.columns)}
    required = editing.project.raw().get("require", {})
    requirements = Requirements.of(required) if required else Requirements(models={})
    whole = with_models(step, requirements)
    if METHODS[method].provides and "models" not in whole:
        lacks = TacitError(
            "it provides what is required, and nothing is required yet that it could provide",
            code="missing_parameter",
            fix="choose what has to hold on the page Release first, e.g. k-anonymity",
        )
        raise FormErrors.of({"models": lacks})
    try:
        from_json(whole)
    except TacitError as problem:
        raise FormErrors.of({next(iter(error_key(problem, step)), ""): problem}) from None
    return step


def _step_index(editing: Editing, *, off: bool = False) -> int:
    place = editing.form.number("place")
    if not 0 <= place < len(off_of(editing.project) if off else _plan_steps(editing)):
        raise TacitError(
            f"there is no step {place + 1}", code="unknown_name", fix="the page shows those that there are; do it again"
        )
    return place


def _plan_steps(editing: Editing) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = editing.project.raw().get("protect", [])
    return found


def _change_steps(
    editing: Editing, said: str, change: Callable[[list[Any]], Any], beside: Mapping[str, str] | None = None
) -> None:
    plan = editing.document()
    tables = tables_of(plan)
    change(tables)
    put_tables(plan, tables)
    editing.save_texts(said, {"plan": str(import_tomlkit().dumps(plan)), **(beside or {})})


def _off_steps_text(off: list[dict[str, Any]]) -> str:
    document = import_tomlkit().document()
    put_tables(document, [table_of(one) for one in off], under="step")
    return str(import_tomlkit().dumps(document))
