"""The cheapest way to send supplies to places of limited capacity along the edges of a sparse graph.

Successive shortest paths with potentials: what was sent so far is always the cheapest way to send that much of it from
those sources, and each step sends more along the path that costs least more, on which earlier shipments may be
rerouted.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit


class Graph(NamedTuple):
    """Edges from sources to places: those of source s are ``start[s]:start[s+1]``, the cheapest first."""

    start: np.ndarray
    place: np.ndarray
    cost: np.ndarray
    source: np.ndarray


class Shipment(NamedTuple):
    """What goes along each edge, what each source could not send, and the dual prices that prove it to be cheapest.

    For every edge cost − price[source] + charge[place] ≥ 0, with 0 where something is sent; ``charge`` is at least 0, and
    0 where capacity is left.
    """

    flow: np.ndarray
    unsent: np.ndarray
    price: np.ndarray
    charge: np.ndarray


def transport_graph(start: np.ndarray, place: np.ndarray, cost: np.ndarray) -> Graph:
    """The graph of edges that are listed source by source."""
    return Graph(start, place, cost, np.repeat(np.arange(len(start) - 1), np.diff(start)))


def ship_supplies(graph: Graph, supply: np.ndarray, capacity: np.ndarray) -> Shipment:
    """All that can be sent at the least cost, source by source. O(sources · edges · log) time at worst, most steps far less.

    A source that finds no free capacity at the end of any path keeps the rest as ``unsent``.
    """
    return Shipment(*_ship_supplies(graph, supply, capacity))


@njit(cache=True, nogil=True)
def _ship_supplies(graph, supply, capacity):
    sources, places = supply.size, capacity.size
    left, unsent = capacity.copy(), supply.copy()
    edges = graph.place.size
    flows = _Flows(np.zeros(edges, np.int64), np.full(places, -1), np.full(edges, -1), np.full(edges, -1))
    price, charge = np.zeros(sources), np.zeros(places)
    for s in range(sources):
        price[s] = graph.cost[graph.start[s]] if graph.start[s] < graph.start[s + 1] else np.inf
    state = _State(
        np.full(places, np.inf),
        np.full(sources, np.inf),
        np.full(places, -1),
        np.full(sources, -1),
        np.zeros(places, np.bool_),
    )
    for s in range(sources):
        while unsent[s] > 0:
            if not _send_along_path(graph, s, flows, left, unsent, (price, charge), state):
                break
    return flows.many, unsent, price, charge


class _Flows(NamedTuple):
    """How many go along each edge; the edges in use that lead to place p are a chain from ``first[p]`` on."""

    many: np.ndarray
    first: np.ndarray
    after: np.ndarray
    before: np.ndarray


class _State(NamedTuple):
    """The search for a path: how far places and sources are, by which edge they were reached, which places are done."""

    to_place: np.ndarray
    to_source: np.ndarray
    edge: np.ndarray
    undone: np.ndarray
    settled: np.ndarray


@njit(cache=True, nogil=True)
def _send_along_path(graph, s, flows, left, unsent, duals, state):
    """Send what one cheapest path from source s can take; False when there is none.

    ``undone`` of a source is the edge whose shipment would be taken back to reach it.
    """
    touched_places, touched_sources = [s], [s]
    touched_places.pop()
    heap = [(0.0, -1)]
    heap.pop()
    state.to_source[s] = 0.0
    end, length = -1, _relax_edges(graph, s, duals, left, np.inf, state, heap, touched_places)
    while len(heap) > 0:
        far, p = heappop(heap)
        if state.settled[p] or far > state.to_place[p]:
            continue
        state.settled[p] = True
        if left[p] > 0:
            end = p
            break
        e = flows.first[p]
        while e >= 0:
            t = graph.source[e]
            if state.to_source[t] == np.inf:
                state.to_source[t] = far
                state.undone[t] = e
                touched_sources.append(t)
                length = _relax_edges(graph, t, duals, left, length, state, heap, touched_places)
            e = flows.after[e]
    if end >= 0:
        _update_prices(touched_places, touched_sources, length, duals, state)
        _send_flow(graph, s, end, flows, left, unsent, state)
    for p in touched_places:
        state.to_place[p], state.edge[p], state.settled[p] = np.inf, -1, False
    for t in touched_sources:
        state.to_source[t], state.undone[t] = np.inf, -1
    return end >= 0


@njit(cache=True, nogil=True)
def _relax_edges(graph, t, duals, left, length, state, heap, touched):
    """Look along the edges of source t; the length of the shortest path to a free place that is known after it.

    No shorter path leads over an edge that alone is longer: with the cheapest first, all after it are passed over.
    """
    price, charge = duals
    for e in range(graph.start[t], graph.start[t + 1]):
        least = state.to_source[t] + max(graph.cost[e] - price[t], 0.0)
        if least > length:
            break
        p = graph.place[e]
        far = state.to_source[t] + max(graph.cost[e] - price[t] + charge[p], 0.0)
        if far < state.to_place[p] and far <= length:
            if state.to_place[p] == np.inf:
                touched.append(p)
            state.to_place[p], state.edge[p] = far, e
            heappush(heap, (far, p))
            if left[p] > 0:
                length = far
    return length


@njit(cache=True, nogil=True)
def _update_prices(touched_places, touched_sources, length, duals, state):
    """The prices after a path of the given length: every edge of it costs nothing more, and none less."""
    price, charge = duals
    for t in touched_sources:
        price[t] += max(length - state.to_source[t], 0.0)
    for p in touched_places:
        if state.settled[p]:
            charge[p] += max(length - state.to_place[p], 0.0)


@njit(cache=True, nogil=True)
def _send_flow(graph, s, end, flows, left, unsent, state):
    """As much as the path allows, from place ``end`` back to source s."""
    most, p = min(left[end], unsent[s]), end
    while graph.source[state.edge[p]] != s:
        back = state.undone[graph.source[state.edge[p]]]
        most = min(most, flows.many[back])
        p = graph.place[back]
    left[end] -= most
    unsent[s] -= most
    p = end
    while graph.source[state.edge[p]] != s:
        _change_flow(graph, flows, state.edge[p], most)
        back = state.undone[graph.source[state.edge[p]]]
        _change_flow(graph, flows, back, -most)
        p = graph.place[back]
    _change_flow(graph, flows, state.edge[p], most)


@njit(cache=True, nogil=True)
def _change_flow(graph, flows, e, more):
    """More or less along edge e, which joins or leaves the chain of its place."""
    p = graph.place[e]
    if flows.many[e] == 0:
        flows.before[e], flows.after[e] = -1, flows.first[p]
        if flows.first[p] >= 0:
            flows.before[flows.first[p]] = e
        flows.first[p] = e
    flows.many[e] += more
    if flows.many[e] == 0:
        if flows.before[e] >= 0:
            flows.after[flows.before[e]] = flows.after[e]
        else:
            flows.first[p] = flows.after[e]
        if flows.after[e] >= 0:
            flows.before[flows.after[e]] = flows.before[e]
