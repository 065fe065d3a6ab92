"""Questions about data that stay where they are: SQL in, answers with their accuracy out, every answer paid for.

    SQL → question → quote → charge → answer

An owner declares a service in a file, ``tacit serve`` starts it, and analysts ask with ``tacit query`` or :class:`Client`.
Without a server the same desk answers in Python: :func:`load_service`, :func:`open_desk`, :meth:`QueryService.query`.
Names are loaded when they are first used: a client needs no engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .account import Account, key_hash, new_key
    from .client import Client, QueryResponse
    from .ledger import Entry, Ledger, LedgerVerification
    from .query_service import QueryService
    from .refusal import Refusal
    from .reply import Preview, Reply
    from .request import Request
    from .service import Service, load_service
    from .startup import open_desk

__all__ = [
    "Account",
    "Client",
    "QueryService",
    "Entry",
    "Ledger",
    "Preview",
    "QueryResponse",
    "Refusal",
    "Reply",
    "Request",
    "Service",
    "LedgerVerification",
    "key_hash",
    "load_service",
    "new_key",
    "open_desk",
]

_HOME = {
    "Account": ".account",
    "Client": ".client",
    "QueryService": ".query_service",
    "Entry": ".ledger",
    "Ledger": ".ledger",
    "Preview": ".reply",
    "QueryResponse": ".client",
    "Refusal": ".refusal",
    "Reply": ".reply",
    "Request": ".request",
    "Service": ".service",
    "LedgerVerification": ".ledger",
    "key_hash": ".account",
    "load_service": ".service",
    "new_key": ".account",
    "open_desk": ".startup",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.query' has no attribute {name!r}")
    return getattr(import_module(_HOME[name], __name__), name)


def __dir__() -> list[str]:
    return list(__all__)
