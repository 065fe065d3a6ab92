"""Paillier's encryption, and sums of products by it and by shares, against the trusted party (I-05)."""

from __future__ import annotations

import secrets
from functools import partial
from itertools import count
from math import gcd

import gmpy2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp, kstest

from tacit.kernels.mersenne import PRIME
from tacit.multiparty.faults import BadMessage
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.paillier import PrivateKey, PublicKey, new_key
from tacit.multiparty.protocols import paillier_product as packed
from tacit.multiparty.protocols.paillier_product import Slots, paillier_product
from tacit.multiparty.ring import Ring
from tacit.multiparty.tasks import vertical_task as shared
from tacit.multiparty.tasks.vertical_task import shamir_product

from .ideal import trusted_product
from .views import leaks

KEY = new_key()


def test_the_worked_example_of_paillier():
    """p = 7, q = 11, g = 5652, m = 42, r = 23 → 4624 (O'Keeffe 2008). Under our g = 1 + n it reads as 42 times what g does."""
    key = PrivateKey(7, 11)
    assert 5652**42 * 23**77 % 77**2 == 4624
    assert key.decrypt(4624) == 42 * key.decrypt(5652) % 77
    assert key.public.encrypt(42, mask=23) == pow(78, 42, 5929) * pow(23, 77, 5929) % 5929


@pytest.mark.parametrize("primes", [(7, 11), (11, 13), (101, 103)])
def test_all_numbers_of_small_keys_come_back(primes):
    key = PrivateKey(*primes)
    assert all(key.decrypt(key.public.encrypt(number)) == number for number in range(key.public.n))


@settings(max_examples=10)
@given(st.integers(0, 2**900), st.integers(0, 2**900), st.integers(0, 2**64))
def test_ciphertexts_add_and_multiply_as_numbers_do(left, right, factor):
    public = KEY.public
    made = public.plus(public.encrypt(left), public.times(public.encrypt(right), factor))
    assert KEY.decrypt(made) == left + right * factor
    assert public.unpack_ciphertexts(public.pack_ciphertexts([made])) == [made]


def test_two_encryptions_of_a_number_differ_and_only_units_are_read():
    public = KEY.public
    assert public.encrypt(5) != public.encrypt(5)
    for wrong in (0, public.n, KEY.p, public.square):
        with pytest.raises(ValueError, match="no ciphertexts"):
            public.unpack_ciphertexts(int(wrong).to_bytes(public.size, "big"))
    with pytest.raises(ValueError, match="no ciphertexts"):
        public.unpack_ciphertexts(bytes(public.size - 1))
    assert str(KEY.p) not in repr(KEY)


COLUMN = st.integers(0, 1000)


def factors(data, names, rows):
    """A column or two for everybody."""
    drawn = st.lists(COLUMN, min_size=rows, max_size=rows)
    return {name: {f"{name}{place}": data.draw(drawn) for place in range(2)} for name in names}


@settings(max_examples=20)
@given(data=st.data(), parties=st.integers(3, 5), rows=st.integers(0, 7))
def test_shares_give_what_a_trusted_party_gives(data, parties, rows):  # catalogue: I-05
    names, ring = "ABCDE"[:parties], Ring(PRIME)
    columns = factors(data, names, rows)
    terms = [{"A": ("A0",)}, {"A": ("A0",), "B": ("B1",)}, {name: (f"{name}0",) for name in names}]
    program = partial(shamir_product, terms=terms, rows=rows)
    inputs = {n: {(c,): ring.words(v) for c, v in own.items()} for n, own in columns.items()}
    flat = {c: v for own in columns.values() for c, v in own.items()}
    ideal = [trusted_product(flat, [c for key in term.values() for c in key]) % PRIME for term in terms]
    assert {tuple(out.tolist()) for out in run_protocol(program, inputs, LocalNetwork(names, ring)).values()} == {
        tuple(ideal)
    }


@settings(max_examples=5)
@given(data=st.data(), rows=st.integers(0, 23))
def test_paillier_gives_what_a_trusted_party_gives(data, rows):  # catalogue: I-05
    ring, columns = Ring(2**64), factors(data, "AB", rows)
    terms = [{"A": ("A0",), "B": ("B0",)}, {"A": ("A1",), "B": ("B0",)}, {"B": ("B1",)}, {"A": ("A1",)}]
    program = partial(paillier_product, terms=terms, most=rows * 10**6)
    inputs = {n: {(c,): ring.words(v) for c, v in own.items()} for n, own in columns.items()}
    flat = {c: v for own in columns.values() for c, v in own.items()}
    ideal = [trusted_product(flat, [c for key in term.values() for c in key]) for term in terms]
    assert {tuple(out.tolist()) for out in run_protocol(program, inputs, LocalNetwork("AB", ring)).values()} == {
        tuple(ideal)
    }


