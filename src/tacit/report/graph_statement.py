"""The plain-language statement about a protected network, and the same on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..models.verdict import Verdict
from ..plan.graph.outcome import GraphOutcome
from ..result import shown
from .audience import Audience
from .statement import Statement
from .words import counted, percent, readable

__all__ = ["graph_figures", "graph_statement", "graph_summary", "quantity", "scenario"]

ATTACKED = "re-identification of nodes"
STRUCTURE = {
    "nothing": "knows nothing of anybody's links",
    "degree": "knows how many links everybody has",
    "neighbours": "knows how many links everybody has, and how many each neighbour has",
    "network": "has the whole original network",
}


def graph_statement(outcome: GraphOutcome, *, audience: Audience = "internal") -> Statement:
    """May the network go out, what is required and not met, and what an intruder finds."""
    failing = [verdict for verdict in outcome.verdicts if not verdict.holds]
    said: Literal["holds", "fails", "open"] = "fails" if failing else "open" if outcome.repeatable else "holds"
    reasons = [*(_missed(verdict) for verdict in failing), *_found(outcome)]
    return Statement(verdict=said, headline=_headline(outcome, len(failing), audience), reasons=tuple(reasons))


def _headline(outcome: GraphOutcome, failing: int, audience: Audience) -> str:
    asked = len(outcome.verdicts)
    if failing:
        part = "the one requirement" if asked == 1 else f"{failing} of {counted(asked, 'requirement')}"
        return f"This network must not go out: {part} {'does' if failing == 1 else 'do'} not hold."
    number = "both" if asked == 2 else f"all {asked}"
    hold = "the one requirement holds" if asked == 1 else f"{number} requirements hold"
    if outcome.repeatable and audience == "internal":
        return f"This release is repeatable, not for publication: {hold}, but whoever learns its seed finds everybody."
    return f"This network may go out: {hold}."


def _missed(verdict: Verdict) -> str:
    asked, found = (quantity(value, verdict) for value in (verdict.required, verdict.found))
    most = "at most " if verdict.found > verdict.required else ""
    return f"{verdict.model[0].upper()}{verdict.model[1:]}: {most}{asked} required, {found} found."


def quantity(value: float, verdict: Verdict) -> str:
    """A number of a verdict: shares in per cent."""
    share = verdict.model in (ATTACKED, "unique nodes")
    return percent(value, up=True) if share else shown(value)


def scenario(outcome: GraphOutcome) -> str:
    """What the intruder has, in a sentence."""
    given = outcome.plan.get("intruder") or {}
    held = outcome.original.attributes
    known = given.get("knows")
    columns = list(held.quasi if known is None and held is not None else known or ())
    said = [STRUCTURE[str(given.get("structure", "network"))]]
    if columns:
        said.append(f"knows {', '.join(columns)} of everybody")
    if given.get("wrong"):
        said.append(f"is wrong about {percent(given['wrong'])} of the links")
    if given.get("seeds"):
        said.append(f"has found {percent(given['seeds'])} of the people already")
    return f"The intruder {', '.join(said)}, and tries to find people in the release."


def _found(outcome: GraphOutcome) -> Iterator[str]:
    worst = outcome.worst
    if worst is None or worst.result is None:
        return
    result = worst.result
    upper = percent(result.worst_case, up=True)
    yield f"{scenario(outcome)} The worst attack ({readable(worst.name)}) finds {percent(result.value)}, with 95 % confidence at most {upper}."


def graph_figures(outcome: GraphOutcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict; the public sees the size of the release alone."""
    after = outcome.masked.graph
    before = outcome.original if audience == "internal" else after
    found = [("Nodes", _arrow(before.size, after.size)), ("Links", _arrow(before.links, after.links))]
    if outcome.worst is not None and outcome.worst.result is not None:
        found.append(("Worst attack", percent(outcome.worst.result.value)))
    hold = sum(verdict.holds for verdict in outcome.verdicts)
    return [*found, ("Requirements met", f"{hold} of {len(outcome.verdicts)}")]


def _arrow(before: int, after: int) -> str:
    return shown(after) if before == after else f"{shown(before)} → {shown(after)}"


def graph_summary(outcome: GraphOutcome) -> str:
    """The statement, the attacks and the losses as text."""
    said = graph_statement(outcome)
    parts = [said.headline, *said.reasons, "", "people found, before → after:"]
    before = {one.name: one.result for one in outcome.bare}
    for one in outcome.attacks:
        bare = before.get(one.name)
        first = "–" if bare is None else percent(bare.value)
        found = f"not made: {one.why_not}" if one.result is None else f"{first} → {percent(one.result.value)}"
        parts.append(f"{readable(one.name):<14}  {found}")
    parts += ["", "lost (0 nothing, 1 all):", *(f"{one.name:<20}  {shown(one.value)}" for one in outcome.losses)]
    return "\n".join([*parts, *(f"note: {note}" for note in outcome.notes)])
