"""Released nodes and targets as points: everybody is linked to the nearest, all ties included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...attack._belief import link_belief
from ...attack.distance import all_alike
from ...claims.claims import LinkClaims
from ...progress import report_progress

if TYPE_CHECKING:
    from ...attack._distance_encoding import EncodedFiles
    from ...progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class NodeFeatures:
    """The columns of both sides, and what a difference and a gap cost in each (:class:`~.kernels.nearest.Costs`)."""

    points: np.ndarray
    queries: np.ndarray
    kind: np.ndarray
    weight: np.ndarray
    missing: np.ndarray
    both: np.ndarray

    @staticmethod
    def from_numbers(points: np.ndarray, queries: np.ndarray) -> NodeFeatures:
        """Columns of numbers, each weighed by twice its variance in the release; constant ones count nothing."""
        from ...kernels.nearest import NUMBER

        usual = 2.0 * np.var(np.sort(points, axis=0), axis=0)
        return NodeFeatures._with_weights(points, queries, usual, NUMBER)

    @staticmethod
    def from_codes(points: np.ndarray, queries: np.ndarray) -> NodeFeatures:
        """Columns of codes, each weighed by the chance that two released nodes differ."""
        from ...kernels.nearest import CODE

        shares = (np.unique(column, return_counts=True)[1] / len(column) for column in points.T)
        usual = np.array([1.0 - float((share**2).sum()) if len(share) > 1 else 0.0 for share in shares])
        return NodeFeatures._with_weights(points.astype(float), queries.astype(float), usual, CODE)

    @staticmethod
    def of(measured: EncodedFiles) -> NodeFeatures:
        """The columns of two files that were compared as those of records are."""
        return NodeFeatures(measured.points, measured.queries, *measured.costs)

    @staticmethod
    def _with_weights(points: np.ndarray, queries: np.ndarray, usual: np.ndarray, kind: int) -> NodeFeatures:
        kept = usual > 0
        ones = np.ones(int(kept.sum()))
        kinds = np.full(len(ones), kind, dtype=np.int64)
        return NodeFeatures(points[:, kept], queries[:, kept], kinds, 1.0 / usual[kept], ones, ones)

    def append(self, other: NodeFeatures) -> NodeFeatures:
        """The columns of both together."""
        points, queries = np.hstack([self.points, other.points]), np.hstack([self.queries, other.queries])
        rest = (np.append(getattr(self, name), getattr(other, name)) for name in ("kind", "weight", "missing", "both"))
        return NodeFeatures(points, queries, *rest)


def link_nearest(sides: NodeFeatures, *, progress: Progress | None = None, notes: tuple[str, ...] = ()) -> LinkClaims:
    """The released nodes at the smallest distance of each target; nodes that look alike are compared once."""
    from ...kernels.nearest import Costs, distinct_rows, nearest_and_next

    if not sides.points.shape[1]:
        return all_alike(len(sides.points), len(sides.queries))
    group_of, first = distinct_rows(np.ascontiguousarray(sides.points))
    claim_of, asked = distinct_rows(np.ascontiguousarray(sides.queries))
    costs = Costs(sides.kind, sides.weight, sides.missing, sides.both)
    start, candidates, distance, following = nearest_and_next(
        sides.points[first],
        sides.queries[asked],
        costs,
        told=lambda share: report_progress(progress, "linking by nearness", share),
    )
    people, records = np.bincount(claim_of), np.bincount(group_of)
    scores = link_belief(start, candidates, distance=distance, following=following, people=people, records=records)
    return LinkClaims(
        claim_of=claim_of, start=start, candidates=candidates, group_of=group_of, scores=scores, notes=notes
    )
