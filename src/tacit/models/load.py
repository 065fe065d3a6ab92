"""Models as plain data and back: what [require], a method's parameters and a trace hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from ..errors import TacitError, format_value, suggest_alternative
from .demand import Model


def build_model(name: str, content: Any, *, also: Sequence[str] = ()) -> Model:
    """A model from its plan name: a scalar is its first field, a table its fields.

    >>> build_model("k_anonymity", 5)
    KAnonymity(k=5)
    """
    from . import MODELS

    if name not in MODELS:
        raise TacitError(
            f"the requirement {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, [*MODELS, *also])
        )
    takes = MODELS[name].parameters
    given = content if isinstance(content, Mapping) else {takes[0]: content}
    wrong = next((key for key in given if key not in takes), None)
    if wrong is not None:
        raise TacitError(f"{name} takes no {wrong!r}", code="unknown_name", fix=f"it takes {', '.join(takes)}")
    try:
        made: Model = MODELS[name].call(**given)
    except TypeError:
        call: Any = MODELS[name].call
        bare = [one.name for one in fields(call) if one.default is one.default_factory is MISSING]
        short = next((one for one in bare if one not in given), takes[0])
        shown = ", ".join(f"{key} = {value}" for key, value in MODELS[name].example.items())
        raise TacitError(
            f"{name} needs {short!r}", code="invalid_parameter", fix=f"e.g. {name} = {{ {shown} }}"
        ) from None
    return made


def models_of(given: Any, *, households: bool = False) -> tuple[Model, ...]:
    """Models from models, from ``{"k_anonymity": 5}`` as in [require], or from a trace's list of plain models.

    Those about ``households`` are refused unless the caller provides them.
    """
    if isinstance(given, Mapping):
        return tuple(
            _searchable_model(build_model(name, content), households=households) for name, content in given.items()
        )
    if hasattr(given, "demands"):
        return (_searchable_model(given, households=households),)
    if not isinstance(given, list | tuple):
        raise TacitError(
            f"{format_value(given)} is no list of models",
            code="wrong_type",
            fix="e.g. models=[KAnonymity(k=5)] or models={'k_anonymity': 5}",
        )
    return tuple(_searchable_model(_to_model(part), households=households) for part in given)


def _searchable_model(given: Any, *, households: bool) -> Model:
    """A model that a search can provide; one that compares values with the original, or is about households, asks nothing of classes."""
    from . import MODELS

    name = next((name for name, entry in MODELS.items() if given.__class__ is entry.call), None)
    if name is not None and "original" in MODELS[name].needs:
        raise TacitError(
            f"{name} asks nothing of classes: no recoding can be searched for it",
            code="invalid_parameter",
            fix="require it of the masked file ([require] in a plan), and mask its columns",
        )
    if name is not None and "household" in MODELS[name].needs and not households:
        raise TacitError(
            f"{name} asks nothing of classes: no recoding can be searched for it",
            code="invalid_parameter",
            fix="use anonymise, which provides it beside other models, or suppress_households",
        )
    found: Model = given
    return found


def _to_model(given: Any) -> Model:
    if isinstance(given, Mapping) and isinstance(given.get("model"), str):
        return build_model(given["model"], {key: value for key, value in given.items() if key != "model"})
    if isinstance(given, type) or not hasattr(given, "demands"):
        raise TacitError(
            f"{format_value(given)} is no model",
            code="wrong_type",
            fix="e.g. KAnonymity(k=5), or {'k_anonymity': 5} for all",
        )
    made: Model = given
    return made
