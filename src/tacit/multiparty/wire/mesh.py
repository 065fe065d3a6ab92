"""All parties connected with all, each known by its certificate, before anything that depends on data is sent.

Of two parties the one whose name comes later in the alphabet calls, whatever the order of their files: so two whose agreements
differ meet, and say so. HELLO says who one is, which agreement one has and which version one runs; READY is sent when everybody's
HELLO was right. In TLS 1.3 a caller's handshake succeeds before the other side has judged its certificate, so
nothing but HELLO may travel before that.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import secrets
import socket
import ssl
import tempfile
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path

from ...errors import TacitError
from ..agreement.agreement import Agreement, Member
from ..agreement.keys import Secret
from ..faults import BadMessage, Fault, MissingParty, PartyAborted, ProtocolViolation
from ..party import Judge
from .frame import Frame, Kind, pack_frame
from .json_payload import parse_object
from .link import SAID, Link
from .wait import Wait

VERSION = 3


PACKAGE: str = import_module("tacit").__version__


"""Which Tacit this is, from the root of the package, which is loaded by now and which nothing inside imports names from."""


AGAIN = 0.1


"""Seconds between two calls to a party that is not there yet."""


LOST = 0.5


"""Seconds before a party is called again whose connection broke."""


NONCE = re.compile("[0-9a-f]{32}")


BUFFER = 2**22


"""Bytes that may wait to be read: long vectors come in one go."""


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Mesh:
    """The links of one party to all others; ``told`` is the first abort that was heard, ``lost`` are silent parties done without."""

    def __init__(self, agreement: Agreement, secret: Secret) -> None:
        self.agreement, self.secret, self.me = agreement, secret, secret.name
        self.links: dict[str, Link] = {}
        self.told: Fault | None = None
        self.judge: Judge = lambda *_: False
        self.wait: Wait | None = None
        self.session = b""
        self.lost: set[str] = set()
        self._waits = 0
        self._nonce = secrets.token_hex(16)
        self._greeted: set[Link] = set()
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
    def wait_for(self, peer: str, seconds: float) -> Iterator[Wait]:
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

    def on_fault(self, fault: Fault) -> None:
        """An abort, or a link that ended: the first abort is kept, and ends every wait."""
        self._news.set()
        if fault.told_by is not None and self.told is None:
            self.told = fault
            for link in self.links.values():
                link.fail_with(fault)

    async def add(self, peer: str, streams: Streams) -> None:
        """A connection whose certificate is that of ``peer``."""
        if self.session or self.is_connected(peer):
            known = "is there already: it was started twice"
            await _refuse_caller(
                peer, streams[1], known if self.is_connected(peer) else "came again when the session had begun"
            )
            return
        old = self.links.get(peer)
        self.links[peer] = Link(peer, streams, self.agreement.max_message, self)
        self._news.set()
        if old is not None:
            await old.close()

    def is_connected(self, peer: str) -> bool:
        """Whether a party is connected; one that went away is not, and may come again until all have greeted."""
        return peer in self.links and not isinstance(self.links[peer].fault, MissingParty)

    async def connect_all(self) -> None:
        """Everybody is connected and has greeted; then READY to and from all.

        A party that is stopped and started again before that is welcome, within the time for connecting: its old connection
        is dropped, and it greets with a number of its own.
        """
        until = asyncio.get_running_loop().time() + self.agreement.connect_timeout
        nonces: dict[Link, str] = {}
        while not all(self.is_connected(name) and self.links[name] in nonces for name in self.others):
            await self._wait_for_links(until)
            await self._exchange_hello(nonces, until)
        self._waits = 0  # who comes and goes makes nobody more patient than its neighbour
        numbers = {link.peer: nonce for link, nonce in nonces.items() if link in self.links.values()}
        await self._exchange_ready(numbers | {self.me: self._nonce})

    async def _wait_for_links(self, until: float) -> None:
        """Wait until all are connected; who is not there in time is missing. An abort of one who is there ends it too."""
        while (absent := next((name for name in self.others if not self.is_connected(name)), None)) is not None:
            if self.told is not None:
                raise self.told
            self._news.clear()
            left = max(0.0, until - asyncio.get_running_loop().time())
            with self.wait_for(absent, left), contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)
                continue
            raise _missing_party(self.agreement, absent, again=absent in self.links)

    async def _exchange_hello(self, nonces: dict[Link, str], until: float) -> None:
        """HELLO to and from all who have not greeted yet, as far as they are there."""
        mine = {"version": VERSION, "package": PACKAGE, "name": self.me, "nonce": self._nonce}
        mine |= {"agreement": self.agreement.digest, "unordered": self.agreement.unordered_digest}
        seconds = self.agreement.connect_timeout
        fresh = [link for link in self.links.values() if link not in nonces]
        for link in fresh:
            if link not in self._greeted:
                self._greeted.add(link)
                await link.send(Kind.HELLO, "hello", json.dumps(mine).encode(), seconds)
        for link in fresh:
            try:
                told = await link.receive(Kind.HELLO, "hello", seconds)
            except Fault as fault:
                gone = isinstance(fault, MissingParty) and fault.told_by is None
                if gone and asyncio.get_running_loop().time() < until:
                    return
                self._check_greetings()
                raise
            nonces[link] = self._check_hello(link, told)

    async def _exchange_ready(self, nonces: dict[str, str]) -> None:
        """The number of the session, from everybody's: all must have heard the same, and READY says what one has heard."""
        seconds, heard = self.agreement.connect_timeout, [nonces[name] for name in self.agreement.names]
        whole = [self.agreement.digest, *heard]
        self.session = hashlib.sha256("\n".join(whole).encode()).digest()
        for link in self.links.values():
            await link.send(Kind.READY, "ready", "\n".join(heard).encode(), seconds)
        for link in self.links.values():
            self._check_same_hello(link, heard, (await link.receive(Kind.READY, "ready", seconds)).split(b"\n"))

    def _check_same_hello(self, link: Link, heard: list[str], there: list[bytes]) -> None:
        """One who greeted two parties differently is told with the party that heard something else: one of the two is at fault."""
        mine = [nonce.encode() for nonce in heard]
        differ = [name for name, one, other in zip(self.names, mine, there, strict=False) if one != other]
        if len(there) != len(mine) or len(differ) > 1 or {self.me, link.peer} & set(differ):
            raise link.bad_message("ready", "heard other greetings than this party")
        for name in differ:
            said = f"greeted party {link.peer!r} otherwise than this party, as one that was started again would"
            fix = "ask both, since only they can see their connection; then start all parties again"
            raise BadMessage(name, "ready", said, fix=fix, told_by=link.peer)

    def _check_greetings(self) -> None:
        """Whoever differs is named for what it said itself, before anybody's word is taken for who does."""
        for link in self.links.values():
            told = link.peek_payload(Kind.HELLO)
            if told is not None:
                self._check_hello(link, told)

    def _check_hello(self, link: Link, payload: bytes) -> str:
        """The number that a party adds to the session's, if its HELLO is right."""
        try:
            told = parse_object(payload)
            version, package, name, nonce = (told[key] for key in ("version", "package", "name", "nonce"))
            digest, unordered = told["agreement"], told["unordered"]
        except (ValueError, KeyError):
            raise link.bad_message("hello", "did not introduce itself") from None
        if (version, package) != (VERSION, PACKAGE):
            raise link.bad_message("hello", f"runs another version of Tacit than this party, which runs {PACKAGE}")
        if name != link.peer:
            raise link.bad_message("hello", "calls itself by another name than that of its certificate")
        if digest != self.agreement.digest:
            ordered = unordered == self.agreement.unordered_digest
            what = "has another agreement: the same with its parties, columns or keys in another order"
            fix = "compare the files: tacit party check AGREEMENT.toml shows the digest, which must be the same for all"
            raise BadMessage(link.peer, "hello", what if ordered else "has another agreement", fix=fix)
        if not isinstance(nonce, str) or NONCE.fullmatch(nonce) is None:
            raise link.bad_message("hello", "did not introduce itself")
        return nonce

    def abort(self, fault: Fault) -> None:
        """Tell all others why this party gives up; what it has from another it passes on as that one's word."""
        proven = isinstance(fault, ProtocolViolation)
        what = fault.said if fault.told_by is None or proven else f"{fault.said}, as party {fault.told_by!r} says"
        told = {"fault": fault.word, "party": fault.party, "step": fault.step, "what": what[:SAID]}
        proof = b"\0" + fault.proof if isinstance(fault, ProtocolViolation) else b""
        for link in self.links.values():
            link.send_nowait(Kind.ABORT, "abort", json.dumps(told).encode() + proof)

    async def close(self) -> None:
        """End all connections."""
        await asyncio.gather(*(link.close() for link in self.links.values()))


