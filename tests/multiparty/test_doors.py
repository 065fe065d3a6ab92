"""Who gets in: certificates, names, agreements and frames; each mistake is told with the party (I-07).

Among them are the failures of other tools that ours must not have: a missing party does not hang the others, a certificate is
bound to its party, nothing that a peer sends is ever run, and two parties are warned of what their result tells.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import struct
from dataclasses import replace

import polars as pl
import pytest

from tacit import TacitError
from tacit.kernels.mersenne import PRIME
from tacit.multiparty.agreement.keys import make_keys
from tacit.multiparty.faults import BadMessage, MissingParty
from tacit.multiparty.session import check_task, join, taking_part
from tacit.multiparty.wire.frame import Frame, Kind, pack_frame
from tacit.multiparty.wire.mesh import make_tls_context, open_mesh

from .parties import ages, everybody, house


def ended(agreement, secrets, **more):
    return asyncio.run(everybody(agreement, secrets, **more))


def test_a_party_that_never_comes_is_named_by_all_and_nobody_hangs():
    agreement, secrets = house("ABC", connect_timeout=1.0)
    found = ended(agreement, secrets, names="AC")
    assert all(isinstance(one, MissingParty) and one.party == "B" and one.exit_code == 10 for one in found.values())


def test_the_certificate_of_another_party_is_refused_by_name():
    """C starts with B's certificate; and an agreement that has other keys for it is told before anything is sent."""
    agreement, secrets = house("ABC", connect_timeout=1.5)
    swapped = replace(secrets["B"], name="C")
    with pytest.raises(TacitError, match="other keys for 'C'"):
        join(agreement, swapped, ages("C"))

    async def as_c():
        return await asyncio.gather(
            everybody(agreement, secrets, names="AB"), impostor(agreement, swapped), return_exceptions=True
        )

    found, _ = asyncio.run(as_c())
    assert all(isinstance(one, MissingParty | BadMessage) and one.party in "BC" for one in found.values())


async def impostor(agreement, secret):
    """A party that skips its own checks and calls the others under a certificate that is not its own."""
    async with open_mesh(agreement, secret):
        pass


def test_a_stranger_is_not_let_in_and_disturbs_nobody():
    agreement, secrets = house("ABC")
    stranger, _ = make_keys("A", host="127.0.0.1", port=1)

    async def knocking():
        for trusted in (stranger, secrets["B"]):  # its own certificate, and TLS that is too old
            tls = make_tls_context(agreement, trusted, server=False, trusted=["A"])
            if trusted is not stranger:
                tls.minimum_version, tls.maximum_version = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", agreement.member("A").port, ssl=tls)
                assert await reader.read(100) == b""
                writer.close()
            except OSError:
                pass
        _, plain = await asyncio.open_connection("127.0.0.1", agreement.member("A").port)
        plain.write(b"GET / HTTP/1.1\r\n\r\n")
        plain.transport.abort()

    async def session():
        alone = asyncio.create_task(everybody(agreement, secrets, names="A"))
        await asyncio.sleep(0.2)
        await knocking()
        rest = await everybody(agreement, secrets, names="BC")
        return (await alone) | rest

    found = asyncio.run(session())
    assert {one.figures["mean"]["age"] for one in found.values()} == {224 / 6}


def test_an_expired_certificate_is_told_before_anything_is_sent_and_refused_by_name():
    agreement, secrets = house("AB", connect_timeout=20.0)
    late, member = make_keys("A", host="127.0.0.1", port=agreement.member("A").port, days=-1)
    agreement = replace(agreement, members=(member, agreement.member("B")))
    for secret in (late, secrets["B"]):
        with pytest.raises(TacitError, match="party 'A': its certificate expired on 20"):
            join(agreement, secret, ages("A"), accept_output_disclosure=True)

    async def calls():
        waiting = asyncio.create_task(impostor(agreement, late))
        with pytest.raises(BadMessage, match="party 'A' shows an expired certificate"):
            await impostor(agreement, secrets["B"])
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(calls())


async def both_accept(agreement, secrets):
    async def one(name):
        try:
            return await taking_part(agreement, secrets[name], ages(name), accept_output_disclosure=True)
        except TacitError as problem:
            return problem

    return dict(zip(secrets, await asyncio.gather(*(one(name) for name in secrets)), strict=True))


def test_two_parties_work_once_they_accept_what_the_result_tells():
    agreement, secrets = house("AB")
    with pytest.raises(TacitError, match="tells each of them the other's figures"):
        check_task(agreement)
    found = asyncio.run(both_accept(agreement, secrets))
    assert {one.figures["mean"]["age"] for one in found.values()} == {147 / 5}


