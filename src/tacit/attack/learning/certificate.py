"""Who is found, decided without a doubt: floats where they are sure, fractions where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from .families.family import Family
from .pairs import Pairs

BLOCK = 1 << 14
"""So many pairs are compared at once."""

BILINEAR = frozenset({"mahalanobis", "bilinear", "nonnegative", "definite"})

CHOQUET = frozenset({"choquet", "monotone"})

UNIT = 2.0**-53
"""What a rounding changes at most, as a share."""

STEPS = 16
"""More than the roundings of a difference and its products; each sum adds one more for each parameter."""

GRAIN = 2.0**-1060
"""Far more than a product loses that is too small for a float."""


def certified_links(pairs: Pairs, family: Family, parameters: np.ndarray) -> np.ndarray:
    r"""Which seekers are nearer to their own place than to any other; a tie finds nobody.

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
    >>> certified_links(two, family_of("weighted"), np.ones(1)).tolist()
    [False, False]
    """
    found = np.zeros(len(pairs.seekers), dtype=bool)
    known = np.flatnonzero(pairs.own >= 0)
    step = max(1, BLOCK // max(1, len(pairs.places)))
    for at in range(0, len(known), step):
        block = known[at : at + step]
        doubt, beaten = _compare_block(pairs, family, parameters, block)
        for row in np.flatnonzero(~beaten):
            found[block[row]] = _is_own_nearest(pairs, family, parameters, int(block[row]), np.flatnonzero(doubt[row]))
    return found


def _compare_block(
    pairs: Pairs, family: Family, parameters: np.ndarray, block: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each seeker of the block and each place whether floats cannot tell, and for each seeker whether a rival is surely nearer."""
    own = np.arange(len(block)), pairs.own[block]
    with np.errstate(all="ignore"):  # what overflows is in doubt
        differences = pair_differences(
            pairs, pairs.seekers[block][:, None], pairs.places[None], signed=family.signed, number=np.asarray
        )
        far, error = bounded_distance(pairs, family, differences, parameters)
        margin, error = far - far[own][:, None], 2.0 * (error + error[own][:, None])
        nearer, farther = margin < -error, margin > error
    doubt = ~(nearer | farther)
    doubt[own] = False
    return doubt, nearer.any(axis=1)


def _is_own_nearest(pairs: Pairs, family: Family, parameters: np.ndarray, seeker: int, rivals: np.ndarray) -> bool:
    """Whether the seeker's own place is nearer than each of these, in fractions; the first that is not ends it."""
    if not len(rivals):
        return True
    exact = to_fractions(parameters)

    def far(place: int) -> Any:
        ends = pairs.seekers[[seeker]], pairs.places[[place]]
        return family_distance(
            family, pair_differences(pairs, *ends, signed=family.signed, number=to_fractions), exact
        )[0]

    own = far(int(pairs.own[seeker]))
    return all(far(rival) > own for rival in rivals.tolist())


def to_fractions(values: np.ndarray) -> Any:
    """The same floats as fractions: a float is a whole number over a power of two, so nothing is rounded.

    >>> to_fractions(np.array([0.5, 0.1]))[0]
    Fraction(1, 2)
    """
    return np.frompyfunc(Fraction, 1, 1)(np.asarray(values, dtype=np.float64))


def pair_differences(
    pairs: Pairs, seekers: np.ndarray, places: np.ndarray, *, signed: bool, number: Callable[[np.ndarray], Any]
) -> list[np.ndarray]:
    r"""What each seeker and place (rows of values, broadcast) differ by, column by column, counted in ``number``.

    .. math:: w (x - y)^2, \quad w\,1[x \ne y], \quad w\,1[x < y]

    for numbers, codes and floors; ``signed``: :math:`\sqrt w\,(x - y)` for numbers and the positive root of the cost for
    all else. A root is mostly irrational; there the float nearest to it is what counts. O(pairs · columns).
    """
    from ...kernels.nearest import FLOOR, NUMBER

    found = []
    for v, kind in enumerate(pairs.costs.kind):
        weight, missing, both = (number(np.sqrt(part[v]) if signed else part[v]) for part in pairs.costs[1:])
        x, y = seekers[..., v], places[..., v]
        gaps = np.isnan(x).astype(np.int64) + np.isnan(y) if np.isnan(x).any() or np.isnan(y).any() else None
        if gaps is not None:
            x, y = (np.nan_to_num(side, nan=0.0, posinf=np.inf, neginf=-np.inf) for side in (x, y))
        if kind == NUMBER:
            step = number(x) - number(y)
            cost = weight * step if signed else weight * (step * step)
        else:
            cost = weight * number(x < y if kind == FLOOR else x != y)
        found.append(cost if gaps is None else np.where(gaps == 2, both, np.where(gaps == 1, missing, cost)))
    return found