@asynccontextmanager
async def open_mesh(agreement: Agreement, secret: Secret, *, listen: str | None = None) -> AsyncIterator[Mesh]:
    """The mesh, with everybody there; a fault inside is told to all others before the connections end.

    Of an error of this party alone the others hear that it ended, and not why: the text may be about its data.
    """
    mesh = Mesh(agreement, secret)
    own = agreement.member(mesh.me)
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # strangers who fail the handshake are no news
    tls = make_tls_context(agreement, secret, server=True, trusted=mesh.others)
    host, port = listen_address(listen, own)
    try:
        server = await asyncio.start_server(
            lambda reader, writer: _answer_call(mesh, (reader, writer)), host, port, ssl=tls, limit=BUFFER
        )
    except (OSError, OverflowError):
        raise TacitError(
            f"cannot listen on {host}:{port}",
            code="cannot_write",
            fix="free that port, or say where to: --listen ADDRESS:PORT",
        ) from None
    calls = [asyncio.create_task(_call_party(mesh, name)) for name in mesh.others if name < mesh.me]
    try:
        await _all_there(mesh, calls)
        yield mesh
    except Fault as fault:
        mesh.abort(fault)
        raise
    except Exception:
        mesh.abort(PartyAborted.by_itself(mesh.me))
        raise
    finally:
        for call in calls:
            call.cancel()
        server.close()
        await mesh.close()


