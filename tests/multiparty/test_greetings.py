"""What parties compare before and after they compute: the order in their agreements, versions, certificates, results (I-07)."""

from __future__ import annotations

import asyncio
import json
import ssl
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from tacit.kernels.mersenne import PRIME
from tacit.multiparty.faults import BadMessage, Contradiction, MissingParty
from tacit.multiparty.protocols import ring_sum
from tacit.multiparty.wire import mesh
from tacit.multiparty.wire.frame import Kind
from tacit.multiparty.wire.link import Link
from tacit.multiparty.wire.network_party import NetworkParty

from .parties import TASK, ages, everybody, house

COLUMNS = {"age": {"low": 0, "high": 120}, "pay": {"low": 0, "high": 90_000}}
OWNED = {"a": {"party": "A", "low": 0, "high": 9}, "b": {"party": "B", "low": 0, "high": 9}}
FRAME = pl.DataFrame(
    {"age": [30, 41, 52], "pay": [1000, 30_000, 2000], "ill": [0, 1, 0], "a": [1, 2, 3], "b": [4, 5, 7]}
)
ILL = {"low": 0, "high": 1}
ORDERED = {
    "mean": ("additive_sum", {"compute": "mean", "columns": COLUMNS}),
    "verified mean": ("verified_sum", {"compute": "mean", "columns": COLUMNS}),
    "mean on a ring": ("ring_sum", {"compute": "mean", "columns": COLUMNS}),
    "mean by Shamir": ("shamir_sum", {"compute": "mean", "columns": COLUMNS}),
    "covariance": ("additive_sum", {"compute": "covariance", "columns": COLUMNS}),
    "histogram": ("additive_sum", {"compute": "histogram", "bins": 2, "columns": COLUMNS}),
    "dp_sum": ("dp_sum", {"compute": "mean", "rho": 1.0, "delta": 1e-6, "colluders": 0, "columns": COLUMNS}),
    "quantile": ("additive_sum", {"compute": "quantile", "at": [0.5], "columns": COLUMNS}),
    "linear": ("additive_sum", {"compute": "linear_regression", "target": "pay", "columns": COLUMNS}),
    "logistic": (
        "additive_sum",
        {"compute": "logistic_regression", "target": "ill", "columns": {**COLUMNS, "ill": ILL}},
    ),
    "k_means": ("additive_sum", {"compute": "k_means", "centres": [[20, 1], [60, 2]], "columns": COLUMNS}),
    "naive_bayes": (
        "additive_sum",
        {"compute": "naive_bayes", "target": "ill", "columns": {**COLUMNS, "ill": {"categories": ["0", "1"]}}},
    ),
    "correlation": ("scalar_product", {"compute": "correlation", "least_rows": 2, "columns": OWNED}),
    "outsourced": ("outsourced", {"compute": "sum", "scheme": "paillier", "owner": "A", "columns": COLUMNS}),
}
"""Every kind of task whose columns lay out what is sent."""


def two_agreements(kind):
    """An agreement, the same with its columns in another order, and keys."""
    protocol, task = ORDERED[kind]
    names = "AB" if protocol in ("outsourced", "scalar_product") else "ABC"
    agreement, secrets = house(names, protocol, task={"rows": 3, **task}, max_message=1_000_000)
    columns = dict(reversed(task["columns"].items()))
    return agreement, replace(agreement, task={**agreement.task, "columns": columns}), secrets


@pytest.mark.parametrize("kind", ORDERED)
def test_columns_in_another_order_are_another_agreement(kind):
    first, second, _ = two_agreements(kind)
    assert first.digest != second.digest
    assert first.unordered_digest == second.unordered_digest


@pytest.mark.parametrize("kind", ["mean", "verified mean", "dp_sum", "k_means", "correlation"])
def test_nobody_computes_with_columns_in_another_order(kind):
    """The vector is laid out by the columns' order: with equal digests ages would be added to pay."""
    first, second, secrets = two_agreements(kind)
    found = asyncio.run(everybody(first, secrets, own={"B": second}, frames=dict.fromkeys(secrets, FRAME)))
    assert {one.exit_code for one in found.values()} == {11}, found
    assert found["A"].party == "B" and "in another order" in str(found["A"]) and found["B"].party in secrets


