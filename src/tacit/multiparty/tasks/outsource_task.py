"""Sums, means and scores that a server computes on columns it cannot read, as a task of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from ...errors import TacitError, unknown_column, whole
from ..agreement.agreement import Agreement
from ..agreement.section import known_keys, one_of
from ..homomorphic.packed import PackedOwner, PackedServer
from ..homomorphic.scheme import Owner
from ..protocols.outsourced import COMPUTES, owning, serving
from ..seat import Seat
from ..statistics.column import Agreed, agreed

__all__ = ["OutsourceTask"]

SCORES = ("score", "logistic_score")
Columns = list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsourceTask:
    """``owner`` has the columns; the other party computes. For scores its file has a ``column`` and its ``weight`` in each row.

    A row named ``intercept`` is added to every score. ``scheme`` is ckks (fractions) or paillier (whole numbers, exact), for which
    weights are whole numbers up to ``weight``.
    """

    compute: str
    scheme: str
    owner: str
    columns: tuple[Agreed, ...]
    rows: int
    weight: int

    @classmethod
    def of(cls, agreement: Agreement) -> OutsourceTask:
        """What an agreement asks for."""
        task = known_keys(agreement.task, ("compute", "scheme", "owner", "columns", "rows", "weight"))
        for key in ("rows", "weight"):
            whole(key, task.get(key, 1), least=1)
        given = task.get("columns")
        if not isinstance(given, Mapping) or not given or "rows" not in task:
            raise TacitError(
                "columns and rows are not agreed on", fix="add rows = 1000 and [task.columns]", where="task"
            )
        return cls(
            compute=one_of(task, "compute", COMPUTES),
            scheme=one_of(task, "scheme", ("ckks", "paillier")),
            owner=one_of(task, "owner", agreement.names),
            columns=tuple(agreed(*one) for one in given.items()),
            rows=task["rows"],
            weight=task.get("weight", 1),
        )

    @property
    def reveals(self) -> str | None:
        """The owner's own sums, or scores by weights that it can work out from them."""
        return "scores of enough rows tell the owner the server's weights" if self.compute in SCORES else None

    @property
    def drop_outs(self) -> bool:
        """Both are needed."""
        return False

    @property
    def breaks(self) -> int:
        """Both."""
        return 2

    def check(self, agreement: Agreement) -> None:
        """An owner and a server; whole numbers have no curve and no sign."""
        if len(agreement.members) != 2:
            raise TacitError("an owner and a server are needed", fix="name two parties", where="party")
        if self.scheme == "paillier" and self.compute == "logistic_score":
            raise TacitError("a logistic score needs fractions", fix='scheme = "ckks"', where="task.scheme")
        below = next((one.name for one in self.columns if one.low < 0), None)
        if self.scheme == "paillier" and below is not None:
            raise TacitError("may be negative", column=below, fix='give low from 0 on, or scheme = "ckks"')
        if self._most.bit_length() > 1000:
            raise TacitError("results may be too large for a ciphertext", fix="narrower bounds", where="task.columns")

    def own(self, frame: pl.DataFrame, me: str) -> Columns | dict[str, float]:
        """The owner's columns in units; the server's weights, which it needs for scores alone."""
        if me != self.owner:
            return self._weights(frame) if self.compute in SCORES else {}
        if not 0 < frame.height <= self.rows:
            raise TacitError(
                f"the file has {frame.height:,} rows where 1 to {self.rows:,} are agreed on", fix="agree on others"
            )
        return [one.units(frame) for one in self.columns]

    def _weights(self, frame: pl.DataFrame) -> dict[str, float]:
        """A file with the columns column and weight; the error shows none of the weights."""
        absent = next((name for name in ("column", "weight") if name not in frame.columns), None)
        if absent is not None:
            raise unknown_column(absent, frame.columns)
        weights = frame["weight"]
        if not weights.dtype.is_numeric() or not weights.cast(pl.Float64).is_finite().fill_null(value=False).all():
            raise TacitError("holds no numbers, or misses some", column="weight", fix="give each column its weight")
        found = dict(zip(frame["column"].to_list(), frame["weight"].to_list(), strict=True))
        names = {one.name for one in self.columns}
        if set(found) - {"intercept"} != names or len(found) < frame.height:
            raise TacitError("a weight for each agreed column is needed, once", fix=f"name {', '.join(sorted(names))}")
        wrong = self.scheme == "paillier" and any(w != int(w) or abs(w) > self.weight for w in found.values())
        if wrong:
            raise TacitError(f"weights are whole numbers up to {self.weight}", fix='agree on more, or scheme = "ckks"')
        return found

    @property
    def _most(self) -> int:
        """A bound on every result, in units."""
        widest = [max(1, one.most) for one in self.columns]
        return max(self.rows * max(widest), (sum(widest) + 1) * self.weight)

    async def run(self, seat: Seat, own: Columns | dict[str, float]) -> Mapping[str, Any]:
        """The figures at the owner; the server learns how many rows there were, to the size of a ciphertext."""
        if isinstance(own, dict):
            return await self._serve(seat, own)
        scales = [10**one.decimals for one in self.columns]
        exact = self.scheme == "paillier"
        columns = own if exact else [[v / scale for v in column] for column, scale in zip(own, scales, strict=True)]
        found = await owning(seat, columns, self._owner(), compute=self.compute)
        rows = len(own[0])
        if self.compute in SCORES:
            return {"rows": rows, self.compute.replace("_", " "): found}
        by = [scale if exact else 1 for scale in scales]
        sums = {one.name: total / scale for one, total, scale in zip(self.columns, found, by, strict=True)}
        values = sums if self.compute == "sum" else {name: total / rows for name, total in sums.items()}
        return {"rows": rows, self.compute: values}

    async def _serve(self, seat: Seat, weights: dict[str, float]) -> Mapping[str, Any]:
        from ..homomorphic.ckks import CkksServer

        made = partial(PackedServer, most=self._most) if self.scheme == "paillier" else CkksServer
        names = [one.name for one in self.columns]
        return {"bytes of the answer": await serving(seat, weights, names, made, compute=self.compute)}

    def _owner(self) -> Owner:
        from ..homomorphic.ckks import CkksOwner

        if self.scheme == "paillier":
            return PackedOwner(most=self._most)
        return CkksOwner(deep=self.compute == "logistic_score")