async def _all_there(mesh: Mesh, calls: list[asyncio.Task[None]]) -> None:
    """Everybody has greeted, or the first call that found somebody else ends it."""
    there = asyncio.create_task(mesh.connect_all())
    pending: set[asyncio.Task[None]] = {there, *calls}
    try:
        while not there.done():
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            failed = next((task for task in done if task is not there and task.exception() is not None), None)
            if failed is not None:
                await failed
        await there
    finally:
        there.cancel()


async def _call_party(mesh: Mesh, name: str) -> None:
    """Call an earlier party until all have greeted; another certificate than its own ends the session at once."""
    member = mesh.agreement.member(name)
    tls = make_tls_context(mesh.agreement, mesh.secret, server=False, trusted=[name])
    while not mesh.session:
        if name in mesh.links:
            await mesh.links[name].wait_ended()
            await asyncio.sleep(LOST)
            if mesh.session or mesh.is_connected(name):
                return
        try:
            streams = await connect_to(member, tls)
        except ssl.SSLCertVerificationError:
            raise _other_certificate(name) from None
        except (OSError, EOFError):
            await asyncio.sleep(AGAIN)
            continue
        if _peer_certificate(streams) != member.der:  # the agreed key can sign others, which the handshake then trusts
            streams[1].close()
            raise _other_certificate(name)
        await mesh.add(name, streams)


def _peer_certificate(streams: Streams) -> bytes | None:
    """The certificate that the other side of a connection showed."""
    tls: ssl.SSLObject = streams[1].get_extra_info("ssl_object")
    return tls.getpeercert(binary_form=True)


def _other_certificate(name: str) -> BadMessage:
    what = "shows an expired certificate or another one than the agreement has"
    fix = (
        "let it make new keys or start with its own, and put its card into everybody's agreement; check this clock too"
    )
    return BadMessage(name, "connecting", what, fix=fix)


async def _answer_call(mesh: Mesh, streams: Streams) -> None:
    """Somebody called: only parties with a later name may, each under its own certificate."""
    peer = certificate_owner(mesh.agreement, _peer_certificate(streams))
    if peer is None or peer <= mesh.me:
        streams[1].close()
        return
    await mesh.add(peer, streams)


