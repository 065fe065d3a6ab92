"""A data set as a table of codes inside DuckDB, ready to be counted, with every failure turned into a refusal.

Where the data come from is the business of a subclass, which fills the table ``rows`` (see :mod:`.duckdb`) when it is
opened. After that nothing outside can be read, written or attached, no setting changed, and the source is not asked again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..column import NULL, Schema
from ..condition import Condition
from ..question import Key
from ..refusal import Refusal
from ..tally import Code, Measure, Tally
from ..units import Units
from ..value_set import Codes, Texts, Values
from .layout import Layout

LOG = logging.getLogger("tacit.query")

_MISSING = f"CAST('{NULL}' AS bigint)"

_SPLIT = 2**60

Term = tuple[int, str]
"""A factor and an aggregate in SQL; a measure is a sum of such terms."""


class Engine(ABC):
    """A data set held as codes in memory, spilled to a private folder when there are too many; many threads may ask at once.

    ``version`` is the owner's word and a fingerprint of content and declarations; ``schema`` carries it.
    """

    def __init__(self, schema: Schema, *, version: str, time_limit: float) -> None:
        self.schema = replace(schema, version=version)
        self.version = version
        self.time_limit = time_limit
        self.layout = Layout(self.schema)
        self._folder = tempfile.TemporaryDirectory(prefix="tacit-")
        self._connection = _open_memory(self._folder.name)
        try:
            self._load_rows()
        except BaseException:
            self.close()
            raise
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    @abstractmethod
    def _load_rows(self) -> None:
        """Fill the table ``rows``; an error tells the owner what is wrong and shows no value."""

    def tally(
        self,
        where: Condition,
        by: tuple[Key, ...],
        measures: tuple[Measure, ...],
        *,
        joined: tuple[str, ...] = (),
        bounded: bool = True,
    ) -> Tally:
        """Exact aggregates; ``bounded``: of every unit at most the declared number of rows that meet the condition.

        Rows without a unit are left out. Which rows of a unit count is decided by a digest of their codes: the same for
        any order of the file, and no leaning towards small values. Missing values add nothing to a sum.
        """
        asked = Statement(layout=self.layout, where=where, by=by, measures=measures, joined=joined)
        condition = asked.condition()
        return asked.tally(
            self._fetch_rows(self._build_sql(asked, condition, bounded and bool(self.schema.unit)), asked.texts)
        )

    def units(self, columns: tuple[str, ...]) -> Units:
        """The codes of the columns, row by row, and whose row each is. O(rows), read once by modes that need it."""
        codes = [f"CAST(coalesce({self.layout.code(name)}, {_MISSING}) AS bigint)" for name in columns]
        named = self.schema.unit is not None
        joined = " JOIN units USING (unit) ORDER BY who" if named else ""
        rows = self._run_sql(f"SELECT {', '.join(['who' if named else _NOBODY, *codes])} FROM rows{joined}", [])
        found = {name: np.array([row[place] for row in rows], np.int64) for place, name in enumerate(columns, 1)}
        return Units(size=len(rows), names=tuple(row[0] for row in rows) if named else (), codes=found)

    def value_digest(self, column: str) -> str:
        """How many values a column has, and the sum of their hashes: equal for equal values in any order. O(rows)."""
        code = f"CAST({self.layout.code(column)} AS VARCHAR)"
        [(count, total)] = self._run_sql(f"SELECT COUNT({code}), SUM(CAST(hash({code}) AS HUGEINT)) FROM rows", [])
        return f"{count}:{total}"

    def _build_sql(self, asked: Statement, condition: str, bounded: bool) -> str:
        """The whole SQL of a question: rows of units with few rows, and of the others the first that count."""
        if not bounded:
            return asked.grouped_select(f"rows WHERE {condition}")
        few = asked.grouped_select(f"rows WHERE NOT many AND {condition}", alone=self.schema.rows == 1)
        turn = "row_number() OVER (PARTITION BY unit ORDER BY place) AS turn"
        some = f"(SELECT {asked.needed_columns()}, {turn} FROM rows WHERE many AND {condition}) AS chosen"
        return f"{few} UNION ALL {asked.grouped_select(f'{some} WHERE turn <= {self.schema.rows}')}"

    def _fetch_rows(self, sql: str, texts: list[str]) -> list[tuple[Any, ...]]:
        started = time.monotonic()
        rows = self._run_sql(sql, texts, seconds=self.time_limit)
        if time.monotonic() - started > self.time_limit:  # an interruption before the first step is not felt
            raise _timed_out(self.time_limit)
        return rows

    def _run_sql(self, sql: str, texts: list[str], *, seconds: float | None = None) -> list[tuple[Any, ...]]:
        """What DuckDB answers. Its errors are an incident: the log has their kind, never the SQL or what DuckDB said."""
        import duckdb

        cursor = self._connection.cursor()
        timer = threading.Timer(seconds or 0, cursor.interrupt)
        if seconds is not None:
            timer.start()
        try:
            return list(cursor.execute(sql, texts).fetchall())
        except duckdb.InterruptException:
            raise _timed_out(self.time_limit) from None
        except duckdb.Error as problem:
            LOG.error("the engine of data set %s failed with %s", self.schema.name, type(problem).__name__)
            raise Refusal(
                "failed", "the engine could not answer", fix="tell the owner of the data; the question was charged"
            ) from None
        finally:
            if seconds is not None:
                timer.cancel()
                timer.join()
            cursor.close()

    def close(self) -> None:
        """Forget the codes and remove the folder."""
        self._connection.close()
        self._folder.cleanup()


_NOBODY = "''"


def _timed_out(seconds: float) -> Refusal:
    """The refusal of what takes too long; it is charged, for how long it takes may depend on the data."""
    return Refusal(
        "time_out", f"the answer took longer than {seconds:g} s", fix="ask for fewer groups or a smaller part"
    )


def _open_memory(folder: str) -> Any:
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A question to an engine: its SQL over any relation of codes, and the tally of what comes back."""

    layout: Layout
    where: Condition
    by: tuple[Key, ...]
    measures: tuple[Measure, ...]
    joined: tuple[str, ...] = ()
    texts: list[str] = field(default_factory=list)

    def condition(self) -> str:
        """The rows that meet the condition and have a partner in every joined table."""
        self.texts.clear()
        found = [self.layout.join_flag(table) for table in self.joined]
        return " AND ".join([condition_to_sql(self.where, self.layout, self.texts), *found])

    def needed_columns(self) -> str:
        """The columns that keys and measures read, for the rows between."""
        names = [key.column for key in self.by] + [one.column for one in self.measures if one.column]
        codes = [self.layout.code(name) for name in dict.fromkeys(names)]
        return ", ".join([*codes, "unit"] if self.layout.schema.unit else codes) or "TRUE"

    def grouped_select(self, relation: str, *, alone: bool = False) -> str:
        """Keys and sums over a relation, e.g. ``rows WHERE …``; ``alone``: no unit has two of its rows."""
        keys = [self._key_expression(key) for key in self.by]
        sums = [text for one in self.measures for _, text in self._measure_terms(one, alone)]
        end = f" GROUP BY {', '.join(str(place + 1) for place in range(len(keys)))}" if keys else ""
        return f"SELECT {', '.join([*keys, *sums])} FROM {relation}{end}"

    def tally(self, rows: Iterable[tuple[Any, ...]]) -> Tally:
        """What the rows of one or more such SELECTs add up to; parts with disjoint units may be added."""
        groups: dict[tuple[Code, ...], list[int]] = {} if self.by else {(): [0] * len(self.measures)}
        for row in rows:
            sums = groups.setdefault(tuple(row[: len(self.by)]), [0] * len(self.measures))
            place = len(self.by)
            for number, one in enumerate(self.measures):
                for factor, _ in self._measure_terms(one, False):
                    sums[number] += factor * int(row[place] or 0)
                    place += 1
        order = sorted(groups, key=lambda codes: [(code is not None, code) for code in codes])
        found = {one: tuple(groups[codes][i] for codes in order) for i, one in enumerate(self.measures)}
        return Tally(groups=tuple(order), measures=found)

    def _key_expression(self, key: Key) -> str:
        code = self.layout.code(key.column)
        return bin_start(code, self.layout.schema.column(key.column).bounds(), key.width) if key.width else code

    def _measure_terms(self, one: Measure, alone: bool) -> list[Term]:
        if one.what == "rows":
            return [(1, "COUNT(*)")]
        if one.what == "units":
            return [(1, "COUNT(*)" if alone or not self.layout.schema.unit else "COUNT(DISTINCT unit)")]
        low, high = self.layout.schema.column(one.column).bounds()
        furthest = max(abs(low - one.centre), abs(high - one.centre), abs(low), abs(high), abs(one.centre))
        sums = sum_terms if one.what == "sum" else square_sum_terms
        return sums(self.layout.code(one.column), one.centre, furthest)


