"""A party's keys: a secret file that never leaves the house, and a card for the agreement."""

from __future__ import annotations

import base64
import os
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...errors import TacitError
from ...files import write_text
from ...toml_text import to_inline_toml
from .agreement import Member, check_name

DAYS = 398
"""How long a certificate is good for unless something else is said: a year and a month."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """The secret keys of one party. Nothing prints them."""

    name: str
    tls_key: str = field(repr=False)
    certificate: str = field(repr=False)
    box: str = field(repr=False)
    sign: str = field(repr=False)


def make_keys(name: str, *, host: str, port: int, days: int = DAYS) -> tuple[Secret, Member]:
    """New keys from the operating system's source: TLS (Ed25519, self-signed), X25519 to be sealed to, Ed25519 to sign."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    check_name(name)
    tls, sign, box = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate(), X25519PrivateKey.generate()
    certificate = _build_certificate(tls, name, days)
    secret = Secret(
        name=name,
        tls_key=tls.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        certificate=certificate.public_bytes(serialization.Encoding.PEM).decode(),
        box=box.private_bytes_raw().hex(),
        sign=sign.private_bytes_raw().hex(),
    )
    member = Member(
        name=name,
        host=host,
        port=port,
        certificate=base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode(),
        box_key=box.public_key().public_bytes_raw().hex(),
        sign_key=sign.public_key().public_bytes_raw().hex(),
    )
    return secret, member


def _build_certificate(key, name: str, days: int):  # type: ignore[no-untyped-def]
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=max(1, 1 - days)))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, None)
    )


def card_text(member: Member) -> str:
    """The section ``[[party]]`` of the agreement."""
    lines = [f"{name} = {to_inline_toml(getattr(member, name))}" for name in Member.__slots__]
    return "\n".join(["[[party]]", *lines, ""])


def _secret_text(secret: Secret) -> str:
    lines = [f"{name} = {to_inline_toml(getattr(secret, name))}" for name in Secret.__slots__]
    return "\n".join(["# Secret: whoever has this file can pretend to be this party. Never send it.", *lines, ""])


def write_secret(secret: Secret, path: Path) -> None:
    """Write the secret file, readable by its owner alone; an old one is never overwritten."""
    write_text(path, _secret_text(secret), private=True)


def load_secret(path: str | Path) -> Secret:
    """The secret keys in a file that only its owner can read; all of them can be used."""
    path = Path(path)
    try:
        loose = path.stat().st_mode & 0o077
        secret = Secret(**tomllib.loads(path.read_text(encoding="utf-8")))
        public_keys(secret)
    except (OSError, ValueError, TypeError, AttributeError):  # tomllib's and Unicode's errors are ValueErrors
        raise TacitError(
            f"{str(path)!r} is no file of secret keys", code="malformed_file", fix="make one: tacit party keys NAME"
        ) from None
    if loose and os.name == "posix":
        raise TacitError(
            f"others can read {str(path)!r}", code="cannot_read", fix=f"chmod 600 {path}, and think of making new keys"
        )
    return secret


def public_keys(secret: Secret) -> tuple[bytes, str, str]:
    """What the others know of these keys: certificate, key to be sealed to, key to sign; ValueError for what is no key.

    >>> secret, member = make_keys("north", host="127.0.0.1", port=9400)
    >>> public_keys(secret) == (member.der, member.box_key, member.sign_key)
    True
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    certificate = x509.load_pem_x509_certificate(secret.certificate.encode())
    key = serialization.load_pem_private_key(secret.tls_key.encode(), password=None)
    if key.public_key() != certificate.public_key():
        raise ValueError("the certificate is of another key")
    box = X25519PrivateKey.from_private_bytes(bytes.fromhex(secret.box)).public_key()
    sign = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret.sign)).public_key()
    der = certificate.public_bytes(serialization.Encoding.DER)
    return der, box.public_bytes_raw().hex(), sign.public_bytes_raw().hex()
