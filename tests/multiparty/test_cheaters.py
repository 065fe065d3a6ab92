"""Parties that break the protocol are named, with proof, to all honest ones; honest parties never are (I-07).

The cheaters run the real protocol over real connections, on a seat that changes what it hands over and signs it again.
"""

from __future__ import annotations

import asyncio
import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.multiparty.faults import FAULTS, BadMessage, Fault, MissingParty, ProtocolViolation
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.protocols.signed_echo import SIGNATURE, Signing
from tacit.multiparty.protocols.verified_sum import (
    ORDER,
    SharePolynomials,
    _is_proven,
    _pack_pairs,
    add_points,
    commit_number,
    commitment_at,
    verified_sum,
)
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task
from tacit.multiparty.wire.mesh import open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .ideal import trusted_sum
from .parties import TASK, ages, everybody, house
from .test_sets import SMALL

NUMBER = st.integers(0, ORDER - 1)


@settings(max_examples=15)
@given(st.lists(NUMBER, min_size=1, max_size=4), st.lists(NUMBER, min_size=4, max_size=4), st.integers(1, 9))
def test_commitments_add_up_and_follow_the_polynomial(numbers, blinds, place):
    pairs = list(zip(numbers, blinds, strict=False))
    value = sum(n * place**k for k, (n, _) in enumerate(pairs)) % ORDER
    blind = sum(b * place**k for k, (_, b) in enumerate(pairs)) % ORDER
    coefficients = [commit_number(*pair) for pair in pairs]
    assert commitment_at(place, coefficients) == commit_number(value, blind)
    assert commitment_at(place, coefficients) != commit_number(value + 1, blind) != commit_number(value, blind + 1)
    assert add_points(commit_number(1, 2), commit_number(ORDER - 1, ORDER - 2)) == commit_number(0, 0)


@settings(max_examples=8)
@given(st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=2), min_size=3, max_size=5))
def test_the_sum_is_that_of_the_trusted_party(rows):  # catalogue: I-01
    ring, names = Ring(2**64), "ABCDE"[: len(rows)]
    inputs = {name: ring.words(row) for name, row in zip(names, rows, strict=True)}
    found, ideal = run_protocol(verified_sum, inputs, LocalNetwork(names, ring)), trusted_sum(ring, inputs)
    assert {name: words.tolist() for name, words in found.items()} == {n: w.tolist() for n, w in ideal.items()}


def test_points_of_a_dealer_fit_its_commitments_and_no_others():
    dealt = SharePolynomials.of([5, -7], 2)
    commitments = dealt.commitments()
    assert all(commitments.verify_values(place, dealt.shares_at(place)) for place in (1, 2, 5))
    assert not commitments.verify_values(1, dealt.shares_at(2))
    assert not commitments.verify_values(1, SharePolynomials.of([5, -7], 2).shares_at(1))


@pytest.mark.parametrize("number", [0, 1, -7, 10**15])
def test_a_commitment_takes_the_same_steps_whatever_it_holds(number, monkeypatch):
    """A short cut for 0 would tell how many bins of a histogram are empty at one party."""
    import nacl.bindings as library

    commit_number(5, 5)  # what is kept is made
    steps = []
    for name in [one for one in dir(library) if "ed25519" in one and callable(getattr(library, one))]:
        real = getattr(library, name)
        monkeypatch.setattr(library, name, lambda *given, name=name, real=real: steps.append(name) or real(*given))
    counted = []
    for value in (number, 12_345):
        steps.clear()
        commit_number(value, 99)
        counted.append(list(steps))
    assert counted[0] == counted[1] and len(counted[0]) >= 3


class CheatingSeat(NetworkParty):
    """Hands over something else in one step, or nothing, to some or all, under its own right signature."""

    def __init__(self, mesh, ring, cheat):
        super().__init__(mesh, ring)
        self.cheat = cheat

    async def send_bytes(self, to, step, data):
        given = self.cheat(self, to, step, data)
        if given is not None:
            await super().send_bytes(to, step, given)

    async def recv_bytes(self, sender, step, size=None):
        """Deaf to what its own program would notice."""
        data = await super().recv_bytes(sender, step, size)
        return getattr(self, "heard", data) if step == "echo" else data


def resigned(seat, step, data):
    return seat.sign(step, data) + data


