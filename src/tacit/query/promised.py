"""What a data set promised when it was first asked, and must keep under its name.

Answers stay in the hands of those who got them. Under another mode, another neighbour relation, another unit, or with other
bands or another secret around the same values, what was answered before and what is answered now protect each other no more: two intervals
of one value with different bands give the value itself. So the promise is part of every version in the ledger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ..errors import TacitError
from .ledger.entry import canonical
from .service import Declared
from .units import confidential

__all__ = ["check_promise", "promise_of"]


def promise_of(declared: Declared, secret: str = "") -> str:
    """Eight digits that change with mode, unit, neighbours and, of intervals, with bands, bounds and secret.

    ``secret`` is a keyed fingerprint of the intervals' secret: the digits are shown to everybody.
    """
    parts: dict[str, object] = {"mode": declared.mode, "unit": declared.schema.unit}
    parts["neighbours"] = declared.options.get("neighbours")
    if declared.mode == "interval":
        columns = (declared.schema.column(name) for name in confidential(declared.schema))
        parts["bounds"] = {one.name: [one.low, one.high, str(one.step)] for one in columns}
        parts |= {"bands": declared.rules["bands"], "secret": secret, "worlds": "many"}
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:8]


def check_promise(promise: str, versions: Iterable[str]) -> None:
    """Refuse to open a data set that was asked under another promise; ``versions`` are those of its charges."""
    if any(version.rpartition("+")[2] != promise for version in versions):
        raise TacitError(
            "it was asked before with another mode, unit, neighbours, bands or secret, and those answers are known",
            fix="restore what the file said before, or offer the data under a new name if the answers may be combined",
        )