async def _refuse_caller(peer: str, writer: asyncio.StreamWriter, what: str) -> None:
    """A second caller under one name is told why it cannot come in; the first one stays."""
    told = {
        "fault": BadMessage.word,
        "party": peer,
        "step": "connecting",
        "what": what,
    }
    with contextlib.suppress(OSError, TimeoutError):
        writer.write(pack_frame(Frame(Kind.ABORT, 0, "abort", json.dumps(told).encode())))
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), 1)


def _missing_party(agreement: Agreement, name: str, *, again: bool) -> MissingParty:
    one = agreement.member(name)
    before = "went away and " if again else ""
    return MissingParty(
        name,
        "connecting",
        f"{before}was not there within {agreement.connect_timeout:g} s ({one.host}:{one.port})",
        fix="start it, and check address, firewall, and that it has the keys of its card",
    )


def listen_address(listen: str | None, own: Member) -> tuple[str, int]:
    """Where to listen: as agreed, or elsewhere, where a gateway leads to.

    >>> north = Member(name="north", host="north.example", port=9400, certificate="", box_key="", sign_key="")
    >>> listen_address(None, north), listen_address("10.0.0.7", north), listen_address("10.0.0.7:81", north)
    (('north.example', 9400), ('10.0.0.7', 9400), ('10.0.0.7', 81))
    >>> listen_address("::1", north), listen_address("[::1]:81", north)
    (('::1', 9400), ('::1', 81))
    """
    host, _, port = (listen or "").rpartition(":")
    if not port.isdecimal() or (
        ":" in host and not host.endswith("]")
    ):  # no port, but the end of an address of version 6
        host, port = listen or "", ""
    return host.strip("[]") or own.host, int(port) if port else own.port


async def connect_to(member: Member, tls: ssl.SSLContext) -> Streams:
    """A connection to a party, at the first of its addresses that answers; OSError when none does."""
    problem: OSError = OSError("no address")
    for address in await _resolve_host(member.host):
        try:
            return await asyncio.open_connection(address, member.port, ssl=tls, limit=BUFFER)
        except ssl.SSLCertVerificationError:
            raise
        except OSError as said:
            problem = said
    raise problem


async def _resolve_host(host: str) -> list[str]:
    """By the system's resolver, in a thread that nobody waits for: one without an answer holds up no deadline."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def told(addresses: list[str]) -> None:
        if not found.done():
            found.set_result(addresses)

    def look() -> None:
        addresses: list[str] = []
        with contextlib.suppress(OSError, UnicodeError):
            seen = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(one[4][0]) for one in seen))
        with contextlib.suppress(RuntimeError):  # the session is over
            loop.call_soon_threadsafe(told, addresses)

    threading.Thread(target=look, daemon=True).start()
    return await found


def make_tls_context(agreement: Agreement, secret: Secret, *, server: bool, trusted: Iterable[str]) -> ssl.SSLContext:
    """One side of a connection: TLS 1.3 only, its own certificate, and the certificates that it trusts.

    There are no authorities and no host names: a certificate is known because the agreement has it. An expired one is
    refused all the same.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    if server:
        made.num_tickets = 0
    made.load_verify_locations(cadata=b"".join(agreement.member(name).der for name in trusted))
    _load_own(made, secret)
    return made


def certificate_owner(agreement: Agreement, der: bytes | None) -> str | None:
    """Whose certificate it is."""
    return next((one.name for one in agreement.members if one.der == der), None)


def _load_own(made: ssl.SSLContext, secret: Secret) -> None:
    """The library reads keys by path only: it gets that of a pipe, so that no file system ever holds the key."""
    if os.name != "posix":
        _load_from_file(made, secret)
        return
    with _pipe_path(secret.certificate) as certificate, _pipe_path(secret.tls_key) as key:
        made.load_cert_chain(certificate, key)


@contextmanager
def _pipe_path(text: str) -> Iterator[str]:
    """The path under which this process, and no other user's, reads the text once; a pipe holds 16 kB on every system."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(text.encode())
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)


def _load_from_file(made: ssl.SSLContext, secret: Secret) -> None:
    """Windows has no paths of pipes: a file in the user's own folder, gone again at once."""
    descriptor, path = tempfile.mkstemp(prefix=".tacit-", dir=Path.home())
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret.tls_key + secret.certificate)
        made.load_cert_chain(path)
    finally:
        os.unlink(path)  # noqa: PTH108
