"""One authenticated connection to another party: numbered frames out, checked frames in."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from typing import Protocol

from ..faults import FAULTS, BadMessage, Cheated, Fault, MissingParty, Overdue
from ..seat import Judge
from .frame import LENGTH, Frame, Kind, Malformed, packed, unpacked

__all__ = ["Link", "Listener"]

SAID = 500
"""No text of another party is shown beyond so many signs."""


class Listener(Protocol):
    """Who hears of aborts and broken links, and knows when an accusation is proven."""

    judge: Judge

    def heard(self, fault: Fault) -> None:
        """A link ended."""


class Link:
    """The connection to ``peer``. A task reads all the time, so that an abort is heard whatever is awaited.

    Every frame has the next number of its direction: one that is lost, repeated or out of order is a bad message.
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
        self._frames: asyncio.Queue[Frame] = asyncio.Queue()
        self.fault: Fault | None = None
        self.bytes_sent = self.bytes_received = 0
        self._closed = self._finished = False
        self._pump = asyncio.create_task(self._read_on())

    async def send(self, kind: Kind, step: str, payload: bytes = b"") -> None:
        """One frame; a connection that broke is noticed by the reading side."""
        if self._closed:
            return
        made = packed(Frame(kind, self._out, step, payload))
        self._out += 1
        self.bytes_sent += len(made)
        self._finished |= kind == Kind.DONE
        with contextlib.suppress(OSError):
            self._writer.write(made)
            await self._writer.drain()

    async def receive(self, kind: Kind, step: str, seconds: float) -> bytes:
        """The payload of the next frame, which must be of this kind and step, within so many seconds."""
        try:
            frame = await asyncio.wait_for(self._next(step), seconds)
        except TimeoutError:
            raise Overdue(
                self.peer,
                step,
                f"sent nothing for {seconds:g} s",
                fix="ask whether it still runs, or agree on a longer wait",
            ) from None
        if frame.kind != kind or frame.step != step:
            raise self.bad(step, "sent another message than the one that is due")
        return frame.payload

    async def _next(self, step: str) -> Frame:
        if self.fault is not None and (self.fault.told_by is not None or self._frames.empty()):
            raise self.fault
        frame = await self._frames.get()
        if frame.kind == Kind.ABORT:  # put there by the reader when the link ended
            raise self.fault or self.gone(step)
        return frame

    async def _read_on(self) -> None:
        try:
            while True:
                frame = await self._read()
                if frame.kind == Kind.ABORT:
                    raise self._told(frame)
                self._finished |= frame.kind == Kind.DONE
                self._frames.put_nowait(frame)
        except ssl.SSLError:
            self._end(self.bad("the connection", "sent what was changed on its way"))
        except (OSError, EOFError):
            self._end(self.gone("the connection"))
        except Fault as fault:
            self._end(fault)

    async def _read(self) -> Frame:
        (size,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
        if size > self._most:
            raise self.bad("a frame", f"announced a message of {size:,} bytes where {self._most:,} are agreed on")
        body = await self._reader.readexactly(size)
        self.bytes_received += size + LENGTH.size
        try:
            frame = unpacked(body)
        except Malformed as problem:
            raise self.bad("a frame", f"sent a message that cannot be read: {problem}") from None
        if frame.number != self._in:
            raise self.bad(frame.step[:SAID], "sent a message out of order, twice, or not at all")
        self._in += 1
        return frame

    def _end(self, fault: Fault) -> None:
        if self.fault is None and not self._closed:
            self.fault = fault
            self._listener.heard(fault)
        self._frames.put_nowait(Frame(Kind.ABORT, 0, ""))

    def _told(self, frame: Frame) -> Fault:
        """What an abort says, in our words: of the sender's text only its named parts are used."""
        try:
            said = json.loads(frame.payload)
            kind = FAULTS[said["fault"]]
            party, step, what = (said[key][:SAID] for key in ("party", "step", "what"))
            proof = bytes.fromhex(said.get("proof", ""))
        except (ValueError, KeyError, TypeError):
            return self.bad("an abort", "gave up and did not say why")
        if kind is Cheated:
            if not self._listener.judge(party, step, proof):
                return self.bad("an abort", f"accused party {party!r} of cheating without a proof that holds")
            return Cheated(party, step, what, fix="its signed message is the proof", told_by=self.peer, proof=proof)
        return kind(party, step, what, fix="mend that and start all parties again", told_by=self.peer)

    def bad(self, step: str, what: str) -> BadMessage:
        """A fault of the peer."""
        return BadMessage(self.peer, step, what, fix="let all parties run the same version, and look at the network")

    def gone(self, step: str) -> MissingParty:
        """The peer has ended the connection."""
        return MissingParty(self.peer, step, "went away", fix="start it again, and all other parties with it")

    @property
    def finished(self) -> bool:
        """Whether either side has said that it is done."""
        return self._finished

    async def close(self) -> None:
        """End the connection; nothing is sent after it."""
        self._closed = True
        self._pump.cancel()
        with contextlib.suppress(OSError, asyncio.CancelledError, TimeoutError):
            self._writer.close()
            await asyncio.wait_for(self._writer.wait_closed(), 1)
