"""What was done to the data, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...plan.outcome import Outcome
from ...protect import ALL as METHODS
from ...release.trace import Trace
from ..audience import Audience, count
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
    pairs = [(readable(name), listed(value)) for name, value in plain["parameters"].items() if value is not None]
    for name, value in plain["outcome"].items():
        kept = "" if step.outcome[name].publishable else " (internal)"
        pairs.append((f"{readable(name)}{kept}", listed(_guarded(value, audience))))
    title = readable(step.method)
    return title[0].upper() + title[1:], readable(entry.summary) if entry else "", tuple(pairs)


def _guarded(found: Any, audience: Audience) -> Any:
    """A count, or a count per column, as this reader may see it."""
    if isinstance(found, Mapping):
        return {name: _guarded(part, audience) for name, part in found.items()}
    return count(found, audience) if isinstance(found, int) and not isinstance(found, bool) else found
