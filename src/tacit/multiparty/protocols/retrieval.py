"""Private information retrieval: a user fetches record i, and no server learns i.

two servers   S1 ⇄ S2   digests of the records
              U   q ← random bits, one a record         U → S1  q          U → S2  q with bit i turned
              S   the XOR of the records whose bit is 1  S → U
              U   the XOR of both answers is record i

one server    U → S  n, E(0), …, E(1) at i, …, E(0)      S → U  Π E(b_j)^record_j = E(record i)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import cast

import numpy as np

from ..paillier import BITS, PublicKey, new_key
from ..party import Party
from .commutative import bad_message

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
