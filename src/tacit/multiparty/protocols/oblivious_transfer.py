"""Oblivious transfer: of two messages the receiver gets the one it chose; the sender does not learn which (used by I-05).

A           y ← random                             A → B  S = y·G
B           for each choice c:  x ← random         B → A  R = x·G + c·S
A           k_0 = H(y·R), k_1 = H(y·(R − S))       A → B  m_0 ⊕ k_0, m_1 ⊕ k_1
B           k_c = H(x·S), m_c
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ..group import SIZE as POINT
from ..group import NotInGroup, check, new_power, raised
from ..seat import Seat
from .commutative import bad

SIZE = 16
"""Bytes of a message."""


async def offered(seat: Seat, to: str, messages: Sequence[tuple[bytes, bytes]]) -> None:
    """The sender: two messages of 16 bytes a transfer; see ``oblivious_transfer.md``. 0.4 ms a transfer.

    References
    ----------
    Chou and Orlandi (2015), The simplest protocol for oblivious transfer, LATINCRYPT, LNCS 9230, 40–58.
    """
    from nacl.bindings import crypto_core_ed25519_sub, crypto_scalarmult_ed25519_base_noclamp

    power = new_power()
    own = crypto_scalarmult_ed25519_base_noclamp(power)
    await seat.hand(to, "sender's point", own)
    data = await seat.take(to, "receiver's points", POINT * len(messages))
    points = [data[at : at + POINT] for at in range(0, len(data), POINT)]
    try:
        keys = list(
            zip(raised(points, power), raised([crypto_core_ed25519_sub(p, own) for p in points], power), strict=True)
        )
    except (NotInGroup, ValueError, RuntimeError):
        raise bad(to, "receiver's points", "sent a point that is not in the group") from None
    hidden = [
        _hidden(message, key, own, point, place)
        for place, (pair, both, point) in enumerate(zip(messages, keys, points, strict=True))
        for message, key in zip(pair, both, strict=True)
    ]
    await seat.hand(to, "hidden messages", b"".join(hidden))


async def chosen(seat: Seat, sender: str, choices: Sequence[int]) -> list[bytes]:
    """The receiver: the messages of its choice."""
    from nacl.bindings import crypto_core_ed25519_add, crypto_scalarmult_ed25519_base_noclamp

    other = await seat.take(sender, "sender's point", POINT)
    try:
        check([other])
    except NotInGroup:
        raise bad(sender, "sender's point", "sent a point that is not in the group") from None
    powers = [new_power() for _ in choices]
    bases = [crypto_scalarmult_ed25519_base_noclamp(power) for power in powers]
    points = [crypto_core_ed25519_add(base, other) if c else base for base, c in zip(bases, choices, strict=True)]
    await seat.hand(sender, "receiver's points", b"".join(points))
    data = await seat.take(sender, "hidden messages", 2 * SIZE * len(choices))
    found = []
    for place, (power, point, c) in enumerate(zip(powers, points, choices, strict=True)):
        start = SIZE * (2 * place + c)
        found.append(_hidden(data[start : start + SIZE], raised([other], power)[0], other, point, place))
    return found


def _hidden(message: bytes, key: bytes, sender: bytes, receiver: bytes, place: int) -> bytes:
    """A message under a key, which takes it off again too."""
    pad = hashlib.sha256(b"tacit transfer\0" + place.to_bytes(8, "big") + sender + receiver + key).digest()
    return bytes(a ^ b for a, b in zip(message, pad, strict=False))
