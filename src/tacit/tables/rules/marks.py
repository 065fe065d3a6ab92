"""Marks by hand: what somebody decides about single cells, over the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import TacitError, format_value, suggest_alternative
from ..problem import Status
from ..table import Table
from .rule import check_percentage

Codes: TypeAlias = str | tuple[str, ...]
"""The codes of a cell, one for each dimension in their order; a text where there is one dimension."""

SAID = {
    "unsafe": Status.UNSAFE,
    "safe": Status.SAFE,
    "hidden": Status.HIDDEN,
    "published": Status.PUBLISHED,
}


@dataclass(frozen=True)
class Mark:
    """What somebody decides about a cell: its status, and where they like its levels, cost and known bounds.

    ``unsafe``: a primary suppression with ``level`` (a percentage of the figure) or ``lower`` and ``upper`` (amounts); where
    neither is given, the levels of the rules that found it too. ``safe``: may be published whatever a rule says (a waiver).
    ``hidden``: stays suppressed, without a level of its own (as in the last release). ``published``: must be shown. ``None``
    leaves the status as the rules find it. ``low`` and ``high`` are what everybody knows of the cell.
    """

    status: str | None = None
    level: float | None = None
    lower: float | None = None
    upper: float | None = None
    sliding: float | None = None
    low: float | None = None
    high: float | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.status is not None and self.status not in SAID:
            raise TacitError(
                f"a cell cannot be marked {format_value(self.status)}",
                code="invalid_table",
                fix=suggest_alternative(str(self.status), SAID),
            )
        if self.level is not None:
            check_percentage("level", self.level, e_g=15)
        for name in ("lower", "upper", "sliding", "cost"):
            amount = getattr(self, name)
            if amount is not None and not (isinstance(amount, int | float) and 0 <= amount < float("inf")):
                raise TacitError(
                    f"{name}={format_value(amount)} of a mark is not an amount from 0 on",
                    code="wrong_type",
                    parameter=name,
                    fix=f"e.g. {name}=5",
                )
        low, high = (
            (-float("inf") if self.low is None else self.low),
            (float("inf") if self.high is None else self.high),
        )
        if not low <= high:
            raise TacitError(
                f"a mark knows the cell from low={low:g} to high={high:g}",
                code="invalid_table",
                fix="give low below high",
            )

    @property
    def has_levels(self) -> bool:
        """Whether the mark brings levels of its own."""
        return not (self.level is None and self.lower is None and self.upper is None and self.sliding is None)


def found_cells(table: Table, marks: Mapping[Codes, Mark | str]) -> dict[int, Mark]:
    """Cell → its mark; codes that are no cell are an error that names them."""
    if not marks:
        return {}
    names = table.labels.columns
    places = {codes: place for place, codes in enumerate(table.labels.iter_rows())}
    found: dict[int, Mark] = {}
    for given, mark in marks.items():
        codes = (given,) if isinstance(given, str) else tuple(given)
        if codes not in places:
            raise TacitError(
                f"there is no cell {' × '.join(map(repr, codes))} to mark",
                code="wrong_type",
                fix=f"give one code of each of {', '.join(names)}, e.g. {' × '.join(map(repr, table.labels.row(0)))}",
            )
        if not isinstance(mark, str | Mark):
            raise TacitError(
                f"{format_value(mark)} is no mark", code="wrong_type", fix=f"use Mark(…), or one of {', '.join(SAID)}"
            )
        found[places[codes]] = Mark(status=mark) if isinstance(mark, str) else mark
    return found
