"""k-anonymity of attributes among nodes that look alike: who knows links and attributes is left with k nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value
from ...models.load import models_of
from ...progress import report_progress
from ...protect.recoding.clustering import cluster_cells
from ...protect.recoding.labelling import recode_release
from ...protect.recoding.problem import Problem, build_problem, subproblem
from ...release.trace import Finding, Trace
from ..graph import Graph
from ..masked import MaskedGraph
from .checks import checked_k, refuse_few
from .structural_classes import Known, structural_classes

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributesInClasses:
    """Recode quasi-identifiers of nodes so that k or more share them within every structural class.

    A structural class are the nodes of one ``degree``, or of one ``neighbourhood`` (degree and links among the
    neighbours). k-anonymous degrees and k-anonymous attributes by themselves are not enough: of the k nodes with 17
    links one may be the only doctor. Within each class the nodes are grouped as :class:`tacit.protect.KMember` does it,
    with its labels. Links stay as they are.

    **Claim**: every combination of class and released quasi-identifiers is that of k nodes or more. *Precondition*: so
    is every class; make it so with :class:`KDegree` before, else this is an error that says how many are not. *Checked*
    on every run by counting the combinations. Between O(c log c) and O(c²) for the c combinations of a class.

    References
    ----------
    Zhou and Pei (2011), The k-anonymity and l-diversity approaches for privacy preservation in social networks against
    neighborhood attacks, Knowledge and Information Systems 28, 47–77 (labels and structure together).
    """

    k: int
    known: Known

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.known not in ("degree", "neighbourhood"):
            raise TacitError(
                f"known={format_value(self.known)} is unknown",
                code="unknown_name",
                parameter="known",
                fix="use 'degree' or 'neighbourhood'",
            )

    def apply(self, graph: Graph, *, seed: Seed, progress: Progress | None = None) -> MaskedGraph:  # noqa: ARG002
        """The graph with recoded attributes; nothing is drawn at random."""
        refuse_few(graph, self.k)
        structure = structural_classes(graph, self.known)
        small = np.bincount(structure)[structure] < self.k
        if small.any():
            raise TacitError(
                f"{int(small.sum())} nodes look like fewer than {self.k} nodes already by their links",
                code="too_few_records",
                fix=f"apply k_degree with k={self.k} before"
                if self.known == "degree" and not graph.directed
                else "release the edges without their direction, after k_degree"
                if graph.directed
                else "known='degree', or change edges before",
            )
        made = _recode_attributes(_require_attributes(graph), structure, self.k, progress)
        after = replace(graph, attributes=made)
        groups = _check_classes(made, structure, self.k)
        return MaskedGraph(after, (Trace.of(self, groups=Finding(groups, publishable=True)),))


def same_in_groups(graph: Graph, group: np.ndarray) -> Graph:
    """The graph whose quasi-identifiers are the same within each group; as it was where there are none."""
    if graph.attributes is None or not graph.attributes.quasi:
        return graph
    found = _recoding_problem(graph.attributes, int(np.bincount(group).min()))
    of_cell = np.empty_like(group)
    of_cell[found.of_record] = group
    return replace(graph, attributes=recode_release(found, of_cell))


def _require_attributes(graph: Graph) -> Release:
    if graph.attributes is None or not graph.attributes.quasi:
        raise TacitError(
            "the nodes have no attribute with the role of a quasi-identifier",
            code="invalid_graph",
            fix="give attributes=Release(frame, quasi=['age', 'town']) when the graph is made",
        )
    return graph.attributes


def _recoding_problem(attributes: Release, k: int) -> Problem:
    """Every node a cell by itself, because nodes with equal attributes may look different by their links."""
    return build_problem(attributes, models_of({"k_anonymity": max(k, 1)}), "hierarchy", single=True)


def _recode_attributes(attributes: Release, structure: np.ndarray, k: int, progress: Progress | None) -> Release:
    found, count = _recoding_problem(attributes, k), int(structure.max()) + 1
    of_cell, groups = np.empty(attributes.size, dtype=np.int64), 0
    for one in range(count):
        report_progress(progress, "recoding attributes", one / count)
        cells = np.sort(found.of_record[structure == one])
        inside = np.unique(cluster_cells(subproblem(found, cells)), return_inverse=True)[1]
        of_cell[cells] = inside + groups
        groups += int(inside.max()) + 1
    return recode_release(found, of_cell)


def _check_classes(attributes: Release, structure: np.ndarray, k: int) -> int:
    """How many combinations of class and quasi-identifiers there are; none is that of fewer than k nodes."""
    columns = [structure, *(attributes.codes(column).codes for column in attributes.quasi)]
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    if counts.min() < k:
        raise AssertionError(f"fewer than {k} nodes share their class and attributes")
    return len(counts)
