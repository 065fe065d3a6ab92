"""Who of two parties has more, as a task of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...errors import TacitError, whole
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..protocols.millionaires import BITS, millionaires
from ..seat import Seat
from ..statistics.column import Agreed, agreed

__all__ = ["CompareTask"]


@dataclass(frozen=True, slots=True)
class CompareTask:
    """Whether the sum of a column is greater at the first party than at the second; a file of one row: its value."""

    column: Agreed
    rows: int
    parties: tuple[str, ...]

    @classmethod
    def of(cls, agreement: Agreement) -> CompareTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "columns", "rows"))
        one_of(task, "compute", ("greater",))
        whole("rows", task.get("rows"), least=1)
        columns = task.get("columns")
        if not isinstance(columns, Mapping) or len(columns) != 1:
            raise TacitError(
                "one column is compared", fix="e.g. [task.columns] wealth = { low = 0, high = 1e9 }", where="task"
            )
        ((name, given),) = columns.items()
        return cls(agreed(name, given), task["rows"], agreement.names)

    @property
    def reveals(self) -> str | None:
        """One bit, as the name says."""
        return None

    @property
    def drop_outs(self) -> bool:
        """Both are needed."""
        return False

    @property
    def breaks(self) -> int:
        """Both."""
        return 2

    def seen(self, _me: str) -> None:
        """Labels and points that say nothing."""

    def check(self, agreement: Agreement) -> None:
        """Two parties, and sums from 0 to 2^64."""
        if len(agreement.members) != 2:
            raise TacitError(
                f"it takes two parties, and the agreement has {len(agreement.members)}",
                fix="compare in pairs",
                where="party",
            )
        if self.column.low < 0 or self.column.most * self.rows >= 2**BITS:
            raise TacitError(
                "may give sums below 0 or from 2^64 on", column=self.column.name, fix="agree on other bounds"
            )

    def own(self, frame: pl.DataFrame, _me: str) -> int:
        """The sum of the own rows, in units."""
        if not 0 < frame.height <= self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows where 1 to {self.rows:,} are agreed on", fix="agree on others"
            )
        return sum(self.column.units(frame))

    async def run(self, seat: Seat, own: int) -> Mapping[str, Any]:
        """One bit."""
        greater = await millionaires(seat, own)
        seat.note_result(bytes([greater]))
        return {" > ".join(self.parties): greater}
