"""A network of nobody on a map: nodes from a density, edges by nearness, degrees as prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...errors import TacitError, check_int
from ...progress import report_progress
from ...release.trace import Finding, Trace
from ...seed import make_generator
from ..graph import Graph
from ..masked import MaskedGraph
from .checks import check_positive
from .degrees import DegreeCounts, Poisson, PowerLaw, degrees_of, drawn_degrees
from .part import part_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from scipy.spatial import cKDTree

    from ...kernels.stub_joining import NearCandidates, Stubs
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Raster:
    """Square cells with weights: a node draws a cell by weight and a place in it uniformly.

    ``cells[r][c]`` is the weight of the cell that begins at ``corner + (c, r) · side``: row 0 has the smallest y. A place
    within a cell says nothing but the cell. O(nodes + cells).

    >>> Raster(cells=((1, 0), (0, 3)), side=10.0).sample(2, np.random.default_rng(7)).shape
    (2, 2)
    """

    cells: tuple[tuple[float, ...], ...]
    side: float
    corner: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        rows = tuple(tuple(float(weight) for weight in row) for row in self.cells)
        object.__setattr__(self, "cells", rows)
        object.__setattr__(self, "corner", (float(self.corner[0]), float(self.corner[1])))
        check_positive("side", self.side)
        if not rows or len({len(row) for row in rows}) > 1 or not rows[0]:
            raise TacitError(
                "the rows of the raster are not equally long", code="wrong_type", fix="give one weight for each cell"
            )
        _checked_weights(self.weights().ravel())

    def weights(self) -> np.ndarray:
        """The weights of the cells, rows from small y to large."""
        return np.array(self.cells)

    def sample(self, nodes: int, rng: Generator) -> np.ndarray:
        """The places of the nodes, n×2."""
        weights = self.weights()
        cell = rng.choice(weights.size, nodes, p=weights.ravel() / weights.sum())
        low = np.column_stack([cell % weights.shape[1], cell // weights.shape[1]])
        return np.array(self.corner) + (low + rng.random((nodes, 2))) * self.side


@dataclass(frozen=True, slots=True, kw_only=True)
class Centres:
    """Weighted centres, such as towns: a node draws one by weight and lies normally around it, ``spread`` in x and y.

    ``centres`` are (x, y, weight). O(nodes + centres).
    """

    centres: tuple[tuple[float, float, float], ...]
    spread: float

    def __post_init__(self) -> None:
        given = np.asarray(self.centres, dtype=np.float64)
        if given.ndim != 2 or given.shape[1:] != (3,) or not np.isfinite(given[:, :2]).all():
            raise TacitError(
                "a centre is not three numbers", code="wrong_type", fix="give (x, y, weight) for each centre"
            )
        object.__setattr__(self, "centres", tuple(tuple(row) for row in given.tolist()))
        check_positive("spread", self.spread)
        _checked_weights(given[:, 2])

    def sample(self, nodes: int, rng: Generator) -> np.ndarray:
        """The places of the nodes, n×2."""
        given = np.array(self.centres)
        which = rng.choice(len(given), nodes, p=given[:, 2] / given[:, 2].sum())
        return given[which, :2] + self.spread * rng.standard_normal((nodes, 2))


DENSITIES: dict[str, type] = {"raster": Raster, "centres": Centres}
"""The densities by their name in a plan."""

Density: TypeAlias = Raster | Centres


def raster_of(x: np.ndarray, y: np.ndarray, *, side: float, least: int) -> Raster:
    """The raster of real places: how many lie in each cell; cells with fewer than ``least`` of them count as empty.

    ``least`` has no default, because it decides what the map tells of the people of thinly settled cells. O(n + cells).

    >>> raster_of(np.array([0.1, 0.2, 1.5]), np.array([0.1, 0.9, 0.5]), side=1.0, least=2).cells
    ((2.0, 0.0),)
    """
    check_positive("side", side)
    check_int("least", least, least=1)
    places = np.column_stack([x, y]).astype(np.float64)
    if not len(places) or not np.isfinite(places).all():
        raise TacitError(
            "a place is missing or there is none", code="missing_values", fix="give finite x and y for each node"
        )
    at = np.floor(places / side).astype(np.int64)
    low = at.min(axis=0)
    columns, rows = at.max(axis=0) - low + 1
    if rows * columns > 10**7:
        raise TacitError(
            f"the raster would have {rows * columns:,} cells", code="invalid_graph", fix="take a larger side"
        )
    counts = np.bincount((at[:, 1] - low[1]) * columns + at[:, 0] - low[0], minlength=rows * columns)
    if counts.max() < least:
        raise TacitError(f"no cell has {least} places", code="invalid_graph", fix="take a larger side")
    kept = np.where(counts < least, 0, counts).reshape(rows, columns)
    return Raster(cells=tuple(map(tuple, kept.tolist())), side=side, corner=(low[0] * side, low[1] * side))


def _checked_weights(weights: np.ndarray) -> None:
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.sum() <= 0:
        raise TacitError(
            "a weight is negative or not finite, or all are 0", code="not_finite", fix="weights are numbers from 0 on"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Chance ∝ exp(−distance / length): acquaintances live within a few lengths of each other."""

    length: float

    def __post_init__(self) -> None:
        check_positive("length", self.length)

    def log_weights(self, distances: np.ndarray) -> np.ndarray:
        """The logarithm of the chance, up to a constant."""
        return -distances / self.length


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Chance ∝ distance^−exponent: some edges are very long. Below ``least`` nearness makes no difference."""

    exponent: float
    least: float

    def __post_init__(self) -> None:
        check_positive("exponent", self.exponent)
        check_positive("least", self.least)

    def log_weights(self, distances: np.ndarray) -> np.ndarray:
        """The logarithm of the chance, up to a constant."""
        found: np.ndarray = -self.exponent * np.log(np.maximum(distances, self.least))
        return found


NEARNESS: dict[str, type] = {"exponential": Exponential, "power": Power}
"""The kernels by their name in a plan."""

Nearness: TypeAlias = Exponential | Power

NEAREST = 48
"""So many candidates for an edge: enough that few stubs find none free."""

ROUNDS, SWITCHES = 20, 1000
"""So often are the stubs left over paired anew, and so many switches may a pair take; what is left then is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial:
    r"""A simple graph on a map with prescribed degrees, whose edges are the likelier the shorter they are.

    1. Nodes are drawn from ``density``, so that none lies on an address.
    2. In random order each free stub draws a partner among the ``nearest`` nodes (a hub: twice its degree or more): node
       i takes j with chance

       .. math:: p_{ij} \propto f(|x_i - x_j|) \cdot \text{free stubs of } j,

       f being ``nearness``. A draw that repeats an edge is drawn again among those that i is not yet joined with, which is
       the same law without them.
    3. The stubs that find nothing free are paired, near with near, and walk towards each other: one takes a stub in use,
       drawn by the same law, and the neighbour that loses its edge goes on. These switches with near edges keep all
       degrees. Stubs that do not meet in 20 rounds are dropped, and the trace counts them.

    The graph is simple; degrees are exact but for the dropped edges. Nothing else of an original is captured. Time
    O(n · nearest · log n + m · nearest), memory O(n · nearest).
    """

    degrees: tuple[int, ...] | DegreeCounts | Poisson | PowerLaw
    density: Density
    nearness: Nearness
    nearest: int = NEAREST

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", degrees_of(self.degrees))
        object.__setattr__(self, "density", part_of(self.density, DENSITIES, "density"))
        object.__setattr__(self, "nearness", part_of(self.nearness, NEARNESS, "nearness"))
        check_int("nearest", self.nearest, least=1)

    def generate(self, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The network; ``x`` and ``y`` are attributes of its nodes, which are all invented."""
        rng = make_generator(seed)
        report_progress(progress, "placing nodes", 0.0)
        degrees = drawn_degrees(self.degrees, rng)
        at = self.density.sample(len(degrees), rng)
        report_progress(progress, "finding the nearest", 0.1)
        near = near_candidates(at, degrees, self.nearness, self.nearest)
        report_progress(progress, "joining stubs", 0.6)
        found = join_nodes(near, degrees, at, rng)
        report_progress(progress, "joining stubs", 1.0)
        graph = Graph(size=len(degrees), edges=found.edges, attributes=position_attributes(at))
        outcome = {
            name: Finding(fact, publishable=True) for name, fact in _generator_facts(graph, degrees, found).items()
        }
        return MaskedGraph(graph, (Trace.of(self, **outcome),), np.full(graph.size, -1))


def _generator_facts(graph: Graph, degrees: np.ndarray, found: SpatialEdges) -> dict[str, object]:
    size, links = np.int64(graph.size), max(graph.links, 1)
    kept = np.isin(_edge_keys(graph.edges, size), _edge_keys(found.drawn, size)).sum()
    return {
        "nodes": graph.size,
        "edges": graph.links,
        "dropped edges": found.dropped,
        "degree error": int(np.abs(degrees - graph.degrees()).sum()),
        "share drawn again": found.repeated / links,
        "share switched": float(graph.links - kept) / links,
        "lengths": _quantile_summary(edge_lengths(graph)),
        "captured": "degrees, but for the dropped edges; the density of the nodes",
        "not promised": "clustering, paths, communities, attributes, who is joined with whom",
    }


def _quantile_summary(values: np.ndarray) -> dict[str, float]:
    """The mean and three quantiles; of no values, nothing."""
    if not len(values):
        return {}
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95]).tolist()
    return {"mean": float(values.mean()), "5 %": low, "50 %": middle, "95 %": high}


def _edge_keys(edges: np.ndarray, size: np.int64) -> np.ndarray:
    found: np.ndarray = edges.min(axis=1) * size + edges.max(axis=1)
    return found


def near_candidates(places: np.ndarray, degrees: np.ndarray, nearness: Nearness, nearest: int) -> NearCandidates:
    """For each node the ``nearest`` others, for a hub twice its degree or more, each weighed by its distance.

    Weights are relative to the likeliest candidate of the node, so that none vanishes for a node far from all others.
    O(n · nearest · log n) time by a k-d tree, O(n · nearest) memory.
    """
    from scipy.spatial import cKDTree

    from ...kernels.stub_joining import NearCandidates

    nodes = len(places)
    doubled = 1 << np.ceil(np.log2(np.maximum(2 * degrees, 1))).astype(np.int64)
    sizes = np.minimum(np.maximum(doubled, nearest), nodes - 1)
    start = np.concatenate([[0], np.cumsum(sizes)])
    found, weight = np.empty(start[-1], dtype=np.int32), np.empty(start[-1])
    tree = cKDTree(places)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        distances, others = _nearest_others(tree, places, rows, int(size))
        logs = nearness.log_weights(distances)
        at = start[rows][:, None] + np.arange(size)
        found[at], weight[at] = others, np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
    return NearCandidates(start, found, weight)


def _nearest_others(tree: cKDTree, places: np.ndarray, rows: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest ``size`` others of some nodes: distances and numbers. A node itself is left out."""
    distances, others = tree.query(places[rows], k=np.arange(1, size + 2))
    kept = others != rows[:, None]
    kept[kept.all(axis=1), -1] = False
    return distances[kept].reshape(len(rows), size), others[kept].reshape(len(rows), size)


@dataclass(frozen=True, slots=True, eq=False)
class SpatialEdges:
    """The edges, and how they came about.

    ``drawn`` are the edges of the first round, node and partner, in the order of their making; ``repeated`` of their draws
    repeated an edge and were drawn again. It took ``switches`` to place the stubs left over; ``dropped`` edges are missing.
    """

    edges: np.ndarray
    drawn: np.ndarray
    repeated: int
    switches: int
    dropped: int


def join_nodes(near: NearCandidates, degrees: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> SpatialEdges:
    """Join the stubs by nearness, switch what is left over into place, and drop what finds none."""
    from ...kernels.stub_joining import join_stubs, stubs_of, walk_stubs

    nodes = np.arange(len(degrees))
    stubs, order = stubs_of(degrees, near), rng.permutation(np.repeat(nodes, degrees))
    drawn = np.empty((len(order) // 2, 2), dtype=np.int64)
    made, repeated = join_stubs(near, stubs, order, rng, drawn)
    switches = 0
    for _ in range(ROUNDS):
        loose = np.repeat(nodes, stubs.free)
        if not len(loose):
            break
        switches += walk_stubs(near, stubs, loose[_strip_order(places[loose])], places, rng, SWITCHES)
    return SpatialEdges(_edges_from_stubs(stubs), drawn[:made], repeated, switches, int(stubs.free.sum()) // 2)


def _strip_order(places: np.ndarray) -> np.ndarray:
    """An order in which consecutive places are near: to and fro along strips about as wide as places lie apart."""
    low, high = places.min(axis=0), places.max(axis=0)
    strip = ((places[:, 1] - low[1]) / max(high[1] - low[1], 1e-300) * np.sqrt(len(places) / 2)).astype(np.int64)
    return np.lexsort((np.where(strip % 2, -places[:, 0], places[:, 0]), strip))


def _edges_from_stubs(stubs: Stubs) -> np.ndarray:
    """The edges by their neighbour lists, each once."""
    ends = np.repeat(np.arange(len(stubs.used)), stubs.used)
    within = np.arange(len(ends)) - np.repeat(np.cumsum(stubs.used) - stubs.used, stubs.used)
    others = stubs.held[stubs.first[ends] + within]
    pairs: np.ndarray = np.column_stack([ends, others])[ends < others]
    return pairs


def position_attributes(at: np.ndarray) -> Release:
    """Places (n×2) as attributes of nodes: two columns of the kind geographic."""
    import polars as pl

    from ...release.release import Release

    frame = pl.DataFrame({"x": at[:, 0], "y": at[:, 1]})
    return Release(frame, kinds={"x": "geographic", "y": "geographic"})


def node_positions(graph: Graph) -> np.ndarray:
    """The places of the nodes, n×2, by their attributes ``x`` and ``y``."""
    if graph.attributes is None or not {"x", "y"} <= set(graph.attributes.columns):
        raise TacitError("the network has no map", code="invalid_graph", fix="its nodes need the attributes x and y")
    return np.column_stack([graph.attributes.floats("x"), graph.attributes.floats("y")])


def edge_lengths(graph: Graph) -> np.ndarray:
    """How long each edge of a network on a map is. O(m).

    >>> at = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> edge_lengths(Graph(size=2, edges=np.array([[0, 1]]), attributes=position_attributes(at))).tolist()
    [5.0]
    """
    at = node_positions(graph)
    found: np.ndarray = np.hypot(*(at[graph.edges[:, 0]] - at[graph.edges[:, 1]]).T)
    return found