def changed(data):
    """The first number one larger."""
    first = (int.from_bytes(data[:32], "little") + 1) % ORDER
    return first.to_bytes(32, "little") + data[32:]


def wrong_point(seat, to, step, data):
    return (
        resigned(seat, f"sum 1: point for {to}", changed(data[SIGNATURE:])) if step == "point" and to == "C" else data
    )


def two_versions(seat, to, step, data):
    if step == "commitments" and to == "C":
        other = SharePolynomials.of([1] * (len(data[SIGNATURE:]) // 64), 1).commitments().data
        return seat.sign("sum 1: commitments", hashlib.sha256(other).digest()) + other
    return data


def two_versions_and_none(seat, to, step, data):
    """C, which gets nothing at all, hears of the other two before it has everybody's commitments."""
    if to == "C":
        return None
    return two_versions(seat, "C", step, data) if to == "D" else data


def with_first_point(point):
    """Commitments with another first point, signed and echoed as if they were right."""

    def cheat(seat, to, step, data):
        if step == "commitments":
            seat.made = point + data[SIGNATURE + 32 :]
            return seat.sign("sum 1: commitments", hashlib.sha256(seat.made).digest()) + seat.made
        if step == "echo":
            seat.on_fault = data
            digest, place = hashlib.sha256(seat.made).digest(), (32 + SIGNATURE) * seat.names.index(seat.me)
            mine = digest + seat.sign("sum 1: commitments", digest)
            return data[:place] + mine + data[place + len(mine) :]
        return data

    return cheat


def no_points(seat, to, step, data):
    """Off the curve."""
    return with_first_point(b"\x02" + bytes(31))(seat, to, step, data)


def small_points(seat, to, step, data):
    """Of order 8."""
    return with_first_point(SMALL[3])(seat, to, step, data)


def too_large(seat, to, step, data):
    """An opening with numbers beyond the order of the group."""
    return resigned(seat, "sum 1: opening", b"\xff" * (len(data) - SIGNATURE)) if step == "opening" else data


def wrong_opening(seat, to, step, data):
    return resigned(seat, "sum 1: opening", changed(data[SIGNATURE:])) if step == "opening" else data


def wrong_opening_to_one(seat, to, step, data):
    return wrong_opening(seat, to, step, data) if to == "C" else data


def false_complaint(seat, to, step, data):
    """B says that A dealt it a wrong point, and shows nothing that A signed."""
    return bytes([1, 2]) + bytes(SIGNATURE + 128) if step == "complaint" else data


def unsigned(seat, to, step, data):
    return bytes(SIGNATURE) + data[SIGNATURE:] if step == "opening" else data


def forged_echo(seat, to, step, data):
    return bytes([data[0] ^ 1]) + data[1:] if step == "echo" else data


def honest(seat, to, step, data):
    return data


CHEATS = {
    wrong_point: ProtocolViolation,
    two_versions: ProtocolViolation,
    wrong_opening: ProtocolViolation,
    wrong_opening_to_one: ProtocolViolation,
    no_points: BadMessage,
    small_points: BadMessage,
    too_large: ProtocolViolation,
    false_complaint: BadMessage,
    unsigned: BadMessage,
    forged_echo: BadMessage,
}


async def with_cheater(cheat, names="ABCD"):
    agreement, secrets = house(names, "verified_sum", adversary="malicious", round_timeout=15.0)

    async def cheater():
        numbers = check_task(agreement).load_input(ages("B"), "B")
        async with open_mesh(agreement, secrets["B"]) as mesh:
            await verified_sum(
                CheatingSeat(mesh, Ring(agreement.modulus), cheat), Ring(agreement.modulus).words(numbers)
            )
            await asyncio.sleep(2)

    running = asyncio.create_task(cheater())
    found = await everybody(agreement, secrets, names=names.replace("B", ""))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return found


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheater_is_named_to_every_honest_party_and_nobody_else_is(cheat):
    found = asyncio.run(with_cheater(cheat))
    assert all(isinstance(one, Fault) for one in found.values()), found
    assert {one.party for one in found.values()} == {"B"}, found
    assert any(isinstance(one, CHEATS[cheat]) for one in found.values())
    if CHEATS[cheat] is ProtocolViolation:
        assert all(isinstance(one, ProtocolViolation) and one.exit_code == 12 for one in found.values()), found


def test_two_versions_are_proven_also_to_who_got_neither():
    """A and D compare theirs while C still waits for the cheater; C must not take their proof for a false accusation."""
    found = asyncio.run(with_cheater(two_versions_and_none, "ADBC"))
    assert all(isinstance(one, ProtocolViolation) and one.party == "B" for one in found.values()), found


EVIDENCE = {
    "commitments": lambda kept: b"".join(hashlib.sha256(one[SIGNATURE:]).digest() + one[:SIGNATURE] for one in kept),
    "point": lambda kept: bytes([1, 2]) + kept[0],
    "opening": lambda kept: kept[0],
}
"""What A signed in the first sum, or in the first two, made to look like a proof."""


class Framer(NetworkParty):
    """Keeps what A signs, and accuses it in the second sum."""

    def __init__(self, mesh, ring, step, accused):
        super().__init__(mesh, ring)
        self.step, self.accused, self.kept = step, accused, []

    async def recv_bytes(self, sender, step, size=None):
        data = await super().recv_bytes(sender, step, size)
        if (sender, step) == ("A", self.step):
            self.kept.append(data)
        if (sender, step) == ("A", "opening" if self.step == "opening" else "point") and len(self.kept) == 2:
            raise ProtocolViolation("A", self.accused, "cheated", fix="", proof=EVIDENCE[self.step](self.kept))
        return data


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("step", EVIDENCE)
def test_what_an_honest_party_signed_in_two_sums_of_a_session_proves_nothing(step, number):
    """A quantile takes a sum for every step of a search, and everybody signs in each of them."""
    task = {**TASK, "compute": "quantile", "at": [0.5]}
    agreement, secrets = house("ABCD", "verified_sum", adversary="malicious", task=task)

    async def framer():
        asked = check_task(agreement)
        async with open_mesh(agreement, secrets["B"]) as mesh:
            seat = Framer(mesh, Ring(agreement.modulus), step, f"sum {number}: {step}")
            await asked.run(seat, asked.load_input(ages("B"), "B"))

    async def session():
        running = asyncio.create_task(framer())
        found = await everybody(agreement, secrets, names="ACD")
        (ended,) = await asyncio.gather(running, return_exceptions=True)
        return found, ended

    found, ended = asyncio.run(session())
    assert isinstance(ended, ProtocolViolation), "it did accuse somebody"
    assert all(isinstance(one, BadMessage) and one.party == "B" for one in found.values()), found


STEPS = ("commitments", "echo", "point", "complaint", "opening")


def leaving(step):
    """A cheater that goes away when it should hand something over in this step; C is the last to get anything."""

    def leaves(seat, to, now, data):
        if now == step and to == "C":
            raise ConnectionError("gone")
        return data

    return leaves


@pytest.mark.parametrize("step", STEPS)
def test_who_leaves_in_the_middle_is_named_by_all_and_nobody_else_is(step):
    """Also the ones that got its message of that step, and by then wait for those who did not."""
    found = asyncio.run(with_cheater(leaving(step), "ABC"))
    assert all(isinstance(one, MissingParty) and one.exit_code == 10 for one in found.values()), found
    assert {one.party for one in found.values()} == {"B"}, found


def after_an_abort(fault):
    """What A and C end with when B gives up with these words as soon as everybody is there."""
    agreement, secrets = house("ABC", "verified_sum", adversary="malicious")

    async def accuser():
        async with open_mesh(agreement, secrets["B"]) as mesh:
            mesh.abort(fault)
            await asyncio.sleep(60)

    async def session():
        running = asyncio.create_task(accuser())
        found = await everybody(agreement, secrets, names="AC")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return found

    return asyncio.run(session())


@pytest.mark.parametrize("kind", ["overdue", "missing", "bad message"])
def test_who_gives_up_with_a_false_excuse_is_always_in_the_error(kind):
    """Nobody can see a link that is not its own: the error says whose word it is, and calls nobody a cheater."""
    found = after_an_abort(FAULTS[kind]("C", "point", "sent nothing", fix=""))
    assert all("party 'B'" in str(one) and not isinstance(one, ProtocolViolation) for one in found.values()), found
    assert {found[name].told_by for name in "AC"} <= {"A", "B", "C"} and "only they can see" in str(found["A"])


def test_without_a_cheater_the_same_session_ends_well():
    agreement, secrets = house("ABCD", "verified_sum", adversary="malicious")
    found = asyncio.run(everybody(agreement, secrets))
    assert {one.figures["mean"]["age"] for one in found.values()} == {334 / 8}


def test_an_abort_that_accuses_an_honest_party_names_the_accuser():
    found = after_an_abort(ProtocolViolation("C", "point", "dealt a wrong point", fix="", proof=b"because I say so"))
    assert all(isinstance(one, BadMessage) and one.party == "B" for one in found.values()), found
    assert "without a proof" in str(found["A"])


def test_a_proof_holds_by_two_signatures_of_the_accused_and_by_nothing_less():
    seats = LocalNetwork("ABC", Ring(7)).seats
    known = {name: SharePolynomials.of([1], 1).commitments() for name in "ABC"}
    signing = Signing(seats["A"], 1)

    def half(digest, name="B", number=1):
        return digest + seats[name].sign(f"sum {number}: commitments", digest)

    def holds(one, other, step="sum 1: commitments"):
        return _is_proven(signing, known, "B", step, one + other)

    first, second = bytes(32), bytes([1] * 32)
    assert holds(half(first), half(second))
    assert not holds(half(first), half(first)), "the same twice proves nothing"
    assert not holds(half(first), half(second, "C")), "somebody else signed it"
    assert not holds(half(first), second + bytes(64))
    assert not holds(half(first), half(second), step="hello")
    assert not _is_proven(signing, known, "Z", "sum 1: commitments", half(first) + half(second))
    assert not holds(half(first), half(second, number=2)), "each is right in its own sum"
    later = half(first, number=2), half(second, number=2)
    assert holds(*later, step="sum 2: commitments"), "somebody else may be a sum ahead"
    assert not holds(*later) and not holds(*later, step="commitments")


def test_a_point_and_an_opening_are_evidence_in_their_own_sum_only():
    """Right in sum 1, they do not fit the commitments of sum 2: shown there, they prove nothing."""
    seats = LocalNetwork("ABC", Ring(7)).seats
    dealt, now = SharePolynomials.of([1], 1), {name: SharePolynomials.of([1], 1).commitments() for name in "ABC"}
    for step, signed, head in (("point", "point for C", bytes([2, 3])), ("opening", "opening", b"")):
        data = _pack_pairs(dealt.shares_at(3))
        old, new = (head + seats["B"].sign(f"sum {number}: {signed}", data) + data for number in (1, 2))
        assert _is_proven(Signing(seats["A"], 2), now, "B", f"sum 2: {step}", new), "so that the rest fails for the sum"
        assert not _is_proven(Signing(seats["A"], 2), now, "B", f"sum 2: {step}", old)
        assert not _is_proven(Signing(seats["A"], 2), now, "B", f"sum 1: {step}", old)


def test_a_signature_of_another_session_does_not_count():
    agreement, secrets = house("AB")

    async def session():
        async def side(name):
            async with open_mesh(agreement, secrets[name]) as mesh:
                seat = NetworkParty(mesh, Ring(7))
                signature = seat.sign("point", b"5")
                await asyncio.sleep(0.3)
                return seat, signature

        return await asyncio.gather(side("A"), side("B"))

    (first, _), (_, signature) = asyncio.run(session())
    assert first.verify_signature("B", "point", b"5", signature)
    assert not first.verify_signature("B", "point", b"6", signature) and not first.verify_signature(
        "B", "share", b"5", signature
    )
    (second, _), _ = asyncio.run(session())
    assert not second.verify_signature("B", "point", b"5", signature)


def test_other_protocols_do_not_claim_to_stand_cheaters():
    agreement, _ = house("ABC", adversary="malicious")
    with pytest.raises(TacitError, match="use verified_sum"):
        check_task(agreement)


def test_negative_sums_come_back():
    ring = Ring(2**64)
    inputs = {name: ring.words([-5]) for name in "ABC"}
    assert ring.to_signed(run_protocol(verified_sum, inputs, LocalNetwork("ABC", ring))["A"]) == [-15]
    assert np.uint64(2**64 - 15) == run_protocol(verified_sum, inputs, LocalNetwork("ABC", ring))["B"][0]
