"""From SERVICE.toml to a checked service; every error gives the file, the key and the remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ...dp.cost import Cost, Unit, to_fraction
from ...errors import TacitError, nearest_name, suggest_alternative
from ..account import Account
from ..column import EPOCH, Column, Kind, Schema
from .check import check_service
from .sections import (
    BandSection,
    BudgetSection,
    ColumnSection,
    DatasetSection,
    JoinSection,
    ServiceFile,
    ServiceSection,
)
from .service import DatasetConfig, Join, ModeName, Project, Service, TableLocation, Tls

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
"""Names of data sets stand in SQL; those of projects and accounts in the ledger."""

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


def load_service(path: str | Path) -> Service:
    """The service that a file declares. Paths in it are relative to the file; decimals are exact."""
    file = Path(path)
    try:
        return check_service(_build_service(_parse_sections(_read_text(file)), file.parent))
    except TacitError as problem:
        raise problem.with_location(f"{path}, {problem.where}" if problem.where else str(path)) from None


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        known = [found.name for found in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        near = nearest_name(file.name, known)
        fix = f"did you mean {near!r}?" if near else "write an example with: tacit serve --example demo-service"
        raise TacitError("there is no such service file", code="wrong_type", fix=fix) from None
    except (OSError, UnicodeDecodeError):
        raise TacitError(
            "cannot be read as UTF-8 text", code="cannot_read", fix="give the path of a TOML file"
        ) from None


def _parse_sections(text: str) -> ServiceFile:
    try:
        return ServiceFile.model_validate(tomllib.loads(text, parse_float=Decimal))
    except tomllib.TOMLDecodeError as problem:
        raise TacitError(
            f"is not TOML: {problem}", code="malformed_file", fix="mend that line; texts need quotes"
        ) from None
    except ValidationError as problem:
        # An unknown key explains a missing one: [datasets.a] instead of [dataset.a].
        first = min(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _validation_error(first) from None
    except (InvalidOperation, RecursionError):
        raise TacitError(
            "has a number or a nesting that cannot be read", code="cannot_read", fix="write plain numbers"
        ) from None


def _build_service(given: ServiceFile, folder: Path) -> Service:
    for section in ("dataset", "project", "account"):
        for name in getattr(given, section):
            if not NAME.fullmatch(name):
                raise TacitError(
                    f"{name!r} is no name",
                    code="wrong_type",
                    fix="letters, digits and _, a letter first, at most 63",
                    where=section,
                )
    main = given.service
    return Service(
        host=main.host,
        port=main.port,
        ledger=main.ledger if main.ledger.startswith(("postgresql://", "postgres://")) else str(folder / main.ledger),
        grid=Fraction(main.grid),
        time_limit=Fraction(main.time_limit),
        tls=_build_tls(main, folder),
        datasets={
            name: build_dataset(name, one, folder=folder, where=f"dataset.{name}")
            for name, one in given.dataset.items()
        },
        projects={
            name: Project(name=name, datasets=tuple(one.datasets), budget=_build_budgets(one.budget, f"project.{name}"))
            for name, one in given.project.items()
        },
        accounts=_build_accounts(given),
    )


def _build_accounts(given: ServiceFile) -> dict[str, Account]:
    return {
        name: Account(
            name=name,
            role=one.role,
            key=one.key,
            projects=tuple(one.projects),
            datasets=tuple(one.datasets),
            budget=_build_budgets(one.budget, f"account.{name}"),
        )
        for name, one in given.account.items()
    }


def _build_budgets(given: Mapping[str, BudgetSection], where: str) -> dict[str, Any]:
    return {name: parse_budget(one, f"{where}.budget.{name}") for name, one in given.items()}


def _build_tls(given: ServiceSection, folder: Path) -> Tls | None:
    if given.tls is None:
        return None
    found = Tls(folder / given.tls.certificate, folder / given.tls.key)
    for path in (found.certificate, found.key):
        if not path.is_file():
            raise TacitError(
                f"there is no file {str(path)!r}",
                code="path_not_found",
                fix="give certificate and key as PEM files",
                where="service.tls",
            )
    if found.key.stat().st_mode & 0o007:
        raise TacitError(
            f"the private key {found.key.name!r} can be read by everybody",
            code="invalid_service",
            fix=f"chmod 600 {found.key.name}",
            where="service.tls.key",
        )
    return found


def _validation_error(error: Any) -> TacitError:
    """Pydantic's first complaint in our words; what was typed is shown only where it cannot be a secret."""
    path = tuple(str(part) for part in error["loc"])
    places, model = _resolve_key_path(path)
    key, where = places[-1], ".".join(places)
    if error["type"] == "extra_forbidden":
        return TacitError(
            f"the key {key!r} is unknown",
            code="unknown_name",
            fix=suggest_alternative(key, list(model.model_fields)),
            where=where,
        )
    if error["type"] == "missing":
        return TacitError(f"the key {key!r} is missing", code="missing_parameter", fix=f"add {key!r}", where=where)
    if error["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        return TacitError(
            f"{str(error['input'])[:80]!r} is unknown",
            code="unknown_name",
            fix=suggest_alternative(str(error["input"]), words),
            where=where,
        )
    about = model.model_fields[key].description if key in model.model_fields else None
    what = (
        "is of another kind than it should be"
        if len(path) > len(places)
        else f"{error['msg'][0].lower()}{error['msg'][1:]}"
    )
    return TacitError(
        f"the value of {key!r}: {what}", code="invalid_service", fix=f"correct it: {about or key}", where=where
    )


