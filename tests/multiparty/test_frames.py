"""What a broken or spiteful program can send inside a right connection, in every protocol: it is named, and nothing is computed (I-07).

All sessions of a test run at once over real sockets and TLS. B runs the real protocol, and one of its frames is changed before it
goes out.
"""

from __future__ import annotations

import asyncio

import pytest

from tacit.errors import TacitError
from tacit.multiparty.faults import BadMessage, Fault
from tacit.multiparty.session import TASKS
from tacit.multiparty.wire.frame import Kind

from .frames import CONTENTS, NONSENSE, spoiling
from .parties import everybody
from .sessions import SESSIONS

pytestmark = pytest.mark.usefixtures("one_key")


def ended(monkeypatch, plans, seconds=20.0):
    """What came of everybody in the sessions of the plans, and what they sent."""

    async def all_of_them():
        running = []
        for name in plans:
            session = SESSIONS[name.split(": ")[0]]
            agreement, secrets = session.house(name, round_timeout=seconds)
            running.append(everybody(agreement, secrets, frames=session.frames))
        return await asyncio.gather(*running)

    with spoiling(monkeypatch, plans) as wires:
        return dict(zip(plans, asyncio.run(all_of_them()), strict=True)), wires


def test_every_protocol_has_a_session_that_ends_well(monkeypatch):
    """So that the tests below fail for the nonsense."""
    assert {one.protocol for one in SESSIONS.values()} == set(TASKS)
    for name, found in ended(monkeypatch, dict.fromkeys(SESSIONS, (None, None, 0)))[0].items():
        assert not any(isinstance(one, TacitError) for one in found.values()), (name, found)


@pytest.mark.parametrize("what", NONSENSE)
def test_a_party_that_sends_nonsense_is_named_in_every_protocol(what, monkeypatch, capsys):
    """A frame that is held back goes out after the next, which may be the question what the others wait for."""
    seconds = 4.0 if what == "reorder" else 20.0
    found, wires = ended(monkeypatch, {f"{name}: {what}": ("B", what, 0) for name in SESSIONS}, seconds)
    for name, ends in found.items():
        honest = {who: one for who, one in ends.items() if who != "B"}
        assert all(isinstance(one, BadMessage) and one.exit_code == 11 for one in honest.values()), (name, ends)
        assert {one.party for one in honest.values()} == {"B"}, (name, ends)
        silent_after_abort(name, wires, honest)
    assert "ran code" not in capsys.readouterr().out


def silent_after_abort(name, wires, honest):
    """On each of its links an honest party sends one ABORT, and nothing after it."""
    for who in honest:
        for wire in wires[name, who].values():
            assert wire.kinds.count(Kind.ABORT) == 1 and wire.kinds[-1] == Kind.ABORT, (name, who, wire.kinds)


@pytest.mark.parametrize("who", ["A", "B"])
def test_no_contents_of_a_message_end_in_an_error_of_ours(who, monkeypatch):
    """Everybody ends with a result or with an error that names a party; any other exception would end this test."""
    plans = {f"{name}: {what}": (who, what, 0) for name in SESSIONS for what in CONTENTS}
    found, _ = ended(monkeypatch, plans, seconds=6.0)
    assert sum(any(isinstance(one, Fault) for one in ends.values()) for ends in found.values()) > len(SESSIONS)


@pytest.mark.parametrize("who", ["A", "C"])
def test_it_is_the_same_whoever_sends_it(who, monkeypatch):
    """Also the first party, which collects and announces, and the last; and in a later frame."""
    chosen = [name for name, one in SESSIONS.items() if who in one.frames]
    plans = {f"{name}: {at}": (who, "duplicate", at) for name in chosen for at in (0, 1)}
    found, wires = ended(monkeypatch, plans)
    spoilt = [name for name in plans if any(wire.spoilt for wire in wires[name, who].values())]
    assert set(spoilt) >= {f"{name}: 0" for name in chosen} and len(spoilt) > len(chosen) + 3
    for name in spoilt:
        honest = [one for other, one in found[name].items() if other != who]
        assert all(isinstance(one, Fault) and one.party == who for one in honest), (name, found[name])
