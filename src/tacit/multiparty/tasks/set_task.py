"""Intersection and union of everybody's items, as tasks of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, whole
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..group import LONGEST, SIZE
from ..protocols.protocol import fits_into
from ..protocols.set_intersection import common_count, set_intersection
from ..protocols.set_union import set_union
from ..seat import Seat
from .items import items_of

PROGRAMS = {
    ("set_intersection", "items"): set_intersection,
    ("set_intersection", "size"): common_count,
    ("set_union", "items"): set_union,
}


@dataclass(frozen=True, slots=True)
class SetTask:
    """Which items of a column all parties have (``set_intersection``), or any (``set_union``); or only how many all have.

    No party may bring more than ``rows`` items: each of them is a guess at what the others have.
    """

    protocol: str
    compute: str
    column: str
    parties: int
    most: int
    rows: int

    @classmethod
    def of(cls, agreement: Agreement) -> SetTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "column", "rows"))
        known = [compute for protocol, compute in PROGRAMS if protocol == agreement.protocol]
        compute, column = one_of(task, "compute", known), _text(task, "column")
        whole("rows", task.get("rows"), least=1)
        return cls(agreement.protocol, compute, column, len(agreement.members), agreement.max_message, task["rows"])

    @property
    def drop_outs(self) -> bool:
        """Everybody's power is needed."""
        return False

    @property
    def breaks(self) -> int:
        """All others together see the sizes of overlaps, and no more than that."""
        return self.parties

    @property
    def reveals(self) -> str | None:
        """Of two parties each knows whose the items of a union are."""
        said = "with two parties the union alone tells each of them all items of the other that it lacks itself"
        return said if self.protocol == "set_union" and self.parties == 2 else None

    def seen(self, _me: str) -> None:
        """Sizes, and overlaps at the first party, are among the figures."""

    def check(self, agreement: Agreement) -> None:
        """Any two parties or more can do it."""

    def own(self, frame: pl.DataFrame, _me: str) -> list[str]:
        """The items of the own file, which must go into one message."""
        if frame.height > self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows, and at most {self.rows:,} a party are agreed on",
                fix="agree on more",
            )
        found = items_of(frame, self.column)
        fits_into(self.most, SIZE * len(found))
        long = next((row for row, item in enumerate(found, 1) if len(item.encode()) > LONGEST), None)
        if self.protocol == "set_union" and long is not None:
            raise TacitError(
                f"has an item of more than {LONGEST} bytes in row {long}", column=self.column, fix="use shorter codes"
            )
        return found

    async def run(self, seat: Seat, own: list[str]) -> Mapping[str, Any]:
        """The items, or how many; and what was seen on the way."""
        found = await PROGRAMS[self.protocol, self.compute](seat, own, most=self.rows)
        seat.note_result(json.dumps([found.count, found.sizes, found.items]).encode())
        figures: dict[str, Any] = {"size": found.count, "sizes of the sets": found.sizes}
        if found.items is not None:
            figures["items"] = list(found.items)
        if found.overlaps is not None:
            seen = {" & ".join(names): count for names, count in found.overlaps.items()}
            figures["seen by the first party alone: items that exactly these have"] = seen
        return figures


def _text(task: Mapping[str, Any], key: str) -> str:
    if not isinstance(task.get(key), str):
        raise TacitError("no column is named", fix=f'e.g. {key} = "id"', where=f"task.{key}")
    return str(task[key])
