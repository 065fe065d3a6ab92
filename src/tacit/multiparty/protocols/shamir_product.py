"""Sums of products by Shamir's shares, for three parties and more (I-05).

Pi          deals each of its columns as points of polynomials of degree t < n/2
Pj          multiplies its points row by row (degree 2t) and adds up the rows; before a third factor the degree is brought
            back to t: each deals its product anew, and all combine what they get as Lagrange does at 0
Pi → Pj     points of a random polynomial of degree 2t that is 0 at 0; Pj adds them to its sums
Pj → all    its sums; their value at 0 is Σ x y …
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ring import Words
from ..seat import Seat
from .shamir_sum import at_zero, degree, opened, points
from .terms import Key, Own, Term, keys_of


async def shamir_product(
    seat: Seat, own: Own, *, terms: Sequence[Term], rows: int, to: str | None = None, sums: int = 1
) -> Words:
    r"""For each term :math:`\sum_r \prod_i x_{ir}` modulo the prime, to everybody or to one party; see ``shamir_product.md``.

    ``sums`` cuts the rows into so many equal parts with a sum each. Three rounds, and one more for each factor after the second
    of a term; a word for each row, column and pair of parties. Who gets no result gets no words.

    References
    ----------
    Ben-Or, Goldwasser and Wigderson (1988), Completeness theorems for non-cryptographic fault-tolerant distributed computation,
    STOC, 1–10. Gennaro, Rabin and Rabin (1998), Simplified VSS and fast-track multiparty computations, PODC, 101–111.
    """
    shares = await _dealt(seat, own, terms, rows)
    found = []
    for term in terms:
        product, *rest = (shares[owner, key] for owner, key in sorted(term.items()))
        for place, factor in enumerate(rest):
            product = seat.ring.times(await _lowered(seat, product) if place else product, factor)
        found.append(_added(seat, product.reshape(sums, -1)))
    mine = seat.ring.plus(np.concatenate(found), await _zero(seat, sums * len(terms)))
    return await _opened(seat, mine, to)


async def _dealt(seat: Seat, own: Own, terms: Sequence[Term], rows: int) -> dict[tuple[str, Key], Words]:
    """My point of every factor."""
    keys, t = keys_of(terms, seat.me), degree(len(seat.names))
    words = np.concatenate([own[key] for key in keys]) if keys else np.empty(0, np.uint64)
    mine = await _exchanged(
        seat, "points of the columns", words, t, {o: rows * len(keys_of(terms, o)) for o in seat.names}
    )
    found = {}
    for owner, block in mine.items():
        for place, key in enumerate(keys_of(terms, owner)):
            found[owner, key] = block[place * rows : (place + 1) * rows]
    return found


async def _lowered(seat: Seat, product: Words) -> Words:
    """My point of a polynomial of degree t with the same value at 0 as the product's of degree 2t."""
    counts = dict.fromkeys(seat.names, len(product))
    mine = await _exchanged(seat, "points of a product", product, degree(len(seat.names)), counts)
    return at_zero(seat.ring, {place: mine[name] for place, name in enumerate(seat.names, start=1)})


async def _zero(seat: Seat, count: int) -> Words:
    """My point of a random polynomial of degree 2t that is 0 at 0."""
    none, counts = np.zeros(count, np.uint64), dict.fromkeys(seat.names, count)
    mine = await _exchanged(seat, "points of zero", none, 2 * degree(len(seat.names)), counts)
    return seat.ring.total(list(mine.values()))


async def _exchanged(seat: Seat, step: str, words: Words, size: int, counts: dict[str, int]) -> dict[str, Words]:
    """Deal the words by polynomials of this degree, and my points of everybody's."""
    drawn = [seat.uniform(len(words)) for _ in range(size)] if len(words) else []
    dealt = points(seat.ring, words, drawn, len(seat.names))
    for place, other in enumerate(seat.names):
        if other != seat.me and len(words):
            await seat.send(other, step, dealt[place])
    found = {}
    for place, name in enumerate(seat.names):
        empty = np.empty(0, np.uint64)
        found[name] = dealt[place] if name == seat.me else empty
        if name != seat.me and counts[name]:
            found[name] = await seat.receive(name, step, counts[name])
    return found


async def _opened(seat: Seat, mine: Words, to: str | None) -> Words:
    """The values at 0, at those who are to have them."""
    for other in seat.others:
        if to in (None, other):
            await seat.send(other, "sums of products", mine)
    if to not in (None, seat.me):
        return np.empty(0, np.uint64)
    given = {name: await seat.receive(name, "sums of products", len(mine)) for name in seat.others} | {seat.me: mine}
    numbered = {place: given[name] for place, name in enumerate(seat.names, start=1)}
    return opened(seat, numbered, 2 * degree(len(seat.names)), step="sums of products")


def _added(seat: Seat, parts: Words) -> Words:
    """The sum of each part, by halves."""
    while parts.shape[1] > 1:
        half = parts.shape[1] // 2
        rest = parts[:, 2 * half :]
        parts = np.hstack([seat.ring.plus(parts[:, :half], parts[:, half : 2 * half]), rest])
    return parts[:, 0] if parts.shape[1] else np.zeros(len(parts), np.uint64)
