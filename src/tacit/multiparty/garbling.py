"""Half gates: a circuit whose wires carry random labels instead of bits, two ciphertexts for an AND, none for an XOR.

The claim, and what it rests on, stands in ``garbling.md``.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SIZE, DIGEST = 16, 32
"""Bytes of a label, and of a hash of one."""
Label = int
Source = Callable[[int], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GarbledCircuit:
    """What the garbler has of a comparison: ``offset`` between the labels of 0 and 1, the labels of 0, and tables.

    ``tables`` and hashes of both labels of the output go to the other party, with one label a wire; the rest never does.
    """

    offset: Label
    first: tuple[Label, ...]
    second: tuple[Label, ...]
    output: Label
    tables: tuple[tuple[Label, Label], ...]

    def label(self, zero: Label, bit: int) -> Label:
        """The label that stands for a bit on a wire."""
        return zero ^ (self.offset if bit else 0)


def garble_circuit(bits: int, draw: Source = secrets.randbits) -> GarbledCircuit:
    r"""A circuit for a > b of so many bits: :math:`c_{i+1} = a_i \oplus (a_i \oplus c_i)(b_i \oplus c_i)`, one AND a bit.

    From the lowest bit up; c is 0 at the start and a > b at the end. 4 hashes a bit.

    References
    ----------
    Zahur, Rosulek and Evans (2015), Two halves make a whole, EUROCRYPT, LNCS 9057, 220–250. Kolesnikov, Sadeghi and Schneider
    (2009), Improved garbled circuit building blocks and applications to auctions and computing minima, CANS, LNCS 5888, 1–20.
    """
    offset = draw(8 * SIZE) | 1  # its last bit is 1, so that the last bits of a wire's two labels differ
    first, second = ([draw(8 * SIZE) for _ in range(bits)] for _ in range(2))
    carried, tables = None, []
    for gate, (a, b) in enumerate(zip(first, second, strict=True)):
        x, y = (a, b) if carried is None else (a ^ carried, b ^ carried)
        product, table = _garble_and(x, y, offset, gate)
        tables.append(table)
        carried = a ^ product
    assert carried is not None
    return GarbledCircuit(offset=offset, first=tuple(first), second=tuple(second), output=carried, tables=tuple(tables))


def _garble_and(a: Label, b: Label, offset: Label, gate: int) -> tuple[Label, tuple[Label, Label]]:
    """The label of 0 of the product, and the two ciphertexts."""
    a_sign, b_sign = a & 1, b & 1
    hashes = [
        _hash_label(a, 2 * gate),
        _hash_label(a ^ offset, 2 * gate),
        _hash_label(b, 2 * gate + 1),
        _hash_label(b ^ offset, 2 * gate + 1),
    ]
    of_garbler = hashes[0] ^ hashes[1] ^ b_sign * offset
    of_evaluator = hashes[2] ^ hashes[3] ^ a
    left = hashes[0] ^ a_sign * of_garbler
    right = hashes[2] ^ b_sign * (of_evaluator ^ a)
    return left ^ right, (of_garbler, of_evaluator)


def evaluate_circuit(first: Sequence[Label], second: Sequence[Label], tables: Sequence[tuple[Label, Label]]) -> Label:
    """The label of the output, from one label a wire.

    >>> made = garble_circuit(3)
    >>> a, b = (
    ...     [made.label(zero, number >> place & 1) for place, zero in enumerate(wires)]
    ...     for number, wires in ((5, made.first), (3, made.second))
    ... )
    >>> evaluate_circuit(a, b, made.tables) == made.label(made.output, 1)
    True
    """
    carried = 0
    for gate, (a, b, (of_garbler, of_evaluator)) in enumerate(zip(first, second, tables, strict=True)):
        x, y = a ^ carried, b ^ carried
        left = _hash_label(x, 2 * gate) ^ (x & 1) * of_garbler
        right = _hash_label(y, 2 * gate + 1) ^ (y & 1) * (of_evaluator ^ x)
        carried = a ^ left ^ right
    return carried


def output_hash(label: Label) -> bytes:
    """What an evaluator knows a label of the output by, without having it."""
    return hashlib.sha256(b"tacit output label\0" + label.to_bytes(SIZE, "big")).digest()


def _hash_label(label: Label, tweak: int) -> Label:
    """SHA-256 of label and gate, cut to a label."""
    made = hashlib.sha256(b"tacit half gate\0" + label.to_bytes(SIZE, "big") + tweak.to_bytes(8, "big"))
    return int.from_bytes(made.digest()[:SIZE], "big")
