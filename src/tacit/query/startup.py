"""From a service file to an open desk: ledger, engines and modes.

What a data set promised when it was first asked, and must keep under its name.

Answers stay in the hands of those who got them. Under another mode, another neighbour relation, another unit, or with other
bands or another secret around the same values, what was answered before and what is answered now protect each other no more: two intervals
of one value with different bands give the value itself. So the promise is part of every version in the ledger.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TacitError
from ..files import commit_draft, draft_beside, sync_file
from ..seed import DEFAULT_SEED, make_generator, secret_seed
from .camouflage.band import Band
from .column import EPOCH, Column, Schema
from .dataset import Dataset
from .engines import DuckDB, Postgres
from .ledger import Ledger
from .ledger.entry import canonical_json
from .mode import Mode
from .modes.dp import DpMode
from .modes.exact import Exact
from .modes.input import InputMode
from .modes.interval import Interval
from .query_service import QueryService
from .restriction.rules import Rules
from .service import DatasetConfig, Service, TableLocation
from .service.check import mixed_modes
from .units import confidential_columns

if TYPE_CHECKING:
    import polars as pl


Source = DuckDB | Postgres

UNITS = 1000
"""Units of a dummy data set whose size is not public."""

TEXTS = ("alpha", "beta", "gamma", "delta")
"""What stands in columns without a list."""

WIDEST = 1000
"""Keys of a joined table."""


def open_desk(service: Service) -> QueryService:
    """Open the ledger and every data set; an error names the data set, and nothing is left open.

    The chain is walked over first, because totals of forged lines would allow what was spent already. O(lines + rows).
    """
    with ExitStack() as opened:
        ledger = Ledger.open(service.ledger)
        opened.callback(ledger.close)
        _check_ledger(ledger)
        rooms = {}
        for name, declared in service.datasets.items():
            try:
                _same_unit(ledger, declared)
                rooms[name] = _DatasetOpener(declared, ledger, float(service.time_limit)).open_dataset()
            except TacitError as problem:
                raise problem.with_location(f"dataset.{name}") from None
            opened.callback(rooms[name].close)
        _not_mixed(service, rooms)
        opened.pop_all()
    return QueryService(service, ledger, rooms)


def _check_ledger(ledger: Ledger) -> None:
    found = ledger.verify()
    if not found.holds:
        raise TacitError(
            f"the ledger is broken at line {found.broken}: {found.problem}",
            code="malformed_file",
            fix="find out who changed it, and restore it from a copy; nothing is answered until then",
            where="service.ledger",
        )


def _not_mixed(service: Service, rooms: Mapping[str, Dataset]) -> None:
    """Refuse two modes over the same values of a confidential column, although their files differ: a copy tells as much."""
    for one, other in combinations(service.datasets.values(), 2):
        for column, digest in rooms[one.name].values.items():
            if rooms[other.name].values.get(column) == digest and not one.mode == other.mode == "dp":
                raise mixed_modes(one, other, column, "with the same values")


def _same_unit(ledger: Ledger, declared: DatasetConfig) -> None:
    """What was spent in one unit cannot be counted in another."""
    used = ledger.spent(declared.name)
    if declared.budget is not None and used.amount and used.unit != declared.budget.unit:
        raise TacitError(
            f"the ledger counts {used.unit} for this data set, and the file {declared.budget.unit}",
            code="privacy_budget",
            fix=f"give the budget in {used.unit}, or the data set another name",
        )


class _DatasetOpener:
    """One data set on its way from declaration to room."""

    def __init__(self, declared: DatasetConfig, ledger: Ledger, time_limit: float) -> None:
        self.declared, self.ledger, self.time_limit = declared, ledger, time_limit
        self._key = self._read_secret()
        self._promise = promise_of(declared, ledger.fingerprint(self._key.hex()) if self._key else "")

    def open_dataset(self) -> Dataset:
        check_promise(self._promise, self.ledger.versions(self.declared.name))
        with ExitStack() as opened:
            source = self._open_source(self.declared.schema, self.declared.place)
            opened.callback(source.close)
            schema = self._with_version(source)
            earlier = self._earlier_sources()
            for one in earlier.values():
                opened.callback(one.close)
            mode = self._make_mode(schema, source, earlier, self._key)
            if isinstance(mode, Exact):
                with self.ledger.transaction() as turn:
                    mode.catch_up(turn.past_queries(schema.name, ""))
            values = {
                name.rpartition(".")[2]: source.value_digest(name)
                for name, column in schema.columns.items()
                if column.confidential
            }
            held = opened.pop_all()
        return Dataset(
            schema, mode, rehearsal=lambda: self._make_dry_run_mode(schema, held), close=held.close, values=values
        )

    def _with_version(self, source: Source) -> Schema:
        """The declaration with a version that changes with the data and tells nothing of them."""
        word, _, content = source.version.rpartition("+")
        return replace(self.declared.schema, version=f"{word}+{self.ledger.fingerprint(content)}+{self._promise}")

    def _earlier_sources(self) -> dict[str, Source]:
        """Earlier versions, by the version under which their questions are in the ledger."""
        found: dict[str, Source] = {}
        given: Mapping[str, str] = self.declared.options.get("earlier", {})  # type: ignore[assignment]
        for word, where in given.items():
            here = self.declared.place
            place = replace(here, table=where) if here.path is None else TableLocation(path=here.path.parent / where)
            source = self._open_source(replace(self.declared.schema, version=word), place)
            found[self._with_version(source).version] = source
        return found

    def _open_source(self, schema: Schema, place: TableLocation) -> Source:
        joins = {table: join.place for table, join in self.declared.joins.items()}
        if place.path is None:
            tables = {table: one.table for table, one in joins.items()}
            return Postgres(schema, place.url, table=place.table, joins=tables, time_limit=self.time_limit)
        files = {table: one.path for table, one in joins.items() if one.path is not None}
        return DuckDB(schema, place.path, joins=files, time_limit=self.time_limit)

    def _make_mode(
        self, schema: Schema, source: Any, earlier: Mapping[str, Any], key: bytes, *, made_up: bool = False
    ) -> Mode:
        make: dict[str, Callable[[], Mode]] = {
            "dp": lambda: self._make_dp_mode(schema, source),
            "exact": lambda: self._make_exact_mode(schema, source, earlier, made_up),
            "interval": lambda: Interval(schema, source, bands=self._parse_bands(), key=key, earlier=earlier),
            "input": lambda: InputMode(schema, source, self._data_folder()),
        }
        return make[self.declared.mode]()

    def _make_dp_mode(self, schema: Schema, source: Source) -> Mode:
        if self.declared.budget is None:
            raise TacitError(
                "the mode 'dp' needs a budget", code="missing_parameter", fix="e.g. budget = { epsilon = 1 }"
            )
        return DpMode(schema, source, unit=self.declared.budget.unit, **self.declared.options)  # type: ignore[arg-type]

    def _make_exact_mode(self, schema: Schema, source: Source, earlier: Mapping[str, Any], made_up: bool) -> Mode:
        options = {key: value for key, value in self.declared.options.items() if key not in ("earlier", "identities")}
        tied: Sequence[str] = self.declared.options.get("identities", ())  # type: ignore[assignment]
        rules = Rules(**options)  # type: ignore[arg-type]
        return Exact(schema, source, rules=rules, earlier=earlier, identities=tied, made_up=made_up)

    def _parse_bands(self) -> dict[str, Band]:
        given: Mapping[str, Mapping[str, Fraction]] = self.declared.options["bands"]  # type: ignore[assignment]
        return {name: Band(**one) for name, one in given.items()}

    def _read_secret(self) -> bytes:
        path = self.declared.options.get("secret")
        return kept_key(path) if isinstance(path, Path) else b""

    def _data_folder(self) -> Path | None:
        return None if self.declared.place.path is None else self.declared.place.path.parent

    def _make_dry_run_mode(self, schema: Schema, held: ExitStack) -> Mode:
        """The same mode over made-up data; the files are gone once the engine has read them."""
        size = self.declared.options.get("size")
        rows = schema.rows if self.declared.mode == "dp" else 1
        tables = dummy_tables(schema, units=size if isinstance(size, int) else UNITS, rows=rows)
        with tempfile.TemporaryDirectory(prefix="tacit-") as folder:
            paths = {name: Path(folder) / f"{place}.parquet" for place, name in enumerate(tables)}
            for name, path in paths.items():
                tables[name].write_parquet(path)
            source = DuckDB(schema, paths.pop(""), joins=paths, time_limit=self.time_limit)
            held.callback(source.close)
        return self._make_mode(schema, source, {}, secret_seed(), made_up=True)


def promise_of(declared: DatasetConfig, secret: str = "") -> str:
    """Eight digits that change with mode, unit, neighbours and, of intervals, with bands, bounds and secret.

    ``secret`` is a keyed fingerprint of the intervals' secret: the digits are shown to everybody.
    """
    parts: dict[str, object] = {"mode": declared.mode, "unit": declared.schema.unit}
    parts["neighbours"] = declared.options.get("neighbours")
    if declared.mode == "interval":
        columns = (declared.schema.column(name) for name in confidential_columns(declared.schema))
        parts["bounds"] = {one.name: [one.low, one.high, str(one.step)] for one in columns}
        parts |= {"bands": declared.public_options["bands"], "secret": secret, "worlds": "many"}
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()[:8]


def check_promise(promise: str, versions: Iterable[str]) -> None:
    """Refuse to open a data set that was asked under another promise; ``versions`` are those of its charges."""
    if any(version.rpartition("+")[2] != promise for version in versions):
        raise TacitError(
            "it was asked before with another mode, unit, neighbours, bands or secret, and those answers are known",
            code="invalid_service",
            fix="restore what the file said before, or offer the data under a new name if the answers may be combined",
        )


def kept_key(path: Path) -> bytes:
    """The key in a file, which is made (mode 0600) when there is none; two that start at once get the same.

    A new key would give new intervals, and their intersection with the old ones may tell a value.
    """
    if not path.exists():
        with draft_beside(path, private=True) as draft:
            draft.write_text(secret_seed().hex())
            sync_file(draft)
            with suppress(FileExistsError):
                commit_draft(draft, path, private=True)
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    if path.stat().st_mode & 0o077:
        raise TacitError(
            f"the key {path.name!r} can be read by others", code="invalid_service", fix=f"chmod 600 {path.name}"
        )
    try:
        found = bytes.fromhex(path.read_text())
    except ValueError:
        found = b""
    if len(found) != 16:
        raise TacitError(
            f"{path.name!r} holds no key",
            code="wrong_kind",
            fix="restore it from a copy; a new one would undo the protection",
        )
    return found


def dummy_tables(schema: Schema, *, units: int = UNITS, rows: int, seed: int = DEFAULT_SEED) -> dict[str, pl.DataFrame]:
    """The data set (under ``""``) and the tables it is joined with: values uniform in their domains, drawn from a seed.

    Each unit has from one to ``rows`` rows. Nothing here depends on the data. O(units · rows).
    """
    import polars as pl

    rng = make_generator(seed)
    of_unit = np.repeat(np.arange(units), rng.integers(1, rows + 1, units))
    joined = tuple(f"{table}." for table in schema.joins)
    own = {name: column for name, column in schema.columns.items() if not name.startswith(joined)}
    tables, keys = {}, {}
    for table, key in schema.joins.items():
        keys[key] = _dummy_values(own.get(key), rng, None)
        theirs = {
            name.removeprefix(f"{table}."): one for name, one in schema.columns.items() if name.startswith(f"{table}.")
        }
        drawn = {name: _dummy_values(one, rng, len(keys[key])) for name, one in theirs.items() if name != key}
        tables[table] = pl.DataFrame({key: keys[key]} | drawn)
    main: dict[str, Any] = {name: _dummy_values(column, rng, len(of_unit)) for name, column in own.items()}
    main |= {key: [found[place] for place in rng.integers(0, len(found), len(of_unit))] for key, found in keys.items()}
    if schema.unit is not None:
        main[schema.unit] = of_unit
    return {"": pl.DataFrame(main)} | tables


def _dummy_values(column: Column | None, rng: np.random.Generator, number: int | None) -> list[Any]:
    """So many values of a column; or each of its first values once, for the key of a joined table."""
    if column is None or column.kind == "text":
        places = range(len(TEXTS)) if number is None else rng.integers(0, len(TEXTS), number)
        return [TEXTS[place] for place in places]
    low, high = column.bounds() if column.has_public_domain else (0, 99)
    codes = range(low, min(high, low + WIDEST - 1) + 1) if number is None else rng.integers(low, high + 1, number)
    if column.kind == "date":
        return [EPOCH + timedelta(days=int(code)) for code in codes]
    found = [column.decode(int(code)) for code in codes]
    return [float(value) for value in found] if column.kind == "number" else found
