"""Changes on the page Risk: what the intruder has, and what is attacked beside identities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from ...attack import ATTACKS
from ...errors import TacitError, check_columns, suggest_alternative
from ...plan.attack_run import ABOUT
from ...plan.schema import Intruder
from ...study.plan_text import import_tomlkit, toml_value
from ..forms import parse_form
from .edit import Editing, get_section, path_in_plan, require_text, set_key

TOLD = get_args(Intruder.model_fields["told"].annotation)


def set_known_columns(editing: Editing) -> None:
    """The columns that the intruder knows, ticked."""
    _save_known_columns(editing, check_columns(editing.form.get_all("knows"), editing.columns.names))


def knows_first(editing: Editing) -> None:
    """The first so many of the columns, in the order that the page shows."""
    order = check_columns(editing.form.get_all("order"), editing.columns.names)
    _save_known_columns(editing, order[: max(1, editing.form.number("count"))])


def set_published_parameters(editing: Editing) -> None:
    """What was published about the masking."""
    chosen = editing.form.get_last("told")
    if chosen not in TOLD:
        raise TacitError(f"{chosen!r} cannot be told", code="bad_request", fix=suggest_alternative(chosen, TOLD))
    _save_intruder(editing, f"told about the masking: {chosen}", {"told": None if chosen == TOLD[-1] else chosen})


def set_control_files(editing: Editing) -> None:
    """A file of people who are not in the data, and other releases about the same people; empty: none."""
    also = [text.strip() for text in editing.form.get_last("also").split(",") if text.strip()]
    given = editing.form.get_last("control").strip()
    values = {"control": path_in_plan(editing, given), "also": [path_in_plan(editing, one) for one in also]}
    _save_intruder(editing, f"people who are not in the data: {Path(given).name or 'none'}", values)


def set_second_list(editing: Editing) -> None:
    """The columns of a second list of the intruder."""
    chosen = list(check_columns(editing.form.get_all("second"), editing.columns.names))
    _save_intruder(editing, f"a second list: {', '.join(chosen) or 'none'}", {"second": chosen})


def worst_case(editing: Editing) -> None:
    """The intruder knows all that the roles say, and has read the trace."""
    _save_intruder(editing, "the intruder: worst case", {"knows": None, "told": None})


def set_attack_targets(editing: Editing) -> None:
    """What is attacked beside identities: an attack of that sort is named in the plan, or none is."""
    plan, wanted = editing.document(), editing.form.get_all("sort")
    required = {ABOUT[name] for name in plan.get("require", {}) if name in ABOUT}
    for about in dict.fromkeys(ABOUT.values()):
        of_it = [name for name, entry in ATTACKS.items() if entry.tags.about == about]
        named = [place for place, one in enumerate(plan.get("attack", [])) if one.get("method") in of_it]
        if about == "identity" or about in required:  # made in any case
            continue
        if about in wanted and not named:
            _add_attack(plan, {"method": of_it[0]})
        elif about not in wanted:
            _drop_attacks(plan, named)
    editing.save_document(f"also attacked: {', '.join(wanted) or 'nothing else'}", plan)


def set_attack_params(editing: Editing) -> None:
    """The parameters of an attack."""
    method = require_text(editing.form, "method", "an attack")
    if method not in ATTACKS:
        raise TacitError(
            f"the attack {method!r} is unknown", code="unknown_name", fix=suggest_alternative(method, list(ATTACKS))
        )
    values = parse_form(ATTACKS[method].call, editing.form, columns=editing.columns)
    plan = editing.document()
    here = [place for place, one in enumerate(plan.get("attack", [])) if one.get("method") == method]
    _drop_attacks(plan, here)
    if values or (here and ATTACKS[method].tags.about != "identity"):
        _add_attack(plan, {"method": method, **values})
    editing.save_document(f"settings of the attack {method}", plan)


def _save_known_columns(editing: Editing, chosen: Sequence[str]) -> None:
    if not chosen:
        raise TacitError("the intruder would know nothing", code="bad_request", fix="tick at least one column")
    everything = set(editing.project.raw().get("roles", {}).get("quasi", []))
    value = None if set(chosen) == everything else list(chosen)
    _save_intruder(editing, f"the intruder knows {', '.join(chosen)}", {"knows": value})


def _save_intruder(editing: Editing, said: str, values: dict[str, Any]) -> None:
    plan = editing.document()
    table = get_section(plan, "intruder")
    for key, value in values.items():
        set_key(table, key, value)
    if not table:
        plan.pop("intruder")
    editing.save_document(said, plan)


def _add_attack(plan: Any, values: dict[str, Any]) -> None:
    table = import_tomlkit().table()
    for key, value in values.items():
        table.add(key, toml_value(value))
    if "attack" not in plan:
        plan.add(import_tomlkit().nl())
        plan.append("attack", import_tomlkit().aot())
    plan["attack"].append(table)


def _drop_attacks(plan: Any, places: Sequence[int]) -> None:
    for place in reversed(places):
        del plan["attack"][place]
    if "attack" in plan and not len(plan["attack"]):
        plan.pop("attack")
