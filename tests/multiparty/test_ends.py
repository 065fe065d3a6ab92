"""A party that ends before the others: stopped and started again while they connect, or with an error of its own in the middle (I-07)."""

from __future__ import annotations

import asyncio
import json

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.multiparty.faults import BadMessage, MissingParty, PartyAborted
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import taking_part
from tacit.multiparty.wire import mesh as meshes
from tacit.multiparty.wire.frame import Kind
from tacit.multiparty.wire.link import Link
from tacit.multiparty.wire.mesh import Mesh, open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .parties import ages, everybody, house
from .sessions import SESSIONS
from .test_unread import until


@pytest.fixture
def made(monkeypatch):
    """All meshes, in the order in which they are made."""
    found = []

    class Kept(Mesh):
        def __init__(self, agreement, secret):
            super().__init__(agreement, secret)
            found.append(self)

        async def _exchange_ready(self, nonces):
            assert self._waits == 0, "all begin to count their waits here"
            await super()._exchange_ready(nonces)

    monkeypatch.setattr(meshes, "Mesh", Kept)
    return found


async def stopped(*tasks):
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)


def there(made, one, other):
    """Whether the last mesh of a party holds a sound connection to another."""
    return next(mesh for mesh in reversed(made) if mesh.me == one).is_connected(other)


@pytest.mark.parametrize(("quits", "stays"), ["AB", "BA"])
def test_who_is_started_again_before_all_are_there_was_not_started_twice(quits, stays, made):
    """Both the one that calls and the one that is called; the third comes last."""
    agreement, secrets = house("ABC", connect_timeout=60.0)

    def start(name):
        return asyncio.create_task(taking_part(agreement, secrets[name], ages(name)))

    async def session():
        first, other = start(quits), start(stays)
        await until(lambda: len(made) == 2 and there(made, quits, stays) and there(made, stays, quits))
        await stopped(first)
        await until(lambda: not there(made, stays, quits))
        again = start(quits)
        await until(lambda: len(made) == 3 and there(made, stays, quits) and there(made, quits, stays))
        return await asyncio.wait_for(asyncio.gather(again, other, start("C")), 60)

    assert {one.figures["mean"]["age"] for one in asyncio.run(session())} == {224 / 6}


def test_who_goes_away_among_the_greetings_may_come_again_and_its_old_one_does_not_count(made, monkeypatch):
    """C has greeted A and B; A keeps them waiting, so that nobody is ready yet."""
    agreement, secrets = house("ABC", connect_timeout=60.0)
    held = asyncio.Event()
    greets = Mesh._exchange_hello

    async def hello(mesh, nonces, until):
        if mesh.me == "A":
            await held.wait()
        await greets(mesh, nonces, until)

    monkeypatch.setattr(Mesh, "_exchange_hello", hello)

    async def session():
        first = asyncio.create_task(taking_part(agreement, secrets["C"], ages("C")))
        rest = asyncio.create_task(everybody(agreement, secrets, names="AB"))
        await until(lambda: len(made) == 3 and all(there(made, one, "C") for one in "AB"))
        await until(lambda: any(mesh.me == "C" and len(mesh._greeted) == 2 for mesh in made))
        await stopped(first)
        await until(lambda: not there(made, "A", "C") and not there(made, "B", "C"))
        again = asyncio.create_task(taking_part(agreement, secrets["C"], ages("C")))
        await until(lambda: there(made, "A", "C") and there(made, "B", "C"))
        held.set()
        return {**await rest, "C": await again}

    assert {one.figures["mean"]["age"] for one in asyncio.run(session()).values()} == {224 / 6}


def test_who_goes_away_and_does_not_come_again_is_named_for_it(made):
    agreement, secrets = house("ABC", connect_timeout=4.0)

    async def session():
        first = asyncio.create_task(taking_part(agreement, secrets["B"], ages("B")))
        alone = asyncio.create_task(everybody(agreement, secrets, names="A"))
        await until(lambda: len(made) == 2 and there(made, "A", "B"))
        await stopped(first)
        return (await alone)["A"]

    found = asyncio.run(session())
    assert isinstance(found, MissingParty) and "party 'B' went away and was not there within 4 s" in str(found)


