r"""Sum by Shamir's points with commitments: whoever deals or announces wrongly is named, with proof.

Pi        f_i, g_i ← polynomials of degree t, f_i(0) = x_i
Pi → all  C_ik = f_ik·G + g_ik·H, signed                        commitments (every signature says: of which sum of the session)
Pj → all  what it has from everybody, with the signatures       echo: two signed versions prove their sender
Pi → Pj   f_i(j), g_i(j), signed                                point: must fit the commitments
Pj → all  nothing, or the signed point that does not fit        complaint: all can check it
Pj → all  F(j) = Σ f_i(j), G(j) = Σ g_i(j), signed              opening: must fit the sum of all commitments
all       S = F(0)

Commitments to numbers that hide them and cannot be changed: x·G + r·H on Ed25519's group of prime order (Pedersen).

G is the group's base, H a point that nobody knows the logarithm of: it is the hash of a text. Whoever could open one
commitment in two ways would know that logarithm. Points and their sums are the library's; numbers are modulo the group's order.

References
----------
Pedersen (1992), Non-interactive and information-theoretic secure verifiable secret sharing, CRYPTO, LNCS 576, 129–140.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..group import NotInGroup, check_points
from ..party import Party
from ..ring import Words
from .shamir_sum import polynomial_degree
from .signed_echo import DIGEST, SIGNATURE, Signing, compare_digests, two_versions, unproven_fault

ACCUSED = re.compile(r"sum ([0-9]+): (commitments|point|opening)")
"""The steps that somebody can be proven to have cheated in."""

Pairs = list[tuple[int, int]]

ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group: a prime."""

SIZE = 32
"""Bytes of a point, and of a number modulo the order."""

NOTHING = bytes([1]) + bytes(31)
"""The neutral point."""

SHIFT = 2**128
"""Added to a number and taken off again as a point: the library takes no multiple of 0, and a short cut for it would be seen."""


@dataclass(frozen=True, slots=True)
class Commitments:
    """What one dealer committed to: for every word the points of its coefficients."""

    words: int
    data: bytes

    def verify_values(self, place: int, values: Pairs) -> bool:
        """Whether these values and blinds are those of the committed polynomials at the place."""
        return all(
            commit_number(*pair) == commitment_at(place, self._word_points(word)) for word, pair in enumerate(values)
        )

    def _word_points(self, word: int) -> list[bytes]:
        each = len(self.data) // self.words
        part = self.data[word * each : (word + 1) * each]
        return [part[start : start + SIZE] for start in range(0, each, SIZE)]

    def plus(self, other: Commitments) -> Commitments:
        """The commitments to the sums."""
        cuts = range(0, len(self.data), SIZE)
        points = (add_points(self.data[cut : cut + SIZE], other.data[cut : cut + SIZE]) for cut in cuts)
        return Commitments(self.words, b"".join(points))


@dataclass(frozen=True, slots=True)
class SharePolynomials:
    """The polynomials of one dealer, word by word: coefficients and blinds, lowest first."""

    polynomials: tuple[Pairs, ...]

    @classmethod
    def of(cls, numbers: Sequence[int], t: int) -> SharePolynomials:
        """Random polynomials of degree t with these numbers at 0."""
        draw = secrets.randbelow
        return cls(tuple([(n, draw(ORDER)), *((draw(ORDER), draw(ORDER)) for _ in range(t))] for n in numbers))

    def commitments(self) -> Commitments:
        """The commitments to all coefficients."""
        made = (commit_number(*pair) for polynomial in self.polynomials for pair in polynomial)
        return Commitments(len(self.polynomials), b"".join(made))

    def shares_at(self, place: int) -> Pairs:
        """Values and blinds at a place."""
        found = []
        for polynomial in self.polynomials:
            powers = [pow(place, k, ORDER) for k in range(len(polynomial))]
            value = sum(pair[0] * power for pair, power in zip(polynomial, powers, strict=True)) % ORDER
            blind = sum(pair[1] * power for pair, power in zip(polynomial, powers, strict=True)) % ORDER
            found.append((value, blind))
        return found


def largest_message(parties: int, words: int) -> int:
    """The bytes of the longest message: commitments, a complaint with its point, or the echo."""
    each = max(polynomial_degree(parties) + 1, 2) * SIZE
    return max(SIGNATURE + each * words + 2, (DIGEST + SIGNATURE) * parties)


