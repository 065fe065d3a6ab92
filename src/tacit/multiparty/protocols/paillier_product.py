"""Sums of products of two parties' columns, by Paillier's encryption, several rows in a ciphertext.

A        x_1 … x_s in one number:   X = Σ x_i B^(i−1),  for each s rows         A → B  n and a proof, E(X), …
B        checks n
B        y_1 … y_s the other way:   Y = Σ y_i B^(s−i);  X·Y has Σ x_i y_i at B^(s−1)
B        E(Σ X·Y + R) = Π E(X)^Y · E(R),  R random up to n                      B → A  that
A        decrypts; its share is what stands at B^(s−1); B's is −r, what R has there
A ⇄ B    shares, or to one of them only; a column product of one party alone it just says
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..paillier import BITS, ROOTS, PublicKey, new_key
from ..party import Party
from ..ring import Words
from .commutative import bad_message
from .terms import Own, Term, keys_of

HIDDEN = 40
"""Bits by which a mask is longer than what it hides: it tells it with chance 2^−40 at most."""
WORD = 64
"""Bits of a row."""


class Slots:
    """How rows lie in a number: ``width`` bits each, ``count`` rows in one, of at most ``most`` for any sum of products."""

    def __init__(self, most: int, bits: int = BITS) -> None:
        self.most = max(1, most)
        self.width = self.most.bit_length() + HIDDEN
        self.count = max(1, ((bits - 1 - HIDDEN) // self.width + 1) // 2)

    def pack_rows(self, words: Words, *, backwards: bool) -> list[int]:
        """The rows, so many in a number, with the first at the lowest place or at the highest.

        They are laid out bit by bit, so that the time it takes does not depend on them.
        """
        chunks = -(-len(words) // self.count)
        rows = np.zeros(chunks * self.count, dtype=">u8")
        rows[: len(words)] = words
        bits = np.unpackbits(rows.view(np.uint8)).reshape(chunks, self.count, WORD)
        places = np.zeros((chunks, self.count, max(self.width, WORD)), np.uint8)
        places[:, :, -WORD:] = bits if backwards else bits[:, ::-1]
        laid = places[:, :, -self.width :].reshape(chunks, self.count * self.width)
        padded = np.pad(laid, ((0, 0), (-laid.shape[1] % 8, 0)))
        return [int.from_bytes(one.tobytes(), "big") for one in np.packbits(padded, axis=1)]

    def masks(self) -> list[int]:
        """Random numbers for all places of a product: each leaves room for what it hides, so that nothing is carried over."""
        return [secrets.randbelow((1 << self.width) - self.most) for _ in range(2 * self.count - 1)]

    def mask_number(self, masks: list[int], n: int) -> int:
        """A number with these masks at its places and a random one above them, up to n: it hides whatever it is added to.

        Also numbers that no column has, which a first party that breaks the protocol may have encrypted.
        """
        above = self.width * len(masks)
        return self.pack_values(masks) + (secrets.randbelow(n >> above) << above)

    def pack_values(self, values: list[int]) -> int:
        """The number with these values at its places."""
        return sum(value << self.width * place for place, value in enumerate(values))

    def extract_sum(self, number: int) -> int:
        """What stands where the sum of products does."""
        return (number >> self.width * (self.count - 1)) & ((1 << self.width) - 1)


async def paillier_product(seat: Party, own: Own, *, terms: Sequence[Term], most: int, to: str | None = None) -> Words:
    """For each term the sum over the rows, modulo m, to both or to one; words up to ``most`` as a sum; ``paillier_product.md``.

    12 ms for s rows of a column of the first party, s = 9 at sums up to 2^70 and 2048 bits; 11 ms for s rows of a term, whatever
    they are; 60 ms once for the proof of the key.

    References
    ----------
    Goethals, Laur, Lipmaa and Mielikäinen (2004), On private scalar product computation for privacy-preserving data mining,
    ICISC, LNCS 3506, 104–120.
    """
    (a, b), slots = seat.names, Slots(most)
    both = [term for term in terms if len(term) == 2]
    made = await (_run_encryptor if seat.me == a else _run_multiplier)(seat, own, both, slots)
    shares = iter(made)
    mine = []
    for term in terms:
        alone = sum(own[term[seat.me]].tolist()) if seat.me in term and len(term) == 1 else 0
        mine.append(next(shares) if len(term) == 2 else alone)
    return await _open_shares(seat, seat.ring.words(mine), b if seat.me == a else a, to)


async def _run_encryptor(seat: Party, own: Own, both: Sequence[Term], slots: Slots) -> list[int]:
    """The party that encrypts."""
    other = seat.others[0]
    if not both:
        return []
    key = new_key()
    known = [key.public.n, *key.coprime_proof()]
    await seat.send_bytes(other, "public key", b"".join(number.to_bytes(BITS // 8, "big") for number in known))
    numbers = [n for name in keys_of(both, seat.me) for n in slots.pack_rows(own[name], backwards=False)]
    await seat.send_bytes(
        other, "encrypted columns", key.public.pack_ciphertexts([key.public.encrypt(n) for n in numbers])
    )
    data = await seat.recv_bytes(other, "encrypted sums", key.public.size * len(both))
    return [
        slots.extract_sum(key.decrypt(one)) for one in _parse_ciphertexts(key.public, other, "encrypted sums", data)
    ]


async def _run_multiplier(seat: Party, own: Own, both: Sequence[Term], slots: Slots) -> list[int]:
    """The party that multiplies, and masks what it gives back."""
    other, shares, sums = seat.others[0], [], []
    if not both:
        return []
    public = _checked_key(other, await seat.recv_bytes(other, "public key", BITS // 8 * (1 + ROOTS)))
    names = keys_of(both, other)
    data = await seat.recv_bytes(other, "encrypted columns")
    columns = _parse_ciphertexts(public, other, "encrypted columns", data)
    each = -(-len(next(iter(own.values()))) // slots.count)
    if len(columns) != each * len(names):
        raise bad_message(other, "encrypted columns", "sent columns of another length")
    for term in both:
        start, masks = each * names.index(term[other]), slots.masks()
        factors = slots.pack_rows(own[term[seat.me]], backwards=True)
        product = public.weighted_sum(columns[start : start + each], factors, bits=slots.width * slots.count)
        sums.append(public.plus(public.encrypt(slots.mask_number(masks, public.n)), product))
        shares.append(-masks[slots.count - 1])
    await seat.send_bytes(other, "encrypted sums", public.pack_ciphertexts(sums))
    return shares


def _checked_key(sender: str, data: bytes) -> PublicKey:
    """The public key of the other party, if it proves that it hides what is masked under it."""
    n, *roots = (int.from_bytes(data[at : at + BITS // 8], "big") for at in range(0, len(data), BITS // 8))
    if n.bit_length() != BITS or n % 2 == 0:
        raise bad_message(sender, "public key", "sent a key of another size than agreed")
    try:
        PublicKey(n).check_modulus(roots)
    except ValueError as problem:
        raise bad_message(sender, "public key", f"sent {problem}") from None
    return PublicKey(n)


def _parse_ciphertexts(public: PublicKey, sender: str, step: str, data: bytes) -> list[Any]:
    try:
        return public.unpack_ciphertexts(data)
    except ValueError:
        raise bad_message(sender, step, "sent what is no ciphertext") from None


async def _open_shares(seat: Party, mine: Words, other: str, to: str | None) -> Words:
    if to in (None, other):
        await seat.send(other, "share", mine)
    if to not in (None, seat.me):
        return np.empty(0, np.uint64)
    return seat.ring.plus(mine, await seat.receive(other, "share", len(mine)))
