"""Who is named when a message does not come: the silent party, never one that waits for it; and every wait has an end (I-07)."""

from __future__ import annotations

import asyncio

import polars as pl
import pytest

from tacit.multiparty.faults import BadMessage, Fault, PartyTimeout
from tacit.multiparty.protocols.verified_sum import verified_sum
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, taking_part
from tacit.multiparty.wire.frame import Kind
from tacit.multiparty.wire.mesh import Mesh, open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .parties import ages, everybody, house
from .sessions import SESSIONS

SHORT = 1.0


async def beside(agreement, secrets, session, rogue):
    """What came of the honest parties while B does something of its own."""
    running = asyncio.create_task(rogue(agreement, secrets["B"]))
    frames = session.frames if session else {name: ages(name) for name in agreement.names}
    found = await everybody(agreement, secrets, names=[n for n in agreement.names if n != "B"], frames=frames)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return found


async def says_nothing(agreement, secret):
    """It greets as it should, and is silent from then on."""
    async with open_mesh(agreement, secret):
        await asyncio.sleep(60)


def test_a_silent_party_is_named_in_every_protocol_and_its_neighbours_are_not():
    """On rings and in chains the first party waits for the last, which waits for the silent one."""

    async def all_of_them():
        made = [(one, *one.house(name, round_timeout=SHORT)) for name, one in SESSIONS.items()]
        return await asyncio.gather(*(beside(*pair, session, says_nothing) for session, *pair in made))

    for name, found in zip(SESSIONS, asyncio.run(all_of_them()), strict=True):
        assert all(isinstance(one, PartyTimeout) and one.exit_code == 13 for one in found.values()), (name, found)
        assert {one.party for one in found.values()} == {"B"}, (name, found)


class Slow(NetworkParty):
    """A seat at which a party takes its time, within what was agreed on."""

    async def send(self, to, step, words, *, sealed=False):
        await asyncio.sleep(SHORT if step == "running total" else 0)
        await super().send(to, step, words, sealed=sealed)


async def slow_chain():
    agreement, secrets = house("ABCDE", "ring_sum", round_timeout=3 * SHORT)
    return await everybody(agreement, secrets)


class ToOneSilent(NetworkParty):
    """Sends nothing to A, and waits for ever."""

    async def send_bytes(self, to, step, data):
        if to != "A":
            await super().send_bytes(to, step, data)

    async def recv_bytes(self, sender, step, size=None):
        try:
            return await super().recv_bytes(sender, step, size)
        except PartyTimeout:
            return await asyncio.sleep(60)


def silent_to_one(excuses):
    """B follows the protocol of commitments, but for A, whom it sends nothing, or nothing but excuses."""

    async def rogue(agreement, secret):
        ring = Ring(agreement.modulus)
        words = ring.words(check_task(agreement).load_input(ages("B"), "B"))
        async with open_mesh(agreement, secret) as mesh:
            lying = asyncio.create_task(_lying(mesh)) if excuses else None
            try:
                await verified_sum(ToOneSilent(mesh, ring), words)
                await asyncio.sleep(60)
            finally:
                if lying is not None:
                    lying.cancel()

    return rogue


async def _lying(mesh):
    while True:
        mesh.links["A"].send_nowait(Kind.WAITS, "wait", b'{"for": "C", "seconds": 3600}')
        await asyncio.sleep(SHORT / 10)


async def withheld(excuses):
    agreement, secrets = house("ABC", "verified_sum", round_timeout=SHORT / 2, connect_timeout=2.0)
    return await beside(agreement, secrets, None, silent_to_one(excuses))


async def excused_by_us():
    agreement, secrets = house("AB", round_timeout=SHORT)

    async def waits_for_a(agreement, secret):
        async with open_mesh(agreement, secret) as mesh:
            while True:
                mesh.links["A"].send_nowait(Kind.WAITS, "wait", b'{"for": "A", "seconds": 3600}')
                await asyncio.sleep(SHORT / 10)

    frames = {"A": pl.DataFrame({"age": [1]}), "B": pl.DataFrame({"age": [2]})}
    return await beside(agreement, secrets, type("Session", (), {"frames": frames}), waits_for_a)


