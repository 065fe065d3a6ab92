"""Engines: what exact, bounded tallies over 10⁷ rows cost beside DuckDB's own SQL, in CPU seconds of all threads."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
from bars import Bars, spent

from tacit.query.column import Column, Schema
from tacit.query.condition import Condition
from tacit.query.engines import DuckDB
from tacit.query.question import Key
from tacit.query.tally import Measure

COLUMNS = {
    "area": Column(name="area", kind="integer", low=0, high=999),
    "age": Column(name="age", kind="integer", low=0, high=110),
    "sex": Column(name="sex", kind="category", values=("f", "m")),
    "income": Column(name="income", kind="number", low=0, high=10**7, step=Fraction(1, 100)),
}
BY = (Key("area"),)
ROWS, TOTAL, SQUARES = Measure("rows"), Measure("sum", "income"), Measure("squares", "income", 5 * 10**6)
RUNS = 3


def bars(bars: Bars) -> None:
    size = bars.size(10**7, quick=10**6, smoke=10**4)
    with tempfile.TemporaryDirectory() as folder:
        one_row_each(bars, Path(folder), size)
        several_rows_each(bars, Path(folder), size)


def written(folder: Path, size: int, units: str) -> Path:
    path = folder / "people.parquet"
    duckdb.connect().execute(
        f"""COPY (SELECT {units} AS person, CAST(hash(i) % 1000 AS INTEGER) AS area, CAST(hash(i + 1) % 91 AS INTEGER) AS age,
            CASE WHEN hash(i + 2) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, CAST(hash(i + 3) % 10000000 AS DOUBLE) / 100 AS income
            FROM range({size}) AS t(i)) TO '{path}' (FORMAT parquet)"""
    )
    return path


def opened(path: Path, rows: int) -> tuple[float, DuckDB]:
    schema = Schema(name="people", version="1", columns=COLUMNS, unit="person", rows=rows, joins={})
    return spent(lambda: DuckDB(schema, path, time_limit=600))


def plain(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS SELECT * FROM '{path}'")
    return connection


def least(work: Any) -> tuple[float, Any]:
    """The least CPU seconds of some runs, and what the last one found."""
    runs = [spent(work) for _ in range(RUNS)]
    return min(seconds for seconds, _ in runs), runs[-1][1]


def one_row_each(bars: Bars, folder: Path, size: int) -> None:
    path = written(folder, size, "i")
    opening, engine = opened(path, 1)
    beside = plain(path)
    sql = "SELECT area, COUNT(*), SUM(income), SUM(income * income) FROM people GROUP BY area ORDER BY area"
    own, rows = least(lambda: beside.execute(sql).fetchall())
    ours, tally = least(lambda: engine.tally(Condition.everything(), BY, (ROWS, TOTAL, SQUARES)))
    facts = {"rows": size, "groups": len(tally.groups), "duckdb": own, "ours": ours, "opening": opening}
    bars.at_most("grouped tally, one row per unit: CPU s more than DuckDB", ours - own, 1.0, at_scale=True, **facts)
    bars.stated("opening the file, CPU s", opening, rows=size)
    bars.true("the same counts as DuckDB's own", tally.measures[ROWS] == tuple(row[1] for row in rows))
    near = all(abs(got / 100 - row[2]) < 1 for got, row in zip(tally.measures[TOTAL], rows, strict=True))
    bars.true("the same sums but for DuckDB's floating point", near)
    engine.close()
    beside.close()


def several_rows_each(bars: Bars, folder: Path, size: int) -> None:
    path = written(folder, size, f"hash(i + 4) % {size // 3}")
    opening, engine = opened(path, 3)
    beside = plain(path)
    sql = """SELECT area, COUNT(*), COUNT(DISTINCT person), SUM(income) FROM (
                 SELECT area, person, income, row_number() OVER (PARTITION BY person ORDER BY age, income) AS turn FROM people
             ) WHERE turn <= 3 GROUP BY area ORDER BY area"""
    own, rows = least(lambda: beside.execute(sql).fetchall())
    ours, tally = least(lambda: engine.tally(Condition.everything(), BY, (ROWS, Measure("units"), TOTAL)))
    facts = {"rows": size, "duckdb": own, "ours": ours, "opening": opening}
    bars.at_most("bounded tally, 3 of some rows per unit: CPU s / by hand", ours / own, 1.3, at_scale=True, **facts)
    bars.true("as many rows as by hand", sum(tally.measures[ROWS]) == sum(row[1] for row in rows))
    engine.close()
    beside.close()