def test_who_greets_two_parties_differently_is_in_the_error_of_both(monkeypatch):
    """C shows A and B two numbers. From inside, one of those who disagree is at fault, and the error says who they are; C may
    be the first to say so."""
    agreement, secrets = house("ABC")
    sends = Link.send

    async def otherwise(link, kind, step, payload, seconds):
        if kind == Kind.HELLO and (link._listener.me, link.peer) == ("C", "B"):
            payload = json.dumps(json.loads(payload) | {"nonce": "0" * 32}).encode()
        await sends(link, kind, step, payload, seconds)

    monkeypatch.setattr(Link, "send", otherwise)
    found = asyncio.run(everybody(agreement, secrets))
    for name in "AB":
        assert isinstance(found[name], BadMessage) and "party 'C'" in str(found[name]) and found[name].told_by, found


def ending(protocol, steps):
    """A session of three in which B runs the protocol for so many steps, and then has an error of its own."""
    agreement, secrets = house("ABC", protocol)
    told = TacitError("has the value 277 in row 3", code="unsuitable_column", column="age", fix="mend it")

    async def own_error():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            await steps(NetworkParty(mesh, Ring(agreement.modulus)))
            raise told

    async def session():
        running = asyncio.create_task(own_error())
        found = await everybody(agreement, secrets, names="AC")
        assert await asyncio.gather(running, return_exceptions=True) == [told]
        return found

    return asyncio.run(session())


async def nothing(_):
    pass


@pytest.mark.parametrize("protocol", ["additive_sum", "ring_sum", "verified_sum", "shamir_sum"])
def test_of_an_error_of_its_own_the_others_hear_that_a_party_ended_and_not_why(protocol):
    """At once: nobody waits for its deadline, which is longer than this test may take."""
    for one in ending(protocol, nothing).values():
        assert isinstance(one, PartyAborted) and one.party == "B" and one.exit_code == 10
        assert "it ended with an error of its own" in str(one) and "277" not in str(one) and "row 3" not in str(one)


def test_what_a_party_sent_before_it_ended_is_still_good():
    """Shamir's sum does without those who end after they dealt their points."""

    async def deals(seat):
        for other in seat.others:
            await seat.send(other, "point", seat.ring.words([1, 10]))
        for other in seat.others:
            await seat.receive(other, "point", 2)

    found = ending("shamir_sum", deals)
    assert all(not isinstance(one, TacitError) and "did not confirm" in one.notes[0] for one in found.values()), found


def test_who_has_the_same_error_tells_its_own():
    """No row matches: both find out for themselves, and neither is sent to ask the other."""
    columns = {name: {"party": name.upper(), "low": 0, "high": 9} for name in "ab"}
    task = {"compute": "correlation", "join": "id", "rows": 5, "least_rows": 2, "columns": columns}
    frames = {"A": pl.DataFrame({"id": [1, 2], "a": [1, 2]}), "B": pl.DataFrame({"id": [3, 4], "b": [1, 2]})}

    def ended(**more):
        agreement, secrets = house("AB", "scalar_product", task=task | more)
        return asyncio.run(everybody(agreement, secrets, frames=frames))

    for found in (ended(), ended(to="B")):
        assert all("rows match" in str(one) for one in found.values()), found


def test_a_server_whose_owner_leaves_or_ends_says_so():
    """And not that the owner sent what is no key."""
    session = SESSIONS["outsourced"]

    async def left(problem):
        agreement, secrets = session.house("outsourced")

        async def owner():
            async with open_mesh(agreement, secrets["A"]):
                if problem is not None:
                    raise problem

        running = asyncio.create_task(owner())
        found = await everybody(agreement, secrets, names="B", frames=session.frames)
        await asyncio.gather(running, return_exceptions=True)
        return found["B"]

    assert type(asyncio.run(left(None))) is MissingParty
    assert type(asyncio.run(left(TacitError("no", code="invalid_protocol_input", fix="yes")))) is PartyAborted


def test_that_another_party_ended_is_passed_on_as_hearsay():
    agreement, secrets = house("ABC")

    async def tells():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            mesh.abort(PartyAborted.by_itself("C"))
            await asyncio.sleep(3600)

    async def session():
        running = asyncio.create_task(tells())
        found = await everybody(agreement, secrets, names="AC")
        await stopped(running)
        return found

    found = asyncio.run(session())
    assert isinstance(found["A"], PartyAborted) and found["A"].party == "C" and found["A"].told_by in ("B", "C")