def test_the_digest_is_that_of_what_is_agreed_on_and_nothing_else():
    agreement, _ = house("AB")
    again = replace(agreement, task=json.loads(json.dumps(agreement.task)))
    assert again.digest == agreement.digest
    for other in (replace(agreement, session="x"), replace(agreement, members=agreement.members[::-1])):
        assert other.digest != agreement.digest
    assert replace(agreement, session="x").unordered_digest != agreement.unordered_digest


@pytest.mark.parametrize("order", ["BAC", "ACB", "CBA", "BCA"])
@pytest.mark.parametrize("differs", "ABC")
def test_parties_in_another_order_are_another_agreement_and_named(order, differs):
    agreement, secrets = house("ABC", connect_timeout=20.0)
    other = replace(agreement, members=tuple(agreement.member(name) for name in order))
    found = asyncio.run(everybody(agreement, secrets, own={differs: other}))
    assert {one.exit_code for one in found.values()} == {11}, found
    honest = [one for name, one in found.items() if name != differs]
    assert {one.party for one in honest} == {differs}
    assert all("in another order" in str(one) for one in found.values())


def test_the_order_of_parties_is_that_of_the_agreement_and_not_of_the_alphabet():
    agreement, secrets = house("CAB", "ring_sum")
    found = asyncio.run(everybody(agreement, secrets))
    assert {one.figures["mean"]["age"] for one in found.values()} == {224 / 6}
    assert [one.sender for one in found["A"].saw] == ["C", "C"], "A follows C on the ring, which C begins"


@pytest.mark.parametrize(("key", "value"), [("version", 2), ("package", "0.0.9")])
def test_another_version_is_noticed_and_named(key, value, monkeypatch):
    agreement, secrets = house("ABC")
    sends = Link.send

    async def older(link, kind, step, payload, seconds):
        if kind == Kind.HELLO and link._listener.me == "B":
            payload = json.dumps({**json.loads(payload), key: value}).encode()
        await sends(link, kind, step, payload, seconds)

    monkeypatch.setattr(Link, "send", older)
    found = asyncio.run(everybody(agreement, secrets))
    assert {(one.exit_code, one.party) for one in found.values()} == {(11, "B")}, found
    assert all("another version of Tacit" in str(found[name]) for name in "AC")


