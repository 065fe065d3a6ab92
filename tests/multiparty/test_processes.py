"""Parties as real processes over real sockets: what other tools fail in, and what ours must do instead (I-06, I-07).

Six failures of another tool: with two parties inputs travel in clear; a missing party hangs the others; so does one that dies; a
certificate is not bound to its party; a changed share goes unnoticed; a peer runs code here. Each is a test below.
"""

from __future__ import annotations

import asyncio
import json
import signal
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import polars as pl
import pytest

from tacit.multiparty.demo import HOSPITALS, prepare_demo
from tacit.multiparty.protocols.verified_sum import verified_sum
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import check_task, taking_part
from tacit.multiparty.wire.frame import Kind
from tacit.multiparty.wire.mesh import open_mesh
from tacit.multiparty.wire.network_party import NetworkParty

from .frames import NONSENSE
from .parties import Proxy, ages, house
from .processes import ends, started, written
from .test_cheaters import CheatingSeat, wrong_opening
from .test_faults import GREETED
from .test_unread import until

ALLOWED = 1.0
"""Seconds beyond a deadline."""
BUSY = 30.0
"""Seconds that a busy machine may take for its own part."""
INTERRUPTED = 130
"""What a command ends with after Ctrl-C."""


async def interrupted(folder, sent, wait):
    """A session of three in which B gets a signal, and what came of those who can end by themselves.

    C's commitments never reach B, so that B certainly waits in the middle of the protocol when the signal comes.
    """
    agreed, secrets = house("ABC", "verified_sum", round_timeout=wait, connect_timeout=180.0)
    async with Proxy("stall", GREETED) as proxy:
        agreement = written(folder, proxy.before(agreed, "B"), secrets)
        more = {"B": ["--listen", proxy.listen]}
        running = {name: await started(agreement, name, *more.get(name, [])) for name in "ABC"}
        await asyncio.wait_for(proxy.begun.wait(), 60)
        running["B"].send_signal(sent)
        stopped = running.pop("B") if sent in (signal.SIGKILL, signal.SIGSTOP) else None
        found = await ends(agreement, running)
        if stopped is not None:
            if sent == signal.SIGSTOP:
                stopped.kill()
            await stopped.communicate()
        return found


async def without_b(folder):
    """A session of three to which B never comes."""
    agreed, secrets = house("ABC", connect_timeout=12.0)
    agreement = written(folder, agreed, secrets)
    return await ends(agreement, {name: await started(agreement, name) for name in "AC"})


@pytest.fixture(scope="module", autouse=True)
def waiting(tmp_path_factory):
    """Sessions that end with a deadline, which they wait for beside the other tests."""
    folder = tmp_path_factory.mktemp
    with ThreadPoolExecutor() as threads:
        yield {
            "never comes": threads.submit(asyncio.run, without_b(folder("never"))),
            "stopped": threads.submit(asyncio.run, interrupted(folder("stopped"), signal.SIGSTOP, 10.0)),
        }


def test_a_process_with_the_keys_of_another_party_does_not_start(tmp_path):
    agreed, secrets = house("ABC")
    agreement = written(tmp_path, agreed, secrets | {"C": replace(secrets["B"], name="C")})

    async def session():
        return (await ends(agreement, {"C": await started(agreement, "C")}))["C"]

    code, said, left, _ = asyncio.run(session())
    assert code == 2 and "other keys for 'C'" in said and left == [], said


def test_five_hospitals_get_the_mean_of_all_their_patients(tmp_path):  # catalogue: I-06
    agreement = prepare_demo("hospitals", tmp_path / "new")
    mean = pl.concat([pl.read_csv(agreement.with_name(f"{name}.csv")) for name in HOSPITALS])["age"].mean()

    async def session():
        return await ends(agreement, {name: await started(agreement, name) for name in HOSPITALS})

    for name, (code, said, left, _) in asyncio.run(session()).items():
        assert code == 0 and f"age {mean:.4g}" in said, said
        assert left == [f"{name}.json"]
        assert json.loads(agreement.with_name(f"{name}.json").read_text())["figures"]["mean"]["age"] == mean


def test_two_processes_are_asked_to_accept_what_the_result_tells_and_send_nothing_in_clear(tmp_path):
    agreed, secrets = house("AB", connect_timeout=180.0)
    frames = {"A": pl.DataFrame({"age": [37]}), "B": pl.DataFrame({"age": [113]})}
    agreement = written(tmp_path, agreed, secrets, frames)
    kept = tmp_path / "transcript.json"

    async def session():
        refused = await ends(agreement, {"A": await started(agreement, "A")})
        accepted = ["--accept-output-disclosure"]
        running = {
            "A": await started(agreement, "A", *accepted, "--transcript", kept),
            "B": await started(agreement, "B", *accepted),
        }
        return refused["A"], await ends(agreement, running)

    (code, said, left, _), found = asyncio.run(session())
    assert code == 2 and "--accept-output-disclosure" in said and left == []
    assert all(code == 0 and "age 75" in said for code, said, _, _ in found.values()), found
    received = b"".join(bytes.fromhex(one["content"]) for one in json.loads(kept.read_text()))
    words = {received[at : at + 8] for at in range(len(received))}
    assert received and not words & {struct.pack("<Q", 113), struct.pack(">Q", 113)}


