"""The agreement: who takes part, what is computed, and how long anybody waits. Public, and the same for all."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...errors import TacitError, format_value, suggest_alternative

NAME, LONGEST = re.compile(r"\w[\w .-]*"), 60
"""What a party may be called: its name is part of files and of its certificate."""


def check_name(name: str) -> None:
    """Refuse a name that a file or a certificate could not have."""
    if NAME.fullmatch(name) is None:
        fix = "use letters, digits, space, _ . -, and begin with a letter or digit"
        raise TacitError(f"{format_value(name)} cannot be a party's name", code="invalid_protocol_input", fix=fix)
    if len(name) > LONGEST:
        raise TacitError(
            f"a party's name has at most {LONGEST} characters, not {len(name)}", code="out_of_range", fix="shorten it"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A party as the others know it: where it listens, and its three public keys.

    ``certificate`` is the whole TLS certificate (DER, base64): whoever holds its key is this party, whatever name a
    connection claims. ``box_key`` (X25519) is what messages to it are sealed under, ``sign_key`` (Ed25519) what it signs with.
    """

    name: str
    host: str
    port: int
    certificate: str
    box_key: str
    sign_key: str

    @property
    def der(self) -> bytes:
        """The certificate as it comes over the wire."""
        return base64.b64decode(self.certificate)

    @property
    def expires(self) -> datetime:
        """Until when its certificate is good."""
        from cryptography import x509

        return x509.load_der_x509_certificate(self.der).not_valid_after_utc

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, to be compared by telephone."""
        return hashlib.sha256(self.der).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What all parties signed up to; :attr:`digest` is exchanged before anything else.

    ``task`` says what is computed (``compute`` and its columns and bounds), ``protocol`` how sums are made. Times are in
    seconds: ``connect_timeout`` for all to be there, ``round_timeout`` for each awaited message. ``max_message`` is in bytes.
    """

    session: str
    protocol: str
    modulus: int
    members: tuple[Member, ...]
    task: Mapping[str, Any]
    connect_timeout: float
    round_timeout: float
    max_message: int
    adversary: str = "semi-honest"

    @property
    def names(self) -> tuple[str, ...]:
        """The parties, in the order of the file."""
        return tuple(member.name for member in self.members)

    def member(self, name: str) -> Member:
        """A party by name."""
        for one in self.members:
            if one.name == name:
                return one
        raise TacitError(
            f"there is no party {name!r} in the agreement",
            code="unknown_name",
            fix=suggest_alternative(name, self.names),
        )

    @property
    def digest(self) -> str:
        """SHA-256 of all of it: spaces and comments of the file do not count, the order of parties, columns and keys does.

        The order of the columns lays out the numbers that parties add up, so two files that differ in it are two agreements.
        """
        return self._hash_members(self.members, sort_keys=False)

    @property
    def unordered_digest(self) -> str:
        """SHA-256 of what it says in whatever order: equal where two files differ in their order alone."""
        return self._hash_members(sorted(self.members, key=lambda one: one.name), sort_keys=True)

    def _hash_members(self, members: Sequence[Member], *, sort_keys: bool) -> str:
        plain = {name: getattr(self, name) for name in self.__slots__ if name not in ("members", "task")}
        plain |= {"task": dict(self.task)}
        plain |= {"members": [{name: getattr(one, name) for name in Member.__slots__} for one in members]}
        text = json.dumps(plain, sort_keys=sort_keys, ensure_ascii=True, default=str, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
