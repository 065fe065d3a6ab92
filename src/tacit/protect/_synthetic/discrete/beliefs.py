r"""Sums over the whole domain by way of a junction tree: conditional tables upwards, marginals downwards.

The model is :math:`P(x) \propto \exp \sum_i \theta_i(x_{C_i})` with one table θ for the clique of each node. Summing the axes
out in the order of the nodes,

.. math:: m_i(x_{S_i}) = \sum_{x_i} e^{\theta_i} \prod_{j \to i} m_j, \qquad
          P(x_i \mid x_{S_i}) = e^{\theta_i} \prod_{j \to i} m_j \,/\, m_i,

gives the chain; and in the opposite order :math:`P(x_{C_i}) = P(x_i \mid x_{S_i})\, P(x_{S_i})` the marginals, without ever
listing the domain. All tables have their axes in the order of elimination, so that no axis is ever moved. In logarithms.
Time and memory O(sum of the cliques' cells).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .chain import Link
from .elimination import Node

Tables = list[np.ndarray]
"""One table for the clique of each node."""


def uniform_potentials(tree: Sequence[Node], sizes: Sequence[int]) -> Tables:
    """θ = 0 everywhere."""
    return [np.zeros(tuple(sizes[axis] for axis in node.clique)) for node in tree]


def broadcast_onto(table: np.ndarray, axes: Sequence[int], onto: Sequence[int]) -> np.ndarray:
    """A table of some axes as one that can be added to a table of more of them, both in the same order."""
    return table[tuple(slice(None) if axis in axes else None for axis in onto)]


def sum_onto(table: np.ndarray, axes: Sequence[int], onto: Sequence[int]) -> np.ndarray:
    """A table summed over the axes that are not asked for."""
    found: np.ndarray = table.sum(axis=tuple(place for place, axis in enumerate(axes) if axis not in onto))
    return found


def log_conditionals(tree: Sequence[Node], thetas: Tables) -> Tables:
    """The logarithm of P(axis | its neighbours) for every node; even chances where the neighbours' places are impossible."""
    place = {node.axis: number for number, node in enumerate(tree)}
    found = [theta.copy() for theta in thetas]
    for node, table in zip(tree, found, strict=True):
        most = table.max(axis=0, keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        with np.errstate(divide="ignore"):
            message = np.log(np.exp(table - most).sum(axis=0)) + most[0]
        possible = np.isfinite(message)
        table -= np.where(possible, message, 0.0)
        if not possible.all():
            table[:, ~possible] = -np.log(len(table))
        if node.given:
            into = place[node.given[0]]
            found[into] += broadcast_onto(message, node.given, tree[into].clique)
    return found


def clique_marginals(tree: Sequence[Node], logs: Tables) -> Tables:
    """P(clique) for every node, from the conditional tables."""
    place = {node.axis: number for number, node in enumerate(tree)}
    found: list[np.ndarray] = [np.zeros(0)] * len(tree)
    for number in reversed(range(len(tree))):
        node, chances = tree[number], np.exp(logs[number])
        if node.given:
            above = place[node.given[0]]
            chances = chances * sum_onto(found[above], tree[above].clique, node.given)
        found[number] = chances
    return found


def chain_of(tree: Sequence[Node], logs: Tables, sizes: Sequence[int]) -> tuple[Link, ...]:
    """The conditional tables as a chain to draw from, the axis that was summed out last first."""
    return tuple(
        Link(node.axis, node.given, np.exp(table).reshape(sizes[node.axis], -1).T)
        for node, table in reversed(list(zip(tree, logs, strict=True)))
    )
