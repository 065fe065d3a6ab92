"""Date shifting: all dates of a person moved by the same random number of days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import draw_rows
from ._bounds import pair_of
from ._keyed_draws import of_values
from ._numbers import masked_dtypes
from .parameters import column_name, column_names, drop_metadata, seed_of

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

Step = Literal["day", "week", "year"]

STEPS: dict[Step, int] = {"day": 1, "week": 7, "year": 364}
"""Days of a step; a year of 52 whole weeks keeps the day of the week."""

YEARS = (1, 9999)

NANOSECOND_YEARS = (1678, 2261)
"""Whole years that a moment in nanoseconds can be in."""

EPOCH = date(1970, 1, 1).toordinal()

NEVER = 1 << 40
"""More steps than any date is away."""


@dataclass(frozen=True, slots=True)
class ShiftDistribution:
    """Uniform on the multiples of ``step`` days from ``least`` to ``most`` steps; 0 only if it is said."""

    step: int
    least: int
    most: int
    zero: bool

    def published_moments(self) -> dict[str, Any]:
        """What an analyst may know of the shifts."""
        steps = np.arange(self.least, self.most + 1)
        shifts = (steps if self.zero else steps[steps != 0]) * self.step
        return {
            "least": int(shifts.min()),
            "most": int(shifts.max()),
            "every": self.step,
            "zero": bool((shifts == 0).any()),
            "mean": float(shifts.mean()),
            "variance": float(shifts.var()),
        }

    def draw_days(self, uniform: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Days for each row, uniform on the shifts from ``low`` to ``high`` steps too; and which rows have none left."""
        low, high = np.maximum(low, self.least), np.minimum(high, self.most)
        holed = (low <= 0) & (high >= 0) & (not self.zero)
        count = high - low + 1 - holed
        step = low + (uniform * np.maximum(count, 1)).astype(np.int64)
        step += holed & (step >= 0)
        return step * self.step, count < 1


@dataclass(frozen=True)
class ShiftRows:
    """The row kernel: moves ``columns`` by one shift for each ``person`` (each row without one).

    ``bounds`` has column → lowest and highest day, each a day number, the name of a column of dates, or None; persons
    with several rows are kept within them only if all their rows are in the batch.
    """

    columns: tuple[str, ...]
    types: Mapping[str, Any]
    person: str | None
    bounds: Mapping[str, tuple[int | str | None, int | str | None]]
    law: ShiftDistribution
    seed: int | bytes

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The moved columns of the batch."""
        low, high = self._allowed_steps(batch)
        shift, none = self.law.draw_days(self._draw_uniform(batch, start), low, high)
        self._check_shifts(none, start)
        return pl.DataFrame([self._shift_dates(batch[column], shift, start) for column in self.columns])

    def rows_narrowed(self, batch: pl.DataFrame) -> np.ndarray:
        """The rows whose choice is narrowed by the bounds."""
        low, high = self._allowed_steps(batch)
        found: np.ndarray = (low > self.law.least) | (high < self.law.most)
        return found

    def _draw_uniform(self, batch: pl.DataFrame, start: int) -> np.ndarray:
        alone = draw_rows(self.seed, start, batch.height, lambda rng, n: rng.random(n))
        if self.person is None:
            return alone
        keyed = of_values(self.seed, batch[self.person])[:, 0]
        return np.where(np.isnan(keyed), alone, keyed)

    def _allowed_steps(self, batch: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """The fewest and most steps that keep all dates of the row, and of the other rows of its person, in bounds."""
        low, high = np.full(batch.height, -NEVER), np.full(batch.height, NEVER)
        for column, (lowest, highest) in self.bounds.items():
            least, most = self._steps_within_bounds(
                batch[column], _bound_shift(batch, lowest), _bound_shift(batch, highest)
            )
            low, high = np.fmax(low, least), np.fmin(high, most)
        if self.bounds and self.person is not None:
            low, high = _of_person(batch[self.person], low, high)
        return low.astype(np.int64), high.astype(np.int64)

    def _steps_within_bounds(
        self, dates: pl.Series, lowest: np.ndarray, highest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The fewest and most steps that keep each date in its bounds, NaN where nothing does."""
        day, step = _days_since_epoch(dates), self.law.step
        low, high = np.ceil((lowest - day) / step), np.floor((highest - day) / step)
        if getattr(dates.dtype, "time_zone", None) is None:
            return low, high
        # Clocks that change on the way can carry a moment near midnight into the next day, or into the one before.
        first, last = (
            _days_since_epoch(_add_days(dates, np.clip(np.nan_to_num(end), self.law.least, self.law.most) * step))
            for end in (low, high)
        )
        return low + (first < lowest), high - (last > highest)

    def _check_shifts(self, none: np.ndarray, start: int) -> None:
        if none.any():
            raise TacitError(
                f"leaves no shift within the bounds in {int(none.sum())} rows, the first of them row {start + int(none.argmax()) + 1}",
                code="unsuitable_column",
                fix="widen the bounds, move the dates by more days, or allow a shift of 0 with zero=True",
                column=next(iter(self.bounds)),
            )

    def _shift_dates(self, dates: pl.Series, shift: np.ndarray, start: int) -> pl.Series:
        first, last = NANOSECOND_YEARS if getattr(dates.dtype, "time_unit", None) == "ns" else YEARS
        day = _days_since_epoch(dates) + shift + EPOCH
        beyond = (day < date(first, 1, 1).toordinal()) | (day > date(last, 12, 31).toordinal())
        if beyond.any():
            raise TacitError(
                f"leaves the years {first} to {last} in row {start + int(beyond.argmax()) + 1}",
                code="out_of_range",
                column=dates.name,
                fix="correct the date: codes such as 9999-12-31 stand for a missing one (missing_values=…)",
            )
        return _add_days(dates, shift).cast(self.types[dates.name]).alias(dates.name)


