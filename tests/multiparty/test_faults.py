"""What a network can do to a session: all parties end by themselves, with a party named, and nobody has a result (I-07).

All sessions of a test run at once over real sockets and TLS. Where a link breaks, each end names the other: from inside, a
broken link and a party that went away are the same. A flipped bit, a record that comes twice, late or again cannot be read
under TLS, and counts as a bad message.
"""

from __future__ import annotations

import asyncio
from itertools import product

import pytest

from tacit.multiparty.faults import BadMessage, Fault, MissingParty, PartyTimeout
from tacit.multiparty.protocols.protocol import PROTOCOLS

from .parties import Proxy, everybody
from .sessions import SESSIONS

pytestmark = pytest.mark.usefixtures("one_key")
FAULTS = {
    "drop": MissingParty,
    "truncate": MissingParty,
    "stall": PartyTimeout,
    "flip": BadMessage,
    "duplicate": BadMessage,
    "replay": BadMessage,
    "reorder": BadMessage,
    "oversize": BadMessage,
}
WHOLE = [name for name, one in PROTOCOLS.items() if not one.drop_outs]
"""Protocols that need everybody to the end."""
GREETED = 2
"""A caller's records with data begin after those of HELLO and READY."""
AT = {
    "hello": (0, ["additive_sum", "shamir_sum"]),
    "first message": (GREETED, WHOLE),
    "second message": (GREETED + 1, ["verified_sum"]),
}
OTHERS = [name for name in SESSIONS if name not in PROTOCOLS]
THREE = [name for name, one in SESSIONS.items() if len(one.frames) == 3 and name != "shamir_sum"]
SILENT = [
    *((name, "stall", skipped) for skipped, names in AT.values() for name in names),
    *((name, fault, 0) for name in AT["hello"][1] for fault in FAULTS if fault != "stall"),  # A may come again
    *((name, "stall", GREETED) for name in OTHERS),
    *((name, "stall", GREETED, "B") for name in THREE),
    *(("additive_sum", fault, -1) for fault in FAULTS),
    *((name, "refuse", 0) for name in SESSIONS),
]
"""Sessions in which a deadline passes before anybody notices."""


MEETING = 6
"""So many sessions connect at once: on a busy machine all of them together would take longer than a deadline."""
SHORT, LONG = 10.0, 120.0
"""Seconds of a deadline that passes in a session, and of one that must not."""


async def with_fault(meeting, name, fault, skipped, who="A"):
    """Later parties reach one through the proxy, which spoils what they send after so many records of data.

    The session has its turn among those that connect until the fault has begun.
    """
    await meeting.acquire()  # ports are chosen when they are used, or others could take them meanwhile
    session = SESSIONS[name]
    agreement, secrets = session.house(
        name,
        round_timeout=SHORT if fault == "stall" else LONG,  # only who is silent is waited for
        connect_timeout=SHORT if skipped < GREETED else LONG,
    )
    async with Proxy(fault, skipped) as proxy:
        behind = proxy.before(agreement, who)
        running = asyncio.create_task(everybody(behind, secrets, frames=session.frames, listen={who: proxy.listen}))
        begun = asyncio.create_task(proxy.begun.wait())
        await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        meeting.release()
        return await running


def sessions(cases):
    async def all_of_them():
        meeting = asyncio.Semaphore(MEETING)
        return await asyncio.gather(*(with_fault(meeting, *case) for case in cases))

    return dict(zip(cases, asyncio.run(all_of_them()), strict=True))


@pytest.fixture(scope="module")
def silent(one_key):
    """What came of the sessions that wait: they wait together, once for all tests."""
    return sessions(SILENT)


def with_silent(cases, silent):
    """What came of these sessions, of which some have waited already."""
    found = sessions([case for case in cases if case not in silent])
    return {case: silent[case] if case in silent else found[case] for case in cases}


def test_the_proxy_alone_changes_nothing():
    """So that the tests below fail for the fault."""
    (ended,) = sessions([("additive_sum", "none", 0)]).values()
    assert {name: one.figures["mean"]["age"] for name, one in ended.items()} == dict.fromkeys("ABC", 224 / 6)


@pytest.mark.parametrize(("skipped", "protocols"), AT.values(), ids=AT)
def test_every_fault_ends_every_protocol_at_every_party(skipped, protocols, silent):
    for case, ended in with_silent([(*case, skipped) for case in product(protocols, FAULTS)], silent).items():
        assert all(isinstance(one, Fault) for one in ended.values()), (case, ended)
        assert all(one.party in "ABC" and one.party != name for name, one in ended.items() if one.told_by is None)
        assert any(isinstance(one, FAULTS[case[1]]) for one in ended.values()), (case, ended)


@pytest.mark.parametrize("fault", FAULTS)
def test_other_protocols_end_at_every_party_too(fault, silent):
    """That each ends well without a fault is tested with its frames."""
    for case, ended in with_silent([(name, fault, GREETED) for name in OTHERS], silent).items():
        assert all(isinstance(one, Fault) for one in ended.values()), (case, ended)
        assert any(isinstance(one, FAULTS[fault]) for one in ended.values()), (case, ended)


def test_a_party_that_cannot_be_reached_is_missing_in_every_protocol(silent):
    for case, ended in with_silent([(name, "refuse", 0) for name in SESSIONS], silent).items():
        assert all(isinstance(one, MissingParty) and one.exit_code == 10 for one in ended.values()), (case, ended)
        assert {one.party for name, one in ended.items() if name != "A"} == {"A"}, (case, ended)


@pytest.mark.parametrize("fault", ["drop", "flip", "stall"])
def test_a_party_whose_links_are_sound_is_never_named(fault, silent):
    """Only C calls B. A may wait for either of them, as long as they wait for one another."""
    for case, ended in with_silent([(name, fault, GREETED, "B") for name in THREE], silent).items():
        assert isinstance(ended["B"], Fault), (case, ended)
        assert all(one.party in "BC" for one in ended.values() if isinstance(one, Fault)), (case, ended)
        whole = {name for name, one in ended.items() if not isinstance(one, Fault)}
        assert whole in (set(), {"A", "C"}), (
            case,
            ended,
        )  # where C sends B nothing before it, its last confirmation is lost


def test_before_the_handshake_is_over_nobody_is_there(silent):
    for ended in with_silent([("additive_sum", fault, -1) for fault in FAULTS], silent).values():
        assert isinstance(ended["A"], MissingParty) and ended["A"].party == "B"
        assert all(isinstance(one, Fault) for one in ended.values())


def test_shamir_goes_on_without_links_that_break_once_the_points_are_dealt():
    """A no longer hears B and C, who still hear one another: two of three are enough for the sum of all."""
    for ended in sessions([("shamir_sum", fault, GREETED + 1) for fault in ("drop", "truncate")]).values():
        assert isinstance(ended["A"], MissingParty)
        assert [ended[name].figures["mean"]["age"] for name in "BC"] == [224 / 6] * 2
        assert "did not confirm" in ended["B"].notes[0]
