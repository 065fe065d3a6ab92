"""Who may ask: accounts with a role and the hash of an API key. The key itself is kept nowhere."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..dp.cost import Cost
from .refusal import Refusal

Role = Literal["owner", "analyst", "auditor"]
"""What an account may do.

- ``analyst``: asks within its own budget, its project's and the data set's; sees its own history.
- ``owner``: sees all budgets and the whole history, verifies the ledger, and asks too, charged to the data set's budget
  like everybody: what the owner publishes of an answer is known to all.
- ``auditor``: sees all budgets and the whole history and verifies the ledger; asks nothing.
"""

HASH = re.compile(r"sha256:[0-9a-f]{64}")


def new_key() -> str:
    """An API key: 256 bits from the operating system, as 43 letters, digits, ``-`` and ``_``."""
    return secrets.token_urlsafe(32)


def key_hash(key: str) -> str:
    """What the service file keeps of a key. It is random and long: a slow hash would add nothing.

    >>> key_hash("example")[:15], is_key_hash(key_hash("example"))
    ('sha256:50d858e0', True)
    """
    return "sha256:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def is_key_hash(text: str) -> bool:
    """Whether a text has the form of :func:`key_hash`."""
    return HASH.fullmatch(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A name, a role, and what it may ask: data sets with or without a cap of its own, in projects or alone."""

    name: str
    role: Role
    key: str = field(repr=False)
    projects: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    budget: Mapping[str, Cost] = field(default_factory=dict)

    @property
    def may_ask(self) -> bool:
        """Whether it may ask questions."""
        return self.role != "auditor"

    @property
    def sees_all(self) -> bool:
        """Whether it may read everybody's budgets and history."""
        return self.role != "analyst"


def account_of(key: str | None, accounts: Iterable[Account]) -> Account:
    """The account that a key belongs to. Every hash is compared, each in constant time."""
    given, found = key_hash(key or ""), None
    for account in accounts:
        if hmac.compare_digest(given, account.key):
            found = account
    if found is None or not key:
        raise Refusal(
            "bad_key",
            "there is no account with this key",
            fix="send the header 'Authorization: Bearer KEY' with the key that the owner gave you",
        )
    return found