def _resolve_key_path(path: tuple[str, ...]) -> tuple[list[str], type[BaseModel]]:
    """The keys of the file that lead to a complaint, without Pydantic's names of types, and the last section on the way."""
    section: type[BaseModel] = ServiceFile
    here: Any = ServiceFile
    places: list[str] = []
    for part in path:
        if get_origin(here) is dict:
            here = get_args(here)[1]
        elif isinstance(here, type) and issubclass(here, BaseModel):
            here = _inner_section(here.model_fields[part].annotation) if part in here.model_fields else None
        else:
            break
        places.append(part)
        section = here if isinstance(here, type) and issubclass(here, BaseModel) else section
    return places, section


def _inner_section(annotation: Any) -> Any:
    """The section, or the table of sections, that a key holds; of an optional one too."""
    options = (annotation,) if get_origin(annotation) is dict else (get_args(annotation) or (annotation,))
    return next((part for part in options if get_origin(part) is dict or isinstance(part, type(BaseModel))), None)


def parse_budget(given: BudgetSection, where: str) -> Cost:
    """An exact amount of ε or ρ, above 0."""
    named: list[tuple[Unit, object]] = [("epsilon", given.epsilon), ("rho", given.rho)]
    found = [(unit, amount) for unit, amount in named if amount is not None]
    if len(found) != 1:
        raise TacitError(
            "a budget is of epsilon or of rho",
            code="privacy_budget",
            fix="e.g. { epsilon = 1 } or { rho = 0.5, delta = 1e-6 }",
            where=where,
        )
    (unit, amount), delta = found[0], to_fraction(given.delta, "delta")
    if to_fraction(amount, unit) <= 0 or not 0 <= delta < 1:
        raise TacitError(
            f"a budget of {unit} {amount} and delta {given.delta} leaves nothing to ask or is none",
            code="wrong_type",
            fix=f"{unit} above 0, delta from 0 to below 1",
            where=where,
        )
    return Cost.of(amount, delta, unit)


def build_column(name: str, given: ColumnSection, where: str) -> Column:
    """A declared column in grid units."""
    try:
        _check_keys(given)
        values, bounds = _check_values(given), _parse_bounds(given)
    except TacitError as problem:
        raise problem.with_location(where) from None
    low, high = bounds or (None, None)
    step = Fraction(given.step) if given.step is not None else Fraction(1)
    return Column(
        name=name, kind=given.kind, values=values, low=low, high=high, step=step, confidential=given.confidential
    )


def _check_keys(given: ColumnSection) -> None:
    for key in ("values", "low", "high", "step"):
        if getattr(given, key) is not None and key not in KEYS[given.kind]:
            takes = ", ".join(KEYS[given.kind]) or "nothing more"
            raise TacitError(
                f"a column of kind {given.kind!r} has no {key!r}", code="invalid_service", fix=f"it takes {takes}"
            )


def _check_values(given: ColumnSection) -> tuple[str, ...]:
    if given.kind == "boolean":
        return "false", "true"
    values = tuple(str(value) for value in given.values or ())
    if given.kind == "category" and (not values or len(set(values)) < len(values)):
        raise TacitError(
            "a category lists its values, each once", code="invalid_service", fix='e.g. values = ["f", "m"]'
        )
    return values


def _parse_bounds(given: ColumnSection) -> tuple[int, int] | None:
    """Both bounds in grid units; none of a column that cannot be summed."""
    if (given.low is None) != (given.high is None):
        raise TacitError("one bound is missing", code="missing_parameter", fix="give low and high, or neither")
    if given.kind == "number" and (given.step is None) != (given.low is None):
        raise TacitError(
            "a number has low, high and step, or none of them",
            code="conflicting_parameters",
            fix="e.g. low = 0, high = 1000, step = 0.01",
        )
    if given.low is None or given.high is None:
        return None
    low, high = _to_grid_units(given, given.low), _to_grid_units(given, given.high)
    if not -FURTHEST < low < high < FURTHEST:
        raise TacitError(
            f"low = {given.low} is not below high = {given.high}, or they are too far out",
            code="out_of_range",
            parameter="low",
            fix="give low < high",
        )
    return low, high


