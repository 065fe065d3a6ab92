"""The plain-language statement about a protected network, and the same on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..models.verdict import Verdict
from ..plan.graph.outcome import GraphOutcome
from ..plan.graph.stronger_intruders import MeasuredIntruder
from ..result import format_fact
from .audience import Audience
from .statement import Statement, headline_of, tone_of, uncovered_sentences
from .words import count_phrase, format_percent, to_prose

ATTACKED = "re-identification of nodes"
STRUCTURE = {
    "nothing": "knows nothing of anybody's links",
    "degree": "knows how many links everybody has",
    "neighbours": "knows how many links everybody has, and how many each neighbour has",
    "network": "has the whole original network",
}


def graph_statement(outcome: GraphOutcome, *, audience: Audience = "internal") -> Statement:
    """Which requirements are met, what intruders find, and what no requirement covers."""
    return Statement(
        verdict=tone_of(outcome),
        headline=headline_of(outcome, seed_risk="finds everybody" if audience == "internal" else None),
        reasons=(
            *(_missed_requirement(one) for one in outcome.verdicts if not one.holds),
            *_attack_sentences(outcome),
            *_stronger_intruder_sentences(outcome),
        ),
        uncovered=uncovered_sentences(outcome, audience),
    )


def _missed_requirement(verdict: Verdict) -> str:
    asked, found = (format_quantity(value, verdict) for value in (verdict.required, verdict.found))
    most = "at most " if verdict.found > verdict.required else ""
    return f"{verdict.model[0].upper()}{verdict.model[1:]}: {most}{asked} required, {found} found."


def format_quantity(value: float, verdict: Verdict) -> str:
    """A number of a verdict: shares in per cent."""
    share = verdict.model in (ATTACKED, "unique nodes")
    return format_percent(value, up=True) if share else format_fact(value)


def scenario_sentence(outcome: GraphOutcome) -> str:
    """What the intruder has, in a sentence."""
    given = outcome.plan.get("intruder") or {}
    held = outcome.original.attributes
    known = given.get("knows")
    columns = list(held.quasi if known is None and held is not None else known or ())
    said = [STRUCTURE[str(given.get("structure", "network"))]]
    if columns:
        said.append(f"knows {', '.join(columns)} of everybody")
    if given.get("wrong"):
        said.append(f"is wrong about {format_percent(given['wrong'])} of the links")
    if given.get("seeds"):
        said.append(_known_links_phrase(given["seeds"]))
    return f"The intruder {', '.join(said)}, and tries to find people in the release."


def _known_links_phrase(seeds: object) -> str:
    """Whom the intruder knows already."""
    if isinstance(seeds, Mapping):
        kind, count = next(iter(seeds.items()))
        return f"knows the {count} people with the most links" if kind == "hubs" else f"knows {count} random people"
    if isinstance(seeds, list):
        return f"knows {count_phrase(len(seeds), 'person', 'people')} whom the plan names"
    return f"knows {format_percent(float(str(seeds)))} of the people already"


def _stronger_intruder_sentences(outcome: GraphOutcome) -> Iterator[str]:
    """What intruders find who know more than the declared one; those in a gap stand there."""
    gaps = {gap.facts.get("intruder") for gap in outcome.gaps}
    for one in outcome.stronger:
        if one.code not in gaps and one.worst is not None and one.worst.result is not None:
            found = format_percent(one.worst.result.value)
            upper = format_percent(one.worst.result.worst_case, up=True)
            skipped = f"; not run: {', '.join(one.skipped)}" if one.skipped else ""
            yield f"An intruder who {one.knowledge} finds {found} by {to_prose(one.worst.name)} (at most {upper}){skipped}."


def _attack_sentences(outcome: GraphOutcome) -> Iterator[str]:
    worst = outcome.worst
    if worst is None or worst.result is None:
        return
    result = worst.result
    upper = format_percent(result.worst_case, up=True)
    runs = result.facts.get("runs")
    over = "" if not isinstance(runs, int) else f" in the worst of {runs} draws of what it knows"
    yield (
        f"{scenario_sentence(outcome)} The worst attack ({to_prose(worst.name)}) finds {format_percent(result.value)}{over}, at most "
        f"{upper} (upper end of the 95 % interval over people)."
    )


def graph_figures(outcome: GraphOutcome, audience: Audience) -> list[tuple[str, str]]:
    """The few numbers that stand beside the verdict; the public sees the size of the release alone."""
    after = outcome.masked.graph
    before = outcome.original if audience == "internal" else after
    found = [("Nodes", _format_change(before.size, after.size)), ("Links", _format_change(before.links, after.links))]
    if outcome.worst is not None and outcome.worst.result is not None:
        found.append(("Worst attack", format_percent(outcome.worst.result.value)))
    hold = sum(verdict.holds for verdict in outcome.verdicts)
    return [*found, ("Requirements met", f"{hold} of {len(outcome.verdicts)}")]


def _format_change(before: int, after: int) -> str:
    return format_fact(after) if before == after else f"{format_fact(before)} → {format_fact(after)}"


def graph_summary(outcome: GraphOutcome) -> str:
    """The statement, the attacks and the losses as text."""
    said = graph_statement(outcome)
    parts = [
        said.headline,
        *said.reasons,
        *(f"not covered: {one}" for one in said.uncovered),
        "",
        "people found, before → after:",
    ]
    before = {one.name: one.result for one in outcome.bare}
    for one in outcome.attacks:
        bare = before.get(one.name)
        first = "–" if bare is None else format_percent(bare.value)
        found = f"not made: {one.why_not}" if one.result is None else f"{first} → {format_percent(one.result.value)}"
        parts.append(f"{to_prose(one.name):<14}  {found}")
    if outcome.stronger:
        parts += ["", "people found by stronger intruders:", *(_intruder_line(one) for one in outcome.stronger)]
    parts += ["", "lost (0 nothing, 1 all):", *(f"{one.name:<20}  {format_fact(one.value)}" for one in outcome.losses)]
    return "\n".join([*parts, *(f"note: {note}" for note in outcome.notes)])


def _intruder_line(one: MeasuredIntruder) -> str:
    """A stronger intruder on a terminal."""
    worst = one.worst
    if worst is None or worst.result is None:
        return f"{to_prose(one.code):<14}  not measured"
    skipped = f", not run: {', '.join(one.skipped)}" if one.skipped else ""
    return f"{to_prose(one.code):<14}  {format_percent(worst.result.value)} by {to_prose(worst.name)}{skipped}"
