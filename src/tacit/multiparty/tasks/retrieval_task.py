"""A record for a user from servers that do not learn which, as a task of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, check_int, unknown_column
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..party import Party
from ..protocols.retrieval import from_one_server, from_two_servers

HEAD = 2
"""Bytes of a record's length, in front of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalTask:
    """The user's file has the number of a record (from 1) in ``column``; a server's has the records there, all in the same order."""

    user: str
    column: str
    records: int
    size: int
    servers: int

    @classmethod
    def of(cls, agreement: Agreement) -> RetrievalTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("user", "column", "records", "size"))
        for key in ("records", "size"):
            check_int(key, task.get(key), least=1)
        return cls(
            user=one_of(task, "user", agreement.names),
            column=str(task.get("column", "record")),
            records=task["records"],
            size=task["size"],
            servers=len(agreement.members) - 1,
        )

    @property
    def leakage(self) -> str | None:
        """The record, as the name says."""
        return None

    @property
    def drop_outs(self) -> bool:
        """All are needed."""
        return False

    @property
    def collusion_threshold(self) -> int:
        """Both servers; or user and server, which is everybody."""
        return 2

    def side_information(self, _me: str) -> None:
        """Queries and answers that say nothing."""

    def check(self, agreement: Agreement) -> None:
        """One server or two; the query must fit a frame."""
        if self.servers > 2:
            raise TacitError(
                f"{self.servers} servers are named",
                code="invalid_protocol_input",
                fix="a user and one or two servers",
                where="party",
            )
        if agreement.modulus % 2:
            raise TacitError(
                "random bits come from an even modulus",
                code="invalid_protocol_input",
                fix='modulus = "2^64"',
                where="session.modulus",
            )
        query = 256 + 512 * self.records if self.servers == 1 else self.records
        if self.size > 2**16 - 1 or max(query, 3 * self.size + 600) > agreement.max_message:
            raise TacitError(
                "a query or a record is larger than a message may be",
                code="out_of_range",
                fix="fewer or smaller records",
                where="task",
            )

    def load_input(self, frame: pl.DataFrame, me: str) -> int | list[bytes]:
        """The number of the wanted record at the user, all records at a server."""
        if self.column not in frame.columns:
            raise unknown_column(self.column, frame.columns)
        return self._wanted_number(frame[self.column]) if me == self.user else self._framed_records(frame[self.column])

    def _wanted_number(self, values: pl.Series) -> int:
        if len(values) != 1 or not values.dtype.is_integer() or values.null_count():
            raise TacitError(
                f"holds no single whole number ({len(values):,} rows), and {self.user!r} is the user",
                code="not_whole_number",
                column=self.column,
                fix="give a file of one row: the number of the record to fetch",
            )
        if not 1 <= (number := int(values[0])) <= self.records:
            raise TacitError(
                f"has a number beyond 1 to {self.records}",
                code="out_of_range",
                column=self.column,
                fix="ask for another",
            )
        return number - 1

    def _framed_records(self, values: pl.Series) -> list[bytes]:
        if values.dtype != pl.String or values.null_count() or len(values) != self.records:
            raise TacitError(
                f"does not hold the {self.records:,} texts that a server brings ({len(values):,} rows)",
                code="unsuitable_column",
                column=self.column,
                fix="give the file of all records, none missing, or agree on their number",
            )
        texts = [text.encode() for text in values.to_list()]
        long = next((row for row, text in enumerate(texts, 1) if len(text) > self.size), None)
        if long is not None:
            raise TacitError(
                f"has more than {self.size} bytes in row {long}",
                code="out_of_range",
                column=self.column,
                fix="agree on more",
            )
        return [_frame_record(text, self.size) for text in texts]

    async def run(self, seat: Party, own: int | list[bytes]) -> Mapping[str, Any]:
        """The record at the user; servers learn that they were asked."""
        program = from_one_server if self.servers == 1 else from_two_servers
        found = await program(seat, own, user=self.user, count=self.records, size=self.size + HEAD)
        if found is None:
            return {"asked by": self.user}
        length = int.from_bytes(found[:HEAD], "big")
        return {"record": found[HEAD : HEAD + length].decode(errors="replace")}


def _frame_record(text: bytes, size: int) -> bytes:
    return len(text).to_bytes(HEAD, "big") + text.ljust(size, b"\0")
