"""A service with a certificate, and one that is asked to end while it answers (catalogue: H-07)."""

from __future__ import annotations

import datetime
import ipaddress
import signal
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tacit.errors import TacitError
from tacit.query.client import Client
from tacit.query.ledger import Ledger
from tacit.query.server import open_socket, serve

from .desks import desk
from .processes import Served, people, write_service


def certified(folder):
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    found = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number(), now, now + datetime.timedelta(1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(found.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    (folder / "key.pem").touch(mode=0o600)
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    certified(folder)
    people().write_csv(folder / "people.csv")
    file = write_service(folder, ledger="ledger.db", source='path = "people.csv"', epsilon="1", grid="1")
    tls = 'grid = 1\ntls = { certificate = "cert.pem", key = "key.pem" }'
    file.write_text(file.read_text().replace("grid = 1", tls))
    return Served(file)


def test_answers_travel_under_a_certificate_that_is_checked(service):
    assert service.url.startswith("https://127.0.0.1:")
    trusted = service.log.with_name("cert.pem")
    with Client(service.url, key="ana", certificate=trusted) as ana:
        answer = ana._http.get("/account")
        assert answer.json()["account"] == "ana" and "strict-transport-security" in answer.headers
    with Client(service.url, key="ana") as doubtful, pytest.raises(TacitError, match="certificate is not trusted"):
        doubtful.account()


def test_what_was_begun_is_answered_before_the_service_ends(service):
    """Runs last: SIGTERM comes while an answer waits for its moment on a grid of one second."""
    heard = []

    def asking():
        with Client(service.url, key="ana", certificate=service.log.with_name("cert.pem")) as ana:
            heard.append(ana.query("SELECT COUNT(*) FROM people", spend="0.1"))

    thread = threading.Thread(target=asking)
    thread.start()
    with Ledger.open(service.log.with_name("ledger.db")) as ledger:
        while not ledger.entries():
            time.sleep(0.01)
    service.process.send_signal(signal.SIGTERM)
    said, _ = service.process.communicate(timeout=60)
    thread.join()
    assert service.process.returncode == 0 and said.endswith("ended\n")
    assert len(heard) == 1 and heard[0].charged.amount == heard[0].cost.amount


def test_a_certificate_without_its_key_is_told_at_the_start(tmp_path):
    from dataclasses import replace

    from tacit.query.service.service import Tls

    certified(tmp_path)
    (tmp_path / "key.pem").write_text("no key")
    found = desk(tmp_path / "ledger.db")
    found.service = replace(found.service, tls=Tls(tmp_path / "cert.pem", tmp_path / "key.pem"))
    with open_socket(found.service, 0) as at, pytest.raises(TacitError, match="PEM"):
        serve(found, at)
