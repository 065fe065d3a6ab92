"""TLS 1.3, mutual, with the certificates of the agreement as the only ones that are trusted."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterable

from ..agreement.agreement import Agreement
from ..agreement.keys import Secret

__all__ = ["context", "who"]


def context(agreement: Agreement, secret: Secret, *, server: bool, trusted: Iterable[str]) -> ssl.SSLContext:
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


def who(agreement: Agreement, der: bytes | None) -> str | None:
    """Whose certificate it is."""
    return next((one.name for one in agreement.members if one.der == der), None)


def _load_own(made: ssl.SSLContext, secret: Secret) -> None:
    """The library reads keys from files only: a private one, gone again at once."""
    descriptor, path = tempfile.mkstemp(prefix=".tacit-")  # readable by its owner alone
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret.tls_key + secret.certificate)
        made.load_cert_chain(path)
    finally:
        os.unlink(path)  # noqa: PTH108
