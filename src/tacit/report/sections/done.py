"""What was done to the data, step by step."""

from __future__ import annotations

from typing import Any

from ...plan.outcome import Outcome
from ...protect import ALL as METHODS
from ...release.trace import Trace
from ..audience import Audience
from ..blocks import Section, Steps, Text
from ..words import listed, readable

__all__ = ["done"]


def done(outcome: Outcome, audience: Audience) -> Section | None:
    """The trace as numbered steps: a public page shows of each what may be published."""
    if outcome.masked is None or not outcome.masked.trace:
        return None
    told = "The protection does not rest on keeping this secret: it is published with the data"
    told += ", apart from what is marked internal." if audience == "internal" else "."
    steps = Steps(tuple(_step(step, audience) for step in outcome.masked.trace))
    return Section(id="done", title="What was done", blocks=(Text(told), steps))


def _step(step: Trace, audience: Audience) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    plain = step.as_json(public=audience == "public")
    entry = METHODS.get(step.method)
    given = {name: value for name, value in plain["parameters"].items() if value not in (None, {}, [])}
    pairs = [(readable(name), _models(value) if name == "models" else listed(value)) for name, value in given.items()]
    for name, value in plain["outcome"].items():
        kept = "" if step.outcome[name].publishable else " (internal)"
        pairs.append((f"{readable(name)}{kept}", listed(value)))
    title = readable(step.method)
    return title[0].upper() + title[1:], readable(entry.summary) if entry else "", tuple(pairs)


def _models(given: Any) -> str:
    """Models in words: their names and what is asked of them."""
    said = []
    for one in given:
        asked = {name: value for name, value in one.items() if name != "model" and value not in (None, {}, [])}
        said.append(f"{readable(one['model'])} ({listed(asked)})")
    return "; ".join(said)
