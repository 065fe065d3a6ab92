"""Messages without a sender, records without a question: what coalitions see, exactly, and that all arrives (I-05, I-08)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from functools import partial
from itertools import product
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty.faults import BadMessage
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task
from tacit.multiparty.tasks import message_task as dinner
from tacit.multiparty.tasks.message_task import (
    agree_pads,
    dining_cryptographers,
    frame_message,
    unframe_message,
    xor_words,
)
from tacit.multiparty.tasks.retrieval_task import from_one_server, from_two_servers
from tacit.multiparty.wire.mesh import open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .ideal import trusted_messages
from .over_tls import agreed, joined
from .parties import everybody, house
from .test_products import Answers
from .views import coalitions, leaks


async def with_drawn_pads(seat, words, *, shared_by=lambda left, right: True):
    """The protocol with pads that the earlier party of each pair draws and hands to the later one."""
    place, shared = list(seat.names).index(seat.me), {}
    for at, other in enumerate(seat.names):
        if other == seat.me or not shared_by(*sorted((seat.me, other))):
            continue
        if at > place:
            shared[other] = seat.uniform(len(words))
            await seat.send(other, "pad", shared[other])
        else:
            shared[other] = await seat.receive(other, "pad", len(words))
    return await xor_words(seat, words, shared)


def senders(parties, coalition):
    """The same bit, sent by each party outside the coalition."""
    names = "ABCDE"[:parties]
    return [tuple(int(one == name) for one in names) for name in names if name not in coalition]


@pytest.mark.parametrize("parties", [3, 4])
def test_all_but_two_do_not_learn_who_of_the_two_sent(parties):
    for coalition in coalitions(parties, parties - 2):
        assert not leaks(with_drawn_pads, 2, coalition, senders(parties, coalition))


def test_all_but_one_learn_whether_the_last_sent():
    assert leaks(with_drawn_pads, 2, "AB", [(0, 0, 0), (0, 0, 1)])


def test_without_a_pad_between_two_who_sent_is_seen():
    """Planted: no pads at all; and none between the second and the third, whose words B and C then cannot hide from A's."""
    assert leaks(partial(with_drawn_pads, shared_by=lambda *_: False), 2, "A", senders(3, "A"))
    assert leaks(
        partial(with_drawn_pads, shared_by=lambda left, right: (left, right) != ("B", "C")), 2, "A", senders(3, "A")
    )


def test_pads_of_a_pair_are_equal_and_no_two_pairs_share_one():
    async def program(seat, count):
        return await agree_pads(seat, count)

    found = run_protocol(program, dict.fromkeys("ABC", 4), LocalNetwork("ABC", Ring(2**64)))
    assert all(np.array_equal(found[a][b], found[b][a]) for a in "ABC" for b in found[a])
    assert len({tuple(pad.tolist()) for of in found.values() for pad in of.values()}) == 3
    again = run_protocol(program, dict.fromkeys("ABC", 4), LocalNetwork("ABC", Ring(2**64)))
    assert not np.array_equal(found["A"]["B"], again["A"]["B"])


@settings(max_examples=20)
@given(st.lists(st.none() | st.binary(max_size=9), min_size=2, max_size=5), st.integers(1, 30))
def test_all_messages_are_heard_or_their_senders_know(messages, slots):  # catalogue: I-05
    inputs = dict(zip("ABCDE", messages, strict=False))
    program = partial(dining_cryptographers, slots=slots, size=9, rounds=3)
    found = run_protocol(program, inputs, LocalNetwork(list(inputs), Ring(2**64)))
    assert len({(one.messages, one.collisions) for one in found.values()}) == 1
    heard = trusted_messages({name: inputs[name] if one.delivered else None for name, one in found.items()})
    assert found["A"].messages == heard
    assert slots > 1 or sum(one is not None for one in messages) < 2 or heard == ()
    assert all((found[name].delivered is None) == (one is None) for name, one in inputs.items())


def test_two_in_one_slot_collide_and_come_through_in_another(monkeypatch):
    slots = iter([0, 0, 1, 0, 1, 0])
    monkeypatch.setattr(dinner.secrets, "randbelow", lambda _: next(slots))
    program = partial(dining_cryptographers, slots=2, size=4, rounds=2)
    found = run_protocol(program, {"A": b"one", "B": b"two"}, LocalNetwork("AB", Ring(2**64)))
    assert {(one.messages, one.collisions, one.delivered) for one in found.values()} == {((b"one", b"two"), 1, True)}


@given(st.binary(max_size=14), st.binary(max_size=14))
def test_collisions_are_noticed_also_of_equal_messages(one, two):
    """False alarm, or none, with chance 2^−64 a case."""
    assert unframe_message(frame_message(one, 4)) == one
    assert unframe_message(frame_message(one, 4) ^ frame_message(two, 4)) is None
    assert (frame_message(one, 4) ^ frame_message(one, 4)).any()


