"""The page Explore: the solution space of the search for levels, and the risk–utility map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from ...attack import ATTACKS
from ...errors import TacitError
from ...loss import LOSSES
from ...plan.attack_run import ABOUT
from ...plan.schema import Study
from ...protect import FullDomain
from ...protect.lattice.objectives import OBJECTIVES
from ...release.roles import QUASI
from ...report.words import to_prose
from ..forms import Field, fields_of
from ..texts import Texts, texts
from .page import View


def explore_context(view: View) -> Mapping[str, Any]:
    """The forms of both pictures; what they found stands in panels."""
    asked = view.desk.last_question("lattice")
    return {
        "lattice_asked": asked,
        "lattice_fields": _lattice_fields(view, asked),
        "provided": _achievable_requirements(view),
        "study": view.raw.get("study", {}),
        "searches": get_args(Study.model_fields["search"].annotation),
        "usual_count": Study.model_fields["candidates"].default,
        "kinds": tuple(ABOUT),
        "losses": tuple(LOSSES),
        "attacks": tuple(name for name, entry in ATTACKS.items() if entry.tags.about == "identity"),
    }


def _achievable_requirements(view: View) -> list[str]:
    """The requirements that a choice of levels can provide."""
    try:
        draft = view.project.draft()
    except TacitError:
        return []  # the panel says what is wrong
    if draft is None:
        return []
    provided = draft.requirements.of_classes
    return [name for name, model in draft.requirements.models.items() if model in provided]


def _lattice_fields(view: View, asked: Mapping[str, Any]) -> dict[str, Field]:
    """The parameters of the search that matter here; how much may be left out has no default."""
    say = texts()
    quasi = tuple(one for one in view.columns.every if one.role in QUASI)
    heights = {one.name: view.columns.heights[one.name] for one in quasi if one.name in view.columns.heights}
    fields = fields_of(FullDomain, columns=replace(view.columns, heights=heights), say=say.forms.mapping)
    found = {one.name: _field_with_last_answer(one, asked, say.map) for one in fields}
    found["suppression"] = replace(found["suppression"], required=True, default="")
    chosen = str(asked.get("objective", ""))
    choices = _labelled_names(OBJECTIVES, say.map.objectives)
    found["objective"] = replace(found["objective"], control="choice", choices=choices, value=chosen or "loss")
    found["target"] = replace(found["target"], choices=(("", say.forms.unset), *((n, n) for n in view.columns.names)))
    wanted = ("suppression", "objective", "target", "seconds", "lowest", "highest")
    return {name: found[name] for name in wanted}


def _field_with_last_answer(one: Field, asked: Mapping[str, Any], say: Texts) -> Field:
    """A field with our words, and with what was asked last."""
    words = {
        "label": say.labels.get(one.name, one.label),
        "help": say.helps.get(one.name),
        "hint": say.hints.get(one.name),
    }
    if one.control == "levels":
        given = {column: str(asked.get(f"{one.name}:{column}", "")) for column, _ in one.choices}
        return replace(one, **words, value={column: text for column, text in given.items() if text})
    return replace(one, **words, value=str(asked.get(one.name, "")))


def _labelled_names(names: Iterable[str], say: Texts) -> tuple[tuple[str, str], ...]:
    return tuple((name, say.get(name, to_prose(name))) for name in names)