def bin_start(code: str, bounds: tuple[int, int], width: int) -> str:
    """The first code of the bin in which a code lies.

    >>> bin_start("c0", (-18263, 20088), 3650)
    '(CAST(c0 AS BIGINT) - (CAST(c0 AS BIGINT) - (-18263)) % 3650)'
    """
    low, high = bounds
    wide = f"CAST({code} AS {_integer_type(max(abs(low), abs(high), high - low, width))})"
    return f"({wide} - ({wide} - ({low})) % {width})"


def sum_terms(code: str, centre: int, furthest: int) -> list[Term]:
    """Σ (code − centre), where no difference is beyond ``furthest``; a sum of 64-bit numbers is 128 bits wide."""
    return [(1, f"SUM(CAST({code} AS {_integer_type(2 * furthest)}) - ({centre}))")]


def square_sum_terms(code: str, centre: int, furthest: int) -> list[Term]:
    """Σ (code − centre)²; squares beyond 64 bits are summed in two halves."""
    one = f"(CAST({code} AS {_integer_type(4 * furthest * furthest)}) - ({centre}))"
    if furthest < 2**30:
        return [(1, f"SUM({one} * {one})")]
    return [(_SPLIT, f"SUM({one} * {one} // {_SPLIT})"), (1, f"SUM({one} * {one} % {_SPLIT})")]