def test_a_pad_key_of_small_order_is_refused():
    table = LocalNetwork("AB", Ring(2**64))
    table.seats["A"] = Answers(table.seats["A"], "key of a pad", bytes(32))
    with pytest.raises(BadMessage, match="party 'A' sent a point of small order"):
        run_protocol(partial(dining_cryptographers, slots=1, size=1, rounds=1), {"A": b"x", "B": None}, table)


class Spoils(NetworkParty):
    """Announces something else to some, and commits to each of them what it announces to it: as far as signatures let it."""

    spoilt: ClassVar[set[str]] = set()

    async def send(self, to, step, words, *, sealed=False):
        await super().send(to, step, words ^ np.uint64(to in self.spoilt) if step == "announcement" else words)

    async def send_bytes(self, to, step, data):
        if step == "commitments" and to in self.spoilt:
            other = hashlib.sha256(b"another announcement").digest()
            data = other + self.sign("sum 1: commitments", other)
        await super().send_bytes(to, step, data)


async def with_spoiler(seat_of, spoilt):
    """How all end when A spoils what it says to some of them, over real connections."""
    agreement, secret_keys = house("ABCDE", "dining_cryptographers", task={"slots": 4, "size": 8, "rounds": 3})
    frames = dict.fromkeys("ABCDE", pl.DataFrame({"message": []}, schema={"message": pl.String}))
    frames["D"] = pl.DataFrame({"message": ["it is I"]})

    async def spoiler():
        task = check_task(agreement)
        async with open_mesh(agreement, secret_keys["A"]) as mesh:
            seat = seat_of(mesh, Ring(2**64))
            seat.spoilt = set(spoilt)
            await task.run(seat, None)

    running = asyncio.create_task(spoiler())
    found = await everybody(agreement, secret_keys, names="BCDE", frames=frames)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return found


@pytest.mark.parametrize("spoilt", ["BCD", "E"])
def test_who_commits_differently_to_different_parties_is_proven_a_cheater(spoilt):
    """It saw from who sends again who had a message: 10 of 10 senders once. Now nobody announces anything before all compared."""
    found = asyncio.run(with_spoiler(Spoils, spoilt))
    assert {(one.exit_code, one.party) for one in found.values()} == {(12, "A")}, found


class Announces(Spoils):
    """Commits alike to all, and announces something else to some."""

    async def send_bytes(self, to, step, data):
        await NetworkParty.send_bytes(self, to, step, data)


@pytest.mark.parametrize("spoilt", ["BCDE", "C"])
def test_who_announces_something_else_than_it_committed_to_is_named_in_that_round(spoilt):
    found = asyncio.run(with_spoiler(Announces, spoilt))
    assert {one.party for one in found.values()} == {"A"} and {one.exit_code for one in found.values()} == {11}, found


def queries(program, wanted, count):
    """What the servers see, alone and together, over all random bits of the user."""
    seen = Counter(), Counter(), Counter()
    for tape in product((0, 1), repeat=count):
        table = LocalNetwork("USV", Ring(2**64), lambda _, size, tape=tape: np.array(tape[:size], np.uint64))
        records = [bytes([place]) for place in range(count)]
        found = run_protocol(
            partial(program, user="U", count=count, size=1), {"U": wanted, "S": records, "V": records}, table
        )
        assert found["U"] == records[wanted]
        one, two = (tuple(table.seats[name].view) for name in "SV")
        for counter, view in zip(seen, (one, two, (one, two)), strict=True):
            counter[view] += 1
    return seen


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_server_sees_the_same_whatever_is_asked_and_both_do_not(count):  # catalogue: I-08
    found = [queries(from_two_servers, wanted, count) for wanted in range(count)]
    assert all(one[0] == found[0][0] and one[1] == found[0][1] for one in found)
    assert all(one[2] != found[0][2] for one in found[1:])


async def asks_plainly(seat, own, **how):
    """Planted: the user's random bits are all 0."""

    class Zero:
        def __getattr__(self, name):
            return getattr(seat, name)

        def uniform(self, count):
            return np.zeros(count, np.uint64)

    return await from_two_servers(Zero(), own, **how)


def test_a_question_without_randomness_is_seen():
    found = [queries(asks_plainly, wanted, 3) for wanted in range(3)]
    assert any(one[1] != found[0][1] for one in found)


@settings(max_examples=15)
@given(st.lists(st.binary(min_size=5, max_size=5), min_size=1, max_size=17), st.data())
def test_the_wanted_record_comes(records, data):  # catalogue: I-08
    wanted = data.draw(st.integers(0, len(records) - 1))
    how = {"user": "S", "count": len(records), "size": 5}
    found = run_protocol(
        partial(from_two_servers, **how), {"U": records, "S": wanted, "V": records}, LocalNetwork("USV", Ring(2**64))
    )
    assert found == {"U": None, "S": records[wanted], "V": None}


