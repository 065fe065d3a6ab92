"""The ledger of the query service: append-only, hash-chained, exact."""

from __future__ import annotations

from .caps import Cap
from .entry import Asked, Entry
from .ledger import Ledger, Turn
from .verify import Verified

__all__ = ["Asked", "Cap", "Entry", "Ledger", "Turn", "Verified"]