def _days_since_epoch(dates: pl.Series) -> np.ndarray:
    """Days since 1970 as floats, those of the calendar of its time zone for a moment, missing as NaN."""
    return dates.dt.date().to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _add_days(dates: pl.Series, days: np.ndarray) -> pl.Series:
    """Dates and moments so many whole days of 24 hours later."""
    return dates + pl.Series(days.astype(np.int64)) * pl.Series([86_400_000_000]).cast(pl.Duration("us"))


def _bound_shift(batch: pl.DataFrame, bound: int | str | None) -> np.ndarray:
    """A bound for each row; NaN, which bounds nothing, where there is none."""
    if isinstance(bound, str):
        return _days_since_epoch(batch[bound])
    return np.full(batch.height, np.nan if bound is None else float(bound))


def _of_person(person: pl.Series, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The room that all rows of a person have; rows without one stand alone."""
    rows = pl.DataFrame({"person": person, "low": low, "high": high})
    alone = person.is_null().to_numpy()
    shared = rows.select(pl.col("low").max().over("person"), pl.col("high").min().over("person"))
    return np.where(alone, low, shared["low"].to_numpy()), np.where(alone, high, shared["high"].to_numpy())


Direction = Literal["both", "back", "forward"]

EXAMPLE = "e.g. bounds={'visit': ['birth', '2024-12-31']}: the earliest and the latest day, a column of dates, or None; in a plan { high = '2024-12-31' }"


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("changes", ("columns",), model="date_shift"),
    family="special",
    suits={"date": 2},
    example={"columns": ["birth"], "days": 180},
    use="Intervals between the events of a person matter, the days in the calendar do not.",
    avoid="Seasons or epidemics are the subject, or an event's true day may be known: give intervals alone.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftDates:
    r"""Move all dates of a person by one random number of days, the same for all of them.

    The shift of a person is uniform on :math:`\{-days, \dots, days\}`, without 0 unless ``zero=True``; so intervals
    within a person, the order of events, lengths of stay and ages at an event are exact, and only the place in the
    calendar is lost. ``person`` is the column that says whose row it is, if persons have several; the default is the
    household, whose members then move together, and without one every row moves on its own. ``step="week"`` moves by
    whole weeks and keeps the day of the week, ``step="year"`` by years of 52 weeks, which keeps the season too (a year
    drifts by a day or two); ``days`` is the farthest in every case. ``direction="back"`` never moves into the future,
    ``"forward"`` never before birth.

    ``bounds={"visit": ["birth", "2024-12-31"]}`` gives the earliest and the latest day of a column, each a day, another
    column of dates, or None: a person's shift is then uniform on those that keep all its dates in bounds, which tells
    more about people near a bound (the trace counts the records concerned).

    The shift hangs on the person's value by a keyed hash of it: with the same seed, linked files move alike, whatever
    their engine, and 7 and "7" are the same person. A row without a person moves on its own. Moments keep their time of day
    (those of a time zone move by whole days of 24 hours, so that intervals stay exact). Missing stays missing.

    A person with a known date is found out wholly: whoever knows one event and its day knows all others. Long or rare
    sequences of intervals identify without any date. And a few days are undone by what happens on known days: holidays,
    epidemics; prefer half a year or more.

    Row by row on every engine, O(n) time, one hash per person and batch; bounds together with a ``person`` need all rows
    of a person at once and are refused on DuckDB and Spark.

    >>> import polars as pl
    >>> from datetime import date
    >>> from tacit import Release
    >>> stays = pl.DataFrame({"id": [1, 1], "day": [date(2024, 1, 1), date(2024, 3, 1)]})
    >>> moved = Release(stays).protect(ShiftDates(columns="day", days=180, person="id"), seed=7).to_native()["day"]
    >>> (moved[1] - moved[0]).days, moved[0] != date(2024, 1, 1)
    (60, True)

    References
    ----------
    Hripcsak, Mirhaji, Low and Malin (2016), Preserving temporal relations in clinical data while maintaining privacy,
    Journal of the American Medical Informatics Association 23, 1040–1045.
    """

    columns: str | Sequence[str]
    days: int
    person: str | None = None
    step: Step = "day"
    direction: Direction = "both"
    zero: bool = False
    bounds: Mapping[str, tuple[str | None, str | None]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        check_int("days", self.days, least=1)
        if self.person is not None and column_name(self.person) in columns:
            raise TacitError(
                "says whose row it is and is moved",
                code="unsuitable_column",
                column=self.person,
                fix="leave it out of one of the two",
            )
        for name, given, known in (
            ("step", self.step, get_args(Step)),
            ("direction", self.direction, get_args(Direction)),
        ):
            if given not in known:
                raise TacitError(
                    f"{name}={format_value(given)} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=suggest_alternative(str(given), known),
                )
        if not isinstance(self.zero, bool):
            raise TacitError(
                f"zero={format_value(self.zero)} is neither true nor false",
                code="not_boolean",
                parameter="zero",
                fix="zero=True allows a shift of 0",
            )
        if self.days < STEPS[self.step]:
            raise TacitError(
                f"days={self.days} is less than a step of {STEPS[self.step]} days",
                code="out_of_range",
                parameter="days",
                fix="use more days, or step='day'",
            )
        object.__setattr__(self, "bounds", _checked_bounds(self.bounds))
        for column in self.bounds:
            if column not in columns:
                raise TacitError(
                    "is bounded and not moved",
                    code="column_not_chosen",
                    column=column,
                    fix=suggest_alternative(column, columns),
                )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with moved dates; the outcome has the law of the shifts."""
        start = seed_of(self, seed, without=("columns", "person"))
        columns = check_columns(self.columns, release.columns)
        person = self.person if self.person is None else check_columns(self.person, release.columns)[0]
        person = person or release.household
        for column in columns:
            if release.types[column] not in ("date", "datetime"):
                raise TacitError(
                    f"holds {release.types[column]}, not dates",
                    code="not_a_date",
                    column=column,
                    fix="leave it out; dates in texts must be read as dates first (dates='DD.MM.YYYY' for a CSV)",
                )
        bounds = {column: self._column_bounds(release, column) for column in self.bounds}
        if bounds and person is not None:
            instead = "use direction='back' or 'forward' in place of bounds"
            release.capabilities.require("in_memory", "dates of persons cannot be kept within bounds", instead=instead)
        kernel = ShiftRows(columns, masked_dtypes(release, columns), person, bounds, self._shift_distribution(), start)
        report_progress(progress, "shift_dates", 0.0)
        read = dict.fromkeys((*columns, *([person] if person else []), *_bound_columns(bounds)))
        moved = release.map_batches(list(read), kernel, masked_dtypes(release, columns))
        report_progress(progress, "shift_dates", 1.0)
        outcome = {"law": Finding(self._shift_distribution().published_moments(), publishable=True)}
        if bounds and release.capabilities.in_memory:
            table = release.scan().select(*read).collect(backend="polars").to_native()
            outcome["cut"] = Finding(int(kernel.rows_narrowed(table).sum()), publishable=True, counts=True)
        return Masked(drop_metadata(moved, columns, hierarchies=False), (Trace.of(self, **outcome),))

    def _shift_distribution(self) -> ShiftDistribution:
        step = STEPS[self.step]
        most = self.days // step
        return ShiftDistribution(
            step, 0 if self.direction == "forward" else -most, 0 if self.direction == "back" else most, self.zero
        )

    def _column_bounds(self, release: Release, column: str) -> tuple[int | str | None, int | str | None]:
        low, high = (_resolve_bound(release, column, bound) for bound in self.bounds[column])
        return low, high


def _checked_bounds(given: object) -> FrozenDict[str, tuple[str | None, str | None]]:
    """Column → its earliest and latest day, each a day, the name of a column, or None."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"bounds={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="bounds",
            fix=EXAMPLE,
        )
    found: dict[str, tuple[str | None, str | None]] = {}
    for column, said in given.items():
        pair = pair_of(said)
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(_is_bound(one) for one in pair):
            raise TacitError(
                f"is bounded by {format_value(said)}", code="unsuitable_column", column=str(column), fix=EXAMPLE
            )
        low, high = (one.isoformat() if isinstance(one, date) else one for one in pair)
        days = [_day_number(low), _day_number(high)]
        if None not in days and not days[0] < days[1]:  # type: ignore[operator]
            raise TacitError(
                f"has the bounds {format_value(low)} and {format_value(high)}, of which the first is not the earlier",
                code="wrong_type",
                column=str(column),
                fix="swap the two",
            )
        found[str(column)] = (low, high)
    return FrozenDict(found)


def _is_bound(one: object) -> bool:
    return one is None or isinstance(one, date | str)


def _day_number(bound: str | None) -> int | None:
    """Days since 1970 of a day, None for what is none."""
    try:
        return None if bound is None else datetime.fromisoformat(bound).date().toordinal() - EPOCH
    except ValueError:
        return None


def _resolve_bound(release: Release, column: str, bound: str | None) -> int | str | None:
    """A bound as a day number, or the column that holds it."""
    if bound is None or (day := _day_number(bound)) is not None:
        return None if bound is None else day
    if bound in release.columns and release.types[bound] in ("date", "datetime"):
        return bound
    raise TacitError(
        f"is bounded by {bound!r}, which is neither a day nor a column of dates",
        code="unsuitable_column",
        column=column,
        fix="write a day as 'YYYY-MM-DD', or name a column of dates",
    )


def _bound_columns(bounds: Mapping[str, tuple[int | str | None, int | str | None]]) -> list[str]:
    return [bound for pair in bounds.values() for bound in pair if isinstance(bound, str)]
