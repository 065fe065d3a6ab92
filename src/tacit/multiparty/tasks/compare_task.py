"""Who of two parties has more, as a task of a session.

Millionaires: who of two has more, and nothing else about either's number.

A        garbles a > b                         A → B  tables, hashes of both labels of the output, a label for each bit of a
A ⇄ B    oblivious transfer: for each bit of b its label, of the two that A offers
B        evaluates: one label of the output, which must be one of the two    B → A  that label, from which both read a > b

Oblivious transfer: of two messages the receiver gets the one it chose; the sender does not learn which (used by comparison).

A           y ← random                             A → B  S = y·G
B           for each choice c:  x ← random         B → A  R = x·G + c·S
A           k_0 = H(y·R), k_1 = H(y·(R − S))       A → B  m_0 ⊕ k_0, m_1 ⊕ k_1
B           k_c = H(x·S), m_c
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, check_int
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..garbling import DIGEST, SIZE, evaluate_circuit, garble_circuit, output_hash
from ..group import SIZE as POINT
from ..group import NotInGroup, check_points, new_power, raise_points
from ..party import Party
from ..protocols.commutative import bad_message
from ..statistics.column import NumericColumn, parse_column

BITS = 64

OBLIVIOUS_TRANSFER_SIZE = 16
"""Bytes of a message."""


@dataclass(frozen=True, slots=True)
class CompareTask:
    """Whether the sum of a column is greater at the first party than at the second; a file of one row: its value."""

    column: NumericColumn
    rows: int
    parties: tuple[str, ...]

    @classmethod
    def of(cls, agreement: Agreement) -> CompareTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "columns", "rows"))
        one_of(task, "compute", ("greater",))
        check_int("rows", task.get("rows"), least=1)
        columns = task.get("columns")
        if not isinstance(columns, Mapping) or len(columns) != 1:
            raise TacitError(
                "one column is compared",
                code="no_usable_column",
                fix="e.g. [task.columns] wealth = { low = 0, high = 1e9 }",
                where="task",
            )
        ((name, given),) = columns.items()
        return cls(parse_column(name, given), task["rows"], agreement.names)

    @property
    def leakage(self) -> str | None:
        """One bit, as the name says."""
        return None

    @property
    def drop_outs(self) -> bool:
        """Both are needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """Both."""
        return 2

    def side_information(self, _me: str) -> None:
        """Labels and points that say nothing."""

    def check(self, agreement: Agreement) -> None:
        """Two parties, and sums from 0 to 2^64."""
        if len(agreement.members) != 2:
            raise TacitError(
                f"it takes two parties, and the agreement has {len(agreement.members)}",
                code="invalid_protocol_input",
                fix="compare in pairs",
                where="party",
            )
        if self.column.low < 0 or self.column.max_size * self.rows >= 2**BITS:
            raise TacitError(
                "may give sums below 0 or from 2^64 on",
                code="out_of_range",
                column=self.column.name,
                fix="agree on other bounds",
            )

    def load_input(self, frame: pl.DataFrame, _me: str) -> int:
        """The sum of the own rows, in units."""
        if not 0 < frame.height <= self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows where 1 to {self.rows:,} are agreed on",
                code="invalid_protocol_input",
                fix="agree on others",
            )
        return sum(self.column.units(frame))

    async def run(self, seat: Party, own: int) -> Mapping[str, Any]:
        """One bit."""
        greater = await secure_greater(seat, own)
        seat.note_result(bytes([greater]))
        return {" > ".join(self.parties): greater}


async def secure_greater(seat: Party, number: int, *, bits: int = BITS) -> bool:
    """Whether the first party's number is greater than the second's; both from 0 to 2^bits − 1; see ``millionaires.md``.

    Six messages in four rounds, 3 kB of tables and labels and 4 kB of transfers for 64 bits; about 30 ms for both together.

    References
    ----------
    Yao (1982), Protocols for secure computations, FOCS, 160–164. The circuit and its garbling: :mod:`tacit.multiparty.garbling`.
    """
    other = seat.others[0]
    own = [number >> place & 1 for place in range(bits)]
    if seat.me == seat.names[0]:
        return await _run_garbler(seat, other, own)
    return await _run_evaluator(seat, other, own)


async def _run_garbler(seat: Party, other: str, own: list[int]) -> bool:
    made = garble_circuit(len(own))
    labels = [made.label(zero, bit) for zero, bit in zip(made.first, own, strict=True)]
    outputs = b"".join(output_hash(made.label(made.output, bit)) for bit in (0, 1))
    await seat.send_bytes(other, "tables", _pack_labels(label for table in made.tables for label in table) + outputs)
    await seat.send_bytes(other, "labels of the first", _pack_labels(labels))
    pairs = [(_pack_labels([zero]), _pack_labels([made.label(zero, 1)])) for zero in made.second]
    await transfer_send(seat, other, pairs)
    label = int.from_bytes(await seat.recv_bytes(other, "label of the result", SIZE), "big")
    for bit in (0, 1):
        if label == made.label(made.output, bit):
            return bool(bit)
    raise bad_message(other, "label of the result", "announced what the circuit does not give")