@pytest.mark.parametrize("program", [shamir_product, paillier_product])
def test_only_the_agreed_party_gets_the_product(program):
    names = "ABC" if program is shamir_product else "AB"
    how = {"rows": 2} if program is shamir_product else {"most": 100}
    ring = Ring(PRIME)
    inputs = {"A": {("x",): ring.words([2, 3])}, "B": {("y",): ring.words([5, 7])}, "C": {}}
    run = partial(program, terms=[{"A": ("x",), "B": ("y",)}], to="B", **how)
    found = run_protocol(run, {name: inputs[name] for name in names}, LocalNetwork(names, ring))
    assert {name: out.tolist() for name, out in found.items()} == dict.fromkeys(names, []) | {"B": [31]}


def test_largest_values_fill_no_place_over():
    most = 2**40 - 1
    rows, ring = 25, Ring(2**64)
    top = ring.words([2**17] * rows)
    run = partial(paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=rows * 2**34)
    found = run_protocol(run, {"A": {("x",): top}, "B": {("y",): top}}, LocalNetwork("AB", ring))
    assert found["A"].tolist() == [rows * 2**34] and rows * 2**34 < most
    slots = Slots(rows * 2**34)
    assert slots.count > 1 and (2 * slots.count - 1) * slots.width < 2048


async def elementwise(seat, words):
    """x of A times y of B, one product for every word: so all tapes run at once."""
    own = {"A": {("x",): words}, "B": {("y",): words}}.get(seat.me, {})
    return await shamir_product(seat, own, terms=[{"A": ("x",), "B": ("y",)}], rows=len(words), sums=len(words))


SAME = {"A": [(0, 1, 0), (0, 3, 0)], "C": [(1, 4, 0), (2, 2, 0)]}
"""Inputs with the same product in which that party's words are the same; B is to A as A is to B."""


def test_no_single_party_of_three_learns_more_than_the_product():
    for alone, inputs in SAME.items():
        assert not leaks(elementwise, 5, alone, inputs)


def test_two_of_three_learn_more():
    assert leaks(elementwise, 5, "AC", [(0, 1, 0), (0, 2, 0)])


def test_a_product_opened_as_it_is_is_seen_to_leak(monkeypatch):
    """Planted: no polynomial that is 0 at 0 is added, so the product's other coefficients are shown."""

    async def nothing(seat, count):
        return np.zeros(count, np.uint64)

    monkeypatch.setattr(shared, "_share_zero", nothing)
    assert leaks(elementwise, 5, "C", SAME["C"])


def decrypted(monkeypatch, masks=None):
    """All places of what the first party decrypts."""
    found = []
    slots = Slots(1000)
    monkeypatch.setattr(PrivateKey, "decrypt", lambda key, one: found.append(plain(key, one)) or found[-1])
    monkeypatch.setattr(packed, "new_key", lambda: KEY)
    if masks is not None:
        monkeypatch.setattr(Slots, "masks", masks)
    ring = Ring(2**64)
    run = partial(paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=1000)
    run_protocol(run, {"A": {("x",): ring.words([2, 3])}, "B": {("y",): ring.words([5, 7])}}, LocalNetwork("AB", ring))
    (number,) = found
    return [(number >> slots.width * place) % (1 << slots.width) for place in range(2 * slots.count - 1)]


plain = PrivateKey.decrypt


@pytest.mark.parametrize("most", [0, 1, 1000, 2**34 * 25, 2**62])
def test_a_mask_is_forty_bits_longer_than_what_it_hides_and_leaves_room_for_it(most):
    """The stated chance of 2^−40 is the ratio of the two; uniform masks of fewer bits look as even."""
    slots = Slots(most)
    assert slots.width == max(1, most).bit_length() + 40 and (2 * slots.count - 1) * slots.width <= 2047 - 40
    drawn = [mask for _ in range(60) for mask in slots.masks()]
    assert all(0 <= mask < (1 << slots.width) - most for mask in drawn)
    assert max(drawn) >> slots.width - 1 == 1, "the highest bit is never drawn: chance below 2^−40"


def test_a_whole_mask_is_uniform_up_to_the_modulus():
    """Also above the last place, where a first party that encrypts numbers of its choice would look; false alarm 1e-9."""
    slots, n = Slots(1000), KEY.public.n
    drawn = [slots.mask_number(slots.masks(), n) for _ in range(400)]
    assert kstest([one / n for one in drawn], "uniform").pvalue > 1e-9
    assert kstest([slots.pack_values(slots.masks()) / n for _ in range(400)], "uniform").pvalue < 1e-9, "places alone"


