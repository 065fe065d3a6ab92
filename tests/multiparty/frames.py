"""Parties whose frames are changed after they were made and before TLS protects them: what a broken or spiteful program sends."""

from __future__ import annotations

import pickle
import struct
from contextlib import contextmanager

from tacit.multiparty.wire import mesh
from tacit.multiparty.wire.frame import LENGTH, Frame, Kind, pack_frame, unpack_frame
from tacit.multiparty.wire.link import Link


class Boom:
    def __reduce__(self):
        return print, ("a peer ran code here",)


def changed(made, **change):
    """The frame with some of its parts changed."""
    frame = unpack_frame(made[LENGTH.size :])
    given = {name: getattr(frame, name) for name in ("kind", "number", "step", "payload")} | change
    return pack_frame(Frame(given["kind"], given["number"], given["step"], given["payload"]))


def payload(made):
    return unpack_frame(made[LENGTH.size :]).payload


def other_kind(made):
    kind = unpack_frame(made[LENGTH.size :]).kind
    return changed(made, kind=Kind.BYTES if kind == Kind.WORDS else Kind.WORDS)


NONSENSE = {
    "another step": lambda made, _: changed(made, step="nonsense"),
    "another kind": lambda made, _: other_kind(made),
    "truncate": lambda made, _: changed(made, payload=payload(made)[:-1]),
    "longer": lambda made, _: changed(made, payload=payload(made) + b"x"),
    "flip": lambda made, _: made[:5] + bytes([made[5] ^ 1]) + made[6:],
    "replay": lambda made, last: last + made,
    "duplicate": lambda made, _: made + made,
    "reorder": lambda made, _: b"",
    "oversize": lambda made, _: struct.pack("!I", 2**31) + b"x" * 100,
    "no kind": lambda made, _: struct.pack("!I", 6) + bytes([99, 0, 0, 0, 2, 0]),
    "no frame": lambda made, _: struct.pack("!I", 2) + b"xy",
    "no text": lambda made, _: struct.pack("!I", 8) + made[4:9] + bytes([2, 255, 254]),
    "a pickle": lambda made, _: changed(made, payload=pickle.dumps(Boom())),
    "an abort without a reason": lambda made, _: changed(made, kind=Kind.ABORT, payload=b"because"),
    "an abort that names a stranger": lambda made, _: changed(
        made, kind=Kind.ABORT, payload=b'{"fault": "overdue", "party": "Z", "step": "x", "what": "y"}'
    ),
    "an excuse that is none": lambda made, _: changed(made, kind=Kind.WAITS, payload=b"[]"),
}
"""Name → the bytes that go out instead of a frame; a held one (reorder) goes out after the next."""
CONTENTS = {
    "zeros": lambda made, _: changed(made, payload=bytes(len(payload(made)))),
    "ones": lambda made, _: changed(made, payload=b"\xff" * len(payload(made))),
}
"""Contents of the right size that mean something else, or nothing: not all of it can be noticed."""


class Wire:
    """A writer that keeps the kinds of all frames, and spoils one of them."""

    def __init__(self, writer, spoil, at):
        self.writer, self.spoil, self.at = writer, spoil, at
        self.kinds, self.last, self.held, self.spoilt = [], b"", b"", False

    def __getattr__(self, name):
        return getattr(self.writer, name)

    def write(self, made):
        kind = Kind(made[LENGTH.size])
        self.kinds.append(kind)
        data = kind in (Kind.WORDS, Kind.BYTES)
        if self.spoil is not None and data and not self.spoilt and self.kinds.count(kind) == 1 + self.at:
            self.spoilt, sent = True, (NONSENSE | CONTENTS)[self.spoil](made, self.last)
            self.held = made if not sent else b""
        else:
            sent, self.held = made + self.held, b""
        self.last = made
        if sent:
            self.writer.write(sent)


@contextmanager
def spoiling(monkeypatch, plans):
    """In the sessions of these names a party spoils a frame on each of its links; gives the wires of all, by session and party."""
    wires = {}

    class Spoilt(Link):
        def __init__(self, peer, streams, most, listener):
            session, me = listener.agreement.session, listener.me
            who, spoil, at = plans.get(session, (None, None, 0))
            wire = Wire(streams[1], spoil if me == who else None, at)
            wires.setdefault((session, me), {})[peer] = wire
            super().__init__(peer, (streams[0], wire), most, listener)

    with monkeypatch.context() as patched:
        patched.setattr(mesh, "Link", Spoilt)
        yield wires
