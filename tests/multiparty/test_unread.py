"""What a party sends faster than it is read, or deeper than it can be read: memory and stack stay within bounds, and the sender is named (I-07)."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from tacit.errors import TacitError
from tacit.multiparty.faults import BadMessage, PartyAborted
from tacit.multiparty.protocols.protocol import PROTOCOLS
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, task_of
from tacit.multiparty.wire import mesh as meshes
from tacit.multiparty.wire.frame import SMALL, Kind
from tacit.multiparty.wire.link import FRAME, UNREAD
from tacit.multiparty.wire.mesh import Mesh, open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .parties import TASK, everybody, house
from .sessions import SESSIONS

DEEP = b"[" * 10_000
LONG = b'{"for": "C", "seconds": ' + b"9" * 4_000 + b"}"
HELLO = b'{"version": 2, "name": "B", "agreement": "%s", "nonce": %s}'
BADLY = {
    "deep": lambda _: DEEP,
    "deep in an object": lambda _: b'{"version": ' + DEEP,
    "a list": lambda _: b"[]",
    "a number that is deep": lambda digest: HELLO % (digest, b"[" * 500 + b"]" * 500),
    "a number that is no text": lambda digest: HELLO % (digest, b'"\\ud800"'),
    "right, and longer than allowed": lambda digest: HELLO % (digest, b'"%s"' % (b"0" * 32)) + b" " * SMALL,
}


def greeting(said):
    """A mesh whose B greets with these bytes; the others greet as they should."""

    class Greeting(Mesh):
        async def _exchange_hello(self, nonces, until):
            if self.me != "B":
                await super()._exchange_hello(nonces, until)
                return
            for link in self.links.values():
                link._writer.write(framed(Kind.HELLO, link._out, said(self.agreement.digest.encode())))
            await asyncio.sleep(3600)

    return Greeting


def framed(kind, number, payload):
    return meshes.pack_frame(meshes.Frame(kind, number, "hello", payload))


async def beside(agreement, secrets, rogue):
    """What came of A and C while B does something of its own."""
    running = asyncio.create_task(rogue)
    found = await everybody(agreement, secrets, names="AC")
    running.cancel()
    return found, *await asyncio.gather(running, return_exceptions=True)


async def takes_part(agreement, secret):
    async with open_mesh(agreement, secret):
        await asyncio.sleep(3600)


@pytest.mark.parametrize("how", BADLY)
def test_a_greeting_that_cannot_be_read_names_its_sender(how, monkeypatch):
    agreement, secrets = house("ABC")
    monkeypatch.setattr(meshes, "Mesh", greeting(BADLY[how]))
    found, _ = asyncio.run(beside(agreement, secrets, takes_part(agreement, secrets["B"])))
    assert all(isinstance(one, BadMessage) and one.exit_code == 11 and one.party == "B" for one in found.values())


@pytest.mark.parametrize("kind", [Kind.ABORT, Kind.WAITS])
@pytest.mark.parametrize("said", [DEEP, LONG, b'{"fault": ' + DEEP, b'{"for": ' + DEEP, b"[]"])
def test_an_abort_or_excuse_that_cannot_be_read_names_its_sender(kind, said):
    agreement, secrets = house("ABC")

    async def says_it():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            for link in mesh.links.values():
                link.send_nowait(kind, "wait", said)
            await asyncio.sleep(3600)

    found, _ = asyncio.run(beside(agreement, secrets, says_it()))
    assert all(isinstance(one, BadMessage) and one.party == "B" for one in found.values()), found


async def meshes_of(agreement, secrets, stack):
    """The meshes of all parties, in this one loop."""
    opening = (stack.enter_async_context(open_mesh(agreement, secret)) for secret in secrets.values())
    return dict(zip(secrets, await asyncio.gather(*opening), strict=True))


async def until(true):
    """Wait for what will be so, or fail."""
    async with asyncio.timeout(50):
        while not true():
            await asyncio.sleep(0.01)


MANY, LARGE, MOST = 400, 90_000, 100_000
"""More than all buffers between two parties hold."""


async def sends(mesh, to, seconds):
    for _ in range(MANY):
        await mesh.links[to].send(Kind.BYTES, "column", bytes(LARGE), seconds)


def held(link):
    """Whether it has stopped reading."""
    return link._unread > UNREAD * (MOST + FRAME)


def test_what_waits_to_be_taken_is_bounded_and_nothing_of_it_is_lost():
    agreement, secrets = house("ABC", max_message=MOST)

    async def session():
        async with AsyncExitStack() as stack:
            found = await meshes_of(agreement, secrets, stack)
            sender, link = asyncio.create_task(sends(found["B"], "A", 60.0)), found["A"].links["B"]
            await until(lambda: held(link))
            sizes = []
            for _ in range(MANY):
                for _ in range(50):
                    await asyncio.sleep(0)  # a turn for whoever would read on
                sizes.append(link._unread)
                assert len(await link.receive(Kind.BYTES, "column", 60.0)) == LARGE
            await sender
            return max(sizes)

    assert asyncio.run(session()) <= (UNREAD + 1) * (MOST + FRAME)


def test_who_cannot_be_read_from_for_a_while_hears_why():
    """A waits for C and has no room for more of B's, whose questions it cannot read: it tells B for whom it waits, unasked."""
    agreement, secrets = house("ABC", max_message=MOST, round_timeout=20.0)

    async def session():
        async with AsyncExitStack() as stack:
            found = await meshes_of(agreement, secrets, stack)
            sender = asyncio.create_task(sends(found["B"], "A", 20.0))
            waits = asyncio.create_task(found["A"].links["C"].receive(Kind.BYTES, "column", 20.0))
            await until(lambda: held(found["A"].links["B"]))
            await until(lambda: (wait := found["B"].wait) is not None and wait.until - wait.since > 20.0)
            found["C"].links["A"].send_nowait(Kind.BYTES, "column", b"")
            await waits
            for _ in range(MANY):
                await found["A"].links["B"].receive(Kind.BYTES, "column", 20.0)
            await sender

    asyncio.run(session())


