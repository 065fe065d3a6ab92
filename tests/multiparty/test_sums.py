"""Every protocol for sums gives what the trusted third party gives (I-01), and rings have no neighbours in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tacit import TacitError
from tacit.kernels.mersenne import PRIME, multiply_words, reduce_words
from tacit.multiparty.faults import Fault
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.protocols.additive_sum import additive_sum
from tacit.multiparty.protocols.protocol import cycles_sum, disjoint_cycles, most_cycles
from tacit.multiparty.protocols.ring_sum import ring_sum
from tacit.multiparty.protocols.shamir_sum import polynomial_degree, shamir_sum
from tacit.multiparty.ring import Ring

from .ideal import trusted_sum

PROTOCOLS = {"ring": ring_sum, "cycles": cycles_sum, "additive": additive_sum, "shamir": shamir_sum}
WORD = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("name", PROTOCOLS)
@given(data=st.data(), parties=st.integers(3, 7), length=st.integers(0, 4))
def test_a_protocol_gives_what_a_trusted_party_gives(name, data, parties, length):  # catalogue: I-01
    modulus = PRIME if name == "shamir" else data.draw(st.sampled_from([2**64, 2**63, 10**9 + 7, 2]))
    ring, names = Ring(modulus), [f"party {place}" for place in range(parties)]
    numbers = data.draw(st.lists(st.lists(WORD, min_size=length, max_size=length), min_size=parties, max_size=parties))
    inputs = {who: ring.words(row) for who, row in zip(names, numbers, strict=True)}
    found, ideal = run_protocol(PROTOCOLS[name], inputs, LocalNetwork(names, ring)), trusted_sum(ring, inputs)
    assert {who: words.tolist() for who, words in found.items()} == {
        who: words.tolist() for who, words in ideal.items()
    }


@pytest.mark.parametrize("parties", [3, 4, 5])
def test_shamir_opens_the_sum_without_those_who_went_away(parties):  # catalogue: I-04
    """They leave after they dealt their points: their words are in the sum, and enough are left."""
    ring, names = Ring(PRIME), "ABCDE"[:parties]
    inputs = {name: ring.words([place]) for place, name in enumerate(names)}
    gone = dict.fromkeys(names[polynomial_degree(parties) + 1 :], parties - 1)
    found = run_protocol(shamir_sum, inputs, LocalNetwork(names, ring, gone=gone))
    assert sorted(found) == sorted(set(names) - set(gone)) and gone
    assert {int(words[0]) for words in found.values()} == {sum(range(parties))}
    with pytest.raises(TacitError, match="are needed"):
        run_protocol(
            shamir_sum,
            inputs,
            LocalNetwork(names, ring, gone=dict.fromkeys(names[polynomial_degree(parties) :], parties - 1)),
        )


@pytest.mark.parametrize("parties", range(3, 41))
def test_rings_visit_everybody_and_no_two_parties_meet_twice(parties):  # catalogue: I-03
    rings = disjoint_cycles(parties, most_cycles(parties))
    assert all(sorted(ring) == list(range(parties)) and ring[0] == 0 for ring in rings)
    edges = [frozenset((ring[at - 1], ring[at])) for ring in rings for at in range(parties)]
    assert len(set(edges)) == len(edges) == parties * most_cycles(parties)


def test_four_parties_have_one_ring_and_five_have_two():  # catalogue: I-03
    with pytest.raises(TacitError, match="4 parties have 1 ring"):
        disjoint_cycles(4, 2)
    assert len(disjoint_cycles(5, 2)) == 2


@given(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=20))
def test_products_modulo_the_mersenne_prime_are_those_of_whole_numbers(pairs):
    left, right = (reduce_words(np.array(part, np.uint64)) for part in zip(*pairs, strict=True))
    assert left.tolist() == [pair[0] % PRIME for pair in pairs]
    assert multiply_words(left, right).tolist() == [
        a * b % PRIME for a, b in zip(left.tolist(), right.tolist(), strict=True)
    ]


@given(st.sampled_from([2**64, 2**63, 2**61 - 1, 1000, 3]), st.lists(st.tuples(WORD, WORD), min_size=1, max_size=5))
def test_a_ring_adds_and_subtracts_as_whole_numbers_do(modulus, pairs):
    ring = Ring(modulus)
    left, right = (ring.words(part) for part in zip(*pairs, strict=True))
    assert ring.plus(left, right).tolist() == [(a + b) % modulus for a, b in pairs]
    assert ring.minus(left, right).tolist() == [(a - b) % modulus for a, b in pairs]
    assert ring.holds(ring.plus(left, right))


@given(st.integers(3, 2**63), st.integers())
def test_numbers_of_either_sign_come_back(modulus, number):
    ring = Ring(modulus)
    (back,) = ring.to_signed(ring.words([number]))
    assert (back - number) % modulus == 0 and -modulus / 2 <= back <= modulus / 2


def test_random_words_are_even_where_the_modulus_does_not_divide():
    """A source that counts through all words: what is not redrawn would favour small ones. Chi-square, exact by design."""
    ring, rng = Ring(3 * 2**61), np.random.default_rng(4)
    drawn = ring.uniform(60_000, lambda size: rng.bytes(size))
    thirds = np.bincount((drawn // np.uint64(2**61)).astype(int), minlength=3)
    assert chisquare(thirds).pvalue > 1e-4
    biased = np.frombuffer(rng.bytes(8 * 60_000), np.uint64) % np.uint64(ring.modulus)
    assert chisquare(np.bincount((biased // np.uint64(2**61)).astype(int), minlength=3)).pvalue < 1e-9


@pytest.mark.parametrize("modulus", [0, 1, -5, 2**63 + 1, 2**65, 1.5, True, "2^64"])
def test_a_modulus_that_words_cannot_hold_is_refused(modulus):
    with pytest.raises(TacitError, match="neither 2\\^64 nor"):
        Ring(modulus)


class Wrong:
    """A seat that sends another sum of points, to some parties."""

    def __init__(self, seat, to):
        self.seat, self.to = seat, to

    def __getattr__(self, name):
        return getattr(self.seat, name)

    async def send(self, to, step, words, *, sealed=False):
        await self.seat.send(to, step, words ^ np.uint64(step == "sum of points" and to in self.to), sealed=sealed)


@pytest.mark.parametrize("to", ["ABDEFG", "A"])
@pytest.mark.parametrize(("parties", "named"), [(3, ""), (4, "C"), (5, "C"), (7, "C")])
def test_a_wrong_sum_of_points_is_seen_wherever_there_are_more_than_needed(parties, named, to):
    """Five points fix a polynomial of degree two, and name who is off it; three of degree one only say that somebody is."""
    names, ring = "CABDEFG"[:parties], Ring(PRIME)
    table = LocalNetwork(names, ring)
    table.seats["C"] = Wrong(table.seats["C"], to)
    with pytest.raises(Fault) as ended:
        run_protocol(shamir_sum, {name: ring.words([5, 7]) for name in names}, table)
    assert ended.value.party == named and ended.value.exit_code == (11 if named else 14)


def test_points_of_those_who_are_left_are_enough():
    names, ring = "ABCDE", Ring(PRIME)
    found = run_protocol(
        shamir_sum, {name: ring.words([5]) for name in names}, LocalNetwork(names, ring, gone={"E": 4, "D": 4})
    )
    assert {name: words.tolist() for name, words in found.items()} == {name: [25] for name in "ABC"}
