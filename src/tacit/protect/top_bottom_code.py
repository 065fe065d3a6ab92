"""Top and bottom coding: extreme values are cut off at a bound."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

import narwhals as nw

from ..errors import TacitError, check_columns, format_value
from ..registry import MethodEffects, Tags, describe
from ..release.engines.table import few_rows
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ._cut_points import cut_points
from .parameters import column_name, is_number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


FEWEST_IN_A_MEAN = 3
"""Of two records each knows the other's value once it knows their mean."""
SLACK = 0.1
"""A tail may have so much more or less than its share, for the sake of a round bound."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("coarsens", ("column",), model="top_bottom_code"),
    family="coarser",
    example={"column": "income", "top": 60_000},
    use="Extremes identify people: the oldest, the richest.",
    avoid="The tail is the subject of the study, or totals must hold (then replace='mean').",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class TopBottomCode:
    """Replace values above ``top`` and below ``bottom`` by the bound, or by the mean of those values.

    Extremes are what makes a person known: the oldest, the richest. Bounds are given as values (of dates written
    YYYY-MM-DD), or found: ``top_share=0.01`` codes about the highest hundredth of the records, from a round number (or
    the first day of a month, year or decade) that leaves a tenth more or fewer of them above it, so that the bound is
    nobody's own value. Fewer than ten records in such a tail are refused.

    ``replace="threshold"`` keeps the type and lowers the total; ``replace="mean"`` keeps the total, makes the column a
    number, and is refused where fewer than three records are coded, which could tell each other's values from the mean.
    (A median would be the value of one of them, and is not offered.) Missing stays missing. It protects one column at a
    time: a combination of ordinary values can still be rare.

    Deterministic and row by row: O(n) on every engine, with one aggregate.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": [17, 40, 97]}), quasi="age")
    >>> r.protect(TopBottomCode(column="age", top=90)).to_native()["age"].to_list()
    [17, 40, 90]

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """

    column: str
    top: float | str | None = None
    bottom: float | str | None = None
    top_share: float | None = None
    bottom_share: float | None = None
    replace: Literal["threshold", "mean"] = "threshold"

    def __post_init__(self) -> None:
        column_name(self.column)
        if self.replace not in ("threshold", "mean"):
            raise TacitError(
                f"cannot be coded with replace={self.replace!r}",
                code="unsuitable_column",
                column=self.column,
                fix="use replace='threshold' or 'mean'",
            )
        for side in ("top", "bottom"):
            bound = getattr(self, side)
            if isinstance(bound, date):
                object.__setattr__(self, side, bound.isoformat())
            elif bound is not None and not isinstance(bound, str) and not is_number(bound):
                raise TacitError(
                    f"cannot be coded at {side}={bound!r}",
                    code="unsuitable_column",
                    column=self.column,
                    fix="give a number, or a date as 'YYYY-MM-DD'",
                )
            self._check_share(side, getattr(self, f"{side}_share"))
        if all(getattr(self, name) is None for name in ("top", "bottom", "top_share", "bottom_share")):
            raise TacitError(
                "is coded at no bound", code="out_of_range", column=self.column, fix="e.g. top=90 or top_share=0.01"
            )

    def _check_share(self, side: str, share: object) -> None:
        if share is None:
            return
        if not is_number(share) or not 0 < share <= 0.5:  # type: ignore[operator]
            raise TacitError(
                f"cannot be coded with {side}_share={format_value(share)}",
                code="unsuitable_column",
                column=self.column,
                fix=f"give a share of the records up to one half, e.g. {side}_share=0.01",
            )
        if getattr(self, side) is not None:
            raise TacitError(
                f"has {side} and {side}_share", code="unsuitable_column", column=self.column, fix="give one of the two"
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release without its extremes."""
        check_columns(self.column, release.columns)
        dtype = release.scan().collect_schema()[self.column]
        found = {side: self._resolve_bound(release, side) for side in ("top", "bottom")}
        top, bottom = (_bound_as_value(release, self.column, bound, dtype) for bound in found.values())
        if top is not None and bottom is not None and not bottom < top:
            raise TacitError(
                "has a bottom that is not below its top",
                code="out_of_range",
                column=self.column,
                fix="swap the two, or lower the shares",
            )
        value = nw.col(self.column)
        beyond = {"top": value > nw.lit(top, dtype)} if top is not None else {}
        beyond |= {"bottom": value < nw.lit(bottom, dtype)} if bottom is not None else {}
        coded, new = self._count_and_replace(release, beyond, {"top": top, "bottom": bottom})
        kept = value if self.replace == "threshold" else value.cast(nw.Float64)
        kind = dtype if self.replace == "threshold" else nw.Float64
        for side, outside in beyond.items():
            kept = nw.when(outside).then(nw.lit(new[side], kind)).otherwise(kept)
        outcome = {"coded": Finding(coded, publishable=True, counts=True)}
        if self.top_share is not None or self.bottom_share is not None:
            outcome["bounds"] = Finding({side: b for side, b in found.items() if b is not None}, publishable=True)
        return Masked(release.with_columns({self.column: kept}), (Trace.of(self, **outcome),))

    def _resolve_bound(self, release: Release, side: str) -> float | str | None:
        """The bound as typed, or a round one that leaves the share of the records beyond it."""
        bound: float | str | None = getattr(self, side)
        share: float | None = getattr(self, f"{side}_share")
        if share is None:
            return bound
        below = 1 - share if side == "top" else share
        point: float | date = cut_points(release, self.column, [below], SLACK * share, down=side == "top")[0]
        return point.isoformat() if isinstance(point, date) else point

    def _count_and_replace(
        self, release: Release, beyond: dict[str, nw.Expr], bounds: dict[str, Any]
    ) -> tuple[dict[str, int], dict[str, Any]]:
        """How many records each side codes, and what takes the place of their values."""
        if self.replace == "mean" and release.types[self.column] not in ("integer", "number"):
            raise TacitError(
                "holds dates, which are coded at the bound",
                code="wrong_kind",
                column=self.column,
                fix="use replace='threshold'",
            )
        counts: dict[str, int] = {}
        for side, outside in beyond.items():
            coded = release.scan().filter(outside)
            counts[side] = int(few_rows(coded.select(nw.len()))[0][0])
            if getattr(self, f"{side}_share") is not None and counts[side] < FEWEST:
                raise TacitError(
                    f"has fewer than {FEWEST} records in its {side}_share={getattr(self, f'{side}_share')!r}",
                    code="too_few_records",
                    column=self.column,
                    fix=f"use a larger share, or give the bound as {side}=",
                )
            if self.replace == "mean" and counts[side]:
                bounds[side] = self._check_mean(
                    side, counts[side], few_rows(coded.select(nw.col(self.column).mean()))[0][0]
                )
        return counts, bounds

    def _check_mean(self, side: str, count: int, mean: Any) -> float:
        if count < FEWEST_IN_A_MEAN:
            raise TacitError(
                f"has {count} records beyond its {side}: each could tell the others' values from the mean",
                code="out_of_range",
                column=self.column,
                fix="code more records, or use replace='threshold'",
            )
        if not isfinite(mean):
            raise TacitError(
                f"has an infinite value beyond its {side}",
                code="not_finite",
                column=self.column,
                fix="use replace='threshold'",
            )
        return float(mean)


