"""Who is found, decided without a doubt: floats where they are sure, fractions where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .exact_distance import apart, bounded, distance, exactly
from .families.family import Family
from .pairs import Pairs

__all__ = ["certified"]

BLOCK = 1 << 14
"""So many pairs are compared at once."""


def certified(pairs: Pairs, family: Family, parameters: np.ndarray) -> np.ndarray:
    r"""Which seekers are nearer to their own place than to any other; a tie finds nobody (M-01).

    .. math:: d(a_i, b_{o(i)}) < d(a_i, b_j) \text{ for all } j \ne o(i)

    The claim is about exactly the numbers given: data, costs and parameters are floats, floats are rational numbers, and
    of those the inequality is decided without rounding. It holds no tolerance, unlike the search
    (:data:`.rows.TIE`): two distances that would be equal had a weight of 1/3 been kept as a fraction differ here by what
    the float is off, and one of them is the smaller. For signed differences of codes and for :math:`\sqrt w` the float
    root counts as the number.

    First all distances are summed in floats, each with a bound on its error (:func:`.exact_distance.bounded`). Distances
    that are further apart than their two bounds are told apart; what remains is computed in fractions, for the seekers
    that no other rival beats.

    A seeker whose own place is not known (−1) is not found; one without a rival is. O(seekers · places · parameters)
    time, and as many operations with fractions as parameters for each pair in doubt; memory O(block · columns).

    References
    ----------
    Higham (2002), Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM, chapter 3.

    >>> from tacit.kernels.nearest import Costs
    >>> from tacit.attack.learning.families import family_of
    >>> costs = Costs(np.zeros(1, dtype=np.int64), np.ones(1), np.ones(1), np.ones(1))
    >>> two = Pairs(np.array([[0.0], [5.0]]), np.array([[1.0], [-1.0]]), np.arange(2), costs)
    >>> certified(two, family_of("weighted"), np.ones(1)).tolist()
    [False, False]
    """
    found = np.zeros(len(pairs.seekers), dtype=bool)
    known = np.flatnonzero(pairs.own >= 0)
    step = max(1, BLOCK // max(1, len(pairs.places)))
    for at in range(0, len(known), step):
        block = known[at : at + step]
        doubt, beaten = _compared(pairs, family, parameters, block)
        for row in np.flatnonzero(~beaten):
            found[block[row]] = _wins(pairs, family, parameters, int(block[row]), np.flatnonzero(doubt[row]))
    return found


def _compared(pairs: Pairs, family: Family, parameters: np.ndarray, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each seeker of the block and each place whether floats cannot tell, and for each seeker whether a rival is surely nearer."""
    own = np.arange(len(block)), pairs.own[block]
    with np.errstate(all="ignore"):  # what overflows is in doubt
        differences = apart(
            pairs, pairs.seekers[block][:, None], pairs.places[None], signed=family.signed, number=np.asarray
        )
        far, error = bounded(pairs, family, differences, parameters)
        margin, error = far - far[own][:, None], 2.0 * (error + error[own][:, None])
        nearer, farther = margin < -error, margin > error
    doubt = ~(nearer | farther)
    doubt[own] = False
    return doubt, nearer.any(axis=1)


def _wins(pairs: Pairs, family: Family, parameters: np.ndarray, seeker: int, rivals: np.ndarray) -> bool:
    """Whether the seeker's own place is nearer than each of these, in fractions; the first that is not ends it."""
    if not len(rivals):
        return True
    exact = exactly(parameters)

    def far(place: int) -> Any:
        ends = pairs.seekers[[seeker]], pairs.places[[place]]
        return distance(family, apart(pairs, *ends, signed=family.signed, number=exactly), exact)[0]

    own = far(int(pairs.own[seeker]))
    return all(far(rival) > own for rival in rivals.tolist())
