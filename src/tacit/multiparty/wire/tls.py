"""TLS 1.3, mutual, with the certificates of the agreement as the only ones that are trusted."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..agreement.agreement import Agreement
from ..agreement.keys import Secret


def make_tls_context(agreement: Agreement, secret: Secret, *, server: bool, trusted: Iterable[str]) -> ssl.SSLContext:
    """One side of a connection: TLS 1.3 only, its own certificate, and the certificates that it trusts.

    There are no authorities and no host names: a certificate is known because the agreement has it. An expired one is
    refused all the same.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    if server:
        made.num_tickets = 0
    made.load_verify_locations(cadata=b"".join(agreement.member(name).der for name in trusted))
    _load_own(made, secret)
    return made


def certificate_owner(agreement: Agreement, der: bytes | None) -> str | None:
    """Whose certificate it is."""
    return next((one.name for one in agreement.members if one.der == der), None)


def _load_own(made: ssl.SSLContext, secret: Secret) -> None:
    """The library reads keys by path only: it gets that of a pipe, so that no file system ever holds the key."""
    if os.name != "posix":
        _load_from_file(made, secret)
        return
    with _pipe_path(secret.certificate) as certificate, _pipe_path(secret.tls_key) as key:
        made.load_cert_chain(certificate, key)


@contextmanager
def _pipe_path(text: str) -> Iterator[str]:
    """The path under which this process, and no other user's, reads the text once; a pipe holds 16 kB on every system."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(text.encode())
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)


def _load_from_file(made: ssl.SSLContext, secret: Secret) -> None:
    """Windows has no paths of pipes: a file in the user's own folder, gone again at once."""
    descriptor, path = tempfile.mkstemp(prefix=".tacit-", dir=Path.home())
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret.tls_key + secret.certificate)
        made.load_cert_chain(path)
    finally:
        os.unlink(path)  # noqa: PTH108