def test_a_message_beyond_the_agreed_size_is_an_error_of_who_would_send_it():
    """The others hear that it ended, and nothing of the kind that names it for a bad message."""
    agreement, secrets = house("ABC")

    async def sends_too_much():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            await NetworkParty(mesh, Ring(agreement.modulus)).send_bytes("A", "share", bytes(100_000))

    async def session():
        running = asyncio.create_task(sends_too_much())
        found = await everybody(agreement, secrets, names="AC")
        return found, *await asyncio.gather(running, return_exceptions=True)

    found, own = asyncio.run(session())
    assert isinstance(own, TacitError) and "agree on a larger max_message" in str(own) and own.exit_code == 2
    assert all(isinstance(one, PartyAborted) and one.party == "B" for one in found.values()), found


def test_sums_that_fit_into_no_message_are_refused_before_anybody_is_called():
    task = {**TASK, "compute": "histogram", "bins": 1000}
    for protocol, one in PROTOCOLS.items():
        modulus = one.modulus or 2**64
        with pytest.raises(TacitError, match="session.max_message: 1,500 bytes are agreed on"):
            check_task(house("ABC", protocol, max_message=1500, modulus=modulus, task=task)[0])
        assert check_task(house("ABC", protocol, max_message=100_000, modulus=modulus, task=task)[0])
    noisy = {**task, "rho": 1.0, "delta": 1e-6, "colluders": 0}
    with pytest.raises(TacitError, match="max_message"):
        check_task(house("ABC", "dp_sum", max_message=1500, task=noisy)[0])


def test_items_that_fit_into_no_message_are_told_with_the_own_file():
    session = SESSIONS["set_intersection"]
    few, frame = session.house("few", max_message=1000)[0], session.frames["A"]
    assert task_of(few).load_input(frame, "A") == ["x", "y"]
    with pytest.raises(TacitError, match="agree on max_message = 3264 or more"):
        task_of(few).load_input(frame.clear(100).with_row_index().select(id="index"), "A")


def test_the_largest_message_of_a_sum_is_as_said():
    """So that nothing is refused that would fit, and nothing begun that would not."""
    for name, one in PROTOCOLS.items():
        session = SESSIONS[name]
        agreement, secrets = session.house(name, max_message=one.message(3, 2) + 64)
        found = asyncio.run(everybody(agreement, secrets))
        longest = max(seen.size + 48 * seen.sealed for ended in found.values() for seen in ended.saw)
        assert longest <= one.message(3, 2) <= longest + 66, (name, longest)
