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

from .beliefs import Tables, conditionals, marginal, marginals, stretched, uniform
from .elimination import Node
from .fitted import Model, Target, conditional, home
from .simplex import on_simplex

STEPS = 400
FLOOR = 1e-3
"""Of the mean count, on every cell that the descent starts from: what is 0 would stay 0."""
LEAST_STEP = 1e-12
PAUSE, ENOUGH = 50, 1e-3
"""A gain below this share of the loss, over so many steps, ends the descent."""


@dataclass(frozen=True, slots=True, eq=False)
class Noisy:
    """A marginal in counts, each with independent noise of standard deviation ``scale``."""

    axes: tuple[int, ...]
    table: np.ndarray
    scale: float


def total(measured: Sequence[Noisy]) -> float:
    """How many records there are, from all noisy marginals: the mean of their sums, weighted by 1/(cells · σ²); at least 1."""
    weights = np.array([1 / (one.table.size * one.scale**2) for one in measured])
    sums = np.array([one.table.sum() for one in measured])
    return max(1.0, float((weights * sums).sum() / weights.sum()))


def reconciled(
    tree: tuple[Node, ...], sizes: tuple[int, ...], measured: Sequence[Noisy], *, steps: int = STEPS
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
    at = descent.at(_start(tree, sizes, measured))
    step, before = 1.0, at.loss
    for turn in range(1, steps + 1):
        slopes = descent.slopes(at.shares)
        new = descent.at([theta - step * slope for theta, slope in zip(at.thetas, slopes, strict=True)])
        while new.loss > at.loss - _fall(slopes, at, new) / 2 and step > LEAST_STEP:
            step /= 2
            new = descent.at([theta - step * slope for theta, slope in zip(at.thetas, slopes, strict=True)])
        at, step = new, 1.5 * step
        if turn % PAUSE == 0:
            if before - at.loss <= ENOUGH * before:
                break
            before = at.loss
    return Model(tree, sizes, at.logs)


def _fall(slopes: Tables, at: _At, new: _At) -> float:
    """How much the loss would fall if it were a plane."""
    parts = zip(slopes, at.shares, new.shares, strict=True)
    return sum(float((slope * (old - now)).sum()) for slope, old, now in parts)


@dataclass(frozen=True, slots=True, eq=False)
class _At:
    """A point of the descent: θ, the chain and the marginals that it has, and the loss."""

    thetas: Tables
    logs: Tables
    shares: Tables
    loss: float


def _start(tree: Sequence[Node], sizes: Sequence[int], measured: Sequence[Noisy]) -> Tables:
    """Where a clique was measured, its axis given the others by these counts; even elsewhere. No cell begins at 0."""
    found = uniform(tree, sizes)
    for number, node in enumerate(tree):
        fitting = [one for one in measured if set(node.clique) <= set(one.axes)]
        if fitting:
            best = min(fitting, key=lambda one: (one.scale * np.sqrt(one.table.size), one.axes))
            counts = on_simplex(best.table)
            likely = Target(best.axes, counts + FLOOR * counts.sum() / counts.size)
            found[number] = conditional(node, likely)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Descent:
    """The loss and its slopes, for the marginals of every clique."""

    tree: tuple[Node, ...]
    placed: list[tuple[int, Target, float]]

    @classmethod
    def of(cls, tree: tuple[Node, ...], measured: Sequence[Noisy]) -> _Descent:
        records, precise = total(measured), max(one.scale**-2 for one in measured)
        placed = []
        for one in measured:
            number = home(tree, one.axes)
            axes = tuple(axis for axis in tree[number].clique if axis in one.axes)
            turned = np.transpose(one.table, [one.axes.index(axis) for axis in axes]) / records
            placed.append((number, Target(axes, turned), one.scale**-2 / precise))
        return cls(tree, placed)

    def at(self, thetas: Tables) -> _At:
        logs = conditionals(self.tree, thetas)
        shares = marginals(self.tree, logs)
        return _At(thetas, logs, shares, self._loss(shares))

    def _loss(self, found: Tables) -> float:
        return sum(weight / 2 * float((gap**2).sum()) for _, _, weight, gap in self._gaps(found))

    def slopes(self, found: Tables) -> Tables:
        slopes = [np.zeros_like(table) for table in found]
        for number, target, weight, gap in self._gaps(found):
            slopes[number] += weight * stretched(gap, target.axes, self.tree[number].clique)
        return slopes

    def _gaps(self, found: Tables) -> list[tuple[int, Target, float, np.ndarray]]:
        return [
            (number, target, weight, marginal(found[number], self.tree[number].clique, target.axes) - target.table)
            for number, target, weight in self.placed
        ]
