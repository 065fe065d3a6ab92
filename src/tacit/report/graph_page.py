"""The report on a protected network as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from ..graphs.forms.library import load_library
from ..graphs.forms.networkx import to_networkx
from ..graphs.graph import Graph
from ..graphs.loss.graph_pair import pair_graphs
from ..graphs.loss.triangles import both_ways
from ..graphs.registry import ALL
from ..models.verdict import Verdict
from ..plan.graph.outcome import GraphOutcome
from ..result import Result, format_fact
from ..seed import DEFAULT_SEED, make_generator
from .audience import Audience
from .blocks import Block, Figure, Figures, Items, Section, Table, Text
from .charts import BEFORE, NOW, bar_chart, interval_chart, render_svg
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


LARGEST = 500


"""Nodes of a network that is laid out by springs; more are a ball of wool."""


DRAWN = 4000


"""Links of a map that are drawn; of more, so many at random."""


SIDE, MARGIN = 360, 12


def degree_figures(outcome: GraphOutcome, audience: Audience) -> Figures:
    """How many nodes have how many links, before and after; the public sees the release alone."""
    graphs = {"Released": (outcome.masked.graph, NOW)}
    if audience == "internal":
        graphs = {"Original": (outcome.original, BEFORE), **graphs}
    edges = _degree_bins(max(int(graph.degrees().max(initial=0)) for graph, _ in graphs.values()))
    tallies = {name: np.histogram(graph.degrees(), edges)[0].tolist() for name, (graph, _) in graphs.items()}
    most = max(max(counts) for counts in tallies.values())
    labels = [_format_range(low, high - 1) for low, high in zip(edges, edges[1:], strict=False)]
    return Figures(
        tuple(_degree_figure(name, labels, tallies[name], colour, most) for name, (_, colour) in graphs.items())
    )


def _degree_figure(name: str, labels: list[str], counts: list[int], colour: str, most: int) -> Figure:
    caption = f"{name}: nodes by their number of links"
    rows = tuple((label, format_fact(count)) for label, count in zip(labels, counts, strict=True))
    table = Table(caption=caption, head=("Links", "Nodes"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(
        bar_chart(labels, counts, colour=colour, most=most), label=f"{caption}. The numbers are in the table below."
    )
    return Figure(svg=drawn, caption=caption, table=table)


def _degree_bins(largest: int) -> list[int]:
    """0, 1, 2, 3, then ranges that double: few bars, and the small degrees, which most nodes have, apart."""
    edges = [0, 1, 2, 3]
    while edges[-1] <= largest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.6)))
    return edges


def _format_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def picture_figures(outcome: GraphOutcome, audience: Audience) -> Figures | None:
    """The released network; for internal eyes the original beside it, the same people at the same places."""
    if not can_draw_network(outcome.masked.graph):
        return None
    if audience == "public":
        graph = outcome.masked.graph
        return Figures((_network_figure("The released network", graph, laid_out_nodes(graph)),))
    return Figures(tuple(_before_after_figures(outcome)))


def _before_after_figures(outcome: GraphOutcome) -> Iterator[Figure]:
    original, pair = outcome.original, pair_graphs(outcome.masked, outcome.original)
    released = outcome.masked.graph
    together = can_draw_network(original) and bool((pair.origin >= 0).all()) and not on_a_map(released)
    if not together:
        if can_draw_network(original):
            yield _network_figure("The original network", original, laid_out_nodes(original))
        yield _network_figure("The released network", released, laid_out_nodes(released))
        return
    places = laid_out_nodes(original)
    yield _network_figure("The original network", original, places)
    named = pair.in_original_numbers()
    before, after = (graph.edges @ np.array([named.size, 1]) for graph in (original, named))
    added, removed = named.edges[~np.isin(after, before)], original.edges[~np.isin(before, after)]
    caption = "The release, each person at the same place; blue: links that were added, dashed: links that were removed"
    drawn = draw_network(named, places, label=f"{caption}.", added=added, removed=removed)
    more = (("Links added", format_fact(len(added))), ("Links removed", format_fact(len(removed))))
    yield Figure(svg=drawn, caption=caption, table=_network_table("The release", named, more))


def _network_figure(caption: str, graph: Graph, places: np.ndarray) -> Figure:
    where = " on its map" if on_a_map(graph) else ""
    part = f", {format_fact(DRAWN)} of {format_fact(graph.links)} links at random" if graph.links > DRAWN else ""
    drawn = draw_network(graph, places, label=f"{caption}{where}{part}.")
    return Figure(svg=drawn, caption=f"{caption}{where}{part}", table=_network_table(caption, graph))


def _network_table(caption: str, graph: Graph, more: tuple[tuple[str, str], ...] = ()) -> Table:
    from scipy.sparse.csgraph import connected_components

    parts = int(connected_components(graph.adjacency(), directed=False)[0])
    rows = (
        ("Nodes", format_fact(graph.size)),
        ("Links", format_fact(graph.links)),
        ("Parts that hang together", format_fact(parts)),
        ("Nodes without a link", format_fact(graph.isolated)),
        *more,
    )
    return Table(caption=caption, head=("", "Number"), rows=rows, numeric=frozenset({1}))


def can_draw_network(graph: Graph) -> bool:
    """Whether a picture of the network tells anything."""
    return graph.size <= LARGEST or on_a_map(graph)


def on_a_map(graph: Graph) -> bool:
    """Whether the nodes have places: the attributes x and y, both numbers and none missing."""
    held = graph.attributes
    if held is None or not {"x", "y"} <= set(held.columns):
        return False
    return all(held.types[name] in ("integer", "number") and bool(held.valid(name).all()) for name in ("x", "y"))


def laid_out_nodes(graph: Graph) -> np.ndarray:
    """A place for each node, n×2: its own on a map, else by springs, always the same for the same network."""
    if on_a_map(graph):
        assert graph.attributes is not None
        return np.column_stack([graph.attributes.floats("x"), graph.attributes.floats("y")])
    bare = Graph(size=graph.size, edges=both_ways(graph))  # two people who link each other are one line
    places = load_library("networkx").spring_layout(to_networkx(bare), seed=DEFAULT_SEED, iterations=80, method="force")
    return np.array([places[node] for node in range(graph.size)])


def drawn_edges(graph: Graph) -> np.ndarray:
    """The edges that a picture shows: all, or of many a part drawn at random."""
    if graph.links <= DRAWN:
        return graph.edges
    return graph.edges[np.sort(make_generator(DEFAULT_SEED).choice(graph.links, DRAWN, replace=False))]


def draw_network(
    graph: Graph, places: np.ndarray, *, label: str, added: np.ndarray | None = None, removed: np.ndarray | None = None
) -> str:
    """The network as SVG; ``added`` links are blue, ``removed`` ones dashed. Nodes are the larger the more links they have."""
    at, height = _scale_positions(places)
    changed = {} if added is None else {tuple(edge) for edge in added.tolist()}
    kept = np.array([edge for edge in drawn_edges(graph).tolist() if tuple(edge) not in changed], dtype=np.int64)
    parts = [_edges_svg(at, kept.reshape(-1, 2), 'stroke="currentColor" stroke-opacity="0.35"')]
    if removed is not None and len(removed):
        parts.append(_edges_svg(at, removed, f'stroke="{BEFORE}" stroke-dasharray="3 3"'))
    if added is not None and len(added):
        parts.append(_edges_svg(at, added, f'stroke="{NOW}" stroke-width="2"'))
    parts.append(_nodes_svg(at[: graph.size], graph.degrees()))
    head = f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {SIDE} {height:g}" width="{SIDE}" height="{height:g}">'
    return f"{head}{''.join(parts)}</svg>"


def _scale_positions(places: np.ndarray) -> tuple[np.ndarray, float]:
    """Places inside the picture, one scale for both directions, north above, and how high the picture is."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max()) or 1.0
    scaled = (places - (low + high) / 2) / span * (SIDE - 2 * MARGIN)
    height = round(float(np.ptp(scaled[:, 1])) + 2 * MARGIN, 1)
    return np.column_stack([SIDE / 2 + scaled[:, 0], height / 2 - scaled[:, 1]]).round(1), height


def _edges_svg(at: np.ndarray, edges: np.ndarray, style: str) -> str:
    ends = np.column_stack([at[edges[:, 0]], at[edges[:, 1]]]).tolist()
    path = "".join(f"M{x:g} {y:g}L{u:g} {v:g}" for x, y, u, v in ends)
    return f'<path fill="none" {style} d="{path}"/>'


def _nodes_svg(at: np.ndarray, degrees: np.ndarray) -> str:
    base = 1.2 if len(at) > LARGEST else 2.5
    sizes = base + (4.5 if len(at) <= LARGEST else 1.5) * np.sqrt(degrees / max(int(degrees.max(initial=0)), 1))
    dots = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{size:.1f}"/>' for (x, y), size in zip(at.tolist(), sizes, strict=True)
    )
    return f'<g fill="{NOW}">{dots}</g>'