def test_another_agreement_is_told_with_the_party_that_has_it():
    agreement, secrets = house("ABC", connect_timeout=5.0)
    other = replace(agreement, task={**agreement.task, "rows": 2000})
    found = ended(agreement, secrets, own={"C": other})
    assert all(isinstance(one, BadMessage) for one in found.values())
    assert found["A"].party == "C" and "another agreement" in str(found["A"])


def test_what_is_wrong_with_the_own_file_is_told_before_anything_is_sent():
    agreement, secrets = house("ABC", connect_timeout=0.1)
    for frame, what in [
        (pl.DataFrame({"age": [30, 200]}), "beyond the agreed bounds in row 2"),
        (pl.DataFrame({"age": [30, None]}), "a missing value in row 2"),
        (pl.DataFrame({"age": ["30"]}), "holds no numbers"),
        (pl.DataFrame({"agee": [30]}), "is not in the table"),
        (pl.DataFrame({"age": [30] * 1001}), "1,001 rows"),
    ]:
        with pytest.raises(TacitError, match=what) as told:
            join(agreement, secrets["A"], frame)
        assert "200" not in str(told.value)


def test_a_modulus_that_the_sum_can_exceed_is_refused_beforehand():
    """3 parties · 1,000 rows · 120 years = 360,000 on either side of 0."""
    agreement, _ = house("ABC")
    assert check_task(replace(agreement, modulus=720_001))
    with pytest.raises(TacitError, match="too small: sums may reach 360,000"):
        check_task(replace(agreement, modulus=720_000))


def test_an_account_has_every_message_and_its_bytes_only_if_asked_for():
    agreement, secrets = house("ABC")

    async def session():
        return await asyncio.gather(
            *(taking_part(agreement, secrets[name], ages(name), transcript=name == "B") for name in "ABC")
        )

    found, kept, _ = asyncio.run(session())
    assert [(one.sender, one.step) for one in found.saw] == [("B", "sum of shares"), ("C", "sum of shares")]
    assert all(not one.content for one in found.saw) and "content" not in str(found.as_json())
    assert [len(bytes.fromhex(one["content"])) for one in kept.transcript()] == [32, 16]
    assert found.sent > 0 and found.received > 0 and found.breaks == 2


def test_an_empty_file_counts_for_nothing_once_that_is_accepted():
    """Also where its column seems to be of text, because no row says otherwise."""
    agreement, secrets = house("ABC")
    with pytest.raises(TacitError, match="party 'B': the file has no rows"):
        join(agreement, secrets["B"], pl.DataFrame({"age": []}))

    async def session():
        files = {"A": ages("A"), "B": pl.DataFrame({"age": []}, schema={"age": pl.String}), "C": ages("C")}
        running = (
            taking_part(agreement, secrets[name], file, accept_empty=name == "B") for name, file in files.items()
        )
        return await asyncio.gather(*running)

    assert {one.figures["mean"]["age"] for one in asyncio.run(session())} == {148 / 3}


class Rogue:
    """A party with right keys that greets as it should and then sends what it likes instead of its points."""

    def __init__(self, sent, stays=0.5):
        self.sent, self.stays = sent, stays

    async def __call__(self, agreement, secret):
        async with open_mesh(agreement, secret) as mesh:
            for link in mesh.links.values():
                made = self.sent(link)
                link._writer.write(made)
                await link._writer.drain()
            await asyncio.sleep(self.stays)


def share(link, **changed):
    given = {"kind": Kind.WORDS, "number": link._out, "step": "point", "payload": bytes(16)} | changed
    return pack_frame(Frame(given["kind"], given["number"], given["step"], given["payload"]))


def test_words_beyond_the_modulus_are_a_bad_message():
    agreement, secrets = house("ABC", "shamir_sum")

    async def session():
        beyond = Rogue(lambda link: share(link, payload=struct.pack("<QQ", 1, PRIME)))
        rogue = asyncio.create_task(beyond(agreement, secrets["B"]))
        found = await everybody(agreement, secrets, names="AC")
        rogue.cancel()
        await asyncio.gather(rogue, return_exceptions=True)
        return found

    assert all("beyond the modulus" in str(one) and one.party == "B" for one in asyncio.run(session()).values())


def test_what_an_abort_says_is_told_as_somebody_elses_word():
    agreement, secrets = house("ABC")
    said = json.dumps({"fault": "overdue", "party": "C", "step": "share", "what": "sent nothing"}).encode()

    async def session():
        rogue = asyncio.create_task(
            Rogue(lambda link: share(link, kind=Kind.ABORT, payload=said))(agreement, secrets["B"])
        )
        found = await everybody(agreement, secrets, names="AC")
        rogue.cancel()
        await asyncio.gather(rogue, return_exceptions=True)
        return found

    found = asyncio.run(session())
    assert found["A"].told_by == "B" and found["A"].party == "C" and "told by party 'B'" in str(found["A"])
