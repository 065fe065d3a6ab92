"""One authenticated connection to another party: numbered frames out, checked frames in."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from ...errors import TacitError
from ..faults import (
    FAULTS,
    BadMessage,
    Contradiction,
    Fault,
    MissingParty,
    PartyAborted,
    PartyTimeout,
    ProtocolViolation,
)
from ..party import Judge
from .frame import LENGTH, Frame, Kind, MalformedFrame, max_frame_size, pack_frame, unpack_frame
from .json_payload import parse_object
from .wait import ASKS, Wait, format_wait_notice, parse_wait_notice

Due = TypeVar("Due")
SAID = 500
"""No text of another party is shown beyond so many signs."""
GRACE = 0.1
"""Seconds for what has arrived before the deadline and was not read yet."""
CLOSING = 0.5
"""Seconds for the last frames to go out."""
FULL = 2**16
"""Bytes that wait to be sent: who does not take them in gets no more answers."""
UNREAD = 2
"""So many of the largest messages may wait to be taken before nothing more is read; no protocol is further ahead than that."""
FRAME = 256
"""What a frame takes in memory beside its payload."""
HELD = 0.25
"""Seconds between two excuses to a party that is not read from."""


class Listener(Protocol):
    """Who hears of aborts and broken links, knows when an accusation is proven, and for whom this party waits."""

    me: str
    judge: Judge
    wait: Wait | None

    @property
    def names(self) -> Collection[str]:
        """All parties."""

    def wait_for(self, peer: str, seconds: float) -> AbstractContextManager[Wait]:
        """Wait for a party, for so long."""

    def on_fault(self, fault: Fault) -> None:
        """A link ended."""


class Link:
    """The connection to ``peer``. A task reads all the time, so that an abort is heard whatever is awaited.

    Every frame has the next number of its direction: one that is lost, repeated or out of order is a bad message. When too
    much waits to be taken, reading stops until some of it is: then the other side has to wait, and memory is not filled.
    """

    def __init__(
        self,
        peer: str,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        most: int,
        listener: Listener,
    ) -> None:
        self.peer, self._most, self._listener = peer, most, listener
        self._reader, self._writer = streams
        self._out = self._in = 0
        self._frames: deque[Frame] = deque()
        self._unread = 0
        self._news, self._taken = asyncio.Event(), asyncio.Event()
        self.fault: Fault | None = None
        self.bytes_sent = self.bytes_received = 0
        self._closed = False
        self._pump = asyncio.create_task(self._read_on())

    def send_nowait(self, kind: Kind, step: str, payload: bytes = b"") -> None:
        """One frame, to go out as the connection takes it; a connection that broke is noticed by the reading side.

        A message above the agreed size is an error here: the others would name this party for it.
        """
        if self._closed:
            return
        made = pack_frame(Frame(kind, self._out, step, payload))
        if len(made) - LENGTH.size > max_frame_size(kind, self._most):
            raise TacitError(
                f"the message of {step!r} would have {len(made) - LENGTH.size:,} bytes, and {self._most:,} are agreed on",
                code="invalid_protocol_input",
                fix="agree on a larger max_message, the same at all parties",
                where="session.max_message",
            )
        self._out += 1
        self.bytes_sent += len(made)
        with contextlib.suppress(OSError):
            self._writer.write(made)

    async def send(self, kind: Kind, step: str, payload: bytes, seconds: float) -> None:
        """One frame, and wait until the other side takes it in, so many seconds at most."""
        self.send_nowait(kind, step, payload)
        if self._closed or self._writer.transport.get_write_buffer_size() == 0:
            return
        with contextlib.suppress(OSError):
            await self._in_time(asyncio.ensure_future(self._writer.drain()), step, seconds, "takes nothing in")

    async def receive(self, kind: Kind, step: str, seconds: float) -> bytes:
        """The payload of the next frame, which must be of this kind and step, within so many seconds."""
        due = asyncio.ensure_future(self._next_frame())
        frame = await self._in_time(due, step, seconds, "sent nothing")
        if frame.kind != kind or frame.step != step:
            raise self.bad_message(step, "sent another message than the one that is due")
        return frame.payload

    async def _in_time(self, due: asyncio.Future[Due], step: str, seconds: float, what: str) -> Due:
        """What is due, within the agreed time; more of it only while the peer waits for others itself."""
        clock = asyncio.get_running_loop().time
        try:
            with self._listener.wait_for(self.peer, seconds) as wait:
                while (left := wait.until - clock()) > 0:
                    done, _ = await asyncio.wait({due}, timeout=min(left, seconds / ASKS))
                    if done:
                        return due.result()
                    self.send_nowait(Kind.ASK, "wait")
                if (await asyncio.wait({due}, timeout=GRACE))[0]:
                    return due.result()
                said = f"{what} for {clock() - wait.since:.3g} s"
        finally:
            due.cancel()
        raise PartyTimeout(self.peer, step, said, fix="ask whether it still runs, or agree on a longer wait")

    async def _next_frame(self) -> Frame:
        """The next frame; what arrived before the link broke is still read, but nothing after an abort."""
        while True:
            if self.fault is not None and (self.fault.told_by is not None or not self._frames):
                raise self.fault
            if self._frames:
                frame = self._frames.popleft()
                self._unread -= len(frame.payload) + FRAME
                self._taken.set()
                return frame
            self._news.clear()
            await self._news.wait()

    def peek_payload(self, kind: Kind) -> bytes | None:
        """The payload of the frame that is next, if it has arrived and is of this kind."""
        return self._frames[0].payload if self._frames and self._frames[0].kind == kind else None

    async def _read_on(self) -> None:
        try:
            while True:
                frame = await self._read_frame()
                if frame.kind == Kind.ABORT:
                    raise self._parse_abort(frame)
                if frame.kind in (Kind.ASK, Kind.WAITS):
                    self._handle_wait_notice(frame)
                    continue
                self._frames.append(frame)
                self._unread += len(frame.payload) + FRAME
                self._news.set()
                await self._wait_for_queue()
        except ssl.SSLError:
            self.fail_with(self.bad_message("the connection", "sent what was changed on its way"))
        except (OSError, EOFError):
            self.fail_with(self.missing_party("the connection"))
        except Fault as fault:
            self.fail_with(fault)

    async def _wait_for_queue(self) -> None:
        """Wait until there is room for another frame; what the peer may ask meanwhile is not read, so it is answered unasked."""
        while self._unread > UNREAD * (self._most + FRAME):
            self._taken.clear()
            mine = self._listener.wait
            pause = HELD if mine is None else max(HELD / ASKS, min(HELD, mine.seconds / ASKS))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._taken.wait(), pause)
            self._send_wait_notice()

    async def _read_frame(self) -> Frame:
        (size,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
        kind = await self._reader.readexactly(min(size, 1))
        most = max_frame_size(kind[0] if kind else 0, self._most)
        if size > most:
            raise self.bad_message("a frame", f"announced a message of {size:,} bytes where {most:,} are allowed")
        body = kind + await self._reader.readexactly(size - len(kind))
        self.bytes_received += size + LENGTH.size
        try:
            frame = unpack_frame(body)
        except MalformedFrame as problem:
            raise self.bad_message("a frame", f"sent a message that cannot be read: {problem}") from None
        if frame.number != self._in:
            raise self.bad_message(frame.step[:SAID], "sent a message out of order, twice, or not at all")
        self._in += 1
        return frame

    def _handle_wait_notice(self, frame: Frame) -> None:
        """Asked while this party waits for a third, it says so; an excuse of the one it waits for moves the deadline."""
        if frame.kind == Kind.ASK:
            self._send_wait_notice()
            return
        mine, now = self._listener.wait, asyncio.get_running_loop().time()
        try:
            third, left = parse_wait_notice(frame.payload)
        except ValueError:
            raise self.bad_message("wait", "did not say what it waits for") from None
        known = third in self._listener.names and third not in (self.peer, self._listener.me)
        if mine is not None and mine.peer == self.peer and known:
            mine.extend_deadline(now, left)

    def _send_wait_notice(self) -> None:
        mine = self._listener.wait
        if mine is not None and mine.peer != self.peer and self._writer.transport.get_write_buffer_size() < FULL:
            self.send_nowait(Kind.WAITS, "wait", format_wait_notice(mine, asyncio.get_running_loop().time()))

    async def wait_ended(self) -> None:
        """Wait until nothing more can come."""
        await asyncio.wait({self._pump})

    def fail_with(self, fault: Fault) -> None:
        """The connection is of no more use; who waits on it hears why."""
        if self.fault is None and not self._closed:
            self.fault = fault
            self._listener.on_fault(fault)
        self._news.set()

    def _parse_abort(self, frame: Frame) -> Fault:
        """What an abort says, in our words: of the sender's text only its named parts are used; a proof follows a zero byte."""
        text, _, proof = frame.payload.partition(b"\0")
        try:
            told = parse_object(text)
            kind = FAULTS[told["fault"]]
            party, step, what = (str(told[key])[:SAID] for key in ("party", "step", "what"))
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.bad_message("an abort", "gave up and did not say why")
        if kind is PartyAborted and party == self.peer:
            return PartyAborted.by_itself(self.peer)
        named = party == "" if kind is Contradiction else party in self._listener.names
        if not named or not f"{step}{what}".isprintable():
            return self.bad_message("an abort", "gave up and did not say why")
        if kind is ProtocolViolation:
            if not self._listener.judge(party, step, proof):
                return self.bad_message("an abort", f"accused party {party!r} of cheating without a proof that holds")
            return ProtocolViolation(
                party, step, what, fix="its signed message is the proof", told_by=self.peer, proof=proof
            )
        fix = "ask both, since only they can see their connection; then start all parties again"
        return kind(party, step, what, fix=fix, told_by=self.peer)

    def bad_message(self, step: str, what: str) -> BadMessage:
        """A fault of the peer."""
        return BadMessage(self.peer, step, what, fix="let all parties run the same version, and look at the network")

    def missing_party(self, step: str) -> MissingParty:
        """The peer has ended the connection."""
        return MissingParty(self.peer, step, "went away", fix="start it again, and all other parties with it")

    async def close(self) -> None:
        """End the connection; nothing is sent after it."""
        self._closed = True
        self._pump.cancel()
        with contextlib.suppress(OSError, asyncio.CancelledError, TimeoutError):
            self._writer.close()
            await asyncio.wait_for(self._writer.wait_closed(), CLOSING)
