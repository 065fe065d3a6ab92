"""Anonymous messages between parties, as a task of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, whole
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys
from ..protocols.dining_cryptographers import dining_cryptographers
from ..seat import Seat
from .items import items_of

__all__ = ["MessageTask"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTask:
    """At most one message a party, to all, by dining cryptographers: the one row of a file, or none."""

    column: str
    slots: int
    size: int
    rounds: int
    parties: int

    @classmethod
    def of(cls, agreement: Agreement) -> MessageTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("column", "slots", "size", "rounds"))
        for key in ("slots", "size", "rounds"):
            whole(key, task.get(key), least=1)
        numbers = {key: task[key] for key in ("slots", "size", "rounds")}
        return cls(column=str(task.get("column", "message")), parties=len(agreement.members), **numbers)

    @property
    def reveals(self) -> str | None:
        """Of two parties each knows who sent what it did not."""
        return "with two parties each knows who sent what it did not send itself" if self.parties == 2 else None

    @property
    def drop_outs(self) -> bool:
        """Pads of who goes away do not cancel."""
        return False

    @property
    def breaks(self) -> int:
        """All but one."""
        return self.parties - 1

    def seen(self, _me: str) -> None:
        """Announcements that say nothing before they are put together."""

    def check(self, agreement: Agreement) -> None:
        """Pads are of whole words, and a message must fit a frame."""
        if agreement.modulus != 2**64:
            raise TacitError("pads are of whole words", fix='modulus = "2^64"', where="session.modulus")
        if self.size > 2**16 - 1 or self.slots * (self.size + 18) > agreement.max_message:
            raise TacitError("the slots are larger than a message may be", fix="fewer or smaller ones", where="task")

    def own(self, frame: pl.DataFrame, _me: str) -> bytes | None:
        """The own message."""
        found = [
            item.encode()
            for item in items_of(frame.cast({self.column: pl.String}) if frame.is_empty() else frame, self.column)
        ]
        if len(found) > 1:
            raise TacitError(f"has {len(found)} messages", column=self.column, fix="send one a session")
        if found and len(found[0]) > self.size:
            raise TacitError(f"has a message of more than {self.size} bytes", column=self.column, fix="shorten it")
        return found[0] if found else None

    async def run(self, seat: Seat, own: bytes | None) -> Mapping[str, Any]:
        """The messages, and whether mine is among them."""
        heard = await dining_cryptographers(seat, own, slots=self.slots, size=self.size, rounds=self.rounds)
        seat.note_result(json.dumps([[one.hex() for one in heard.messages], heard.collisions]).encode())
        texts = [one.decode(errors="replace") for one in heard.messages]
        return {"messages": texts, "collisions": heard.collisions, "mine was heard": heard.delivered}