async def _run_evaluator(seat: Party, other: str, own: list[int]) -> bool:
    """A label that is neither of the two announced ones is not sent back: the garbler could read bits of the own number from it."""
    data = await seat.recv_bytes(other, "tables", 2 * SIZE * len(own) + 2 * DIGEST)
    halves, outputs = _unpack_labels(data[: -2 * DIGEST]), (data[-2 * DIGEST : -DIGEST], data[-DIGEST:])
    if outputs[0] == outputs[1]:
        raise bad_message(other, "tables", "announced one label for both results")
    first = _unpack_labels(await seat.recv_bytes(other, "labels of the first", SIZE * len(own)))
    second = _unpack_labels(b"".join(await transfer_receive(seat, other, own)))
    label = evaluate_circuit(first, second, list(zip(halves[::2], halves[1::2], strict=True)))
    if output_hash(label) not in outputs:
        raise bad_message(other, "tables", "sent tables that give neither of its two results")
    await seat.send_bytes(other, "label of the result", _pack_labels([label]))
    return output_hash(label) == outputs[1]


def _pack_labels(labels: Iterable[int]) -> bytes:
    return b"".join(label.to_bytes(SIZE, "big") for label in labels)


def _unpack_labels(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + SIZE], "big") for at in range(0, len(data), SIZE)]


async def transfer_send(seat: Party, to: str, messages: Sequence[tuple[bytes, bytes]]) -> None:
    """The sender: two messages of 16 bytes a transfer; see ``oblivious_transfer.md``. 0.4 ms a transfer.

    References
    ----------
    Chou and Orlandi (2015), The simplest protocol for oblivious transfer, LATINCRYPT, LNCS 9230, 40–58.
    """
    from nacl.bindings import crypto_core_ed25519_sub, crypto_scalarmult_ed25519_base_noclamp

    power = new_power()
    own = crypto_scalarmult_ed25519_base_noclamp(power)
    await seat.send_bytes(to, "sender's point", own)
    data = await seat.recv_bytes(to, "receiver's points", POINT * len(messages))
    points = [data[at : at + POINT] for at in range(0, len(data), POINT)]
    try:
        keys = list(
            zip(
                raise_points(points, power),
                raise_points([crypto_core_ed25519_sub(p, own) for p in points], power),
                strict=True,
            )
        )
    except (NotInGroup, ValueError, RuntimeError):
        raise bad_message(to, "receiver's points", "sent a point that is not in the group") from None
    hidden = [
        _encrypt_message(message, key, own, point, place)
        for place, (pair, both, point) in enumerate(zip(messages, keys, points, strict=True))
        for message, key in zip(pair, both, strict=True)
    ]
    await seat.send_bytes(to, "hidden messages", b"".join(hidden))


async def transfer_receive(seat: Party, sender: str, choices: Sequence[int]) -> list[bytes]:
    """The receiver: the messages of its choice."""
    from nacl.bindings import crypto_core_ed25519_add, crypto_scalarmult_ed25519_base_noclamp

    other = await seat.recv_bytes(sender, "sender's point", POINT)
    try:
        check_points([other])
    except NotInGroup:
        raise bad_message(sender, "sender's point", "sent a point that is not in the group") from None
    powers = [new_power() for _ in choices]
    bases = [crypto_scalarmult_ed25519_base_noclamp(power) for power in powers]
    points = [crypto_core_ed25519_add(base, other) if c else base for base, c in zip(bases, choices, strict=True)]
    await seat.send_bytes(sender, "receiver's points", b"".join(points))
    data = await seat.recv_bytes(sender, "hidden messages", 2 * OBLIVIOUS_TRANSFER_SIZE * len(choices))
    found = []
    for place, (power, point, c) in enumerate(zip(powers, points, choices, strict=True)):
        start = OBLIVIOUS_TRANSFER_SIZE * (2 * place + c)
        found.append(
            _encrypt_message(
                data[start : start + OBLIVIOUS_TRANSFER_SIZE], raise_points([other], power)[0], other, point, place
            )
        )
    return found


def _encrypt_message(message: bytes, key: bytes, sender: bytes, receiver: bytes, place: int) -> bytes:
    """A message under a key, which takes it off again too."""
    pad = hashlib.sha256(b"tacit transfer\0" + place.to_bytes(8, "big") + sender + receiver + key).digest()
    return bytes(a ^ b for a, b in zip(message, pad, strict=False))
