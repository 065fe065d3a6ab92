"""Interval disclosure against the width of the interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ..errors import TacitError, format_value
from ..release.masked import Masked
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from .intervals import By, checked_by, checked_percent, make_intervals
from .numeric_pairs import Columns, both_files, numeric_column_pairs

if TYPE_CHECKING:
    import numpy as np


USUAL = (1, 2, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class DisclosurePoint:
    """The share disclosed in a column at one width, and that of the same intervals dealt out at random."""

    column: str
    percent: float
    share: float
    baseline: float


@dataclass(frozen=True, slots=True, eq=False)
class DisclosureCurve(DisplayMixin):
    """Interval disclosure of each column at each width, widths in the order given."""

    by: By
    points: tuple[DisclosurePoint, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """A line for each column and width."""
        for one in self.points:
            yield (
                f"{one.column}, {format_fact(one.percent)} %",
                f"{format_fact(one.share)} (at random {format_fact(one.baseline)})",
            )

    def frame(self) -> pl.DataFrame:
        """The columns ``column``, ``percent``, ``share`` and ``baseline``, a row for each point."""
        fields = {"column": pl.String, "percent": pl.Float64, "share": pl.Float64, "baseline": pl.Float64}
        return pl.DataFrame({name: [getattr(one, name) for one in self.points] for name in fields}, schema=fields)

    def as_json(self) -> list[dict[str, Any]]:
        """Plain rows, for a chart."""
        return [{"by": self.by, **row} for row in self.frame().to_dicts()]


def disclosure_curve(
    release: Release | Masked,
    *,
    original: Release | Masked,
    lineage: np.ndarray | None = None,
    percents: Sequence[float] = USUAL,
    by: By = "rank",
    columns: Columns = None,
) -> DisclosureCurve:
    """Interval disclosure at several widths: how it grows from the exact value to any value at all.

    A release is well protected at the widths where its curve lies near the baseline, whose intervals are as wide but
    dealt out at random. See :func:`interval_disclosure` for everything else.

    Attribute disclosure, measured. One sort per column for all widths, then O(n) for each.

    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([10, 20, 30, 40, 50], [12, 35, 31, 39, 80]))
    >>> print(disclosure_curve(m, original=r, percents=(40, 80)))
    pay, 40 %  0.6 (at random 0.32)
    pay, 80 %  0.8 (at random 0.48)

    References
    ----------
    Torra (2022), Guide to Data Privacy, Springer.
    """
    checked_by(by)
    if isinstance(percents, str) or not isinstance(percents, Sequence) or not percents:
        raise TacitError(
            f"percents={format_value(percents)} names no widths",
            code="missing_parameter",
            parameter="percents",
            fix="e.g. percents=(1, 5, 10)",
        )
    for percent in percents:
        checked_percent(percent)
    pairs = both_files(release, original, lineage)
    points = []
    for one in numeric_column_pairs(pairs, columns):
        around = make_intervals(one, by)
        for percent in percents:
            disclosed, baseline = around.at(percent)
            points.append(DisclosurePoint(one.column, percent, float(disclosed.sum()) / one.compared_count, baseline))
    return DisclosureCurve(by, tuple(points))
