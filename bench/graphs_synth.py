"""Made networks: uniform draws for given degrees, and the network on a map with 10⁵ nodes."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from bars import Bars, spent
from scipy.spatial import cKDTree
from scipy.stats import chisquare, kstest

from tacit.graphs.synth import Exponential, Poisson, Raster, Spatial, randomise_edges, sample_edges
from tacit.graphs.synth.graphical import some_graph
from tacit.graphs.synth.spatial import join_nodes, near_candidates
from tacit.kernels.edge_set import edge_set
from tacit.kernels.switches import switch_edges
from tacit.seed import make_generator

DEGREES = (3, 3, 2, 2, 2, 2)
NEAREST, LENGTH = 48, 1.0
ALPHA, REJECTED = 1e-4, 1e-6
"""A right sampler falls short with chance 10⁻⁴ a test; a wrong one must lie beyond 10⁻⁶."""


def bars(bars: Bars) -> None:
    """The bars of this part."""
    _uniform(bars, 10_000 if bars.quick else 50_000)
    if bars.quick and not bars.smoke:
        bars.skipped("10⁵ nodes, 20 switches an edge: CPU s", "a number that is only stated")
    else:
        _large(bars)
    _spatial(bars)
    _lengths(bars, 5_000 if bars.quick else 20_000)


def _uniform(bars: Bars, draws: int) -> None:
    pairs = list(combinations(range(6), 2))
    every = combinations(pairs, sum(DEGREES) // 2)
    graphs = [one for one in every if tuple(np.bincount(np.ravel(one), minlength=6)) == DEGREES]
    number = {one: place for place, one in enumerate(graphs)}
    rng = make_generator(7)
    drawn = [number[_written(sample_edges(np.array(DEGREES), seed=rng))] for _ in range(draws)]
    right = float(chisquare(np.bincount(drawn, minlength=len(graphs))).pvalue)
    bars.at_least("uniform over all graphs of a 6-node sequence: p", right, ALPHA, graphs=len(graphs), draws=draws)
    wrong = float(chisquare(np.bincount(_redrawn(number, draws), minlength=len(graphs))).pvalue)
    bars.at_most("illegal switches drawn again: p", wrong, REJECTED)


def _redrawn(number: dict[tuple[tuple[int, int], ...], int], draws: int) -> np.ndarray:
    """Where chains are after 200 steps that draw again instead of standing still."""
    moves = np.zeros((len(number), len(number)))
    for graph, place in number.items():
        for pair in product(range(sum(DEGREES)), repeat=2):
            edges = np.array(graph)
            if switch_edges(edges, edge_set(edges, 6), 6, np.array([pair])):
                moves[place, number[_written(edges)]] += 1
    upto = np.cumsum(moves / moves.sum(axis=1, keepdims=True), axis=1)
    upto[:, -1] = 1.0
    rng, at = make_generator(7), np.zeros(draws, dtype=np.int64)
    for _ in range(200):
        at = (upto[at] < rng.random(draws)[:, None]).sum(axis=1)
    return at


def _written(edges: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(map(tuple, np.sort(edges, axis=1).tolist())))


def _large(bars: Bars) -> None:
    nodes = bars.size(100_000, quick=100_000, smoke=500)
    degrees = Poisson(nodes=nodes, mean=10.0).sample(make_generator(7))
    start = some_graph(degrees)
    seconds, (edges, switches) = spent(lambda: randomise_edges(start, len(degrees), seed=7))
    kept = bool((np.bincount(edges.ravel(), minlength=len(degrees)) == degrees).all())
    bars.stated("10⁵ nodes, 20 switches an edge: CPU s", seconds, edges=len(edges), switches=switches)
    bars.true("10⁵ nodes, 20 switches an edge: degrees kept", kept)


def _spatial(bars: Bars) -> None:
    weights = make_generator(7).gamma(0.5, size=(30, 30))
    raster = Raster(cells=tuple(map(tuple, weights.tolist())), side=10.5)
    nodes = bars.size(100_000, quick=100_000, smoke=2000)
    maker = Spatial(degrees=Poisson(nodes=nodes, mean=10.0), density=raster, nearness=Exponential(length=LENGTH))
    seconds, made = spent(lambda: maker.generate(seed=7))
    facts = {name: found.value for name, found in made.trace[0].outcome.items()}
    bars.at_most("map of 10⁵ nodes: CPU s", seconds, 30, at_scale=True, edges=facts["edges"])
    bars.true(
        "map of 10⁵ nodes: degree error is twice the dropped edges",
        facts["degree error"] == 2 * facts["dropped edges"],
        dropped=facts["dropped edges"],
    )
    bars.stated("map of 10⁵ nodes: dropped edges", facts["dropped edges"])
    bars.stated("map of 10⁵ nodes: share of edges switched, %", 100 * facts["share switched"])


def _lengths(bars: Bars, nodes: int) -> None:
    rng = make_generator(7)
    degrees = Poisson(nodes=nodes, mean=4.0).sample(rng)
    at = Raster(cells=((1.0,),), side=float(np.sqrt(nodes))).sample(nodes, rng)
    found = join_nodes(near_candidates(at, degrees, Exponential(length=LENGTH), NEAREST), degrees, at, rng)
    for name, length in (("as drawn", 1.0), ("30 % too short", 0.7), ("30 % too long", 1.3)):
        p = float(kstest(_scaled(at, degrees, found.drawn, length * LENGTH), "uniform").pvalue)
        if length == 1.0:
            bars.at_least(f"lengths by the kernel, {name}: KS p", p, ALPHA, draws=len(found.drawn))
        else:
            bars.at_most(f"lengths by the kernel, {name}: KS p", p, REJECTED)


def _scaled(at: np.ndarray, degrees: np.ndarray, drawn: np.ndarray, length: float) -> np.ndarray:
    """Each draw as the chance of a nearer partner, given who was free and not yet joined: uniform under the law."""
    rng, (far, near) = make_generator(11), cKDTree(at).query(at, k=NEAREST + 1)
    free, known, scaled = degrees.copy(), [set() for _ in degrees], np.empty(len(drawn))
    for turn, (i, j) in enumerate(drawn.tolist()):
        others = near[i, 1:]
        apart = np.array([other not in known[i] for other in others.tolist()])
        chance = np.exp(-far[i, 1:] / length) * free[others] * apart
        chosen = int(np.flatnonzero(others == j)[0])
        scaled[turn] = (chance[:chosen].sum() + rng.random() * chance[chosen]) / chance.sum()
        free[[i, j]] -= 1
        known[i].add(j)
        known[j].add(i)
    return scaled
