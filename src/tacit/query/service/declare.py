"""From what the file says of a column, a budget or a data set to what the service works with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from ...dp.cost import Cost, Unit, exact
from ...errors import TacitError
from ..column import EPOCH, Column, Kind, Schema
from .sections import BandSection, BudgetSection, ColumnSection, DatasetSection, JoinSection
from .service import Declared, Join, ModeName, Place

FURTHEST = 2**62
"""Bounds beyond so many grid units are refused: their squares would not fit."""

KEYS: dict[Kind, tuple[str, ...]] = {
    "category": ("values",),
    "text": (),
    "boolean": (),
    "integer": ("low", "high"),
    "number": ("low", "high", "step"),
    "date": ("low", "high"),
}
"""What can be declared of each kind beside ``confidential``."""

OPTIONS: dict[ModeName, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "dp": (("neighbours",), ("size", "threshold_delta")),
    "exact": (("least",), ("overlap", "per_account", "earlier", "identities")),
    "interval": (("bands", "secret"), ("earlier",)),
    "input": ((), ()),
}
"""Mode → the keys of a data set that it needs, and those that it may have beside."""


def budget(given: BudgetSection, where: str) -> Cost:
    """An exact amount of ε or ρ, above 0."""
    named: list[tuple[Unit, object]] = [("epsilon", given.epsilon), ("rho", given.rho)]
    found = [(unit, amount) for unit, amount in named if amount is not None]
    if len(found) != 1:
        raise TacitError(
            "a budget is of epsilon or of rho", fix="e.g. { epsilon = 1 } or { rho = 0.5, delta = 1e-6 }", where=where
        )
    (unit, amount), delta = found[0], exact(given.delta, "delta")
    if exact(amount, unit) <= 0 or not 0 <= delta < 1:
        raise TacitError(
            f"a budget of {unit} {amount} and delta {given.delta} leaves nothing to ask or is none",
            fix=f"{unit} above 0, delta from 0 to below 1",
            where=where,
        )
    return Cost.of(amount, delta, unit)


def column(name: str, given: ColumnSection, where: str) -> Column:
    """A declared column in grid units."""
    try:
        _check_keys(given)
        values, bounds = _values(given), _bounds(given)
    except TacitError as problem:
        raise problem.at(where) from None
    low, high = bounds or (None, None)
    step = Fraction(given.step) if given.step is not None else Fraction(1)
    return Column(
        name=name, kind=given.kind, values=values, low=low, high=high, step=step, confidential=given.confidential
    )


def _check_keys(given: ColumnSection) -> None:
    for key in ("values", "low", "high", "step"):
        if getattr(given, key) is not None and key not in KEYS[given.kind]:
            takes = ", ".join(KEYS[given.kind]) or "nothing more"
            raise TacitError(f"a column of kind {given.kind!r} has no {key!r}", fix=f"it takes {takes}")


def _values(given: ColumnSection) -> tuple[str, ...]:
    if given.kind == "boolean":
        return "false", "true"
    values = tuple(str(value) for value in given.values or ())
    if given.kind == "category" and (not values or len(set(values)) < len(values)):
        raise TacitError("a category lists its values, each once", fix='e.g. values = ["f", "m"]')
    return values


def _bounds(given: ColumnSection) -> tuple[int, int] | None:
    """Both bounds in grid units; none of a column that cannot be summed."""
    if (given.low is None) != (given.high is None):
        raise TacitError("one bound is missing", fix="give low and high, or neither")
    if given.kind == "number" and (given.step is None) != (given.low is None):
        raise TacitError(
            "a number has low, high and step, or none of them", fix="e.g. low = 0, high = 1000, step = 0.01"
        )
    if given.low is None or given.high is None:
        return None
    low, high = _units(given, given.low), _units(given, given.high)
    if not -FURTHEST < low < high < FURTHEST:
        raise TacitError(
            f"low = {given.low} is not below high = {given.high}, or they are too far out", fix="give low < high"
        )
    return low, high


def _units(given: ColumnSection, bound: int | Decimal | date) -> int:
    if isinstance(bound, date) != (given.kind == "date") or isinstance(bound, datetime):
        fix = "a day, e.g. low = 2020-01-01" if given.kind == "date" else "a number, e.g. low = 0"
        raise TacitError(f"{bound} is no bound of a column of kind {given.kind!r}", fix=fix)
    if isinstance(bound, date):
        return (bound - EPOCH).days
    units = Fraction(bound) / (Fraction(given.step) if given.step is not None else 1)
    if units.denominator != 1:
        fix = "give a whole number" if given.kind == "integer" else "give bounds that are multiples of step"
        raise TacitError(f"the bound {bound} is not on the grid", fix=fix)
    return int(units)


def dataset(name: str, given: DatasetSection, *, folder: Path, where: str) -> Declared:
    """A declared data set, its joined columns among the others under ``table.column``."""
    columns = {one.name: one for one in _columns(given, where)}
    if (given.unit is None) != (given.rows_per_unit is None):
        raise TacitError(
            "unit and rows_per_unit belong together",
            fix='unit = "patient" and rows_per_unit = 3, or neither: then every row is another person\'s',
            where=where,
        )
    schema = Schema(
        name=name,
        version=given.version,
        columns=columns,
        unit=given.unit,
        rows=given.rows_per_unit or 1,
        joins={table: join.key for table, join in given.joins.items()},
    )
    return Declared(
        schema=schema,
        place=_place(given, folder, where),
        mode=given.mode,
        budget=None if given.budget is None else budget(given.budget, f"{where}.budget"),
        joins={table: _joined(join, given, folder, f"{where}.joins.{table}") for table, join in given.joins.items()},
        options=_options(given, where) | ({"secret": folder / given.secret} if given.secret is not None else {}),
    )


def _columns(given: DatasetSection, where: str) -> Iterator[Column]:
    for name, one in given.columns.items():
        yield column(name, one, f"{where}.columns.{name}")
    for table, join in given.joins.items():
        for name, one in join.columns.items():
            yield column(f"{table}.{name}", one, f"{where}.joins.{table}.columns.{name}")


def _options(given: DatasetSection, where: str) -> dict[str, object]:
    """The parameters of the mode: all that it needs, none of another's."""
    needed, more = OPTIONS[given.mode]
    for key in {key for pair in OPTIONS.values() for keys in pair for key in keys}:
        if getattr(given, key) is not None and key not in needed + more:
            takes = ", ".join(needed + more) or "none"
            raise TacitError(
                f"{key!r} is no parameter of the mode {given.mode!r}", fix=f"it has {takes}", where=f"{where}.{key}"
            )
    for key in needed:
        if getattr(given, key) is None:
            about = DatasetSection.model_fields[key].description
            raise TacitError(f"the mode {given.mode!r} needs {key!r}", fix=f"add it; {about}", where=where)
    return {key: _plain(value) for key in needed + more if (value := getattr(given, key)) is not None}


