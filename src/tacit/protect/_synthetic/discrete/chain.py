r"""A chain of conditional tables, :math:`P(x) = \prod_i P(x_i \mid x_{\pi_i})`, and draws from it.

Every model of this folder ends as a chain: a Bayesian network is one, and a junction tree becomes one by elimination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from .coded_records import cell_of, count_cells

LEAST = 1e-12
"""So that there is another place than missing wherever one is needed."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """The chances of an axis's places (columns) for every cell of the axes that are ``given`` (rows)."""

    axis: int
    given: tuple[int, ...]
    chances: np.ndarray


def normalise_rows(weights: np.ndarray) -> np.ndarray:
    """Rows of weights from 0 on as chances; a row without any weight gets even ones.

    >>> normalise_rows(np.array([[1, 3], [0, 0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    filled = np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, 1.0)
    found: np.ndarray = filled / filled.sum(axis=-1, keepdims=True)
    return found


def draw_chain(
    chain: Sequence[Link],
    places: np.ndarray,
    sizes: Sequence[int],
    rng: np.random.Generator,
    *,
    even: bool = False,
    holes: Mapping[int, np.ndarray] = MappingProxyType({}),
) -> np.ndarray:
    """Places with the axes of the chain drawn one after the other, each given those that its table names.

    ``places`` has a row for every record to be drawn; axes that no link draws stay as they are, and may be given. For
    all records at once: one uniform number for each, looked up among the running sums of its row. With ``even`` the m
    records of one row get one number from each m-th part instead of independent ones, so that the counts are within one
    of what the chances say: less noise of our own on top of a model that is noisy already. ``holes`` says of some axes
    which records have the last place of all (missing); the others then have another one.
    O(records · links · log cells) time (with ``even`` also log records), O(records + cells) memory.
    """
    found = places.copy()
    for link in chain:
        size, row = sizes[link.axis], cell_of(found, sizes, link.given)
        chances = link.chances.reshape(count_cells(sizes, link.given), size)
        if link.axis in holes:
            chances = (chances + LEAST) * (np.arange(size) < size - 1)
        upto = np.cumsum(chances, axis=1)
        upto = upto / upto[:, -1:] + np.arange(len(upto))[:, None]
        chance = _stratified_uniforms(row, rng) if even else rng.random(len(row))
        wanted = np.minimum(row + chance, np.nextafter(row + 1.0, 0.0))
        place = np.searchsorted(upto.ravel(), wanted, side="right") - row * size
        found[:, link.axis] = np.where(holes[link.axis], size - 1, place) if link.axis in holes else place
    return found


def _stratified_uniforms(row: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For the m records of each row the numbers (u + 0)/m, (u + 1)/m, … in random order, with one u for the row."""
    mixed = rng.permutation(len(row))
    order = mixed[np.argsort(row[mixed], kind="stable")]
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    sizes = np.diff(first, append=len(row))
    turn = np.arange(len(row)) - np.repeat(first, sizes)
    found = np.empty(len(row))
    found[order] = (turn + np.repeat(rng.random(len(first)), sizes)) / np.repeat(sizes, sizes)
    return found
