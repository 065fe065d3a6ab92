"""All parties connected with all, each known by its certificate, before anything that depends on data is sent.

Later parties of the agreement call earlier ones. HELLO says who one is and which agreement one has; READY is sent when
everybody's HELLO was right. In TLS 1.3 a caller's handshake succeeds before the other side has judged its certificate, so
nothing but HELLO may travel before that.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import secrets
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from ...errors import TacitError
from ..agreement.agreement import Agreement
from ..agreement.keys import Secret
from ..faults import BadMessage, Cheated, Fault, MissingParty
from ..seat import Judge
from .address import BUFFER, Streams, connected, listening
from .frame import Frame, Kind, packed
from .link import Link
from .tls import context, who
from .wait import Wait

__all__ = ["Mesh", "opened"]

VERSION = 1
AGAIN = 0.1
"""Seconds between two calls to a party that is not there yet."""


class Mesh:
    """The links of one party to all others; ``fault`` is the first thing that went wrong anywhere."""

    def __init__(self, agreement: Agreement, secret: Secret) -> None:
        self.agreement, self.secret, self.me = agreement, secret, secret.name
        self.links: dict[str, Link] = {}
        self.told: Fault | None = None
        self.judge: Judge = lambda *_: False
        self.wait: Wait | None = None
        self.session = b""
        self._waits = 0
        self._nonce = secrets.token_hex(16)
        self._news = asyncio.Event()

    @property
    def names(self) -> tuple[str, ...]:
        """All parties."""
        return self.agreement.names

    @property
    def others(self) -> list[str]:
        """All parties but me."""
        return [name for name in self.agreement.names if name != self.me]

    @contextmanager
    def waiting(self, peer: str, seconds: float) -> Iterator[Wait]:
        """Wait for a party, for so long, and more while it waits itself.

        All excuses end after a time that grows from wait to wait: against one who makes them up the first to wait is the first
        to lose patience, and nobody takes it for silent before that.
        """
        now = asyncio.get_running_loop().time()
        self._waits += 1
        longest = max(self.agreement.connect_timeout, self.agreement.round_timeout)
        end = now + len(self.names) * longest + self._waits * seconds
        self.wait = Wait(peer, now, seconds, until=now + seconds, end=end)
        try:
            yield self.wait
        finally:
            self.wait = None

    def heard(self, fault: Fault) -> None:
        """An abort, or a link that ended: the first abort is kept, and ends every wait."""
        if fault.told_by is not None and self.told is None:
            self.told = fault
            self._news.set()
            for link in self.links.values():
                link.end(fault)

    async def add(self, peer: str, streams: Streams) -> None:
        """A connection whose certificate is that of ``peer``."""
        if peer in self.links:
            await _refused(peer, streams[1])
            return
        self.links[peer] = Link(peer, streams, self.agreement.max_message, self)
        self._news.set()

    async def everybody(self, seconds: float) -> None:
        """Wait until all are connected; who is not there in time is missing. An abort of one who is there ends it too."""
        until = asyncio.get_running_loop().time() + seconds
        while (absent := next((name for name in self.others if name not in self.links), None)) is not None:
            if self.told is not None:
                raise self.told
            self._news.clear()
            left = max(0.0, until - asyncio.get_running_loop().time())
            with self.waiting(absent, left), contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)
                continue
            raise _missing(self.agreement, absent)

    async def greet(self) -> None:
        """HELLO to and from all; then READY to and from all."""
        said = {"version": VERSION, "name": self.me, "agreement": self.agreement.digest, "nonce": self._nonce}
        mine, seconds = json.dumps(said).encode(), self.agreement.connect_timeout
        for link in self.links.values():
            await link.send(Kind.HELLO, "hello", mine, seconds)
        nonces = {self.me: self._nonce}
        for link in self.links.values():
            try:
                said_there = await link.receive(Kind.HELLO, "hello", seconds)
            except Fault:
                self._judged()
                raise
            nonces[link.peer] = self._checked(link, said_there)
        whole = [self.agreement.digest, *(nonces[name] for name in self.agreement.names)]
        self.session = hashlib.sha256("\n".join(whole).encode()).digest()
        for link in self.links.values():
            await link.send(Kind.READY, "ready", self.session, seconds)
        for link in self.links.values():
            if await link.receive(Kind.READY, "ready", seconds) != self.session:
                raise link.bad("ready", "heard other greetings than this party")

    def _judged(self) -> None:
        """Whoever differs is named for what it said itself, before anybody's word is taken for who does."""
        for link in self.links.values():
            said = link.unread(Kind.HELLO)
            if said is not None:
                self._checked(link, said)

    def _checked(self, link: Link, payload: bytes) -> str:
        """The number that a party adds to the session's, if its HELLO is right."""
        try:
            said = json.loads(payload)
            version, name, digest, nonce = (said[key] for key in ("version", "name", "agreement", "nonce"))
        except (ValueError, KeyError, TypeError):
            raise link.bad("hello", "did not introduce itself") from None
        if version != VERSION:
            raise link.bad("hello", "speaks another version")
        if name != link.peer:
            raise link.bad("hello", "calls itself by another name than that of its certificate")
        if digest != self.agreement.digest:
            raise BadMessage(
                link.peer,
                "hello",
                "has another agreement",
                fix="compare the files: tacit party check AGREEMENT.toml shows the digest, which must be the same for all",
            )
        return str(nonce)

    def abort(self, fault: Fault) -> None:
        """Tell all others why this party gives up; what it has from another it passes on as that one's word."""
        proven = isinstance(fault, Cheated)
        what = fault.said if fault.told_by is None or proven else f"{fault.said}, as party {fault.told_by!r} says"
        said = {"fault": fault.word, "party": fault.party, "step": fault.step, "what": what}
        if isinstance(fault, Cheated):
            said["proof"] = fault.proof.hex()
        for link in self.links.values():
            link.put(Kind.ABORT, "abort", json.dumps(said).encode())

    async def close(self) -> None:
        """End all connections."""
        await asyncio.gather(*(link.close() for link in self.links.values()))