@pytest.fixture(scope="module")
def waited():
    """What came of the sessions that mostly wait: they do so at the same time."""

    async def all_of_them():
        return await asyncio.gather(slow_chain(), withheld(excuses=False), withheld(excuses=True), excused_by_us())

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tacit.multiparty.session.NetworkParty", Slow)  # slow on rings only
        found = asyncio.run(all_of_them())
    return dict(zip(("slow chain", "withheld", "withheld with excuses", "excused by us"), found, strict=True))


def test_a_chain_of_slow_parties_may_take_longer_than_one_message(waited):
    """Five on a ring, each within the time for a message: the first waits for five of them."""
    assert {one.figures["mean"]["age"] for one in waited["slow chain"].values()} == {352 / 9}


@pytest.mark.parametrize("how", ["withheld", "withheld with excuses"])
def test_who_withholds_from_one_is_named_to_all_and_its_victim_is_not(how, waited):
    """C has all that it needs from B, and waits for A. Excuses that are made up buy time, and no more."""
    found = waited[how]
    assert all(isinstance(one, PartyTimeout) and one.party == "B" for one in found.values()), found
    assert found["A"].told_by is None and found["C"].told_by == "A"


def test_a_party_that_takes_nothing_in_is_overdue_too():
    """All buffers between the two are full, so that sending would not end by itself."""
    agreement, secrets = house("AB", max_message=30_000_000)

    async def reads_nothing():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            mesh.links["A"]._reader._transport.pause_reading()
            await asyncio.sleep(60)

    async def session():
        quiet = asyncio.create_task(reads_nothing())
        with pytest.raises(PartyTimeout, match="party 'B' takes nothing in for 1"):
            async with open_mesh(agreement, secrets["A"]) as mesh:
                for _ in range(3):
                    await mesh.links["B"].send(Kind.BYTES, "column", bytes(20_000_000), SHORT)
        quiet.cancel()
        await asyncio.gather(quiet, return_exceptions=True)

    asyncio.run(session())


def test_a_party_started_twice_is_told_so_and_the_first_one_stays():
    agreement, secrets = house("ABC")

    async def session():
        first = asyncio.create_task(everybody(agreement, secrets, names="AB"))
        await asyncio.sleep(0.5)
        with pytest.raises(BadMessage, match="party 'B' is there already: it was started twice") as told:
            await taking_part(agreement, secrets["B"], ages("B"), listen="127.0.0.1:0")
        return told.value, (await everybody(agreement, secrets, names="C")) | await first

    told, found = asyncio.run(session())
    assert told.told_by == "A" and {one.figures["mean"]["age"] for one in found.values()} == {224 / 6}


def test_patience_with_excuses_grows_from_wait_to_wait():
    """Against one who makes them up, whoever waited first ends first: the next in the chain still waits for it then."""
    agreement, secrets = house("ABC", round_timeout=20.0, connect_timeout=30.0)

    async def patience():
        mesh = Mesh(agreement, secrets["A"])
        found = []
        for _ in range(3):
            with mesh.wait_for("B", 20.0) as wait:
                wait.extend_deadline(wait.since, left=10.0**6)
                found.append(wait.until - wait.since)
        return found

    assert asyncio.run(patience()) == pytest.approx([3 * 30 + 20, 3 * 30 + 40, 3 * 30 + 60])


def test_hearsay_is_passed_on_as_hearsay():
    """B tells A alone that C was silent. A says whose word it is, and C hears that from A."""
    agreement, secrets = house("ABC")

    async def tells_a(agreement, secret):
        async with open_mesh(agreement, secret) as mesh:
            said = b'{"fault": "overdue", "party": "C", "step": "share", "what": "sent nothing"}'
            mesh.links["A"].send_nowait(Kind.ABORT, "abort", said)
            await asyncio.sleep(60)

    found = asyncio.run(beside(agreement, secrets, None, tells_a))
    assert all(isinstance(one, Fault) and one.party == "C" for one in found.values())
    assert found["A"].told_by == "B" and found["C"].told_by == "A" and "as party 'B' says" in str(found["C"])
    assert "only they can see" in str(found["A"])


def test_excuses_are_not_for_oneself(waited):
    """B waits for A, and says so to A: that is no reason to wait longer for B."""
    found = waited["excused by us"]
    assert isinstance(found["A"], PartyTimeout) and found["A"].party == "B"