@pytest.mark.parametrize("size", [1, 255, 300])
def test_one_server_is_enough_with_encryption(size):  # catalogue: I-08
    records = [bytes([255 - place]) * size for place in range(3)]
    for wanted in (0, 2):
        program = partial(from_one_server, user="U", count=3, size=size)
        table = LocalNetwork("US", Ring(2**64))
        assert run_protocol(program, {"U": wanted, "S": records}, table)["U"] == records[wanted]
    (query,) = [words for _, step, words in table.seats["S"].view if step == "query"]
    assert len(query) == 256 + 3 * 512 and len({query[256 + 512 * at :][:512] for at in range(3)}) == 3


@pytest.mark.parametrize(
    ("who", "step", "size"), [("U", "query", 10), ("U", "query", 256 + 3 * 512), ("S", "answer", 512)]
)
def test_nonsense_is_refused_by_sender(who, step, size):
    table = LocalNetwork("US", Ring(2**64))
    table.seats[who] = Answers(table.seats[who], step, bytes(size))
    with pytest.raises(BadMessage, match=f"party '{who}' sent"):
        run_protocol(partial(from_one_server, user="U", count=3, size=1), {"U": 1, "S": [b"a", b"b", b"c"]}, table)


ASK = {"user": "U", "records": 3, "size": 6}
RECORDS = pl.DataFrame({"record": ["ann", "béa", ""]})


def test_over_tls_a_record_comes_from_two_servers_and_a_difference_is_noticed():
    user = pl.DataFrame({"record": [2]})
    found = joined({"U": user, "S": RECORDS, "T": RECORDS}, "retrieval", ASK)
    assert found["U"].figures["record"] == "béa" and dict(found["S"].figures) == {"asked by": "U"}
    with pytest.raises(TacitError, match="holds other records"):
        joined({"U": user, "S": RECORDS, "T": RECORDS.reverse().with_columns(record=pl.lit("x"))}, "retrieval", ASK)


def test_over_tls_three_dine():
    frames = {
        name: pl.DataFrame({"message": texts}, schema={"message": pl.String})
        for name, texts in [("A", ["I paid"]), ("B", []), ("C", [])]
    }
    found = joined(frames, "dining_cryptographers", {"slots": 4, "size": 20, "rounds": 2})
    assert {tuple(one.figures["messages"]) for one in found.values()} == {("I paid",)}
    assert [one.figures["mine was heard"] for one in found.values()] == [True, None, None]


MEAL = {"slots": 4, "size": 20, "rounds": 2}


@pytest.mark.parametrize(
    ("protocol", "names", "task", "said"),
    [
        ("retrieval", "USTV", ASK, "3 servers"),
        ("retrieval", "US", ASK | {"user": "X"}, "user = 'X' is unknown"),
        ("retrieval", "US", ASK | {"records": 0}, "records=0"),
        ("retrieval", "US", ASK | {"records": 10**6}, "larger than a message"),
        ("dining_cryptographers", "ABC", MEAL | {"slots": 0}, "slots=0"),
        ("dining_cryptographers", "ABC", MEAL | {"slots": 10**7}, "larger than a message"),
        ("dining_cryptographers", "AB", MEAL, "each knows who sent"),
    ],
)
def test_what_is_wrong_with_a_task_is_told(protocol, names, task, said):
    with pytest.raises(TacitError, match=said):
        check_task(agreed(names, protocol, task))


@pytest.mark.parametrize(
    ("me", "frame", "said"),
    [
        ("U", {"record": [4]}, "beyond 1 to 3"),
        ("U", {"record": [1, 2]}, "no single whole number \\(2 rows\\), and 'U' is the user"),
        ("U", {"record": ["a", "b", "c"]}, "'U' is the user"),
        ("U", {"other": [1]}, "is not in the table"),
        ("S", {"record": ["a", "b"]}, "does not hold the 3 texts that a server brings \\(2 rows\\)"),
        ("S", {"record": [1]}, "3 texts that a server brings"),
        ("S", {"record": ["a", "b", "c" * 7]}, "more than 6 bytes in row 3"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_to_user_and_server(me, frame, said):
    with pytest.raises(TacitError, match=said):
        check_task(agreed("US", "retrieval", ASK)).load_input(pl.DataFrame(frame), me)


def test_long_and_many_messages_are_refused():
    task = check_task(agreed("ABC", "dining_cryptographers", MEAL))
    for texts, said in ((["a", "b"], "2 messages"), (["a" * 21], "more than 20 bytes")):
        with pytest.raises(TacitError, match=said):
            task.load_input(pl.DataFrame({"message": texts}), "A")
