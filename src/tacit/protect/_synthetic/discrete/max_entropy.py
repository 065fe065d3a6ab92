r"""The distribution of largest entropy with given marginals, on a junction tree.

Where every clique of the tree lies in a set of axes that was counted (the sets are *decomposable*), it is written down: each
axis given its neighbours, as counted. Elsewhere by iterative proportional fitting: one marginal after the other is made
right, :math:`\theta_i \leftarrow \theta_i + \ln(t / P(x_t))`, until all are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....errors import TacitError
from .beliefs import Tables, broadcast_onto, clique_marginals, log_conditionals, sum_onto, uniform_potentials
from .coded_records import count_cells
from .elimination import Node, junction_tree

LARGEST = 10**7
"""Cells of the largest clique: 80 MB."""
CLOSE = 1e-10
"""The largest difference of a cell's share at which fitting ends."""
ROUNDS = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A marginal that the model is to have: its axes, and a weight from 0 on for each cell; they need not add up to 1."""

    axes: tuple[int, ...]
    table: np.ndarray

    def within(self, clique: Sequence[int]) -> Target:
        """The same with its axes in the order of a clique, as shares."""
        axes = tuple(axis for axis in clique if axis in self.axes)
        turned = np.transpose(self.table, [self.axes.index(axis) for axis in axes])
        return Target(axes, turned / turned.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A junction tree and ln P(axis | its neighbours) for each of its nodes."""

    tree: tuple[Node, ...]
    sizes: tuple[int, ...]
    logs: Tables

    def share(self, axes: Sequence[int]) -> np.ndarray:
        """The marginal of axes that lie in one clique, in the order asked for."""
        number = covering_node(self.tree, axes)
        clique = self.tree[number].clique
        found = sum_onto(clique_marginals(self.tree, self.logs)[number], clique, axes)
        ordered = [axis for axis in clique if axis in axes]
        return np.transpose(found, [ordered.index(axis) for axis in axes])


def covering_node(tree: Sequence[Node], axes: Sequence[int]) -> int:
    """The node whose clique has all of the axes: that of the one that is summed out first."""
    return next(number for number, node in enumerate(tree) if node.axis in axes)


def joined_tree(
    sets: Sequence[Sequence[int]], sizes: Sequence[int], columns: Sequence[str], *, last: Sequence[int] = ()
) -> tuple[Node, ...]:
    """The junction tree of sets of axes; a clique beyond :data:`LARGEST` cells is an error that names it."""
    tree = junction_tree(sets, sizes, last=last)
    largest = max(tree, key=lambda node: count_cells(sizes, node.clique))
    if count_cells(sizes, largest.clique) > LARGEST:
        named = ", ".join(f"{columns[axis]} ({sizes[axis]})" for axis in largest.clique)
        raise TacitError(
            f"these columns hang together and have {count_cells(sizes, largest.clique):,} cells, more than {LARGEST:,}: {named}",
            code="out_of_range",
            fix="use fewer bins, recode columns of many categories, or take sets of columns with less in common",
        )
    return tree


def fit_max_entropy(tree: tuple[Node, ...], sizes: tuple[int, ...], targets: Sequence[Target]) -> Model:
    """The model of largest entropy with these marginals, which must not contradict each other.

    Exact in one pass for decomposable sets; else O(targets · cells of the cliques) for each of some dozens of rounds.

    >>> tree = junction_tree([(0, 1)], [2, 2])
    >>> fit_max_entropy(tree, (2, 2), [Target((0, 1), np.array([[3, 1], [0, 4]]))]).share((1, 0)).round(9).tolist()
    [[0.375, 0.0], [0.125, 0.5]]

    References
    ----------
    Deming and Stephan (1940), On a least squares adjustment of a sampled frequency table, Annals of Mathematical
    Statistics 11, 427–444. Csiszár (1975), I-divergence geometry of probability distributions, Annals of Probability 3.
    Jiroušek and Přeučil (1995), On the effective implementation of the iterative proportional fitting procedure,
    Computational Statistics and Data Analysis 19, 177–189.
    """
    exact = [_covering_target(node, targets) for node in tree]
    if all(target is not None for target in exact):
        pairs = zip(tree, exact, strict=True)
        return Model(tree, sizes, log_conditionals(tree, [log_conditional(node, target) for node, target in pairs]))  # type: ignore[arg-type]
    thetas = uniform_potentials(tree, sizes)
    placed = [(covering_node(tree, target.axes), target) for target in targets]
    placed = [(number, target.within(tree[number].clique)) for number, target in placed]
    for _ in range(ROUNDS):
        if _fit_round(tree, thetas, placed) < CLOSE:
            return Model(tree, sizes, log_conditionals(tree, thetas))
    raise _contradiction_error()


def _covering_target(node: Node, targets: Sequence[Target]) -> Target | None:
    """A target that has all axes of a clique."""
    return next((target for target in targets if set(node.clique) <= set(target.axes)), None)


def log_conditional(node: Node, target: Target) -> np.ndarray:
    """The logarithm of P(axis | its neighbours) as counted."""
    found = target.within(list(node.clique) + [axis for axis in target.axes if axis not in node.clique])
    table = sum_onto(found.table, found.axes, node.clique)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: np.ndarray = np.log(table) - np.log(table.sum(axis=0))
    return np.where(np.isnan(logs), -np.inf, logs)


def _fit_round(tree: Sequence[Node], thetas: Tables, placed: Sequence[tuple[int, Target]]) -> float:
    """Make each marginal right in turn; the largest difference that was found."""
    worst = 0.0
    for number, target in placed:
        clique = tree[number].clique
        found = sum_onto(clique_marginals(tree, log_conditionals(tree, thetas))[number], clique, target.axes)
        worst = max(worst, float(np.abs(found - target.table).max()))
        seen = target.table > 0
        if (found[seen] <= 0).any():
            raise _contradiction_error()
        change = np.log(np.divide(target.table, found, out=np.ones_like(found), where=seen))
        thetas[number] = thetas[number] + broadcast_onto(np.where(seen, change, -np.inf), target.axes, clique)
    return worst


def _contradiction_error() -> TacitError:
    return TacitError(
        "the marginals contradict each other", code="conflicting_parameters", fix="take them all from the same records"
    )
