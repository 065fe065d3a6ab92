"""How a file of table cells is written: its form, its signs, and which columns hold what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from ...errors import TacitError, format_value
from ..dimension import TOTAL

Form: TypeAlias = Literal["long", "pivot", "sbs", "jj", "tab"]
"""A row per cell · codes of the last dimensions across · SBS code-value · JJ · τ-ARGUS table data with its .rda."""

MARKS = ("", "x", "X", "c", "C", ":", "*", "..", "...", ".", "n/a", "NA", "s")
"""What stands in the place of a suppressed figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How to read a file of cells; what is not said has the usual value.

    ``form`` is found from the suffix when None (.jj, .tab, .sbs; else long). ``across`` dimensions stand in the columns of a
    pivot table, the last ones. ``header`` says whether the first row of a long file names the columns. ``total`` is the
    code of all together, or dimension → code. ``contributors``, ``lower``, ``upper``, ``cost`` and ``top`` are columns.
    ``margin`` gives levels, in percent of the figure, where the file has none. ``marks`` are texts for suppressed figures
    (case matters); a lone ``-`` is an empty cell, a known zero. Cells that the file lacks are ``absent``: "empty" (zero) or
    "hidden". ``counts`` says that the figures count respondents. ``tolerance`` is how far sums may be off by rounding; None allows
    what the digits of the figures explain.
    """

    form: Form | None = None
    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    sheet: str | None = None
    header: bool = True
    across: int = 1
    total: str | Mapping[str, str] = field(default=TOTAL)
    contributors: str | None = None
    lower: str | None = None
    upper: str | None = None
    cost: str | None = None
    top: tuple[str, ...] = ()
    margin: float | None = None
    marks: tuple[str, ...] = MARKS
    absent: Literal["empty", "hidden"] = "empty"
    counts: bool = False
    metadata: str | Path | None = None
    tolerance: float | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise TacitError(
                f"decimal={format_value(self.decimal)} is no decimal sign",
                code="wrong_type",
                parameter="decimal",
                fix="use decimal=',' or decimal='.'",
            )
        if self.absent not in ("empty", "hidden"):
            raise TacitError(
                f"absent={format_value(self.absent)} is unknown",
                code="unknown_name",
                parameter="absent",
                fix="use absent='empty' or absent='hidden'",
            )
        if self.across < 1:
            raise TacitError(
                f"across={format_value(self.across)} puts no dimension in the columns",
                code="invalid_parameter",
                parameter="across",
                fix="use across=1",
            )
        if self.margin is not None and not self.margin >= 0:
            raise TacitError(
                f"margin={format_value(self.margin)} is no percentage",
                code="out_of_range",
                parameter="margin",
                fix="e.g. margin=10",
            )

    def total_of(self, dimension: str) -> str:
        """The code of all together in a dimension."""
        return self.total if isinstance(self.total, str) else self.total.get(dimension, TOTAL)
