"""Reading and writing single lines of the ledger: what is read is believed only if its hash is right and the chain goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...dp.cost import Cost
from .entry import COLUMNS, START, Entry, Kind, LedgerSubject, canonical_json, utc_timestamp
from .store import TABLE, Rows, changed_error

SELECT = f"SELECT {', '.join(COLUMNS)} FROM {TABLE}"
"""The beginning of every SELECT of whole lines."""

_INSERT = f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_NEXT = f"SELECT previous FROM {TABLE} WHERE number = ?"
_NOTHING = canonical_json(Cost.of(0).as_json())


def read_line(rows: Rows, sql: str, *values: Any) -> Entry | None:
    """The first line that a SELECT finds; refused if it is not what was written, or the next one does not continue it.

    A total or an answer that was edited in place would otherwise be believed until the next walk over the chain.
    """
    found = next(rows.all(sql, *values), None)
    if found is None:
        return None
    entry = Entry.of(found)
    after = next(rows.all(_NEXT, entry.number + 1), None)
    if entry.hash != entry.compute_hash() or (after is not None and after[0] != entry.hash):
        raise changed_error()
    return entry


def append_entry(
    rows: Rows,
    asked: LedgerSubject,
    kind: Kind,
    *,
    cost: str = _NOTHING,
    totals: str = "",
    answer: str = "",
    charge: int = 0,
) -> Entry:
    """Write the next line of the chain."""
    last = next(rows.all(f"SELECT number, hash FROM {TABLE} ORDER BY number DESC LIMIT 1"), (0, START))
    draft = Entry(
        number=last[0] + 1,
        time=utc_timestamp(),
        kind=kind,
        **{name: getattr(asked, name) for name in LedgerSubject.__slots__},
        cost=cost,
        totals=totals,
        answer=answer,
        charge=charge,
        previous=last[1],
    )
    entry = replace(draft, hash=draft.compute_hash())
    rows.run(_INSERT, *entry.values())
    return entry
