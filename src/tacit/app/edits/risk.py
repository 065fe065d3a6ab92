"""Changes on the page Risk: what the intruder has, and what is attacked beside identities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from ...attack import ALL as ATTACKS
from ...errors import TacitError, instead, names
from ...plan.schema import Intruder
from ...plan.sorts import ABOUT
from ...study.written import toml_value, tomlkit_
from ..forms import parsed
from .edit import Editing, needed, path_in_plan, section, set_key

TOLD = get_args(Intruder.model_fields["told"].annotation)


def knows(editing: Editing) -> None:
    """The columns that the intruder knows, ticked."""
    _known(editing, names(editing.form.all("knows"), editing.columns.names))


def knows_first(editing: Editing) -> None:
    """The first so many of the columns, in the order that the page shows."""
    order = names(editing.form.all("order"), editing.columns.names)
    _known(editing, order[: max(1, editing.form.number("count"))])


def told(editing: Editing) -> None:
    """What was published about the masking."""
    chosen = editing.form.one("told")
    if chosen not in TOLD:
        raise TacitError(f"{chosen!r} cannot be told", fix=instead(chosen, TOLD))
    _intruder(editing, f"told about the masking: {chosen}", {"told": None if chosen == TOLD[-1] else chosen})


def control(editing: Editing) -> None:
    """A file of people who are not in the data, and other releases about the same people; empty: none."""
    also = [text.strip() for text in editing.form.one("also").split(",") if text.strip()]
    given = editing.form.one("control").strip()
    values = {"control": path_in_plan(editing, given), "also": [path_in_plan(editing, one) for one in also]}
    _intruder(editing, f"people who are not in the data: {Path(given).name or 'none'}", values)


def second(editing: Editing) -> None:
    """The columns of a second list of the intruder."""
    chosen = list(names(editing.form.all("second"), editing.columns.names))
    _intruder(editing, f"a second list: {', '.join(chosen) or 'none'}", {"second": chosen})


def worst_case(editing: Editing) -> None:
    """The intruder knows all that the roles say, and has read the trace."""
    _intruder(editing, "the intruder: worst case", {"knows": None, "told": None})


def sorts(editing: Editing) -> None:
    """What is attacked beside identities: an attack of that sort is named in the plan, or none is."""
    plan, wanted = editing.document(), editing.form.all("sort")
    required = {ABOUT[name] for name in plan.get("require", {}) if name in ABOUT}
    for about in dict.fromkeys(ABOUT.values()):
        of_it = [name for name, entry in ATTACKS.items() if entry.tags.about == about]
        named = [place for place, one in enumerate(plan.get("attack", [])) if one.get("method") in of_it]
        if about == "identity" or about in required:  # made in any case
            continue
        if about in wanted and not named:
            _add(plan, {"method": of_it[0]})
        elif about not in wanted:
            _drop(plan, named)
    editing.done(f"also attacked: {', '.join(wanted) or 'nothing else'}", plan)


def attack(editing: Editing) -> None:
    """The parameters of an attack."""
    method = needed(editing.form, "method", "an attack")
    if method not in ATTACKS:
        raise TacitError(f"the attack {method!r} is unknown", fix=instead(method, list(ATTACKS)))
    values = parsed(ATTACKS[method].call, editing.form, columns=editing.columns)
    plan = editing.document()
    here = [place for place, one in enumerate(plan.get("attack", [])) if one.get("method") == method]
    _drop(plan, here)
    if values or (here and ATTACKS[method].tags.about != "identity"):
        _add(plan, {"method": method, **values})
    editing.done(f"settings of the attack {method}", plan)


def _known(editing: Editing, chosen: Sequence[str]) -> None:
    if not chosen:
        raise TacitError("the intruder would know nothing", fix="tick at least one column")
    everything = set(editing.project.raw().get("roles", {}).get("quasi", []))
    value = None if set(chosen) == everything else list(chosen)
    _intruder(editing, f"the intruder knows {', '.join(chosen)}", {"knows": value})


def _intruder(editing: Editing, said: str, values: dict[str, Any]) -> None:
    plan = editing.document()
    table = section(plan, "intruder")
    for key, value in values.items():
        set_key(table, key, value)
    if not table:
        plan.pop("intruder")
    editing.done(said, plan)


def _add(plan: Any, values: dict[str, Any]) -> None:
    table = tomlkit_().table()
    for key, value in values.items():
        table.add(key, toml_value(value))
    if "attack" not in plan:
        plan.add(tomlkit_().nl())
        plan.append("attack", tomlkit_().aot())
    plan["attack"].append(table)


def _drop(plan: Any, places: Sequence[int]) -> None:
    for place in reversed(places):
        del plan["attack"][place]
    if "attack" in plan and not len(plan["attack"]):
        plan.pop("attack")
