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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ...errors import TacitError
from ..agreement.agreement import Agreement, Member
from ..agreement.keys import Secret
from ..faults import BadMessage, Cheated, Fault, MissingParty
from ..seat import Judge
from .frame import Kind
from .link import Link
from .tls import context, who

__all__ = ["Mesh", "opened"]

VERSION = 1
AGAIN = 0.1
"""Seconds between two calls to a party that is not there yet."""
BUFFER = 2**22
"""Bytes that may wait to be read: long vectors come in one go."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Mesh:
    """The links of one party to all others; ``fault`` is the first thing that went wrong anywhere."""

    def __init__(self, agreement: Agreement, secret: Secret) -> None:
        self.agreement, self.secret, self.me = agreement, secret, secret.name
        self.links: dict[str, Link] = {}
        self.told: Fault | None = None
        self.judge: Judge = lambda *_: False
        self.session = b""
        self._nonce = secrets.token_hex(16)
        self._came = asyncio.Condition()

    @property
    def others(self) -> list[str]:
        """All parties but me."""
        return [name for name in self.agreement.names if name != self.me]

    def heard(self, fault: Fault) -> None:
        """An abort, or a link that ended: the first abort is kept, and ends every wait."""
        if fault.told_by is not None and self.told is None:
            self.told = fault
            for link in self.links.values():
                link._end(fault)

    async def add(self, peer: str, streams: Streams) -> None:
        """A connection whose certificate is that of ``peer``."""
        async with self._came:
            if peer in self.links:
                streams[1].close()
                return
            self.links[peer] = Link(peer, streams, self.agreement.max_message, self)
            self._came.notify_all()

    async def everybody(self, seconds: float) -> None:
        """Wait until all are connected; who is not there in time is missing."""
        async with self._came:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait_for(lambda: len(self.links) == len(self.others)), seconds)
        absent = next((name for name in self.others if name not in self.links), None)
        if absent is not None:
            raise _missing(self.agreement, absent)

    async def greet(self) -> None:
        """HELLO to and from all; then READY to and from all."""
        said = {"version": VERSION, "name": self.me, "agreement": self.agreement.digest, "nonce": self._nonce}
        mine, seconds = json.dumps(said).encode(), self.agreement.connect_timeout
        for link in self.links.values():
            await link.send(Kind.HELLO, "hello", mine)
        nonces = {self.me: self._nonce}
        for link in self.links.values():
            nonces[link.peer] = self._checked(link, await link.receive(Kind.HELLO, "hello", seconds))
        whole = [self.agreement.digest, *(nonces[name] for name in self.agreement.names)]
        self.session = hashlib.sha256("\n".join(whole).encode()).digest()
        for link in self.links.values():
            await link.send(Kind.READY, "ready", self.session)
        for link in self.links.values():
            if await link.receive(Kind.READY, "ready", seconds) != self.session:
                raise link.bad("ready", "heard other greetings than this party")

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

    async def abort(self, fault: Fault) -> None:
        """Tell all others why this party gives up."""
        said = {"fault": fault.word, "party": fault.party, "step": fault.step, "what": fault.said}
        if isinstance(fault, Cheated):
            said["proof"] = fault.proof.hex()
        for link in self.links.values():
            await link.send(Kind.ABORT, "abort", json.dumps(said).encode())

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
    host, port = _address(listen, own)
    try:
        server = await asyncio.start_server(
            lambda reader, writer: _answered(mesh, (reader, writer)), host, port, ssl=tls, limit=BUFFER
        )
    except OSError:
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
        await mesh.abort(fault)
        raise
    finally:
        for call in calls:
            call.cancel()
        server.close()
        await mesh.close()


def _address(listen: str | None, own: Member) -> tuple[str, int]:
    """Where to listen: as agreed, or elsewhere, where a gateway leads to."""
    host, _, port = (
        (listen or "").rpartition(":") if listen and listen.rpartition(":")[2].isdecimal() else (listen, "", "")
    )
    return host or own.host, int(port) if port else own.port


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
            streams = await asyncio.open_connection(member.host, member.port, ssl=tls, limit=BUFFER)
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


def _missing(agreement: Agreement, name: str) -> MissingParty:
    one = agreement.member(name)
    return MissingParty(
        name,
        "connecting",
        f"was not there within {agreement.connect_timeout:g} s ({one.host}:{one.port})",
        fix="start it, and check address, firewall, and that it has the keys of its card",
    )
