"""What was done to the data, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...plan.job_outcome import JobOutcome
from ...protect import METHODS
from ...release.trace import Trace
from ..audience import Audience
from ..blocks import Section, Steps, Text
from ..words import summarise_value, to_prose


def steps_section(outcome: JobOutcome, audience: Audience, *, methods: Mapping[str, Any] = METHODS) -> Section | None:
    """The trace as numbered steps: a public page shows of each what may be published. ``methods`` describes them by name."""
    if not outcome.trace:
        return None
    told = "The protection does not rest on keeping this secret: it is published with the data"
    told += ", apart from what is marked internal." if audience == "internal" else "."
    steps = Steps(tuple(_step_entry(step, audience, methods) for step in outcome.trace))
    return Section(id="done", title="What was done", blocks=(Text(told), steps))


def _step_entry(
    step: Trace, audience: Audience, methods: Mapping[str, Any]
) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    entry = methods.get(step.method)
    pairs = (*parameters_said(step.as_json(public=False)["parameters"]), *outcome_said(step, audience))
    title = to_prose(step.method)
    return title[0].upper() + title[1:], to_prose(entry.summary) if entry else "", pairs


def parameters_said(parameters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The parameters of a step in words, without those that are not set.

    >>> parameters_said({"columns": ["income"], "percent": 5, "strata": None})
    (('columns', 'income'), ('percent', '5'))
    """
    given = {name: value for name, value in parameters.items() if value not in (None, {}, [])}
    return tuple(
        (to_prose(name), _describe_models(value) if name == "models" else summarise_value(value))
        for name, value in given.items()
    )


def outcome_said(step: Trace, audience: Audience) -> tuple[tuple[str, str], ...]:
    """What a step found and did in the data, in words; the public is told what may be published."""
    found = step.as_json(public=audience == "public")["outcome"]
    return tuple(
        (f"{to_prose(name)}{'' if step.outcome[name].publishable else ' (internal)'}", summarise_value(value))
        for name, value in found.items()
    )


def _describe_models(given: Any) -> str:
    """Models in words: their names and what is asked of them."""
    said = []
    for one in given:
        asked = {name: value for name, value in one.items() if name != "model" and value not in (None, {}, [])}
        said.append(f"{to_prose(one['model'])} ({summarise_value(asked)})")
    return "; ".join(said)
