"""Outsourced computing: a server works on columns that it cannot read, for their owner (J-01).

O        keys, the secret one stays                  O → S  public keys, E(column), …
S        sums, or Σ w · column + b, or a curve of it  S → O  E(result)
O        decrypts
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ..homomorphic.scheme import Owner, Server, joined, split
from ..seat import Seat
from .commutative import bad

if TYPE_CHECKING:
    from ..homomorphic.ckks import CkksServer

__all__ = ["COMPUTES", "owning", "serving"]

COMPUTES = ("sum", "mean", "score", "logistic_score")


async def owning(seat: Seat, columns: Sequence[Sequence[float]], owner: Owner, *, compute: str) -> list[float]:
    """The owner's side: sums of the columns, or a score for each row; see ``outsourced.md``."""
    server, rows = seat.others[0], len(columns[0])
    await seat.hand(server, "public keys", owner.public)
    for column in columns:
        await seat.hand(server, "encrypted column", joined(owner.encrypted(column)))
    data = await seat.take(server, "encrypted result")
    try:
        parts = split(data)
        if compute in ("sum", "mean"):
            found = [sum(owner.decrypted([part], 2**30)) for part in parts]
        else:
            found = owner.decrypted(parts, rows)
        if len(found) != (len(columns) if compute in ("sum", "mean") else rows):
            raise ValueError("another number of results")
        return found
    except (ValueError, IndexError):
        raise bad(server, "encrypted result", "sent what is no ciphertext") from None


async def serving(
    seat: Seat, weights: Mapping[str, float], names: Sequence[str], made: Callable[[bytes], Server], *, compute: str
) -> int:
    """The server's side, ``made`` from public keys: how many bytes it gave back."""
    owner = seat.others[0]
    keys = await seat.take(owner, "public keys")
    try:
        server = made(keys)
    except ValueError as problem:
        raise bad(owner, "public keys", f"sent {problem}") from None
    sent = [await seat.take(owner, "encrypted column") for _ in names]
    try:
        columns = [split(column) for column in sent]
        if compute in ("sum", "mean"):
            found = [server.added(column) for column in columns]
        else:
            found = server.scored(columns, [weights[name] for name in names], weights.get("intercept", 0))
        if compute == "logistic_score":
            found = cast("CkksServer", server).logistic(found)
    except (ValueError, IndexError):
        raise bad(owner, "encrypted column", "sent what is no ciphertext") from None
    answer = joined(found)
    await seat.hand(owner, "encrypted result", answer)
    return len(answer)
