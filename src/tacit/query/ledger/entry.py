"""One line of the ledger, and the hash that ties it to the line before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

from ...dp.cost import Cost

Kind = Literal["charge", "answer", "failure", "refusal", "repeat", "reopening"]
"""A question is charged; then it is answered, or the engine fails. A refusal costs nothing, and neither does a repeat: an
answer that was paid for before goes to an account that did not have it. A reopening is the owner's, after failures."""

START = "0" * 64
"""What the first entry has in the place of the hash before it."""


def canonical_json(value: Any) -> str:
    """JSON in one form: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def utc_timestamp() -> str:
    """The time in UTC, to a millisecond, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSubject:
    """Who asked what of which data: the parts that a charge and its answer have in common.

    ``question`` is the canonical JSON of the question; a text that could not be understood leaves it empty.
    """

    account: str
    project: str
    dataset: str
    version: str
    mode: str
    digest: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger. Costs, totals and answers are canonical JSON texts, so that a line has one form only.

    ``totals`` are of the data set, of the project and of the account after a charge: the next charge reads three lines
    and no sum over all. ``charge`` is the number of the charge that an answer, a failure or a repeat belongs to, else 0.
    """

    number: int
    time: str
    kind: Kind
    account: str
    project: str
    dataset: str
    version: str
    mode: str
    digest: str
    question: str
    cost: str
    totals: str
    answer: str
    charge: int
    previous: str
    hash: str = ""

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> Entry:
        """The line that stands in a row of the table."""
        return cls(**dict(zip(COLUMNS, row, strict=True)))

    def compute_hash(self) -> str:
        """SHA-256 of the canonical JSON of all other fields, the hash before it among them."""
        parts = {name: getattr(self, name) for name in COLUMNS if name != "hash"}
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()

    def values(self) -> tuple[Any, ...]:
        """Its fields in the order of :data:`COLUMNS`."""
        return astuple(self)

    @property
    def spent(self) -> Cost:
        """What it cost."""
        return Cost.from_json(json.loads(self.cost))

    def as_json(self) -> dict[str, Any]:
        """The line with its parts read, as a history shows it."""
        read = {name: json.loads(text) if (text := getattr(self, name)) else None for name in _TEXTS}
        return {name: read.get(name, getattr(self, name)) for name in COLUMNS}


COLUMNS = tuple(field.name for field in fields(Entry))
"""The fields of a line."""

_TEXTS = ("question", "cost", "totals", "answer")
