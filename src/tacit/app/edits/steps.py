"""Changes of the steps: added, changed, moved, switched off and on, removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TacitError, instead
from ...plan.load import with_models
from ...plan.parse import blamed
from ...plan.require import Requirements
from ...protect import ALL as METHODS
from ...protect.load import from_json
from ...study.written import tomlkit_
from ..forms import Mistakes, parsed
from ..pages.starts import starts
from ..project.steps import OFF, off_of, said_of, titled
from .edit import Editing, needed
from .tables import put, table_of, tables_of


def step_add(editing: Editing) -> None:
    """One more step, after all others."""
    step = _given(editing)
    _changed(editing, _done(step, "added"), lambda tables: tables.append(table_of(step)))


def step_set(editing: Editing) -> None:
    """Other parameters for a step."""
    place, step = _place(editing), _given(editing)

    def change(tables: list[Any]) -> None:
        tables[place] = table_of(step)

    _changed(editing, _done(step, "changed"), change)


def step_remove(editing: Editing) -> None:
    """A step is taken away, whether it is on or off."""
    if "off" in editing.form:
        place, off = _place(editing, off=True), off_of(editing.project)
        step = off.pop(place)
        editing.replaced(f"{titled(step)} removed", {OFF: _text(off)})
        return
    place = _place(editing)
    _changed(editing, f"{titled(_steps(editing)[place])} removed", lambda tables: tables.pop(place))


def step_move(editing: Editing) -> None:
    """A step changes places with its neighbour, or goes to another place."""
    place, to = _place(editing), editing.form.number("to")
    steps = _steps(editing)
    if not 0 <= to < len(steps):
        raise TacitError("the step cannot be moved farther", fix="it is the first or the last one already")
    said = f"{titled(steps[place])} moved {'up' if to < place else 'down'}"
    _changed(editing, said, lambda tables: tables.insert(to, tables.pop(place)))


def step_off(editing: Editing) -> None:
    """A step is not done any longer, and kept."""
    place = _place(editing)
    step = _steps(editing)[place]
    kept = [{**one, "place": one["place"] - (one["place"] > place)} for one in off_of(editing.project)]
    off = sorted([*kept, {"place": place, **step}], key=lambda one: int(one["place"]))
    _changed(editing, f"{titled(step)} switched off", lambda tables: tables.pop(place), {OFF: _text(off)})


def step_on(editing: Editing) -> None:
    """A step that was off is done again, where it stood."""
    off = off_of(editing.project)
    step = off.pop(_place(editing, off=True))
    to = min(step.pop("place"), len(_steps(editing)))
    kept = [{**one, "place": one["place"] + (one["place"] > to)} for one in off]
    _changed(
        editing, f"{titled(step)} switched on", lambda tables: tables.insert(to, table_of(step)), {OFF: _text(kept)}
    )


def step_start(editing: Editing) -> None:
    """The steps of a way to begin."""
    wanted = needed(editing.form, "name", "a way to start")
    offered = starts(editing.project.draft(), editing.project.raw(), editing.columns.heights)
    chosen = next((one for one in offered if one.name == wanted), None)
    if chosen is None:
        raise TacitError(f"there is no start {wanted!r} now", fix=instead(wanted, [one.name for one in offered]))
    said = " and ".join(_done(step, "added") for step in chosen.steps)
    _changed(editing, said, lambda tables: tables.extend(map(table_of, chosen.steps)))


def _done(step: Mapping[str, Any], what: str) -> str:
    words = said_of(step)
    return f"{titled(step)} {what}: {words}" if words else f"{titled(step)} {what}"


def _given(editing: Editing) -> dict[str, Any]:
    """The step that a form describes, made once to see whether it can be; a mistake is told beside its field."""
    method = needed(editing.form, "method", "a method")
    if method not in METHODS:
        raise TacitError(f"the method {method!r} is unknown", fix=instead(method, list(METHODS)))
    step = {"method": method, **parsed(METHODS[method].call, editing.form, columns=editing.columns)}
    required = editing.project.raw().get("require", {})
    requirements = Requirements.of(required) if required else Requirements(models={})
    whole = with_models(step, requirements)
    if "models" in METHODS[method].parameters and "models" not in whole:
        lacks = TacitError(
            "it provides what is required, and nothing is required yet that it could provide",
            fix="choose what has to hold on the page Release first, e.g. k-anonymity",
        )
        raise Mistakes.of({"models": lacks})
    try:
        from_json(whole)
    except TacitError as problem:
        raise Mistakes.of({next(iter(blamed(problem, step)), ""): problem}) from None
    return step


def _place(editing: Editing, *, off: bool = False) -> int:
    place = editing.form.number("place")
    if not 0 <= place < len(off_of(editing.project) if off else _steps(editing)):
        raise TacitError(f"there is no step {place + 1}", fix="the page shows those that there are; do it again")
    return place


def _steps(editing: Editing) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = editing.project.raw().get("protect", [])
    return found


def _changed(
    editing: Editing, said: str, change: Callable[[list[Any]], Any], beside: Mapping[str, str] | None = None
) -> None:
    plan = editing.document()
    tables = tables_of(plan)
    change(tables)
    put(plan, tables)
    editing.replaced(said, {"plan": str(tomlkit_().dumps(plan)), **(beside or {})})


def _text(off: list[dict[str, Any]]) -> str:
    document = tomlkit_().document()
    put(document, [table_of(one) for one in off], under="step")
    return str(tomlkit_().dumps(document))
