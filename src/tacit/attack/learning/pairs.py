"""Seekers, the places they look among, and which place is their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...kernels.nearest import Costs


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Two sides of records in the columns that count; seeker i looks for the place ``own[i]`` (−1: nobody knows it).

    In the usual direction the seekers are the intruder's people and the places the released records. ``costs`` say what a
    difference adds in each column (:class:`~tacit.kernels.nearest.Costs`, weights included): two random records differ
    by one in each. ``many`` counts for each seeker those that it and its own cannot be told from, one where it is absent.
    """

    seekers: np.ndarray
    places: np.ndarray
    own: np.ndarray
    costs: Costs
    many: np.ndarray | None = None

    @property
    def columns(self) -> int:
        """How many count."""
        return int(self.seekers.shape[1])

    def own_chances(self) -> np.ndarray:
        """The chance of each seeker's person to get its own record when its place is known: one among all like it."""
        found: np.ndarray = np.ones(len(self.own)) if self.many is None else 1.0 / self.many
        return found


def column_differences(pairs: Pairs, who: np.ndarray, where: np.ndarray, *, signed: bool) -> np.ndarray:
    r"""The differences of the seekers ``who`` and the places ``where``, pair by pair: one row each.

    The cost of each column, :math:`w(x-y)^2` for numbers; ``signed``: its root, for numbers :math:`\sqrt w (x-y)` with
    its sign. O(pairs · columns) time and memory.
    """
    from ...kernels.nearest import CODE, FLOOR

    costs = pairs.costs
    weight, missing, both = (np.sqrt(part) if signed else part for part in (costs.weight, costs.missing, costs.both))
    x, y = pairs.seekers[who], pairs.places[where]
    number = weight * (x - y) if signed else weight * (x - y) ** 2
    value = np.select([costs.kind == CODE, costs.kind == FLOOR], [weight * (x != y), weight * (x < y)], number)
    gaps = np.isnan(x).astype(int) + np.isnan(y)
    filled: np.ndarray = np.where(gaps == 2, both, np.where(gaps == 1, missing, value))
    return filled
