r"""The distribution that comes nearest to noisy marginals, among those that have the shape of a junction tree.

Noisy marginals contradict each other and have counts below 0. With :math:`\mu` the marginals of the model and y those with
noise of standard deviation σ, as shares of the same total,

.. math:: L(\mu) = \tfrac12 \sum_t w_t \lVert \mu_t - y_t \rVert^2, \qquad w_t \propto \sigma_t^{-2},

is made small by mirror descent, :math:`\theta \leftarrow \theta - \alpha \nabla L(\mu(\theta))`, with steps that grow while the
loss falls as it should and are halved when it does not. Every iterate is a distribution. It reads the noisy marginals alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .beliefs import Tables, broadcast_onto, clique_marginals, log_conditionals, sum_onto, uniform_potentials
from .elimination import Node
from .max_entropy import Model, Target, covering_node, log_conditional
from .simplex import on_simplex

STEPS = 400
FLOOR = 1e-3
"""Of the mean count, on every cell that the descent starts from: what is 0 would stay 0."""
LEAST_STEP = 1e-12
PAUSE, ENOUGH = 50, 1e-3
"""A gain below this share of the loss, over so many steps, ends the descent."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyMarginal:
    """A marginal in counts, each with independent noise of standard deviation ``scale``."""

    axes: tuple[int, ...]
    table: np.ndarray
    scale: float


def estimate_total(measured: Sequence[NoisyMarginal]) -> float:
    """How many records there are, from all noisy marginals: the mean of their sums, weighted by 1/(cells · σ²); at least 1."""
    weights = np.array([1 / (one.table.size * one.scale**2) for one in measured])
    sums = np.array([one.table.sum() for one in measured])
    return max(1.0, float((weights * sums).sum() / weights.sum()))


def reconcile_marginals(
    tree: tuple[Node, ...], sizes: tuple[int, ...], measured: Sequence[NoisyMarginal], *, steps: int = STEPS
) -> Model:
    """The model nearest to the noisy marginals, each of which lies in a clique. O(cells of the cliques) for each step.

    It begins with the noisy counts made positive, where a clique was measured as a whole.

    References
    ----------
    McKenna, Sheldon and Miklau (2019), Graphical-model based estimation and inference for differential privacy, ICML,
    4435–4444. Beck and Teboulle (2003), Mirror descent and nonlinear projected subgradient methods for convex optimization,
    Operations Research Letters 31, 167–175.
    """
    descent = _Descent.of(tree, measured)
    at = descent.point_at(_initial_potentials(tree, sizes, measured))
    step, before = 1.0, at.loss
    for turn in range(1, steps + 1):
        slopes = descent.loss_gradient(at.shares)
        new = descent.point_at([theta - step * slope for theta, slope in zip(at.thetas, slopes, strict=True)])
        while new.loss > at.loss - _predicted_decrease(slopes, at, new) / 2 and step > LEAST_STEP:
            step /= 2
            new = descent.point_at([theta - step * slope for theta, slope in zip(at.thetas, slopes, strict=True)])
        at, step = new, 1.5 * step
        if turn % PAUSE == 0:
            if before - at.loss <= ENOUGH * before:
                break
            before = at.loss
    return Model(tree, sizes, at.logs)


def _predicted_decrease(slopes: Tables, at: _DescentPoint, new: _DescentPoint) -> float:
    """How much the loss would fall if it were a plane."""
    parts = zip(slopes, at.shares, new.shares, strict=True)
    return sum(float((slope * (old - now)).sum()) for slope, old, now in parts)


@dataclass(frozen=True, slots=True, eq=False)
class _DescentPoint:
    """A point of the descent: θ, the chain and the marginals that it has, and the loss."""

    thetas: Tables
    logs: Tables
    shares: Tables
    loss: float


def _initial_potentials(tree: Sequence[Node], sizes: Sequence[int], measured: Sequence[NoisyMarginal]) -> Tables:
    """Where a clique was measured, its axis given the others by these counts; even elsewhere. No cell begins at 0."""
    found = uniform_potentials(tree, sizes)
    for number, node in enumerate(tree):
        fitting = [one for one in measured if set(node.clique) <= set(one.axes)]
        if fitting:
            best = min(fitting, key=lambda one: (one.scale * np.sqrt(one.table.size), one.axes))
            counts = on_simplex(best.table)
            likely = Target(best.axes, counts + FLOOR * counts.sum() / counts.size)
            found[number] = log_conditional(node, likely)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Descent:
    """The loss and its slopes, for the marginals of every clique."""

    tree: tuple[Node, ...]
    placed: list[tuple[int, Target, float]]

    @classmethod
    def of(cls, tree: tuple[Node, ...], measured: Sequence[NoisyMarginal]) -> _Descent:
        records, precise = estimate_total(measured), max(one.scale**-2 for one in measured)
        placed = []
        for one in measured:
            number = covering_node(tree, one.axes)
            axes = tuple(axis for axis in tree[number].clique if axis in one.axes)
            turned = np.transpose(one.table, [one.axes.index(axis) for axis in axes]) / records
            placed.append((number, Target(axes, turned), one.scale**-2 / precise))
        return cls(tree, placed)

    def point_at(self, thetas: Tables) -> _DescentPoint:
        logs = log_conditionals(self.tree, thetas)
        shares = clique_marginals(self.tree, logs)
        return _DescentPoint(thetas, logs, shares, self._weighted_loss(shares))

    def _weighted_loss(self, found: Tables) -> float:
        return sum(weight / 2 * float((gap**2).sum()) for _, _, weight, gap in self._marginal_gaps(found))

    def loss_gradient(self, found: Tables) -> Tables:
        slopes = [np.zeros_like(table) for table in found]
        for number, target, weight, gap in self._marginal_gaps(found):
            slopes[number] += weight * broadcast_onto(gap, target.axes, self.tree[number].clique)
        return slopes

    def _marginal_gaps(self, found: Tables) -> list[tuple[int, Target, float, np.ndarray]]:
        return [
            (number, target, weight, sum_onto(found[number], self.tree[number].clique, target.axes) - target.table)
            for number, target, weight in self.placed
        ]