async def beside(agreement, rogue):
    """A and C as processes, and B in this one."""
    running = {name: await started(agreement, name) for name in "AC"}
    cheater = asyncio.create_task(rogue)
    found = await ends(agreement, running)
    cheater.cancel()
    await asyncio.gather(cheater, return_exceptions=True)
    return found


def test_a_changed_share_is_proven_to_every_process(tmp_path):  # catalogue: I-07
    agreed, secrets = house("ABC", "verified_sum", adversary="malicious", connect_timeout=180.0)
    agreement, ring = written(tmp_path, agreed, secrets), Ring(agreed.modulus)

    async def cheats():
        numbers = check_task(agreed).load_input(ages("B"), "B")
        async with open_mesh(agreed, secrets["B"]) as mesh:
            await verified_sum(CheatingSeat(mesh, ring, wrong_opening), ring.words(numbers))
            await asyncio.sleep(60)

    for code, said, left, _ in asyncio.run(beside(agreement, cheats())).values():
        assert code == 12 and "party 'B' announced a sum that does not fit" in said and left == [], said


def test_nothing_that_a_peer_sends_is_run_by_a_process(tmp_path):
    agreed, secrets = house("ABC", connect_timeout=180.0)
    agreement = written(tmp_path, agreed, secrets)

    async def sends_code():
        async with open_mesh(agreed, secrets["B"]) as mesh:
            for link in mesh.links.values():
                write = link._writer.write
                link._writer.write = lambda made, write=write: write(NONSENSE["a pickle"](made, b""))
                await link.send(3, "share", bytes(32), 20.0)
            await asyncio.sleep(60)

    for code, said, left, _ in asyncio.run(beside(agreement, sends_code())).values():
        assert code == 11 and "party 'B'" in said and "ran code" not in said and left == [], said


def named_in_the_middle(found, code, wait):
    for name, (ended, said, left, seconds) in found.items():
        assert ended == code and "party 'B'" in said and "there is no result" in said, (name, ended, said)
        assert left == [] and "Traceback" not in said
        assert seconds < wait + ALLOWED + BUSY


def test_a_process_that_dies_in_the_middle_is_named_by_the_others(tmp_path):  # catalogue: I-07
    named_in_the_middle(asyncio.run(interrupted(tmp_path, signal.SIGKILL, 90.0)), code=10, wait=0)


@pytest.fixture
def interruptible():
    """A process that is started where Ctrl-C is ignored, as in the background of a shell, would ignore it too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_process_that_is_interrupted_in_the_middle_leaves_nothing_and_is_named_by_the_others(tmp_path):
    found = asyncio.run(interrupted(tmp_path, signal.SIGINT, 90.0))
    code, said, left, _ = found.pop("B")
    assert code == INTERRUPTED and left == [] and "Traceback" not in said, (code, said)
    named_in_the_middle(found, code=10, wait=0)


class Outliving(NetworkParty):
    """C, which sends B no point, and ends B once A has all points and has announced its sum of them."""

    async def send(self, to, step, words, *, sealed=False):
        if (to, step) == ("B", "point"):
            return
        if step == "sum of points" and self.process.returncode is None:
            await until(lambda: self.mesh.links["A"].peek_payload(Kind.WORDS) is not None)
            self.process.kill()
            await self.process.wait()
        await super().send(to, step, words, sealed=sealed)


def test_a_process_that_dies_after_it_dealt_its_points_is_not_needed_for_their_sum(tmp_path, monkeypatch):
    """What B dealt is in the sum: two of three open it, and note that the third did not confirm."""
    agreed, secrets = house("ABC", "shamir_sum", connect_timeout=180.0, round_timeout=60.0)
    agreement = written(tmp_path, agreed, secrets)
    monkeypatch.setattr("tacit.multiparty.session.NetworkParty", Outliving)

    async def session():
        running = {name: await started(agreement, name) for name in "AB"}
        Outliving.process = running["B"]
        mine = asyncio.create_task(taking_part(agreed, secrets["C"], ages("C")))
        return await ends(agreement, running), await mine

    found, mine = asyncio.run(session())
    code, said, left, _ = found["A"]
    assert code == 0 and "age 37.33" in said and "party 'B' did not confirm the end" in said and left == ["A.json"], (
        said
    )
    assert mine.figures["mean"]["age"] == 224 / 6 and found["B"][0] == -signal.SIGKILL and found["B"][2] == []


def test_a_process_that_stops_in_the_middle_is_named_by_the_others(waiting):  # catalogue: I-07
    named_in_the_middle(waiting["stopped"].result(), code=13, wait=10)


def test_a_process_that_never_comes_is_named_by_the_others(waiting):
    for code, said, left, seconds in waiting["never comes"].result().values():
        assert code == 10 and "party 'B' was not there within 12 s" in said and left == [], said
        assert seconds < 12 + ALLOWED + BUSY
