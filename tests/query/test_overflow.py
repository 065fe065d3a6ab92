"""No engine error depends on the data: every source × function × declared bounds × extreme value is counted exactly.

An integer that overflows inside the engine raises an error, and an error that only some rows raise is an answer that costs
next to nothing (attack 10). Columns whose codes fit 16 or 32 bits did so in bins and quantiles.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from itertools import product

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.query.column import EPOCH, Column, Schema
from tacit.query.condition import Condition
from tacit.query.engines import DuckDB, Postgres
from tacit.query.modes.figures import exact_quantile
from tacit.query.noisy.quantile_choice import choose_quantile
from tacit.query.question import Key
from tacit.query.tally import Measure
from tacit.query.value_set import FURTHEST, Codes

from . import engine_oracle as oracle

EDGES = (2**7, 2**15, 2**31, 2**53, FURTHEST)
BOUNDS = sorted(
    {(-edge + 1, edge - 1) for edge in EDGES}
    | {(-edge // 2 - 1, edge // 2 + 1) for edge in EDGES}
    | {(-edge + 1, 0) for edge in EDGES}
    | {(0, edge - 1) for edge in EDGES}
    | {(-18263, 20088), (-20000, 20000), (-(2 * 10**9), 2 * 10**9), (-FURTHEST, FURTHEST)}
)
ROWS = Measure("rows")


def column_of(name, bounds, kind):
    if kind == "number":
        return Column(name=name, kind="number", low=bounds[0], high=bounds[1], step=Fraction(1, 100))
    return Column(name=name, kind="integer", low=bounds[0], high=bounds[1])


def extremes(bounds):
    low, high = bounds
    near = [low - 1, low, low + 1, -1, 0, 1, high - 1, high, high + 1, (low + high) // 2]
    return [*near, -(2**15), 2**15, -(2**31), 2**31, -(2**63), 2**63 - 1, None]


COLUMNS = {f"x{place}": column_of(f"x{place}", bounds, "integer") for place, bounds in enumerate(BOUNDS)}
DATES = {
    f"d{place}": Column(name=f"d{place}", kind="date", low=(low - EPOCH).days, high=(high - EPOCH).days)
    for place, (low, high) in enumerate(
        [
            (date(1920, 1, 1), date(2024, 12, 31)),
            (date(1, 1, 1), date(9999, 12, 31)),
            (date(1870, 1, 1), date(1970, 1, 1)),
        ]
    )
}
SCHEMA = Schema(name="t", version="1", columns=COLUMNS | DATES, joins={}, unit="who", rows=2)
VALUES = {name: extremes(column.bounds()) for name, column in COLUMNS.items()}
DAYS = [date(1, 1, 1), date(1920, 1, 1), date(1969, 12, 31), date(2009, 9, 18), date(2024, 12, 31), date(9999, 12, 31)]
LENGTH = len(next(iter(VALUES.values())))
TABLE = VALUES | {name: [*DAYS, *[None] * (LENGTH - len(DAYS))] for name in DATES}
TABLE["who"] = [f"w{place // 3}" for place in range(LENGTH)]  # some units have more rows than count


def texts(value):
    return None if value is None else str(value)


@pytest.fixture(params=["duckdb", "postgres"], scope="module")
def engine(request, tmp_path_factory, postgres):
    if request.param == "duckdb":
        path = tmp_path_factory.mktemp("extremes") / "t.parquet"
        pq.write_table(pa.table(TABLE), path)
        found = DuckDB(SCHEMA, path, time_limit=60)
    else:
        kinds = {name: "date" if name in DATES else "text" if name == "who" else "bigint" for name in TABLE}
        with psycopg.connect(postgres) as connection:
            connection.execute(f"CREATE TABLE extremes ({', '.join(f'{n} {k}' for n, k in kinds.items())})")
            with connection.cursor() as cursor, cursor.copy("COPY extremes FROM STDIN") as copy:
                for row in zip(*TABLE.values(), strict=True):
                    copy.write_row(row)
        found = Postgres(SCHEMA, postgres, table="extremes", time_limit=60)
    yield found
    found.close()


@pytest.fixture(scope="module")
def coded():
    rows = [dict(zip(TABLE, map(texts, row), strict=True)) for row in zip(*TABLE.values(), strict=True)]
    return [
        {
            "codes": {name: oracle.code_of(column, row[name]) for name, column in SCHEMA.columns.items()},
            "unit": row["who"],
            "joined": False,
        }
        for row in rows
    ]


def widths(column):
    low, high = column.bounds()
    span = high - low + 1
    wanted = {1, 3650, 2**15, 2**31, span // 2, span}
    return sorted(width for width in wanted if 1 <= width <= span)


@pytest.mark.parametrize("name", SCHEMA.columns)
def test_no_engine_error_depends_on_data(engine, coded, name):
    """Counts, sums, squares about every centre, bins of every width and the bins of quantiles, for each column."""
    column = SCHEMA.columns[name]
    low, high = column.bounds()
    centres = {low, high, -1}
    measures = (
        ROWS,
        Measure("units"),
        *(Measure(what, name, centre) for what, centre in product(("sum", "squares"), sorted(centres))),
    )
    keys = [
        (),
        (choose_quantile(column, Fraction(1, 2)).key,),
        (Key(name),),
        *((Key(name, width),) for width in widths(column)),
    ]
    part = Condition.of(column, Codes.of([(low, low), ((low + high) // 2, high)]))
    for place, by in enumerate(keys if isinstance(engine, DuckDB) else keys[:2]):  # one engine over two kinds of source
        where, bounded = (part, False) if place % 2 else (Condition.everything(), True)
        found = engine.tally(where, by, measures, bounded=bounded)
        assert found == oracle.tally(SCHEMA, coded, where, by, measures, joined=False, bounded=bounded), (by, bounded)


def test_every_single_row_is_counted_wherever_it_lies(engine):
    """The oracle asked about one row at a time: all answers came, and none tells by failing."""
    for name in ("d0", "x0"):
        column = SCHEMA.columns[name]
        low, high = column.bounds()
        for code in range(low, high + 1, max(1, (high - low) // 15)):
            where = Condition.of(column, Codes.of([(code, code)]))
            engine.tally(where, (Key(name, max(2, (high - low) // 10)),), (ROWS,))


def test_the_test_has_power(tmp_path):
    """The expression without casts fails on a row far from the lower bound and on no other: the oracle that was there."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT CAST(v AS SMALLINT) AS c0 FROM (VALUES (-18263), (14504)) AS t(v)")
    connection.execute("SELECT c0 - (c0 - -18263) % 3650 FROM rows").fetchall()
    connection.execute("INSERT INTO rows VALUES (14505)")
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT c0 - (c0 - -18263) % 3650 FROM rows").fetchall()


def test_quantiles_of_a_wide_column_are_right(tmp_path):
    """MEDIAN and QUANTILE over the declared bounds of the guide: every person counts, those born after 2009 too."""
    born = [date(1920, 1, 1) + timedelta(days=37 * place) for place in range(1000)]
    path = tmp_path / "born.parquet"
    pq.write_table(pa.table({"birth": born}), path)
    birth = replace(DATES["d0"], name="birth")
    engine = DuckDB(Schema(name="p", version="1", columns={"birth": birth}, joins={}), path, time_limit=30)
    choice = choose_quantile(birth, Fraction(1, 2))
    found = engine.tally(Condition.everything(), (choice.key,), (ROWS,))
    counts = {group[0]: number for group, number in zip(found.groups, found.measures[ROWS], strict=True)}
    assert sum(counts.values()) == 1000
    exact = sorted((day - EPOCH).days for day in born)[499]
    assert abs(exact_quantile(Fraction(1, 2), replace(birth, kind="integer"), counts) - exact) <= choice.width
    engine.close()
