"""Changes on the page Explore: what a study tries, and a node or a point of a picture taken into the plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ...errors import TacitError, check_int, format_value
from ...plan.schema import Study
from ...protect.lattice.level_steps import Rest, as_steps
from ...study.budget import seconds_of
from ...study.plan_text import put_steps
from ..forms import FormErrors
from ..forms.parse_text import parse_decimal
from ..forms.parse_text import parse_whole as whole_number
from ..panels.lattice import found_node
from .edit import Editing, get_section, require_text, set_key

AXES = ("risk", "loss")


def use_node(editing: Editing) -> None:
    """The levels of a node of the solution space become steps, and what is done with the records that miss a model."""
    form = editing.form
    found = editing.found("lattice", _parse_question(form.get_last("question")))
    if found is None:
        raise TacitError(
            "what was searched is not what the plan says now", code="wrong_type", fix="search again, then choose"
        )
    node, rest = found_node(found, require_text(form, "node", "a generalisation")), form.get_last("rest", "leave_out")
    if rest not in get_args(Rest):
        raise TacitError(
            f"{format_value(rest)} is no way to treat records",
            code="wrong_type",
            fix=f"use one of {', '.join(get_args(Rest))}",
        )
    if rest == "leave_out" and not node["safe"]:
        raise TacitError(
            "more records miss a model at these levels than may be left out",
            code="cannot_be_met",
            fix="choose one that is safe, blank their cells instead, or allow more to be left out and search again",
        )
    steps = as_steps(
        node["levels"],
        removed=node["suppressed"],
        climbing=found["climbing"],
        suppression=found["suppression"],
        rest=rest,  # type: ignore[arg-type]
        k=found["k"],
    )
    levels = ", ".join(f"{column} {level}" for column, level in node["levels"].items())
    _insert_steps(editing, steps, said=f"levels: {levels}")


def use_point(editing: Editing) -> None:
    """The steps of a point of the map."""
    found = editing.found("study", _parse_question(editing.form.get_last("question")))
    number = editing.form.number("point")
    point = next((one for one in (found or {"points": []})["points"] if one["number"] == number), None)
    if point is None:
        raise TacitError(
            f"there is no point {number} on the map of this plan", code="unknown_name", fix="explore again, then choose"
        )
    if point["state"] == "failed":
        raise TacitError(
            f"point {number} could not be made: {point['why']}", code="bad_request", fix="choose another point"
        )
    _insert_steps(editing, point["steps"], said=f"point {number}: {point['strategy']}")


def study_settings(editing: Editing) -> None:
    """What is tried and how candidates are compared; what is left empty is as without it."""
    plan, given = editing.document(), _study_section(editing)
    study = get_section(plan, "study")
    for name, value in given.items():
        set_key(study, name, value)
    if not len(study):
        plan.pop("study")
    if plan.unwrap().get("study") != editing.project.raw().get("study"):
        editing.save_document("said what is explored", plan)


def _insert_steps(editing: Editing, steps: Sequence[Mapping[str, Any]], *, said: str) -> None:
    plan, after = editing.document(), editing.form.get_last("place", "replace") == "add"
    put_steps(plan, steps, said=said, after=after)
    editing.save_document(f"{'added' if after else 'took'} {said}", plan)


def _parse_question(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise TacitError(
            "the question of this panel is lost", code="missing_parameter", fix="reload the page and do it again"
        )
    return found


def _study_section(editing: Editing) -> dict[str, Any]:
    """The section [study] as the form has it; all mistakes in one error, each under the name of its field."""
    form, before = editing.form, editing.project.raw().get("study", {})
    found: dict[str, Any] = {"attacks": form.get_all("attacks")}
    problems: dict[str, TacitError] = {}

    def read(name: str, reader: Any) -> Any:
        text = form.get_last(name).strip()
        try:
            return reader(text) if text else None
        except TacitError as problem:
            problems[name] = problem.with_location(name)
            return None

    found["search"] = read("search", _parse_search)
    found["candidates"] = read("candidates", _parse_count)
    found["budget"] = read("budget", _parse_budget)
    for word, reader in (("prefer", _weight_typed), ("at_most", _parse_share)):
        axes = {axis: read(f"{word}:{axis}", reader) for axis in AXES}
        found[word] = {axis: value for axis, value in axes.items() if value is not None}
    for axis in AXES:
        old = before.get(axis, {})
        names = dict.fromkeys([*old, *(key.partition(":")[2] for key in form if key.startswith(f"{axis}:"))])
        weights = {name: read(f"{axis}:{name}", _weight_typed) for name in names}
        found[axis] = {
            name: _merge_weight(old.get(name), weight) for name, weight in weights.items() if weight is not None
        }
    if problems:
        raise FormErrors.of(problems)
    return found


def _parse_search(text: str) -> str | None:
    if text not in get_args(Study.model_fields["search"].annotation):
        raise TacitError(f"{format_value(text)} is no search", code="wrong_type", fix="choose one from the list")
    return None if text == Study.model_fields["search"].default else text


def _parse_count(text: str) -> int:
    found = whole_number(text)
    check_int("candidates", found, least=1)
    return found


def _parse_budget(text: str) -> str:
    seconds_of(text)
    return text


def _weight_typed(text: str) -> float:
    found = parse_decimal(text)
    if found < 0:
        raise TacitError(
            f"{format_value(text)} is less than 0",
            code="out_of_range",
            fix="write 0 for what does not count, 1 or more for what does",
        )
    return found


def _parse_share(text: str) -> float:
    found = parse_decimal(text)
    if not 0 <= found <= 1:
        raise TacitError(
            f"{format_value(text)} is not a share",
            code="out_of_range",
            fix="write a number from 0 to 1, e.g. 0.05 for 5 %",
        )
    return found


def _merge_weight(before: Any, weight: float) -> Any:
    """The weight of a measure; one with options keeps them."""
    return {**before, "weight": weight} if isinstance(before, dict) else weight