def test_what_is_decrypted_is_hidden_at_every_place(monkeypatch):
    """Uniform to 2^−40: chance of a false alarm 1e-9. Without masks (planted) mixed products stand there."""
    places = decrypted(monkeypatch)
    assert kstest([place / (1 << Slots(1000).width) for place in places], "uniform").pvalue > 1e-9


def test_missing_masks_show_the_mixed_products(monkeypatch):
    places = decrypted(monkeypatch, masks=lambda slots: [0] * (2 * slots.count - 1))
    middle = Slots(1000).count - 1
    assert places[middle] == 31 and sorted(filter(None, places)) == sorted([31, 3 * 5, 2 * 7])
    assert kstest([place / (1 << Slots(1000).width) for place in places], "uniform").pvalue < 1e-9


def powers_taken(monkeypatch, flags):
    """How the second party raises ciphertexts while it answers: by which power, and how long the exponents are."""
    taken = []

    def counted(name):
        real = getattr(gmpy2, name)

        def raised(base, exponent, modulus):
            taken.append((name, int(exponent).bit_length()))
            return real(base, exponent, modulus)

        return raised

    ring = Ring(2**64)
    run = partial(paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=30)
    columns = {"A": {("x",): ring.words([1] * len(flags))}, "B": {("y",): ring.words(flags)}}
    with monkeypatch.context() as patched:
        patched.setattr(packed, "new_key", lambda: KEY)
        patched.setattr(PrivateKey, "decrypt", lambda *_: 0)
        patched.setattr(PrivateKey, "coprime_proof", lambda _: PROOF)
        for name in ("powmod", "powmod_sec"):
            patched.setattr(gmpy2, name, counted(name))
        run_protocol(run, columns, LocalNetwork("AB", ring))
    return taken


PROOF = KEY.coprime_proof()


@pytest.mark.parametrize("flags", [[1] * 30, [0, 1] * 15, [0] * 29 + [1]])
def test_how_long_an_answer_takes_does_not_depend_on_the_values(flags, monkeypatch):
    """The same powers, of exponents of the same length, by the operation whose steps do not depend on the exponent's bits."""
    none = powers_taken(monkeypatch, [0] * 30)
    assert powers_taken(monkeypatch, flags) == none
    secret = [length for name, length in none if name == "powmod_sec"]
    slots = Slots(30)
    assert secret == [slots.width * slots.count + 1] * -(-30 // slots.count)


def test_numbers_lie_where_the_protocol_wants_them():
    slots, words = Slots(10**6), Ring(2**64).words([5, 7, 11])
    up, down = (slots.pack_rows(words, backwards=way) for way in (False, True))
    assert up == [5 + (7 << slots.width) + (11 << 2 * slots.width)]
    top = slots.count - 1
    assert down == [(5 << slots.width * top) + (7 << slots.width * (top - 1)) + (11 << slots.width * (top - 2))]
    assert slots.pack_rows(words[:0], backwards=True) == []
    assert len(slots.pack_rows(np.repeat(words, slots.count), backwards=True)) == 3


@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 2**60), st.integers(-(2**20) + 1, 2**20 - 1)), min_size=1, max_size=4))
def test_a_weighted_sum_is_that_of_the_numbers(pairs):
    made = KEY.public.weighted_sum([KEY.public.encrypt(x) for x, _ in pairs], [w for _, w in pairs], bits=20)
    assert KEY.decrypt(made) == sum(x * w for x, w in pairs) % KEY.public.n


@pytest.mark.parametrize("weight", [2**20, -(2**20)])
def test_a_factor_longer_than_agreed_is_refused(weight):
    with pytest.raises(ValueError, match="more than 20 bits"):
        KEY.public.weighted_sum([KEY.public.encrypt(1)], [weight], bits=20)


def prime(bits, divides=1):
    """A prime that is 1 modulo a number."""
    step = 2 * divides
    start = (secrets.randbits(bits) | 1 << bits - 1) // step * step + 1
    return next(p for p in count(start, step) if gmpy2.is_prime(p))