def _to_grid_units(given: ColumnSection, bound: int | Decimal | date) -> int:
    if isinstance(bound, date) != (given.kind == "date") or isinstance(bound, datetime):
        fix = "a day, e.g. low = 2020-01-01" if given.kind == "date" else "a number, e.g. low = 0"
        raise TacitError(f"{bound} is no bound of a column of kind {given.kind!r}", code="out_of_range", fix=fix)
    if isinstance(bound, date):
        return (bound - EPOCH).days
    units = Fraction(bound) / (Fraction(given.step) if given.step is not None else 1)
    if units.denominator != 1:
        fix = "give a whole number" if given.kind == "integer" else "give bounds that are multiples of step"
        raise TacitError(f"the bound {bound} is not on the grid", code="wrong_type", fix=fix)
    return int(units)


def build_dataset(name: str, given: DatasetSection, *, folder: Path, where: str) -> DatasetConfig:
    """A declared data set, its joined columns among the others under ``table.column``."""
    columns = {one.name: one for one in _build_columns(given, where)}
    if (given.unit is None) != (given.rows_per_unit is None):
        raise TacitError(
            "unit and rows_per_unit belong together",
            code="conflicting_parameters",
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
    return DatasetConfig(
        schema=schema,
        place=_build_table_location(given, folder, where),
        mode=given.mode,
        budget=None if given.budget is None else parse_budget(given.budget, f"{where}.budget"),
        joins={
            table: _build_join(join, given, folder, f"{where}.joins.{table}") for table, join in given.joins.items()
        },
        options=_mode_options(given, where) | ({"secret": folder / given.secret} if given.secret is not None else {}),
    )


def _build_columns(given: DatasetSection, where: str) -> Iterator[Column]:
    for name, one in given.columns.items():
        yield build_column(name, one, f"{where}.columns.{name}")
    for table, join in given.joins.items():
        for name, one in join.columns.items():
            yield build_column(f"{table}.{name}", one, f"{where}.joins.{table}.columns.{name}")


def _mode_options(given: DatasetSection, where: str) -> dict[str, object]:
    """The parameters of the mode: all that it needs, none of another's."""
    needed, more = OPTIONS[given.mode]
    for key in {key for pair in OPTIONS.values() for keys in pair for key in keys}:
        if getattr(given, key) is not None and key not in needed + more:
            takes = ", ".join(needed + more) or "none"
            raise TacitError(
                f"{key!r} is no parameter of the mode {given.mode!r}",
                code="wrong_type",
                fix=f"it has {takes}",
                where=f"{where}.{key}",
            )
    for key in needed:
        if getattr(given, key) is None:
            about = DatasetSection.model_fields[key].description
            raise TacitError(
                f"the mode {given.mode!r} needs {key!r}", code="invalid_service", fix=f"add it; {about}", where=where
            )
    return {key: _decimals_to_fractions(value) for key in needed + more if (value := getattr(given, key)) is not None}


def _build_join(join: JoinSection, given: DatasetSection, folder: Path, where: str) -> Join:
    if join.key not in given.columns:
        fix = f"declare it: columns.{join.key} = {{ kind = … }}"
        raise TacitError(
            "leads to another table and is not declared",
            code="column_not_chosen",
            column=join.key,
            fix=fix,
            where=where,
        )
    if given.path is not None and join.path is not None and join.table is None:
        return Join(TableLocation(path=folder / join.path), join.key)
    if given.url is not None and join.table is not None and join.path is None:
        return Join(TableLocation(url=given.url, table=join.table), join.key)
    raise TacitError(
        "is not where the data set is",
        code="path_not_found",
        fix="path for a file, table for the same database",
        where=where,
    )


def _build_table_location(given: DatasetSection, folder: Path, where: str) -> TableLocation:
    if given.path is not None and given.url is None and given.table is None:
        return TableLocation(path=folder / given.path)
    if given.url is not None and given.table is not None and given.path is None:
        return TableLocation(url=given.url, table=given.table)
    raise TacitError(
        "the data are in a file or in a table of a database",
        code="invalid_service",
        fix='path = "patients.parquet", or url = "postgresql://…" and table = "patients"',
        where=where,
    )


def _decimals_to_fractions(value: object) -> object:
    """Numbers that were typed with a point become fractions, and so does a band."""
    if isinstance(value, dict):
        return {key: _decimals_to_fractions(one) for key, one in value.items()}
    if isinstance(value, BandSection):
        return {"absolute": to_fraction(value.absolute, "absolute")}
    return to_fraction(value) if isinstance(value, Decimal) else value
