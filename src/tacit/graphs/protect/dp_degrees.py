"""A graph drawn for a degree sequence that was told with differential privacy for every edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...dp.noise import laplace_scale, with_laplace
from ...errors import TacitError
from ...progress import report_progress, sub_progress
from ...protect.parameters import make_rng
from ...protect.private.params import checked_epsilon, loss_of
from ...release.trace import Finding, Trace
from ..graph import Graph
from ..masked import MaskedGraph
from ..synth.graphical import is_graphical
from ..synth.random_graph import sample_edges
from .checks import refuse_directed

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


SENSITIVITY = 2
PROOF = (
    "one edge more raises two degrees by one each; in sorted order no place falls and the sum rises by two, so that the "
    "sorted sequence changes by 2 in all (L1)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DpDegrees:
    r"""Release a graph drawn for the degree sequence, which is told with ε-differential privacy for edges.

    The degrees, sorted, get discrete Laplace noise of scale 2/ε: one edge changes two of them by one,

    .. math:: \tilde s_i = s_i + \mathrm{Lap}_{\mathbb Z}(2/\varepsilon), \qquad
              \bar s = \arg\min_{x_1 \le \dots \le x_n} \|x - \tilde s\|_2 .

    Isotonic regression takes most of the noise out again, the more the more degrees are equal; rounding and the nearest
    sequence that a graph has are post-processing as well, which costs nothing. The graph is then drawn uniformly among
    all that have the sequence: its triangles, paths and groups are those of chance, and **its nodes are nobody** (the
    lineage is −1 throughout, attributes are left out).

    δ = 0; neighbours are graphs on the same nodes, whose number is public, that differ in one edge. Whoever has d edges
    is protected as a person with dε only: for people take ε small. Noise comes from OpenDP's secure source: no seed
    repeats it; the ``seed`` draws the graph. Undirected graphs. O(n log n + m).

    >>> import networkx as nx
    >>> from tacit.graphs import graph
    >>> made = DpDegrees(epsilon=1).apply(graph(nx.karate_club_graph()), seed=7)
    >>> made.graph.size, made.trace[0].outcome["scale"].value, set(made.lineage.tolist())
    (34, 2.0, {-1})

    References
    ----------
    Hay, Li, Miklau and Jensen (2009), Accurate estimation of the degree distribution of private networks, ICDM,
    169–178.
    """

    epsilon: float

    def __post_init__(self) -> None:
        checked_epsilon(self.epsilon)

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """A graph drawn from the noisy sequence; the outcome has the guarantee and the scale of the noise."""
        refuse_directed(graph, "dp_degrees", "release the edges without their direction")
        if graph.size < 2:
            raise TacitError(
                "a graph of one node has no edge to protect",
                code="invalid_graph",
                fix="check the file, or release nothing",
            )
        report_progress(progress, "dp_degrees", 0.0)
        scale = laplace_scale(SENSITIVITY, loss_of(self.epsilon, 1))
        degrees = graphical_near(private_degrees(graph.degrees(), scale))
        rng = make_rng(self, seed)
        edges = sample_edges(rng.permutation(degrees), seed=rng, progress=sub_progress(progress, 0.3, 1.0))
        made = Graph(size=graph.size, edges=edges, shuffled=True)
        said = {"epsilon": self.epsilon, "delta": 0, "neighbours": "one edge added or taken away", "nodes": "public"}
        trace = Trace.of(
            self,
            guarantee=Finding(said, publishable=True),
            scale=Finding(scale, publishable=True),
            sensitivity=Finding(PROOF, publishable=True),
        )
        return MaskedGraph(made, (trace,), lineage=np.full(graph.size, -1))


def private_degrees(degrees: np.ndarray, scale: float) -> np.ndarray:
    """The sorted degrees with noise, in order again: whole numbers from 0 to n − 1. O(n log n)."""
    from scipy.optimize import isotonic_regression

    noisy = with_laplace(np.sort(degrees).tolist(), scale)
    fitted = isotonic_regression(np.array(noisy, dtype=np.float64)).x
    found: np.ndarray = np.clip(np.rint(fitted), 0, len(degrees) - 1).astype(np.int64)
    return found


def graphical_near(degrees: np.ndarray) -> np.ndarray:
    """A sequence that a simple graph has, near to this one: the largest degrees are cut, as little as bisection finds.

    It looks at nothing but its argument, so it is post-processing. Degrees cut at 0 are those of a graph without edges,
    so that there always is a cut. O(n log² n).

    >>> graphical_near(np.array([3, 1, 1])).tolist()
    [2, 1, 1]
    """
    low, high = 0, int(degrees.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_graphical(_cap_degrees(degrees, middle)) else (low, middle - 1)
    return _cap_degrees(degrees, low)


def _cap_degrees(degrees: np.ndarray, most: int) -> np.ndarray:
    """The degrees, none above ``most``, and one of the largest one less where their sum is odd."""
    found: np.ndarray = np.minimum(degrees, most)
    found[np.argmax(found)] -= found.sum() % 2
    return found
