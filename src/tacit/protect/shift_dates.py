"""Date shifting: all dates of a person moved by the same random number of days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, get_args

from ..errors import TacitError, instead, names, typed, whole
from ..frozen import FrozenDict
from ..progress import report
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from .bounds import pair_of
from .dates.shift import EPOCH, STEPS, Law, ShiftRows, Step
from .numbers import dtypes
from .parameters import column_name, column_names, forgotten, seed_of

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


Direction = Literal["both", "back", "forward"]
EXAMPLE = "e.g. bounds={'visit': ['birth', '2024-12-31']}: the earliest and the latest day, a column of dates, or None; in a plan { high = '2024-12-31' }"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftDates:
    r"""Move all dates of a person by one random number of days, the same for all of them (E-14).

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
    >>> moved = Release(stays).protect(ShiftDates(columns="day", days=180, person="id"), seed=7).native()["day"]
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
        whole("days", self.days, least=1)
        if self.person is not None and column_name(self.person) in columns:
            raise TacitError(
                "says whose row it is and is moved", column=self.person, fix="leave it out of one of the two"
            )
        for name, given, known in (
            ("step", self.step, get_args(Step)),
            ("direction", self.direction, get_args(Direction)),
        ):
            if given not in known:
                raise TacitError(f"{name}={typed(given)} is unknown", fix=instead(str(given), known))
        if not isinstance(self.zero, bool):
            raise TacitError(f"zero={typed(self.zero)} is neither true nor false", fix="zero=True allows a shift of 0")
        if self.days < STEPS[self.step]:
            raise TacitError(
                f"days={self.days} is less than a step of {STEPS[self.step]} days", fix="use more days, or step='day'"
            )
        object.__setattr__(self, "bounds", _checked_bounds(self.bounds))
        for column in self.bounds:
            if column not in columns:
                raise TacitError("is bounded and not moved", column=column, fix=instead(column, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with moved dates; the outcome has the law of the shifts."""
        start = seed_of(self, seed, without=("columns", "person"))
        columns = names(self.columns, release.columns)
        person = self.person if self.person is None else names(self.person, release.columns)[0]
        person = person or release.household
        for column in columns:
            if release.types[column] not in ("date", "datetime"):
                raise TacitError(
                    f"holds {release.types[column]}, not dates",
                    column=column,
                    fix="leave it out; dates in texts must be read as dates first (dates='DD.MM.YYYY' for a CSV)",
                )
        bounds = {column: self._bounds(release, column) for column in self.bounds}
        if bounds and person is not None and release.engine != "polars":
            raise TacitError(
                f"bounds on dates of persons need all rows of a person at once, which {release.engine} does not give",
                fix="use direction='back' or 'forward' in place of bounds, or the engine polars",
            )
        kernel = ShiftRows(columns, dtypes(release, columns), person, bounds, self._law(), start)
        report(progress, "shift_dates", 0.0)
        read = dict.fromkeys((*columns, *([person] if person else []), *_named(bounds)))
        moved = release.mapped(list(read), kernel, dtypes(release, columns))
        report(progress, "shift_dates", 1.0)
        outcome = {"law": Finding(self._law().moments(), publishable=True)}
        if bounds and release.engine == "polars":
            table = release.scan().select(*read).collect(backend="polars").to_native()
            outcome["cut"] = Finding(int(kernel.cut(table).sum()), publishable=True, counts=True)
        return Masked(forgotten(moved, columns, hierarchies=False), (Trace.of(self, **outcome),))

    def _law(self) -> Law:
        step = STEPS[self.step]
        most = self.days // step
        return Law(
            step, 0 if self.direction == "forward" else -most, 0 if self.direction == "back" else most, self.zero
        )

    def _bounds(self, release: Release, column: str) -> tuple[int | str | None, int | str | None]:
        low, high = (_day(release, column, bound) for bound in self.bounds[column])
        return low, high


def _checked_bounds(given: object) -> FrozenDict[str, tuple[str | None, str | None]]:
    """Column → its earliest and latest day, each a day, the name of a column, or None."""
    if not isinstance(given, Mapping):
        raise TacitError(f"bounds={typed(given)} are not given by column", fix=EXAMPLE)
    found: dict[str, tuple[str | None, str | None]] = {}
    for column, said in given.items():
        pair = pair_of(said)
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(_bound(one) for one in pair):
            raise TacitError(f"is bounded by {typed(said)}", column=str(column), fix=EXAMPLE)
        low, high = (one.isoformat() if isinstance(one, date) else one for one in pair)
        days = [_ordinal(low), _ordinal(high)]
        if None not in days and not days[0] < days[1]:  # type: ignore[operator]
            raise TacitError(
                f"has the bounds {typed(low)} and {typed(high)}, of which the first is not the earlier",
                column=str(column),
                fix="swap the two",
            )
        found[str(column)] = (low, high)
    return FrozenDict(found)


def _bound(one: object) -> bool:
    return one is None or isinstance(one, date | str)


def _ordinal(bound: str | None) -> int | None:
    """Days since 1970 of a day, None for what is none."""
    try:
        return None if bound is None else datetime.fromisoformat(bound).date().toordinal() - EPOCH
    except ValueError:
        return None


def _day(release: Release, column: str, bound: str | None) -> int | str | None:
    """A bound as a day number, or the column that holds it."""
    if bound is None or (day := _ordinal(bound)) is not None:
        return None if bound is None else day
    if bound in release.columns and release.types[bound] in ("date", "datetime"):
        return bound
    raise TacitError(
        f"is bounded by {bound!r}, which is neither a day nor a column of dates",
        column=column,
        fix="write a day as 'YYYY-MM-DD', or name a column of dates",
    )


def _named(bounds: Mapping[str, tuple[int | str | None, int | str | None]]) -> list[str]:
    return [bound for pair in bounds.values() for bound in pair if isinstance(bound, str)]
