"""The report on a protected network as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from ..graphs.registry import ALL
from ..models.verdict import Verdict
from ..plan.graph.outcome import GraphOutcome
from ..result import Result, format_fact
from .audience import Audience
from .blocks import Block, Figure, Figures, Items, Section, Table, Text
from .charts import interval_chart, render_svg
from .graph_charts import degree_figures, picture_figures
from .graph_statement import format_quantity, graph_figures, graph_statement, scenario_sentence
from .page import Page
from .sections.loss import loss_section
from .sections.notes import notes_section
from .sections.repeat import plan_section
from .sections.steps import steps_section
from .words import format_percent, to_prose

FOOTERS = {
    "internal": "For internal use: this page shows the original network. Keep it with the other files of the folder internal/.",
    "public": "This page shows the released network alone.",
}


def graph_page(outcome: GraphOutcome, *, audience: Audience) -> Page:
    """The verdict, the attacks, the network in pictures, what was done and what was lost.

    The public page shows the released network only: neither the original nor which links were changed.
    """
    sections = [section for section in _page_sections(outcome, audience) if section is not None]
    return Page(
        title=outcome.title,
        statement=graph_statement(outcome, audience=audience),
        figures=graph_figures(outcome, audience),
        sections=sections,
        audience=audience,
        footer=FOOTERS[audience],
    )


def _page_sections(outcome: GraphOutcome, audience: Audience) -> Iterator[Section | None]:
    yield _requirements_section(outcome)
    yield _attacks_section(outcome, audience)
    yield _stronger_intruders_section(outcome)
    yield _network_section(outcome, audience)
    yield steps_section(outcome, audience, methods=ALL["protect"])
    yield loss_section(outcome, audience)
    if audience == "internal":
        yield _measures_section(outcome)
        yield notes_section(outcome, audience)
        yield plan_section(outcome)


def _requirements_section(outcome: GraphOutcome) -> Section:
    rows = tuple(_verdict_row(one) for one in outcome.verdicts)
    head = ("Requirement", "Verdict", "Required", "Found")
    caption = "Requirements, judged on the files as they were written and read again"
    table = Table(caption=caption, head=head, rows=rows, numeric=frozenset({2, 3}))
    return Section(id="requirements", title="Requirements", blocks=(table,))


def _verdict_row(one: Verdict) -> tuple[str, ...]:
    said = "✓ met" if one.holds else "✗ not met"
    return one.model, said, format_quantity(one.required, one), format_quantity(one.found, one)


def _attacks_section(outcome: GraphOutcome, audience: Audience) -> Section | None:
    """A chart and a table of all attacks, beside guessing and beside the original under new numbers."""
    made = [(one.name, one.result) for one in outcome.attacks if one.result is not None]
    skipped = tuple(f"{to_prose(one.name)}: not made, because {one.why_not}" for one in outcome.attacks if one.why_not)
    if not made:
        return Section(id="attacks", title="Attacks", blocks=(Items(skipped),)) if skipped else None
    bare = {one.name: one.result for one in outcome.bare}
    rows = tuple(_attack_row(name, result, bare.get(name), audience) for name, result in made)
    without = ("Without protection",) if audience == "internal" else ()
    head = ("Attack", "Found", "95 % interval", "Guessing", "One candidate", *without)
    table = Table(
        caption="Share of the people who are found; candidates that look the same share the hit",
        head=head,
        rows=rows,
        numeric=frozenset(range(1, len(head))),
    )
    bound = (outcome.plan.get("require") or {}).get("reidentification")
    caption = "Dot: share found; line: its 95 % interval; tick: guessing"
    caption += "" if bound is None else f"; dashed: the bound of {format_percent(bound)}"
    drawn = render_svg(
        interval_chart([(to_prose(name), result) for name, result in made], bound=bound), label=f"Attacks. {caption}."
    )
    about = tuple(f"{to_prose(name)}: {to_prose(ALL['attack'][name].summary)}" for name, _ in made)
    figure = Figures((Figure(svg=drawn, caption=caption, table=table, open=True),))
    return Section(
        id="attacks", title="Attacks", blocks=(Text(scenario_sentence(outcome)), figure, Items((*about, *skipped)))
    )


def _stronger_intruders_section(outcome: GraphOutcome) -> Section | None:
    """What intruders find who know more than the declared one."""
    made = [(one, one.worst, one.worst.result) for one in outcome.stronger if one.worst and one.worst.result]
    if not made:
        return None
    rows = tuple(
        (
            f"{one.knowledge[0].upper()}{one.knowledge[1:]}",
            to_prose(worst.name),
            format_percent(result.value),
            _format_interval(result),
        )
        for one, worst, result in made
    )
    head = ("Intruder", "Worst attack", "Found", "95 % interval")
    caption = "Share of the people found by intruders who know more than the declared one"
    table = Table(caption=caption, head=head, rows=rows, numeric=frozenset({2, 3}))
    skipped = tuple(
        f"{to_prose(one.code)}: not run: {', '.join(one.skipped)}" for one in outcome.stronger if one.skipped
    )
    said = "No requirement is about these intruders; they are measured in every job."
    blocks = (Text(said), table, *((Items(skipped),) if skipped else ()))
    return Section(id="stronger", title="Stronger intruders", blocks=blocks)


def _format_interval(result: Result) -> str:
    low, high = result.interval or (result.value, result.value)
    return f"{format_percent(low)} to {format_percent(high, up=True)}"


def _attack_row(name: str, result: Result, bare: Result | None, audience: Audience) -> tuple[str, ...]:
    facts = (result.facts.get("baseline"), result.facts.get("share unique"))
    shares = (format_percent(fact) if isinstance(fact, float | int) else "–" for fact in facts)
    without = (("–" if bare is None else format_percent(bare.value)),) if audience == "internal" else ()
    return to_prose(name), format_percent(result.value), _format_interval(result), *shares, *without


def _network_section(outcome: GraphOutcome, audience: Audience) -> Section:
    pictures = picture_figures(outcome, audience)
    blocks: tuple[Block, ...] = (degree_figures(outcome, audience),)
    return Section(id="network", title="The network", blocks=blocks if pictures is None else (pictures, *blocks))


def _measures_section(outcome: GraphOutcome) -> Section | None:
    after = {one.name: one for one in outcome.after}
    rows = tuple(
        (one.name, format_fact(one.value), format_fact(after[one.name].value))
        for one in outcome.before
        if one.name in after
    )
    table = Table(
        caption="Measures of the network itself",
        head=("Measure", "Original", "Released"),
        rows=rows,
        numeric=frozenset({1, 2}),
    )
    return Section(id="measures", title="Measures", blocks=(table,)) if rows else None
