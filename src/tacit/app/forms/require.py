"""A line of [require] as a form: a model with its fields, a measure with its bound and options, the share of an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import TacitError, instead
from ...models import ALL as MODELS
from ...models import Threshold
from ...plan.parse import blamed
from ...plan.require import CHANCE, Requirements
from ...plan.sorts import ABOUT
from ...report.words import readable
from ...risk import ALL as RISKS
from .columns import Columns
from .field import Field
from .mistakes import Mistakes
from .read import Form
from .whole import fields_of, parsed

__all__ = ["Share", "parsed_requirement", "requirement_fields"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a requirement on attacks holds: the share that they may reach at most."""

    at_most: float


def requirement_fields(name: str, given: Any = None, *, columns: Columns, say: Mapping[str, str]) -> tuple[Field, ...]:
    """The fields of a requirement by its plan name; ``given`` is what stands in the plan, a scalar or a table."""
    calls, first = _calls(name)
    content = given if isinstance(given, Mapping) else {} if given is None else {first: given}
    return tuple(
        one
        for call, example in calls
        for one in fields_of(call, columns=columns, say=say, given=content, example=example)
    )


def parsed_requirement(name: str, form: Form, *, columns: Columns) -> Any:
    """What stands in the plan for a requirement: a scalar where that says it all, else a table; checked by itself."""
    calls, first = _calls(name)
    found: dict[str, Any] = {}
    problems: dict[str, TacitError] = {}
    for call, _ in calls:
        try:
            found |= parsed(call, form, columns=columns)
        except Mistakes as mistakes:
            problems |= mistakes.problems
    if problems:
        raise Mistakes.of(problems)
    content = found[first] if set(found) == {first} else found
    try:
        Requirements.of({name: content})
    except TacitError as problem:
        place = next(iter(blamed(problem, found)), first)
        raise Mistakes.of({place: problem.at(readable(name))}) from None
    return content


def _calls(name: str) -> tuple[tuple[tuple[Any, Mapping[str, Any]], ...], str]:
    """What has the fields of a requirement, each with an example, and the field that a scalar stands for."""
    if name in ABOUT:
        return ((Share, {"at_most": 0.6 if name in CHANCE else 0.05}),), "at_most"
    if name in MODELS:
        return ((MODELS[name].call, MODELS[name].example),), MODELS[name].parameters[0]
    if name in RISKS:
        return ((Threshold, {}), (RISKS[name].call, RISKS[name].example)), "at_most"
    raise TacitError(f"the requirement {name!r} is unknown", fix=instead(name, [*MODELS, *ABOUT, *RISKS]))
