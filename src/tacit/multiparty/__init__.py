"""Compute together without showing the data: sums and what follows from them, over many houses.

    agreement → keys → mesh of TLS links → protocol → figures, and what each party saw

Parties are processes on hosts of their own: ``tacit party join AGREEMENT.toml --as NAME --data FILE``, or :func:`join`. Names are
loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agreement.agreement import Agreement, Member
    from .agreement.keys import Secret, load_secret, make_keys
    from .agreement.load import load_agreement
    from .faults import BadMessage, Contradiction, Fault, MissingParty, PartyAborted, PartyTimeout, ProtocolViolation
    from .protocols.protocol import PROTOCOLS
    from .ring import Ring
    from .session import SessionResult, join

__all__ = [
    "PROTOCOLS",
    "Agreement",
    "BadMessage",
    "ProtocolViolation",
    "Contradiction",
    "PartyAborted",
    "Fault",
    "SessionResult",
    "Member",
    "MissingParty",
    "PartyTimeout",
    "Ring",
    "Secret",
    "join",
    "load_agreement",
    "load_secret",
    "make_keys",
]

_HOME = {
    "PROTOCOLS": ".protocols.protocol",
    "Agreement": ".agreement.agreement",
    "BadMessage": ".faults",
    "ProtocolViolation": ".faults",
    "Contradiction": ".faults",
    "PartyAborted": ".faults",
    "Fault": ".faults",
    "SessionResult": ".session",
    "Member": ".agreement.agreement",
    "MissingParty": ".faults",
    "PartyTimeout": ".faults",
    "Ring": ".ring",
    "Secret": ".agreement.keys",
    "join": ".session",
    "load_agreement": ".agreement.load",
    "load_secret": ".agreement.keys",
    "make_keys": ".agreement.keys",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.multiparty' has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)


def __dir__() -> list[str]:
    return list(__all__)
