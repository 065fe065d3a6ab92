"""What each coalition sees, over ALL random tapes: the same below the bound, not the same at it (I-02, I-03, I-04).

The second half is what makes the first worth something: the test can see a leak.
"""

from __future__ import annotations

import numpy as np
import pytest

from tacit.multiparty.protocols.additive_sum import additive_sum
from tacit.multiparty.protocols.protocol import cycles_sum
from tacit.multiparty.protocols.ring_sum import ring_sum
from tacit.multiparty.protocols.shamir_sum import shamir_sum, share_points

from .views import coalitions, equal_for, leaks


@pytest.mark.parametrize(("parties", "modulus"), [(3, 5), (4, 5)])
def test_ring_no_single_party_learns_more_than_the_sum(parties, modulus):  # catalogue: I-02
    for alone in coalitions(parties, 1):
        assert not leaks(ring_sum, modulus, alone, equal_for(alone, parties, modulus))


def test_ring_the_neighbours_of_a_party_learn_its_words():  # catalogue: I-03
    assert leaks(ring_sum, 5, "BD", equal_for("BD", 4, 5))
    assert leaks(ring_sum, 5, "AC", equal_for("AC", 4, 5))


@pytest.mark.parametrize(("parties", "size", "modulus"), [(3, 1, 7), (4, 1, 3), (4, 2, 3), (5, 2, 2), (5, 3, 2)])
def test_additive_any_coalition_of_all_but_two_learns_the_sum_alone(parties, size, modulus):
    for coalition in coalitions(parties, size):
        assert not leaks(additive_sum, modulus, coalition, equal_for(coalition, parties, modulus))


def test_additive_all_but_one_learn_the_last_ones_words():
    assert leaks(additive_sum, 3, "AB", [(0, 0, 1), (0, 0, 2)])


async def without_one_share(seat, words):
    """Planted: the second party deals the third no share, so that nothing hides the two from the rest."""
    return await additive_sum(Undealt(seat), words)


def test_a_pair_without_a_share_between_them_is_seen():
    assert leaks(without_one_share, 3, "A", equal_for("A", 3, 3))


@pytest.mark.parametrize(("parties", "size", "modulus"), [(3, 1, 5), (3, 1, 7), (4, 1, 5)])
def test_shamir_fewer_than_half_learn_the_sum_alone(parties, size, modulus):  # catalogue: I-04
    for coalition in coalitions(parties, size):
        assert not leaks(shamir_sum, modulus, coalition, equal_for(coalition, parties, modulus))


def test_shamir_half_of_four_learn_more():
    assert leaks(shamir_sum, 5, "AB", [(0, 0, 0, 0), (0, 0, 1, 4)])


def test_two_rings_of_five_stand_three_and_fall_to_four():  # catalogue: I-03
    """Four are all others, whom the sum alone tells the rest."""
    for coalition in (*coalitions(5, 2), *coalitions(5, 3)):
        assert not leaks(cycles_sum, 2, coalition, equal_for(coalition, 5, 2))
    assert leaks(cycles_sum, 2, "ABCD", [(0, 0, 0, 0, 0), (0, 0, 0, 0, 1)])


async def without_modulus(seat, words):
    """Planted: the running total is never reduced (the mask is an ordinary number)."""
    return await ring_sum(Unreduced(seat), words)


async def with_one_mask(seat, words):
    """Planted: one mask serves all shares."""
    return await additive_sum(Repeated(seat), words)


async def with_place_zero(seat, words):
    """Planted: the second party is dealt the point at 0."""
    dealt = share_points(seat.ring, words, [seat.uniform(len(words))], 3)
    dealt[1] = words
    for other in seat.others:
        await seat.send(other, "point", dealt[seat.names.index(other)])
    for other in seat.others:
        await seat.receive(other, "point", len(words))
    return words


async def from_a_seed(seat, words):
    """Planted: the mask comes from a generator whose seed everybody knows."""
    return await ring_sum(Seeded(seat), words)


class Changed:
    """A seat with one thing changed."""

    def __init__(self, seat):
        self.seat, self.kept = seat, None

    def __getattr__(self, name):
        return getattr(self.seat, name)


class Unreduced(Changed):
    @property
    def ring(self):
        return self

    def plus(self, left, right):
        return left + right

    def minus(self, left, right):
        return (left - right) % np.uint64(self.seat.ring.modulus)


class Undealt(Changed):
    async def send_random(self, to, step, count):
        if (self.seat.me, to) != ("B", "C"):
            return await self.seat.send_random(to, step, count)
        await self.seat.send(to, step, np.zeros(count, np.uint64))
        return np.zeros(count, np.uint64)


class Repeated(Changed):
    async def send_random(self, to, step, count):
        self.kept = self.seat.uniform(count) if self.kept is None else self.kept
        await self.seat.send(to, step, self.kept)
        return self.kept


class Seeded(Changed):
    def uniform(self, count):
        return self.ring.words(np.random.default_rng(1).integers(0, 100, count))


@pytest.mark.parametrize(
    ("planted", "modulus", "coalition", "parties"),
    [
        (without_modulus, 5, "B", 3),
        (with_one_mask, 3, "AD", 4),
        (with_place_zero, 5, "B", 3),
        (from_a_seed, 5, "B", 3),
    ],
)
def test_planted_leaks_are_seen(planted, modulus, coalition, parties):
    assert leaks(planted, modulus, coalition, equal_for(coalition, parties, modulus))