def _bound_as_value(release: Release, column: str, bound: float | str | None, dtype: Any) -> Any:
    """A bound as a value of the column's type."""
    kind = release.types[column]
    if bound is None:
        return None
    if kind in ("integer", "number"):
        if isinstance(bound, str):
            raise TacitError(
                f"holds numbers and cannot be coded at {bound!r}",
                code="wrong_kind",
                column=column,
                fix="give a number, e.g. top=90",
            )
        if kind == "integer" and abs(bound) >= 2**63:
            raise TacitError(
                f"holds whole numbers and none beyond {bound!r}",
                code="not_whole_number",
                column=column,
                fix="give a bound below 2**63",
            )
        if kind == "integer" and not float(bound).is_integer():
            raise TacitError(
                f"holds whole numbers and cannot be coded at {bound!r}",
                code="not_whole_number",
                column=column,
                fix="give a whole number",
            )
        return int(bound) if kind == "integer" else float(bound)
    if kind in ("date", "datetime") and isinstance(bound, str):
        try:
            return date.fromisoformat(bound) if kind == "date" else _parse_datetime(bound, dtype)
        except ValueError as problem:
            raise TacitError(
                f"cannot be coded at {bound!r}, which is no date",
                code="wrong_type",
                column=column,
                fix="write it as YYYY-MM-DD",
            ) from problem
    raise TacitError(
        f"holds {kind} and cannot be coded at {bound!r}",
        code="wrong_kind",
        column=column,
        fix="code numbers at numbers and dates at 'YYYY-MM-DD'",
    )


def _parse_datetime(bound: str, dtype: Any) -> datetime:
    """A moment, in the column's time zone unless it names its own."""
    moment = datetime.fromisoformat(bound)
    zone = dtype.time_zone
    return moment.replace(tzinfo=ZoneInfo(zone)) if zone and moment.tzinfo is None else moment
