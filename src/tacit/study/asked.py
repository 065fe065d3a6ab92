"""What a study is asked: a plan with its section [study], or data in memory and the same words as keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from ..errors import TacitError, instead, typed, whole
from ..plan.schema import Study as Section
from .budget import seconds_of
from .choice import checked_axes
from .noun import StudyPlan
from .nouns import noun_of, read_plan
from .space import Strategy

__all__ = ["asked", "strategies_of"]

BOTH = {"risk": 1.0, "loss": 1.0}
"""Without requirements the least loss is that of the data as they are: risk and loss count alike."""


def asked(
    what: Any,
    *,
    require: Mapping[str, Any] | None = None,
    knows: Sequence[str] | None = None,
    intruder: Mapping[str, Any] | None = None,
    said: Mapping[str, Any],
) -> tuple[Any, Any]:
    """The plan of a study and its data; ``said`` wins over the section [study]."""
    if isinstance(what, str | Path):
        what = read_plan(what)
    noun = noun_of(what)
    if noun.planned(what):
        if require is not None or knows is not None or intruder is not None:
            raise TacitError(
                "a plan says itself what is required and what the intruder knows",
                fix="change [require] or [intruder] in the plan",
            )
        plan, original = what, noun.original(what)
    else:
        original = noun.data_of(what)
        known = {} if knows is None else {"knows": list(knows)}
        plan = noun.described(original, require, {**(intruder or {}), **known})
        if not require:
            said = {"prefer": BOTH, **said}
    section = _section({**plan.plan.study.model_dump(), **_plainly(said)})
    plan = replace(plan, plan=plan.plan.model_copy(update={"study": section}))
    _check(plan, section)
    return plan, original


def strategies_of(plan: StudyPlan) -> list[Strategy]:
    """What the plan says is to be tried, each under a name of its own."""
    methods = noun_of(plan).methods
    found: dict[str, Strategy] = {}
    for place, given in enumerate(plan.plan.study.strategy):
        try:
            if given.name in found:
                raise TacitError(f"two strategies are called {given.name!r}", fix="give one of them another name")
            found[given.name] = Strategy.of(given.name, given.steps, methods=methods)
        except TacitError as problem:
            raise plan.at(problem, "study", "strategy", place) from None
    return list(found.values())


def _plainly(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, with strategies as they stand in a plan; they may be given as such."""
    given = said.get("strategy")
    if not isinstance(given, list | tuple):
        return dict(said)
    plain = [
        {"name": one.name, "steps": [dict(step) for step in one.steps]} if isinstance(one, Strategy) else one
        for one in given
    ]
    return {**said, "strategy": plain}


def _section(said: Mapping[str, Any]) -> Section:
    known = Section.model_fields
    wrong = next((name for name in said if name not in known), None)
    if wrong is not None:
        raise TacitError(f"a study takes no {wrong!r}", fix=instead(wrong, list(known)))
    try:
        return Section.model_validate(dict(said))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        if first["type"] == "literal_error":
            words = get_args(known[place].annotation)
            raise TacitError(
                f"{place} = {typed(first['input'])} is unknown", fix=instead(str(first["input"]), words)
            ) from None
        raise TacitError(
            f"{place}: {first['msg'][0].lower()}{first['msg'][1:]}", fix="correct it, see [study]"
        ) from None


def _check(plan: StudyPlan, section: Section) -> None:
    """Refuses values that cannot be meant, with their line in the plan."""
    checks: dict[str, Callable[[], object]] = {
        "candidates": lambda: whole("candidates", section.candidates, least=1),
        "budget": lambda: seconds_of(section.budget),
        "at_most": lambda: checked_axes(section.at_most, "at_most"),
        "prefer": lambda: _preferred(section.prefer),
    }
    for key, check in checks.items():
        try:
            check()
        except TacitError as problem:
            raise plan.at(problem, "study", key) from None


def _preferred(prefer: Mapping[str, Any]) -> None:
    if not any(checked_axes(prefer, "prefer").values()):
        raise TacitError("prefer counts neither risk nor loss", fix="e.g. prefer = { risk = 1, loss = 1 }")
