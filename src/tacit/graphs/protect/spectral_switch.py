"""Random switches that keep the spectrum: only those are made that leave an eigenvalue within a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import TacitError, format_value
from ...progress import report_progress
from ...protect.parameters import is_number, make_rng
from ...release.trace import Finding, Trace
from ..graph import Graph
from ..masked import MaskedGraph
from .checks import checked_share, edge_changes, refuse_directed, refuse_no_edges
from .switch_edges import too_few_switches
from .switching import EdgeSwitcher, make_switcher

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


PARTS = 20
"""The eigenvector is computed anew so often: the change to first order is good while few edges changed."""
FAILURES = 100
"""Parts in a row that may leave the band before it is given up; each is half as long as the one before."""
SMALL = 64
"""Up to so many nodes all eigenvalues are computed; Lanczos needs more nodes than vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpectralSwitch:
    r"""Switch edges as :class:`SwitchEdges` does, but keep an eigenvalue within a band around its own.

    With the eigenvector x of the largest eigenvalue λ of the adjacency matrix, a switch of a–b, c–d to a–d, c–b changes
    it by

    .. math:: \Delta\lambda \approx 2\,(x_a - x_c)(x_d - x_b),

    to first order; for the second smallest of the Laplacian (``keeps="laplacian"``, how well the graph hangs together)
    the sign is the other one, because degrees stay. A switch is made only while the sum of these changes stays within
    ``band``·λ. The eigenvector is computed anew for every twentieth part; a part that left the band, measured and not
    estimated, is undone and made in smaller steps. The drift told is that of the result, measured.

    A narrow band makes fewer graphs possible, and so tells more: it serves those who need paths, groups and spreading
    as they were. Undirected graphs. O(m) a part and Lanczos steps of O(m).

    >>> import numpy as np
    >>> from tacit.graphs import Graph
    >>> ring = Graph(size=40, edges=np.array([(i, (i + j) % 40) for i in range(40) for j in (1, 2, 5)]))
    >>> SpectralSwitch(share=0.1, band=0.01).apply(ring, seed=7).trace[0].outcome["drift"].value <= 0.01
    True

    References
    ----------
    Ying and Wu (2008), Randomizing social networks: a spectrum preserving approach, SDM, 739–750.
    """

    share: float
    band: float
    keeps: Literal["adjacency", "laplacian"] = "adjacency"

    def __post_init__(self) -> None:
        checked_share(self.share, "share")
        if not is_number(self.band) or not 0 < self.band < 1:
            raise TacitError(
                f"band={format_value(self.band)} is no share of an eigenvalue",
                code="out_of_range",
                parameter="band",
                fix="e.g. band=0.02 for 2 %",
            )
        if self.keeps not in ("adjacency", "laplacian"):
            raise TacitError(
                f"keeps={format_value(self.keeps)} is unknown",
                code="unknown_name",
                parameter="keeps",
                fix="use 'adjacency' or 'laplacian'",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:
        """The graph with switched edges; the outcome has the share by which the eigenvalue moved."""
        refuse_directed(graph, "spectral_switch", "use switch_edges")
        refuse_no_edges(graph)
        wanted, rng = round(self.share * graph.links / 2), make_rng(self, seed)
        if not wanted:
            raise too_few_switches(0, 0)
        value, _ = extreme_eigenpair(graph, self.keeps)
        if self.keeps == "laplacian" and value < 1e-9:
            raise TacitError(
                "the graph is not connected, so that its second Laplacian eigenvalue is 0",
                code="wrong_type",
                fix="keeps='adjacency'",
            )
        edges, made, size, failed = graph.edges, 0, -(-wanted // PARTS), 0
        while made < wanted:
            report_progress(progress, "switching edges", made / wanted)
            tried, count = self._switch_within_band(graph.with_edges(edges), value, min(size, wanted - made), rng)
            now = extreme_eigenpair(graph.with_edges(tried), self.keeps)[0]
            if count and abs(now - value) <= self.band * value:
                edges, made, failed = tried, made + count, 0
            elif failed == FAILURES or not count:
                raise too_few_switches(made, wanted)
            else:
                size, failed = max(1, size // 2), failed + 1
        after = graph.with_edges(edges)
        drift = abs(extreme_eigenpair(after, self.keeps)[0] / value - 1)
        return MaskedGraph(
            after, (Trace.of(self, drift=Finding(drift, publishable=True), **edge_changes(graph, after)),)
        )

    def _switch_within_band(
        self, graph: Graph, value: float, wanted: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        """Some switches whose changes to first order, added up, stay within the band."""
        now, vector = extreme_eigenpair(graph, self.keeps)
        x, sign = vector.tolist(), 1 if self.keeps == "adjacency" else -1
        off, most = [now - value], self.band * value

        def accept(a: int, b: int, c: int, d: int) -> bool:
            moved = off[0] + sign * 2 * (x[a] - x[c]) * (x[d] - x[b])
            fits = bool(abs(moved) <= max(most, abs(off[0])))
            off[0] = moved if fits else off[0]
            return fits

        work: EdgeSwitcher = make_switcher(graph)
        count = work.make_switches(wanted, rng, accept)
        return np.array(work.edges), count


def extreme_eigenpair(graph: Graph, keeps: str) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of the adjacency matrix, or the second smallest of the Laplacian, and its unit vector."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    adjacency = graph.adjacency().astype(np.float64)
    degrees = graph.degrees()
    # the smallest of L are the largest of 2·max degree − L, which Lanczos finds without solving anything
    shift = 2.0 * degrees.max()
    matrix = adjacency if keeps == "adjacency" else diags_array(shift - degrees) + adjacency
    rank = 1 if keeps == "adjacency" else 2
    if graph.size <= SMALL:
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        values, vectors = eigsh(matrix, k=rank, which="LA", v0=np.linspace(1.0, 2.0, graph.size))
    found = float(np.sort(values)[-rank])
    vector = vectors[:, np.argsort(values)[-rank]]
    return (found if keeps == "adjacency" else shift - found), vector
