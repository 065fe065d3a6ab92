"""Sum by Shamir's shares: points of random polynomials, of which any t + 1 give the sum.

Pi        f_i ← polynomial of degree t with f_i(0) = x_i, its other coefficients uniform
Pi → Pj   f_i(j)
Pj        g(j) = f_1(j) + … + f_n(j)
Pj → all  g(j)
all       S = g(0), from any t + 1 of the points
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..faults import BadMessage, Contradiction
from ..party import Party
from ..ring import Ring, Words


def polynomial_degree(parties: int) -> int:
    """The largest coalition that learns nothing: less than half of the parties, so that a majority can open the sum.

    >>> [polynomial_degree(n) for n in (2, 3, 4, 5)]
    [0, 1, 1, 2]
    """
    return (parties - 1) // 2


async def shamir_sum(seat: Party, words: Words) -> Words:
    r"""The sum modulo a prime, 2⁶¹ − 1, against coalitions of less than half; see ``shamir_sum.md``.

    With t = ⌊(n − 1)/2⌋ any t points of a polynomial of degree t say nothing about its value at 0, and t + 1 fix it:

    .. math:: g(0) = \sum_{j \in Q} g(j) \prod_{k \in Q, k \ne j} \frac{k}{k - j} \pmod p.

    Whoever goes away after the first round is not needed: t + 1 sums of points are enough, and all who are left open the
    same sum. Two rounds, n(n − 1) messages in each. Time O(n t) per word to deal, O(t²) once and O(t) per word to open.

    References
    ----------
    Shamir (1979), How to share a secret, Communications of the ACM 22(11), 612–613.
    """
    ring, count, t = seat.ring, len(words), polynomial_degree(len(seat.names))
    dealt = share_points(ring, words, [seat.uniform(count) for _ in range(t)], len(seat.names))
    places = {name: number for number, name in enumerate(seat.names, start=1)}
    for other in seat.others:
        await seat.send(other, "point", dealt[places[other] - 1])
    received = [await seat.receive(other, "point", count) for other in seat.others]
    mine = ring.total([dealt[places[seat.me] - 1], *received])
    for other in seat.others:
        await seat.send(other, "sum of points", mine)
    sums = await seat.gather("sum of points", count, least=t)
    given = {places[name]: words for name, words in {**sums, seat.me: mine}.items()}
    return open_shares(seat, given, t)


def open_shares(seat: Party, given: Mapping[int, Words], t: int, *, step: str = "sum of points") -> Words:
    """The value at 0 of a polynomial of degree t; points beyond the t + 1 that fix it must lie on it too.

    With two points or more beyond that, one wrong point is found, as all others agree without it; with one, only that there is one.
    """
    if _lie_on_one(seat.ring, given, t):
        return at_zero(seat.ring, {place: given[place] for place in sorted(given)[: t + 1]})
    rest = {place: {k: v for k, v in given.items() if k != place} for place in given}
    wrong = [place for place, others in rest.items() if len(others) > t + 1 and _lie_on_one(seat.ring, others, t)]
    what = "sent a sum of points that does not fit the others'"
    if len(wrong) == 1 and seat.names[wrong[0] - 1] != seat.me:
        fix = "ask it why, and start again without it if it will not say"
        raise BadMessage(seat.names[wrong[0] - 1], step, what, fix=fix)
    raise Contradiction.seen_at(step, f"some party {what}")


def _lie_on_one(ring: Ring, given: Mapping[int, Words], t: int) -> bool:
    """Whether all points lie on one polynomial of degree t."""
    base = sorted(given)[: t + 1]
    return all(
        np.array_equal(at_zero(ring, {k - place: given[k] for k in base}), given[place])
        for place in given
        if place not in base
    )


def share_points(ring: Ring, words: Words, coefficients: Sequence[Words], parties: int) -> list[Words]:
    """The polynomial with these words at 0, at 1, …, ``parties`` (never at 0: that point is the secret). By Horner.

    >>> ring = Ring(7)
    >>> [share.tolist() for share in share_points(ring, ring.words([5]), [ring.words([3])], 3)]
    [[1], [4], [0]]
    """
    dealt = []
    for place in range(1, parties + 1):
        at = np.full(len(words), place, dtype=np.uint64)
        value = np.zeros(len(words), dtype=np.uint64)
        for coefficient in reversed(coefficients):
            value = ring.times(ring.plus(value, coefficient), at)
        dealt.append(ring.plus(value, words))
    return dealt


def at_zero(ring: Ring, given: Mapping[int, Words]) -> Words:
    """The value at 0 of the polynomial through the points, by Lagrange.

    >>> ring = Ring(7)
    >>> at_zero(ring, {1: ring.words([1]), 3: ring.words([0])}).tolist()
    [5]
    """
    found = np.zeros(len(next(iter(given.values()))), dtype=np.uint64)
    for place, words in given.items():
        weight = 1
        for other in given:
            if other != place:
                weight = weight * other * pow(other - place, -1, ring.modulus) % ring.modulus
        found = ring.plus(found, ring.times(words, np.full(len(words), weight, dtype=np.uint64)))
    return found
