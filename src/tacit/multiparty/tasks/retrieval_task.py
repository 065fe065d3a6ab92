"""A record for a user from servers that do not learn which, as a task of a session."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl

from ...errors import TacitError, check_int, unknown_column
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..paillier import BITS, PublicKey, new_key
from ..party import Party
from ..protocols.commutative import bad_message

HEAD = 2


"""Bytes of a record's length, in front of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalTask:
    """The user's file has the number of a record (from 1) in ``column``; a server's has the records there, all in the same order."""

    user: str
    column: str
    records: int
    size: int
    servers: int

    @classmethod
    def of(cls, agreement: Agreement) -> RetrievalTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("user", "column", "records", "size"))
        for key in ("records", "size"):
            check_int(key, task.get(key), least=1)
        return cls(
            user=one_of(task, "user", agreement.names),
            column=str(task.get("column", "record")),
            records=task["records"],
            size=task["size"],
            servers=len(agreement.members) - 1,
        )

    @property
    def leakage(self) -> str | None:
        """The record, as the name says."""
        return None

    @property
    def drop_outs(self) -> bool:
        """All are needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """Both servers; or user and server, which is everybody."""
        return 2

    def side_information(self, _me: str) -> None:
        """Queries and answers that say nothing."""

    def check(self, agreement: Agreement) -> None:
        """One server or two; the query must fit a frame."""
        if self.servers > 2:
            raise TacitError(
                f"{self.servers} servers are named",
                code="invalid_protocol_input",
                fix="a user and one or two servers",
                where="party",
            )
        if agreement.modulus % 2:
            raise TacitError(
                "random bits come from an even modulus",
                code="invalid_protocol_input",
                fix='modulus = "2^64"',
                where="session.modulus",
            )
        query = 256 + 512 * self.records if self.servers == 1 else self.records
        if self.size > 2**16 - 1 or max(query, 3 * self.size + 600) > agreement.max_message:
            raise TacitError(
                "a query or a record is larger than a message may be",
                code="out_of_range",
                fix="fewer or smaller records",
                where="task",
            )

    def load_input(self, frame: pl.DataFrame, me: str) -> int | list[bytes]:
        """The number of the wanted record at the user, all records at a server."""
        if self.column not in frame.columns:
            raise unknown_column(self.column, frame.columns)
        return self._wanted_number(frame[self.column]) if me == self.user else self._framed_records(frame[self.column])

    def _wanted_number(self, values: pl.Series) -> int:
        if len(values) != 1 or not values.dtype.is_integer() or values.null_count():
            raise TacitError(
                f"holds no single whole number ({len(values):,} rows), and {self.user!r} is the user",
                code="not_whole_number",
                column=self.column,
                fix="give a file of one row: the number of the record to fetch",
            )
        if not 1 <= (number := int(values[0])) <= self.records:
            raise TacitError(
                f"has a number beyond 1 to {self.records}",
                code="out_of_range",
                column=self.column,
                fix="ask for another",
            )
        return number - 1

    def _framed_records(self, values: pl.Series) -> list[bytes]:
        if values.dtype != pl.String or values.null_count() or len(values) != self.records:
            raise TacitError(
                f"does not hold the {self.records:,} texts that a server brings ({len(values):,} rows)",
                code="unsuitable_column",
                column=self.column,
                fix="give the file of all records, none missing, or agree on their number",
            )
        texts = [text.encode() for text in values.to_list()]
        long = next((row for row, text in enumerate(texts, 1) if len(text) > self.size), None)
        if long is not None:
            raise TacitError(
                f"has more than {self.size} bytes in row {long}",
                code="out_of_range",
                column=self.column,
                fix="agree on more",
            )
        return [_frame_record(text, self.size) for text in texts]

    async def run(self, seat: Party, own: int | list[bytes]) -> Mapping[str, Any]:
        """The record at the user; servers learn that they were asked."""
        program = from_one_server if self.servers == 1 else from_two_servers
        found = await program(seat, own, user=self.user, count=self.records, size=self.size + HEAD)
        if found is None:
            return {"asked by": self.user}
        length = int.from_bytes(found[:HEAD], "big")
        return {"record": found[HEAD : HEAD + length].decode(errors="replace")}


def _frame_record(text: bytes, size: int) -> bytes:
    return len(text).to_bytes(HEAD, "big") + text.ljust(size, b"\0")


PIECE = BITS // 8 - 1


"""Bytes of a record that fit into one ciphertext."""


async def from_two_servers(
    seat: Party, own: int | Sequence[bytes], *, user: str, count: int, size: int
) -> bytes | None:
    """Record ``own`` (from 0) at the user, from servers that both hold ``count`` records of ``size`` bytes; ``retrieval.md``.

    A bit a record up, a record down, and each server reads its whole database: less would tell which records are not wanted.

    References
    ----------
    Chor, Goldreich, Kushilevitz and Sudan (1998), Private information retrieval, Journal of the ACM 45(6), 965–981.
    """
    first, second = [name for name in seat.names if name != user]
    if seat.me != user:
        await _check_same_records(seat, second if seat.me == first else first, b"".join(cast("Sequence[bytes]", own)))
        query = np.unpackbits(np.frombuffer(await seat.recv_bytes(user, "query", -(-count // 8)), np.uint8))[:count]
        records = np.frombuffer(b"".join(cast("Sequence[bytes]", own)), np.uint8).reshape(count, size)
        await seat.send_bytes(
            user, "answer", np.bitwise_xor.reduce(records[query == 1], axis=0).astype(np.uint8).tobytes()
        )
        return None
    bits = (seat.uniform(count) & np.uint64(1)).astype(np.uint8)
    turned = bits.copy()
    turned[cast("int", own)] ^= 1
    for server, query in ((first, bits), (second, turned)):
        await seat.send_bytes(server, "query", np.packbits(query).tobytes())
    answers = [np.frombuffer(await seat.recv_bytes(server, "answer", size), np.uint8) for server in (first, second)]
    return bytes((answers[0] ^ answers[1]).tobytes())


async def _check_same_records(seat: Party, other: str, records: bytes) -> None:
    """The servers compare digests of what they hold: answers from different records would not fit together."""
    mine = hashlib.sha256(records).digest()
    await seat.send_bytes(other, "digest of the records", mine)
    if await seat.recv_bytes(other, "digest of the records", len(mine)) != mine:
        raise bad_message(other, "digest of the records", "holds other records")


async def from_one_server(seat: Party, own: int | Sequence[bytes], *, user: str, count: int, size: int) -> bytes | None:
    """The same from one server, by Paillier's encryption; 12 ms a record at the user, and at the server for each 255 bytes of one.

    512 bytes a record up: more than the database when its records are shorter. For long records only.

    References
    ----------
    Kushilevitz and Ostrovsky (1997), Replication is not needed: single database, computationally-private information retrieval,
    FOCS, 364–373.
    """
    other, pieces = seat.others[0], -(-size // PIECE)
    if seat.me == user:
        key = new_key()
        query = [key.public.encrypt(int(place == own)) for place in range(count)]
        await seat.send_bytes(
            other, "query", key.public.n.to_bytes(BITS // 8, "big") + key.public.pack_ciphertexts(query)
        )
        data = await seat.recv_bytes(other, "answer", key.public.size * pieces)
        try:
            found = [key.decrypt(one).to_bytes(PIECE + 1, "big")[1:] for one in key.public.unpack_ciphertexts(data)]
        except ValueError:
            raise bad_message(other, "answer", "sent what is no ciphertext") from None
        return b"".join(found)[:size]
    data = await seat.recv_bytes(user, "query")
    public = PublicKey(int.from_bytes(data[: BITS // 8], "big"))
    try:
        bits = public.unpack_ciphertexts(data[BITS // 8 :])
    except (ValueError, ZeroDivisionError):
        bits = []
    if public.n.bit_length() != BITS or len(bits) != count:
        raise bad_message(user, "query", "sent a query of another form")
    answers = []
    for piece in range(pieces):
        total = public.encrypt(0)
        for bit, record in zip(bits, cast("Sequence[bytes]", own), strict=True):
            part = record[piece * PIECE : (piece + 1) * PIECE].ljust(PIECE, b"\0")
            total = public.plus(total, public.times(bit, int.from_bytes(part, "big")))
        answers.append(total)
    await seat.send_bytes(user, "answer", public.pack_ciphertexts(answers))
    return None