async def verified_sum(seat: Party, words: Words) -> Words:
    """The sum of everybody's words against parties that break the protocol; see ``verified_sum.md``.

    A wrong point, two versions of the commitments and a wrong opening are proven by what their sender signed; the proof
    goes out with the abort, and others believe it only if it holds. Lying about one's own words cannot be detected.
    Five rounds. Each party computes about n · (t + 3) multiples of points per word, 0.1 ms each.

    References
    ----------
    Pedersen (1992), Non-interactive and information-theoretic secure verifiable secret sharing, CRYPTO, LNCS 576, 129–140.
    """
    t, count, signing = polynomial_degree(len(seat.names)), len(words), Signing(seat, seat.next_sum())
    dealt = SharePolynomials.of(seat.ring.to_signed(words), t)
    known, signatures = await _exchange_commitments(signing, dealt.commitments(), (t + 1) * SIZE * count)
    digests = {name: hashlib.sha256(one.data).digest() for name, one in known.items()}
    await compare_digests(signing, digests, signatures)
    points = await _exchange_shares(signing, dealt, known)
    opened = await _open_sums(signing, points, _sum_commitments(seat, known))
    places = sorted(opened)[: t + 1]
    sums = [_at_zero({place: opened[place][word][0] for place in places}) for word in range(count)]
    return seat.ring.words(total - ORDER if total > ORDER // 2 else total for total in sums)


async def _exchange_commitments(
    signing: Signing, mine: Commitments, size: int
) -> tuple[dict[str, Commitments], dict[str, bytes]]:
    """Everybody's commitments, and what each signed of them: the digest.

    Until all are there the judge is that of the sum before, whose last aborts may still be on their way; two versions of
    commitments it knows in every sum.
    """
    seat = signing.seat
    if signing.number == 1:
        seat.require_proof(lambda *told: _is_proven(signing, {}, *told))
    digest = hashlib.sha256(mine.data).digest()
    signatures = {seat.me: signing.sign("commitments", digest)}
    known = {seat.me: mine}
    for other in seat.others:
        await seat.send_bytes(other, "commitments", signatures[seat.me] + mine.data)
    for other in seat.others:
        message = await seat.recv_bytes(other, "commitments", SIGNATURE + size)
        signatures[other], data = message[:SIGNATURE], message[SIGNATURE:]
        if not signing.verify_signature(other, "commitments", hashlib.sha256(data).digest(), signatures[other]):
            raise unproven_fault(other, "commitments", "did not sign what it sent")
        try:
            check_points(data[cut : cut + SIZE] for cut in range(0, len(data), SIZE))
        except NotInGroup:
            raise unproven_fault(other, "commitments", "committed to what is no point of the group") from None
        known[other] = Commitments(mine.words, data)
    seat.require_proof(lambda *told: _is_proven(signing, known, *told))
    return known, signatures


async def _exchange_shares(signing: Signing, dealt: SharePolynomials, known: dict[str, Commitments]) -> Pairs:
    """The sums of the points that everybody dealt to me; one that does not fit is shown to all, signed as it is."""
    seat = signing.seat
    place = {name: number for number, name in enumerate(seat.names, start=1)}
    for other in seat.others:
        data = _pack_pairs(dealt.shares_at(place[other]))
        await seat.send_bytes(other, "point", signing.sign(f"point for {other}", data) + data)
    sums, complaint = dealt.shares_at(place[seat.me]), b""
    for other in seat.others:
        message = await seat.recv_bytes(other, "point", SIGNATURE + 2 * SIZE * len(sums))
        signature, data = message[:SIGNATURE], message[SIGNATURE:]
        if not signing.verify_signature(other, f"point for {seat.me}", data, signature):
            raise unproven_fault(other, "point", "did not sign what it sent")
        values = _unpack_pairs(data)
        if not known[other].verify_values(place[seat.me], values):
            complaint = complaint or bytes([place[other], place[seat.me]]) + message
        sums = [((a + c) % ORDER, (b + d) % ORDER) for (a, b), (c, d) in zip(sums, values, strict=True)]
    await _resolve_complaints(signing, known, complaint)
    return sums


async def _resolve_complaints(signing: Signing, known: dict[str, Commitments], mine: bytes) -> None:
    seat = signing.seat
    for other in seat.others:
        await seat.send_bytes(other, "complaint", mine)
    heard = {seat.me: mine} | {other: await seat.recv_bytes(other, "complaint") for other in seat.others}
    for name, complaint in heard.items():
        if not complaint:
            continue
        accused = seat.names[complaint[0] - 1] if 0 < complaint[0] <= len(seat.names) else name
        if not _is_proven(signing, known, accused, signing.step("point"), complaint):
            raise unproven_fault(name, "complaint", "complained of a point that is right")
        raise signing.violation_fault(accused, "point", "dealt a point that does not fit its commitments", complaint)


async def _open_sums(signing: Signing, mine: Pairs, total: Commitments) -> dict[int, Pairs]:
    """Everybody's sums of points, each checked against the sum of all commitments."""
    seat, data = signing.seat, _pack_pairs(mine)
    for other in seat.others:
        await seat.send_bytes(other, "opening", signing.sign("opening", data) + data)
    place = {name: number for number, name in enumerate(seat.names, start=1)}
    opened = {place[seat.me]: mine}
    for other in seat.others:
        message = await seat.recv_bytes(other, "opening", SIGNATURE + len(data))
        signature, theirs = message[:SIGNATURE], message[SIGNATURE:]
        if not signing.verify_signature(other, "opening", theirs, signature):
            raise unproven_fault(other, "opening", "did not sign what it sent")
        values = _unpack_pairs(theirs)
        if not total.verify_values(place[other], values):
            raise signing.violation_fault(
                other, "opening", "announced a sum that does not fit the commitments", message
            )
        opened[place[other]] = values
    return opened


def _is_proven(signing: Signing, known: dict[str, Commitments], accused: str, step: str, proof: bytes) -> bool:
    """Whether a proof holds by the accused party's own signature, in that sum; nobody's word is taken for it."""
    said, seat = ACCUSED.fullmatch(step), signing.seat
    if said is None or accused not in seat.names:
        return False
    if said[2] == "commitments":
        return two_versions(seat, accused, step, proof)
    if step != signing.step(said[2]) or accused not in known:
        return False
    size = SIGNATURE + 2 * SIZE * known[accused].words
    if said[2] == "point" and len(proof) == 2 + size and 0 < proof[1] <= len(seat.names):
        signature, data = proof[2 : 2 + SIGNATURE], proof[2 + SIGNATURE :]
        right = signing.verify_signature(accused, f"point for {seat.names[proof[1] - 1]}", data, signature)
        return right and not known[accused].verify_values(proof[1], _unpack_pairs(data))
    if said[2] == "opening" and len(proof) == size:
        signature, data = proof[:SIGNATURE], proof[SIGNATURE:]
        place = list(seat.names).index(accused) + 1
        right = signing.verify_signature(accused, "opening", data, signature)
        return right and not _sum_commitments(seat, known).verify_values(place, _unpack_pairs(data))
    return False


def _sum_commitments(seat: Party, known: dict[str, Commitments]) -> Commitments:
    """The commitments to the sum."""
    first, *rest = (known[name] for name in seat.names)
    for one in rest:
        first = first.plus(one)
    return first


def _pack_pairs(values: Pairs) -> bytes:
    return b"".join(number.to_bytes(SIZE, "little") for pair in values for number in pair)


def _unpack_pairs(data: bytes) -> Pairs:
    numbers = [int.from_bytes(data[start : start + SIZE], "little") for start in range(0, len(data), SIZE)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _at_zero(points: dict[int, int]) -> int:
    """The value at 0 of the polynomial through the points, modulo the order, by Lagrange."""
    found = 0
    for place, value in points.items():
        for other in points:
            if other != place:
                value = value * other * pow(other - place, -1, ORDER) % ORDER
        found += value
    return found % ORDER


@cache
def _shifted_by() -> bytes:
    return _multiply_point(SHIFT, None)


@cache
def _second_base() -> bytes:
    from nacl.bindings import crypto_core_ed25519_from_uniform

    return bytes(crypto_core_ed25519_from_uniform(hashlib.sha256(b"tacit second base of commitments").digest()))


def _multiply_point(number: int, point: bytes | None) -> bytes:
    """A multiple of a point, or of the base. The library refuses points outside the group, and a neutral result."""
    from nacl.bindings import crypto_scalarmult_ed25519_base_noclamp, crypto_scalarmult_ed25519_noclamp

    if number % ORDER == 0 or point == NOTHING:
        return NOTHING
    scalar = (number % ORDER).to_bytes(SIZE, "little")
    if point is None:
        return bytes(crypto_scalarmult_ed25519_base_noclamp(scalar))
    return bytes(crypto_scalarmult_ed25519_noclamp(scalar, point))


def add_points(left: bytes, right: bytes) -> bytes:
    """The sum of two points: the commitment to the sums of what they hold."""
    from nacl.bindings import crypto_core_ed25519_add

    return bytes(crypto_core_ed25519_add(left, right))


def commit_number(number: int, blind: int) -> bytes:
    """The commitment to a number under a random blind; 0 takes as long as any other number.

    >>> add_points(commit_number(3, 10), commit_number(4, 20)) == commit_number(7, 30)
    True
    """
    from nacl.bindings import crypto_core_ed25519_sub

    shifted = bytes(crypto_core_ed25519_sub(_multiply_point(number + SHIFT, None), _shifted_by()))
    return add_points(shifted, _multiply_point(blind, _second_base()))


def commitment_at(place: int, coefficients: Sequence[bytes]) -> bytes:
    """What the commitments to a polynomial's coefficients say of its value at a place, by Horner.

    >>> commitment_at(2, [commit_number(5, 1), commit_number(3, 1)]) == commit_number(11, 3)
    True
    """
    found = NOTHING
    for coefficient in reversed(coefficients):
        found = add_points(_multiply_point(place, found), coefficient)
    return found