@asynccontextmanager
async def opened(agreement: Agreement, secret: Secret, *, listen: str | None = None) -> AsyncIterator[Mesh]:
    """The mesh, with everybody there; a fault inside is told to all others before the connections end."""
    mesh = Mesh(agreement, secret)
    own = agreement.member(mesh.me)
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # strangers who fail the handshake are no news
    tls = context(agreement, secret, server=True, trusted=mesh.others)
    host, port = listening(listen, own)
    try:
        server = await asyncio.start_server(
            lambda reader, writer: _answered(mesh, (reader, writer)), host, port, ssl=tls, limit=BUFFER
        )
    except (OSError, OverflowError):
        raise TacitError(
            f"cannot listen on {host}:{port}", fix="free that port, or say where to: --listen ADDRESS:PORT"
        ) from None
    earlier = agreement.names[: agreement.names.index(mesh.me)]
    calls = [asyncio.create_task(_called(mesh, name)) for name in earlier]
    try:
        await _all_there(mesh, calls)
        await mesh.greet()
        yield mesh
    except Fault as fault:
        mesh.abort(fault)
        raise
    finally:
        for call in calls:
            call.cancel()
        server.close()
        await mesh.close()


async def _all_there(mesh: Mesh, calls: list[asyncio.Task[None]]) -> None:
    """Everybody is connected, or the first call that found somebody else ends it."""
    there = asyncio.create_task(mesh.everybody(mesh.agreement.connect_timeout))
    pending: set[asyncio.Task[None]] = {there, *calls}
    while not there.done():
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        failed = next((task for task in done if task is not there and task.exception() is not None), None)
        if failed is not None:
            there.cancel()
            await failed
    await there


async def _called(mesh: Mesh, name: str) -> None:
    """Call an earlier party until it answers; another certificate than its own ends the session at once."""
    member = mesh.agreement.member(name)
    tls = context(mesh.agreement, mesh.secret, server=False, trusted=[name])
    while name not in mesh.links:
        try:
            streams = await connected(member, tls)
        except ssl.SSLCertVerificationError:
            raise BadMessage(
                name,
                "connecting",
                "shows an expired certificate or another one than the agreement has",
                fix="let it make new keys or start with its own, and put its card into everybody's agreement",
            ) from None
        except (OSError, EOFError):
            await asyncio.sleep(AGAIN)
            continue
        await mesh.add(name, streams)


async def _answered(mesh: Mesh, streams: Streams) -> None:
    """Somebody called: only later parties may, each under its own certificate."""
    tls: ssl.SSLObject = streams[1].get_extra_info("ssl_object")
    peer = who(mesh.agreement, tls.getpeercert(binary_form=True))
    later = mesh.agreement.names[mesh.agreement.names.index(mesh.me) + 1 :]
    if peer is None or peer not in later:
        streams[1].close()
        return
    await mesh.add(peer, streams)


async def _refused(peer: str, writer: asyncio.StreamWriter) -> None:
    """A second caller under one name is told so; the first one stays."""
    said = {
        "fault": BadMessage.word,
        "party": peer,
        "step": "connecting",
        "what": "is there already: it was started twice",
    }
    with contextlib.suppress(OSError, TimeoutError):
        writer.write(packed(Frame(Kind.ABORT, 0, "abort", json.dumps(said).encode())))
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), 1)


def _missing(agreement: Agreement, name: str) -> MissingParty:
    one = agreement.member(name)
    return MissingParty(
        name,
        "connecting",
        f"was not there within {agreement.connect_timeout:g} s ({one.host}:{one.port})",
        fix="start it, and check address, firewall, and that it has the keys of its card",
    )
