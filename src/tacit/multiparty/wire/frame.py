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


class MalformedFrame(ValueError):
    """Bytes that are no frame; the text says why and shows none of them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message: its kind, its number on this link, the step of the protocol, and the payload."""

    kind: Kind
    number: int
    step: str
    payload: bytes = b""


def max_frame_size(kind: int, most: int) -> int:
    """The most bytes that may follow the length of a frame; an abort can hold a whole message as its proof.

    >>> (
    ...     max_frame_size(Kind.WORDS, 10**6),
    ...     max_frame_size(Kind.HELLO, 10**6),
    ...     max_frame_size(Kind.ABORT, 10**6),
    ...     max_frame_size(99, 10**6),
    ... )
    (1000000, 16384, 1016384, 16384)
    """
    if kind in (Kind.WORDS, Kind.BYTES):
        return most
    return most + SMALL if kind == Kind.ABORT else SMALL


def pack_frame(frame: Frame) -> bytes:
    """A frame as bytes.

    >>> unpack_frame(pack_frame(Frame(Kind.WORDS, 3, "share", b"12345678"))[4:])
    Frame(kind=<Kind.WORDS: 3>, number=3, step='share', payload=b'12345678')
    """
    step = frame.step.encode()
    size = LENGTH.pack(HEAD.size + len(step) + len(frame.payload))
    return b"".join((size, HEAD.pack(frame.kind, frame.number, len(step)), step, frame.payload))


def unpack_frame(body: bytes) -> Frame:
    """The frame in what follows a length."""
    if len(body) < HEAD.size:
        raise MalformedFrame("it is shorter than a header")
    kind, number, size = HEAD.unpack_from(body)
    if kind not in set(Kind):
        raise MalformedFrame("its kind is unknown")
    if len(body) < HEAD.size + size:
        raise MalformedFrame("it is shorter than its step")
    try:
        step = body[HEAD.size : HEAD.size + size].decode()
    except UnicodeDecodeError:
        raise MalformedFrame("its step is no text") from None
    return Frame(Kind(kind), number, step, body[HEAD.size + size :])