def family_distance(family: Family, apart: list[np.ndarray], parameters: np.ndarray) -> np.ndarray:
    """How far the pairs are by the family with these parameters, from their differences, floats or fractions.

    O(pairs · parameters) time (a full Choquet measure: pairs · columns · log columns), memory O(pairs · columns).
    """
    if family.name in BILINEAR:
        return _bilinear_form(apart, parameters)
    if family.name in CHOQUET:
        most = getattr(family, "additive", None)
        return (
            _choquet_integral(apart, parameters)
            if most is None
            else _moebius_sum(apart, parameters, min(most, len(apart)))
        )
    return _weighted_sum(list(np.sort(np.stack(apart), axis=0)) if family.name == "ordered" else apart, parameters)


def bounded_distance(
    pairs: Pairs, family: Family, apart: list[np.ndarray], parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""The :func:`family_distance` of floats, and a bound on what rounding changed in it and in the differences, pair by pair.

    .. math:: |\hat d - d| \le 2 N u \sum_t |p_t| |\tau_t| + \epsilon

    with :math:`N` roundings in a row, :math:`u = 2^{-53}`, and :math:`\epsilon` for products too small for a float.
    Sorting and minima lose nothing: they are monotone, so that a relative bound passes through. A full Choquet measure
    weighs steps between sorted differences; it moves by at most :math:`2 \max|\mu|` for each unit that a difference moves,
    so that :math:`4 \max|\mu| \sum_v \delta_v` takes the place of the sum. Twice the usual constant covers the
    rounding of the bound itself.
    """
    far, weights = family_distance(family, apart, parameters), np.abs(parameters)
    sizes = [np.abs(one) for one in apart] if family.signed else apart
    if family.name in CHOQUET and getattr(family, "additive", None) is None:
        summed, many = 4.0 * weights.max() * _weighted_sum(sizes, np.ones(len(sizes))), len(sizes)
    else:
        alike = not family.signed and (parameters >= 0).all()
        summed, many = far if alike else family_distance(family, sizes, weights), len(weights)
    largest = 1.0 + max(float(np.max(one)) for one in sizes) + float(pairs.costs.weight.max())
    grain = GRAIN * (len(weights) + float(weights.sum())) * largest
    return far, 2.0 * (many + STEPS) * UNIT * summed + grain


def _weighted_sum(apart: list[np.ndarray], parameters: np.ndarray) -> np.ndarray:
    total = 0 * apart[0]
    for one, p in zip(apart, parameters, strict=True):
        total = total + p * one
    return total


def _bilinear_form(apart: list[np.ndarray], parameters: np.ndarray) -> np.ndarray:
    """Σ p[u, v] · δ_u · δ_v over u ≤ v, the pairs of columns row by row."""
    total, at = 0 * apart[0], 0
    for u, one in enumerate(apart):
        total = total + one * _weighted_sum(apart[u:], parameters[at : at + len(apart) - u])
        at += len(apart) - u
    return total


def _choquet_integral(apart: list[np.ndarray], measure: np.ndarray) -> np.ndarray:
    """The Choquet integral: the steps between the sorted differences, each times the measure of the columns not yet passed."""
    stacked = np.stack(apart)
    order = np.argsort(stacked, axis=0, kind="stable")
    values = np.take_along_axis(stacked, order, axis=0)
    total, before = 0 * apart[0], 0 * apart[0]
    left = np.full(apart[0].shape, (1 << len(apart)) - 1)
    for value, column in zip(values, order, strict=True):
        total = total + measure[left - 1] * (value - before)
        left, before = left ^ (1 << column), value
    return total


def _moebius_sum(apart: list[np.ndarray], parameters: np.ndarray, most: int) -> np.ndarray:
    """Σ m[T] · min over T of δ, over the sets T of at most so many columns, by size and then by their columns as bits."""
    sets = [chosen for size in range(1, most + 1) for chosen in combinations(range(len(apart)), size)]
    sets.sort(key=lambda chosen: (len(chosen), sum(1 << v for v in chosen)))
    place = {chosen: at for at, chosen in enumerate(sets)}
    total = 0 * apart[0]
    for chosen, least in _each_minimum(apart, most, (), None):
        total = total + parameters[place[chosen]] * least
    return total


def _each_minimum(
    apart: list[np.ndarray], most: int, chosen: tuple[int, ...], least: np.ndarray | None
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Each set of columns and its minima, a set after those that it extends, so that few arrays are kept at once."""
    for v in range(chosen[-1] + 1 if chosen else 0, len(apart)):
        longer, smaller = (*chosen, v), apart[v] if least is None else np.minimum(least, apart[v])
        yield longer, smaller
        if len(longer) < most:
            yield from _each_minimum(apart, most, longer, smaller)
