"""Charts and pictures on the page of a network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..graphs.graph import Graph
from ..graphs.loss.pair import paired
from ..plan.graph.outcome import GraphOutcome
from ..result import shown
from .audience import Audience
from .blocks import Figure, Figures, Table
from .charts import BEFORE, NOW, bars, svg
from .graph_picture import DRAWN, laid_out_nodes, on_a_map, picture, pictured

__all__ = ["degree_figures", "picture_figures"]


def degree_figures(outcome: GraphOutcome, audience: Audience) -> Figures:
    """How many nodes have how many links, before and after; the public sees the release alone."""
    graphs = {"Released": (outcome.masked.graph, NOW)}
    if audience == "internal":
        graphs = {"Original": (outcome.original, BEFORE), **graphs}
    edges = _bins(max(int(graph.degrees().max(initial=0)) for graph, _ in graphs.values()))
    tallies = {name: np.histogram(graph.degrees(), edges)[0].tolist() for name, (graph, _) in graphs.items()}
    most = max(max(counts) for counts in tallies.values())
    labels = [_range(low, high - 1) for low, high in zip(edges, edges[1:], strict=False)]
    return Figures(tuple(_degrees(name, labels, tallies[name], colour, most) for name, (_, colour) in graphs.items()))


def _degrees(name: str, labels: list[str], counts: list[int], colour: str, most: int) -> Figure:
    caption = f"{name}: nodes by their number of links"
    rows = tuple((label, shown(count)) for label, count in zip(labels, counts, strict=True))
    table = Table(caption=caption, head=("Links", "Nodes"), rows=rows, numeric=frozenset({1}))
    drawn = svg(bars(labels, counts, colour=colour, most=most), label=f"{caption}. The numbers are in the table below.")
    return Figure(svg=drawn, caption=caption, table=table)


def _bins(largest: int) -> list[int]:
    """0, 1, 2, 3, then ranges that double: few bars, and the small degrees, which most nodes have, apart."""
    edges = [0, 1, 2, 3]
    while edges[-1] <= largest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.6)))
    return edges


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def picture_figures(outcome: GraphOutcome, audience: Audience) -> Figures | None:
    """The released network; for internal eyes the original beside it, the same people at the same places."""
    if not pictured(outcome.masked.graph):
        return None
    if audience == "public":
        graph = outcome.masked.graph
        return Figures((_plain("The released network", graph, laid_out_nodes(graph)),))
    return Figures(tuple(_both(outcome)))


def _both(outcome: GraphOutcome) -> Iterator[Figure]:
    original, pair = outcome.original, paired(outcome.masked, outcome.original)
    released = outcome.masked.graph
    together = pictured(original) and bool((pair.origin >= 0).all()) and not on_a_map(released)
    if not together:
        if pictured(original):
            yield _plain("The original network", original, laid_out_nodes(original))
        yield _plain("The released network", released, laid_out_nodes(released))
        return
    places = laid_out_nodes(original)
    yield _plain("The original network", original, places)
    named = pair.named()
    before, after = (graph.edges @ np.array([named.size, 1]) for graph in (original, named))
    added, removed = named.edges[~np.isin(after, before)], original.edges[~np.isin(before, after)]
    caption = "The release, each person at the same place; blue: links that were added, dashed: links that were removed"
    drawn = picture(named, places, label=f"{caption}.", added=added, removed=removed)
    more = (("Links added", shown(len(added))), ("Links removed", shown(len(removed))))
    yield Figure(svg=drawn, caption=caption, table=_numbers("The release", named, more))


def _plain(caption: str, graph: Graph, places: np.ndarray) -> Figure:
    where = " on its map" if on_a_map(graph) else ""
    part = f", {shown(DRAWN)} of {shown(graph.links)} links at random" if graph.links > DRAWN else ""
    drawn = picture(graph, places, label=f"{caption}{where}{part}.")
    return Figure(svg=drawn, caption=f"{caption}{where}{part}", table=_numbers(caption, graph))


def _numbers(caption: str, graph: Graph, more: tuple[tuple[str, str], ...] = ()) -> Table:
    from scipy.sparse.csgraph import connected_components

    parts = int(connected_components(graph.adjacency(), directed=False)[0])
    rows = (
        ("Nodes", shown(graph.size)),
        ("Links", shown(graph.links)),
        ("Parts that hang together", shown(parts)),
        ("Nodes without a link", shown(graph.isolated)),
        *more,
    )
    return Table(caption=caption, head=("", "Number"), rows=rows, numeric=frozenset({1}))