def _joined(join: JoinSection, given: DatasetSection, folder: Path, where: str) -> Join:
    if join.key not in given.columns:
        fix = f"declare it: columns.{join.key} = {{ kind = … }}"
        raise TacitError("leads to another table and is not declared", column=join.key, fix=fix, where=where)
    if given.path is not None and join.path is not None and join.table is None:
        return Join(Place(path=folder / join.path), join.key)
    if given.url is not None and join.table is not None and join.path is None:
        return Join(Place(url=given.url, table=join.table), join.key)
    raise TacitError("is not where the data set is", fix="path for a file, table for the same database", where=where)


def _place(given: DatasetSection, folder: Path, where: str) -> Place:
    if given.path is not None and given.url is None and given.table is None:
        return Place(path=folder / given.path)
    if given.url is not None and given.table is not None and given.path is None:
        return Place(url=given.url, table=given.table)
    raise TacitError(
        "the data are in a file or in a table of a database",
        fix='path = "patients.parquet", or url = "postgresql://…" and table = "patients"',
        where=where,
    )


def _plain(value: object) -> object:
    """Numbers that were typed with a point become fractions, and so does a band."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, BandSection):
        return {"absolute": exact(value.absolute, "absolute")}
    return exact(value) if isinstance(value, Decimal) else value