def signed_leaf(secret):
    """A certificate for another key and name, signed by the key of the party's own: what that key's holder can make."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.x509.oid import NameOID

    own = x509.load_pem_x509_certificate(secret.certificate.encode())
    key, new = serialization.load_pem_private_key(secret.tls_key.encode(), None), Ed25519PrivateKey.generate()
    leaf = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "somebody else")]))
        .issuer_name(own.subject)
        .public_key(new.public_key())
        .serial_number(7)
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .sign(key, None)
    )
    pem = serialization.Encoding.PEM
    kind = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return leaf.public_bytes(pem).decode(), new.private_bytes(pem, *kind).decode()


@pytest.mark.parametrize("cheat", "AB")
def test_a_certificate_that_the_agreed_key_signed_is_not_the_agreed_one(cheat, monkeypatch):
    """A is called by B and C, C calls both: the calling side compares as the answering one does."""
    agreement, secrets = house("ABC", connect_timeout=8.0)
    loads = mesh._load_own

    def shown(made, secret):
        certificate, key = signed_leaf(secret) if secret.name == cheat else (secret.certificate, secret.tls_key)
        loads(made, replace(secret, certificate=certificate, tls_key=key))

    monkeypatch.setattr(mesh, "_load_own", shown)
    found = asyncio.run(everybody(agreement, secrets))
    assert not any(hasattr(one, "figures") for one in found.values())
    assert isinstance(found["C"], BadMessage) and found["C"].party == cheat, found
    assert "another one than the agreement has" in str(found["C"])


def test_the_private_key_is_in_no_file(monkeypatch):
    """Whatever is opened while TLS is set up, it is none of a file system; a party that is killed leaves nothing behind."""
    agreement, secrets = house("AB")
    loaded = []
    monkeypatch.setattr(tempfile, "mkstemp", lambda *_, **__: pytest.fail("a file was made for the key"))

    loads = ssl.SSLContext.load_cert_chain

    def load(made, certificate, key=None):
        loaded.extend([certificate, key])
        loads(made, certificate, key)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
    mesh.make_tls_context(agreement, secrets["A"], server=True, trusted=["B"])
    assert all(str(path).startswith("/dev/fd/") for path in loaded) and len(loaded) == 2


def test_two_parties_can_compare_what_one_sent_and_the_other_got():
    """Also of what was sealed on its way: digests are of what was sealed."""
    agreement, secrets = house("ABC", "ring_sum")
    found = asyncio.run(everybody(agreement, secrets))
    for name, one in found.items():
        for other, there in found.items():
            sent = [(m.step, m.size, m.digest, m.sealed) for m in one.messages_sent if m.to == other]
            assert sent == [(m.step, m.size, m.digest, m.sealed) for m in there.saw if m.sender == name]
    assert any(m.sealed for m in found["A"].messages_sent)
    assert {m["to"] for m in found["A"].as_json()["sent"]} == {"B", "C"}


@pytest.mark.parametrize("protocol", ["additive_sum", "ring_sum"])
def test_figures_announced_differently_are_nobodys_result(protocol, monkeypatch):
    """A tells B another sum than C, both possible: neither can see whose fault it is, and both end without a result."""
    agreement, secrets = house("ABC", protocol)
    announces = ring_sum.announce_total

    async def differently(seat, total, count):
        if seat.me != "A":
            return await announces(seat, total, count)
        for other in seat.others:
            await seat.send(other, "announcement", total + (other == "B"))
        return total

    for name in (ring_sum, __import__(f"tacit.multiparty.protocols.{protocol}", fromlist=[protocol])):
        monkeypatch.setattr(name, "announce_total", differently)
    found = asyncio.run(everybody(agreement, secrets))
    assert {one.exit_code for one in found.values()} == {14}, found
    assert all(isinstance(one, Contradiction) and one.party == "" for one in found.values())


async def frozen_party(names, when, round_timeout=5.0):
    """E of five is stopped without a word, its connections open, after it has sent so many messages."""
    agreement, secrets = house(names, "shamir_sum", modulus=PRIME, round_timeout=round_timeout)
    sends = NetworkParty._send_payload
    count = 0

    async def slows(seat, to, kind, step, payload):
        nonlocal count
        if seat.me == names[-1]:
            count += 1
            if count > when:
                await asyncio.sleep(3600)
        await sends(seat, to, kind, step, payload)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(NetworkParty, "_send_payload", slows)
        stopped = asyncio.create_task(everybody(agreement, secrets, names=names[-1]))
        found = await everybody(agreement, secrets, names=names[:-1])
        stopped.cancel()
        await asyncio.gather(stopped, return_exceptions=True)
    return found


def test_a_frozen_party_in_a_sum_of_shamirs_shares_is_done_without():
    """It has dealt its points, and is silent: four of five have all they need."""
    found = asyncio.run(frozen_party("ABCDE", 4))
    assert {one.figures["mean"]["age"] for one in found.values()} == {(224 + 110 + 18) / 9}, found
    assert all("party 'E' did not confirm" in one.notes[0] for one in found.values())


def test_a_party_frozen_among_its_points_is_named_by_all():
    found = asyncio.run(frozen_party("ABC", 1))
    assert {(one.exit_code, one.party) for one in found.values()} == {(13, "C")}, found


def test_with_a_silent_majority_there_is_no_sum():
    """Of three parties two are needed: with both others gone the sum cannot be opened."""
    agreement, secrets = house("ABC", "shamir_sum", round_timeout=4.0)
    sends = NetworkParty._send_payload

    async def slows(seat, to, kind, step, payload):
        if seat.me != "A" and step == "sum of points":
            await asyncio.sleep(3600)
        await sends(seat, to, kind, step, payload)

    async def session():
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(NetworkParty, "_send_payload", slows)
            stopped = asyncio.create_task(everybody(agreement, secrets, names="BC"))
            found = await everybody(agreement, secrets, names="A")
            stopped.cancel()
            await asyncio.gather(stopped, return_exceptions=True)
        return found["A"]

    assert asyncio.run(session()).exit_code == 13


def test_a_party_that_never_comes_is_still_missing():
    agreement, secrets = house("ABC", connect_timeout=5.0, task=TASK)
    found = asyncio.run(everybody(agreement, secrets, names="AC", frames={name: ages(name) for name in "ABC"}))
    assert all(isinstance(one, MissingParty) and one.party == "B" for one in found.values())