def _integer_type(largest: int) -> str:
    return "BIGINT" if largest < 2**62 else "HUGEINT"


def condition_to_sql(condition: Condition, layout: Layout, texts: list[str]) -> str:
    """SQL that is true for the rows of the condition and false or unknown for the others.

    Texts are added to ``texts`` and stand as $1, $2, …; nothing else of the condition comes from an analyst but whole
    numbers. NOT does not occur, so unknown never turns into true. O(size).
    """
    if condition.is_constant:
        return "TRUE" if condition.met else "FALSE"
    paths = []
    for values, then in condition.branches:
        if then == Condition.nothing():
            continue
        here = _values_to_sql(layout.code(condition.column), values, texts)
        paths.append(
            here if then == Condition.everything() else f"({here} AND {condition_to_sql(then, layout, texts)})"
        )
    return f"({' OR '.join(paths)})"


def _values_to_sql(name: str, values: Values, texts: list[str]) -> str:
    parts = _codes_to_sql(name, values) if isinstance(values, Codes) else _texts_to_sql(name, values, texts)
    if values.has_null:
        parts.append(f"{name} IS NULL")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _codes_to_sql(name: str, values: Codes) -> list[str]:
    known = values.without_null.intervals
    alone = ", ".join(str(first) for first, last in known if first == last)
    ranges = [f"{name} BETWEEN {first} AND {last}" for first, last in known if first < last]
    return ([f"{name} IN ({alone})"] if alone else []) + ranges


def _texts_to_sql(name: str, values: Texts, texts: list[str]) -> list[str]:
    places = []
    for text in values.listed:
        if text is not None:
            texts.append(text)
            places.append(f"${len(texts)}")
    if not places:
        return [f"{name} IS NOT NULL"] if values.others else []
    return [f"{name} {'NOT IN' if values.others else 'IN'} ({', '.join(places)})"]


def content_of(path: Path) -> str:
    """The SHA-256 of a file. O(size)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def version_of(schema: Schema, contents: Mapping[str, str]) -> str:
    """The owner's word and sixteen digits that change with the content of any table or with any declaration."""
    declared = {
        "columns": [
            [c.name, c.kind, list(c.values), c.low, c.high, str(c.step), c.confidential]
            for c in schema.columns.values()
        ],
        "unit": schema.unit,
        "rows": schema.rows,
        "joins": dict(schema.joins),
        "contents": dict(contents),
    }
    text = json.dumps(declared, sort_keys=True, ensure_ascii=False)
    return f"{schema.version}+{hashlib.sha256(text.encode()).hexdigest()[:16]}"
