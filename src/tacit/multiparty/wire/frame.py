"""Frames: typed, bounded, numbered. Nothing that arrives is ever run, unpickled, or allocated before it is measured.

length (4 bytes)  kind (1)  number (4)  step length (1)  step (UTF-8)  payload
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

HEAD = struct.Struct("!BIB")
LENGTH = struct.Struct("!I")
SMALL = 2**14
"""Bytes for all that is no message of a protocol: greetings, excuses, and why a party gives up."""


class Kind(IntEnum):
    """What a frame is."""

    HELLO = 1
    READY = 2
    WORDS = 3
    BYTES = 4
    ABORT = 5
    DONE = 6
    ASK = 7
    WAITS = 8


class Malformed(ValueError):
    """Bytes that are no frame; the text says why and shows none of them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message: its kind, its number on this link, the step of the protocol, and the payload."""

    kind: Kind
    number: int
    step: str
    payload: bytes = b""


def largest(kind: int, most: int) -> int:
    """The most bytes that may follow the length of a frame; an abort can hold a whole message as its proof.

    >>> largest(Kind.WORDS, 10**6), largest(Kind.HELLO, 10**6), largest(Kind.ABORT, 10**6), largest(99, 10**6)
    (1000000, 16384, 1016384, 16384)
    """
    if kind in (Kind.WORDS, Kind.BYTES):
        return most
    return most + SMALL if kind == Kind.ABORT else SMALL


def packed(frame: Frame) -> bytes:
    """A frame as bytes.

    >>> unpacked(packed(Frame(Kind.WORDS, 3, "share", b"12345678"))[4:])
    Frame(kind=<Kind.WORDS: 3>, number=3, step='share', payload=b'12345678')
    """
    step = frame.step.encode()
    size = LENGTH.pack(HEAD.size + len(step) + len(frame.payload))
    return b"".join((size, HEAD.pack(frame.kind, frame.number, len(step)), step, frame.payload))


def unpacked(body: bytes) -> Frame:
    """The frame in what follows a length."""
    if len(body) < HEAD.size:
        raise Malformed("it is shorter than a header")
    kind, number, size = HEAD.unpack_from(body)
    if kind not in set(Kind):
        raise Malformed("its kind is unknown")
    if len(body) < HEAD.size + size:
        raise Malformed("it is shorter than its step")
    try:
        step = body[HEAD.size : HEAD.size + size].decode()
    except UnicodeDecodeError:
        raise Malformed("its step is no text") from None
    return Frame(Kind(kind), number, step, body[HEAD.size + size :])
