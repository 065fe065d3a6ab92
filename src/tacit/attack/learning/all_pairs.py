"""What a distance finds among all pairs of seekers and places, without ever holding them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.forms import Form, QueryPoints, form_of, sides_of
from .families.family import Family
from .pairs import Pairs

if TYPE_CHECKING:
    from ...kernels.nearest import Nearest


@dataclass(frozen=True, slots=True, eq=False)
class NearestOutcome:
    """For each seeker: whether its own place is the single nearest one, its rival, and how much farther that is.

    The ``rival`` is the place that beats its own most, or comes closest to it (−1: there is none, or nobody knows the own);
    ``margin`` is the distance to it minus that to the own.
    """

    found: np.ndarray
    rival: np.ndarray
    margin: np.ndarray


def nearest_outcome(pairs: Pairs, family: Family, parameters: np.ndarray) -> NearestOutcome:
    """Who finds their own place among all; O(seekers · places · terms) time, O(places) memory beside the two sides.

    A tie finds nobody. The rule is that of :func:`.rows.found_by` for the rows of :func:`rows_between`: terms that
    differ by 1e-12 of what they were computed from are equal, and so are distances that differ by less than 1e-12 of
    the sizes of their differing terms.
    """
    from ...kernels.every_pair import own_or_rival

    sides, form = _kernel_inputs(pairs, family)
    own = np.ascontiguousarray(pairs.own, dtype=np.int64)
    return NearestOutcome(*own_or_rival(sides, own, form, np.ascontiguousarray(parameters, dtype=np.float64)))


def nearest_by(pairs: Pairs, family: Family, parameters: np.ndarray, asked: np.ndarray) -> Nearest:
    """For the seekers ``asked`` all places that tie for the smallest distance, laid out as by the search by distance.

    ``following`` is the second smallest distance (infinite with one place). Where a distance is negative, as it may be by
    parameters of any sign, only the order means something: all are raised by twice the lowest, so that none is zero,
    which would be taken for a sure sign, and their differences stay beside numbers of their own size. O(asked · places ·
    terms) time, O(places + answers) memory.
    """
    from ...kernels.every_pair import nearest_places
    from ...kernels.nearest import Nearest

    sides, form = _kernel_inputs(Pairs(pairs.seekers[asked], pairs.places, pairs.own[asked], pairs.costs), family)
    start, places, distance, following = nearest_places(sides, form, np.ascontiguousarray(parameters, dtype=np.float64))
    raised = -2.0 * min(0.0, float(distance.min(initial=0.0)))
    return Nearest(start, places, distance + raised, following + raised)


def rows_between(pairs: Pairs, family: Family, who: np.ndarray, rivals: np.ndarray) -> np.ndarray:
    """One row for each seeker ``who[k]`` and rival ``rivals[k]``: the rival's terms minus its own's, 0 where they are equal.

    O(rows · terms) time and memory.
    """
    from ...kernels.terms import rows_of

    sides, form = _kernel_inputs(pairs, family)
    rows = np.empty((len(who), family.size(pairs.columns)))
    seekers, places = (np.ascontiguousarray(part, dtype=np.int64) for part in (who, rivals))
    rows_of(sides, form, seekers, places, np.ascontiguousarray(pairs.own[seekers], dtype=np.int64), rows)
    return rows


def _kernel_inputs(pairs: Pairs, family: Family) -> tuple[QueryPoints, Form]:
    sides = sides_of(pairs.seekers, pairs.places, pairs.costs, squared=not family.signed)
    return sides, form_of(family.code, family.sets(pairs.columns))