def wrong_modulus(kind):
    """A modulus of 2048 bits that is not coprime to φ(n), or not proven, and the primes that its maker knows."""
    if kind == "a power of 3":
        return 3**1292, None
    if kind == "a square":
        return int(_square()), None
    if kind == "a small factor":
        return _with_factor(65_521), None
    if kind == "another key's proof":
        return new_key().public.n, None
    small = prime(17)
    third = prime(1000, divides=small)
    rest = next(r for r in count((1 << 2047) // (small * third) | 1, 2) if gmpy2.is_prime(r))
    return small * third * rest, [small, third, rest]


def _square():
    root = gmpy2.next_prime(gmpy2.isqrt(1 << 2047))
    return root * root


def _with_factor(small):
    return next(small * r for r in count((1 << 2047) // small | 1, 2) if gmpy2.is_prime(r))


WRONG = ("a power of 3", "a square", "a small factor", "a prime that divides another less 1", "another key's proof")


@pytest.mark.parametrize("kind", WRONG)
def test_a_modulus_under_which_masks_hide_nothing_is_refused(kind):
    """With n = 3^1292 every mask is 1, and the answer is the other's column in clear: 60 of 60 costs once, both exited with 0."""
    n, primes = wrong_modulus(kind)
    assert n.bit_length() == 2048
    roots = PROOF if primes is None else best_roots(n, primes)
    ring = Ring(2**64)
    table = LocalNetwork("AB", ring)
    sent = b"".join(int(number).to_bytes(256, "big") for number in [n, *roots])
    table.seats["A"] = Answers(table.seats["A"], "public key", sent)
    run = partial(paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=1000)
    with pytest.raises(BadMessage, match="party 'A' sent a modulus with"):
        run_protocol(run, {"A": {("x",): ring.words([2])}, "B": {("y",): ring.words([5])}}, table)


def best_roots(n, primes):
    """What a maker that knows the primes can do: roots modulo those where there are any."""
    found = []
    for challenge in PublicKey(n)._proof_challenges():
        parts = []
        for p in primes:
            order = (p - 1) // gcd(n, p - 1)
            parts.append(pow(challenge, pow(n, -1, order), p))
        total = sum(part * (n // p) * pow(n // p, -1, p) for part, p in zip(parts, primes, strict=True))
        found.append(total % n)
    return found


def test_a_right_modulus_proves_itself_and_a_changed_proof_does_not():
    KEY.public.check_modulus(PROOF)
    for wrong in ([PROOF[0] + 1, *PROOF[1:]], PROOF[:-1], [*PROOF, 1], [PROOF[1], PROOF[0], *PROOF[2:]]):
        with pytest.raises(ValueError, match="without a proof"):
            KEY.public.check_modulus(wrong)


@pytest.mark.parametrize("column", [[2**1900], [KEY.public.n // 2**900]])
def test_a_first_party_that_encrypts_other_numbers_reads_nothing_above_the_masks(column, monkeypatch):
    """Two columns of the second party, 200 answers each: what is decrypted looks the same, above the last place too."""
    slots, answers = Slots(1000), {}
    for value in (0, 3):
        factor = slots.pack_rows(Ring(2**64).words([value] * slots.count), backwards=True)[0]
        answers[value] = [
            (column[0] * factor + slots.mask_number(slots.masks(), KEY.public.n)) % KEY.public.n / KEY.public.n
            for _ in range(200)
        ]
    assert ks_2samp(answers[0], answers[3]).pvalue > 1e-9
    above = slots.width * (2 * slots.count - 1)
    bare = [
        [(column[0] * f + slots.pack_values(slots.masks())) % KEY.public.n >> above for _ in range(2)]
        for f in (0, factor)
    ]
    assert set(bare[0]).isdisjoint(bare[1]), "without the mask above them it would be read"


class Answers:
    """A seat that hands over something else in one step."""

    def __init__(self, seat, step, data):
        self.seat, self.step, self.data = seat, step, data

    def __getattr__(self, name):
        return getattr(self.seat, name)

    async def send_bytes(self, to, step, data):
        await self.seat.send_bytes(to, step, self.data if step == self.step else data)


@pytest.mark.parametrize(
    ("who", "step", "data", "said"),
    [
        ("A", "public key", bytes(256 * 9), "key of another size"),
        ("A", "encrypted columns", bytes(512), "no ciphertext"),
        ("A", "encrypted columns", b"", "another length"),
        ("B", "encrypted sums", bytes(512), "no ciphertext"),
    ],
)
def test_nonsense_is_refused_by_sender(who, step, data, said):
    ring = Ring(2**64)
    table = LocalNetwork("AB", ring)
    table.seats[who] = Answers(table.seats[who], step, data)
    run = partial(paillier_product, terms=[{"A": ("x",), "B": ("y",)}], most=1000)
    with pytest.raises(BadMessage, match=f"party '{who}' sent .*{said}"):
        run_protocol(run, {"A": {("x",): ring.words([2])}, "B": {("y",): ring.words([5])}}, table)


def test_a_public_key_knows_no_primes():
    assert set(PublicKey.__dataclass_fields__) == {"n"}
