"""The ledger of the query service: append-only, hash-chained, exact."""

from __future__ import annotations

from .caps import Cap
from .entry import Entry, LedgerSubject
from .ledger import Ledger, LedgerTransaction, LedgerVerification

__all__ = ["LedgerSubject", "Cap", "Entry", "Ledger", "LedgerTransaction", "LedgerVerification"]
