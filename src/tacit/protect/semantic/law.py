"""The law of semantic noise: near values are likely, far ones are not."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ..pram_matrix.tables import sources

__all__ = ["MOST_VALUES", "as_drawn", "epsilon_for", "law", "ratio"]

MOST_VALUES = 4000
"""All pairs of so many values are compared."""
LARGEST = 2.0**14
"""Beyond this nothing moves."""
STEPS = 60


def law(distances: np.ndarray, epsilon: float) -> np.ndarray:
    r"""The chance of each value to become each other one: :math:`P(w \mid v) \propto e^{-\varepsilon d(v, w)/2}`.

    >>> law(np.array([[0.0, 1.0], [1.0, 0.0]]), 2 * np.log(3)).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    weight = np.exp(-0.5 * epsilon * distances)
    found: np.ndarray = weight / weight.sum(axis=1, keepdims=True)
    return found


def epsilon_for(distances: np.ndarray, stay: float, column: str) -> float:
    """The ε for which a value stays with this chance, on average over the values; it grows with ε, so by halving."""
    least = 1 / len(distances)
    if stay <= least:
        raise TacitError(
            f"has {len(distances)} values: stay={stay:g} is no more than chance, which is {least:.3g}",
            column=column,
            fix=f"a larger stay, up to 1, e.g. stay={min(0.99, max(0.5, 1.5 * least)):.2g}",
        )
    apart, of_pair = np.unique(distances, return_inverse=True)
    classes = np.zeros((len(distances), len(apart)))
    np.add.at(classes, (np.arange(len(distances))[:, None], of_pair.reshape(distances.shape)), 1)
    low, high = 0.0, LARGEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        stays = (1 / (classes @ np.exp(-0.5 * middle * apart))).mean()
        low, high = (middle, high) if stays < stay else (low, middle)
    return high


def as_drawn(chances: np.ndarray) -> np.ndarray:
    """The chances that the draws really have, in multiples of 2⁻³²: what is proven must hold for these.

    >>> as_drawn(np.array([[1 - 1e-12, 1e-12], [0.5, 0.5]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    upto = sources(chances[None])[: len(chances)].astype(float)
    found: np.ndarray = np.diff(upto, axis=1, prepend=0.0) / upto[:, -1:]
    return found


def ratio(chances: np.ndarray) -> float:
    r"""The largest :math:`\ln P(y \mid v)/P(y \mid w)`: how much any outcome tells; infinite where one is impossible.

    >>> round(float(np.exp(ratio(np.array([[0.75, 0.25], [0.25, 0.75]])))), 9)
    3.0
    """
    if (chances == 0).any():
        return float("inf")
    return float(np.log(chances.max(axis=0) / chances.min(axis=0)).max())
