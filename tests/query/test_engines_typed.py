"""Typed columns give the same codes as their texts: whole numbers, floats, decimals, dates, truth values (attack 16)."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.query.column import Column, Schema
from tacit.query.condition import Condition
from tacit.query.engines import DuckDB, Postgres
from tacit.query.question import Key
from tacit.query.tally import Measure

from .engine_oracle import code_of

STEPS = [Fraction(1), Fraction(1, 100), Fraction(1, 4), Fraction(3, 7), Fraction(1000), Fraction(5, 2)]
TIES = [0.5, 0.125, 0.135, 1.005, 2.5, -0.5, 0.15, 123456.15, 1234567.125, -1.005, 3e-5, 0.0, -0.0]
numbers = st.one_of(st.sampled_from(TIES), st.floats(), st.integers(-(10**6), 10**6).map(lambda units: units / 1000))


def column(step, low=-50, high=1000):
    return Column(name="x", kind="number", low=low, high=high, step=step)


def schema_of(one):
    return Schema(name="t", version="1", columns={"x": one}, joins={})


def counted(engine):
    """How often each code occurs; None is missing."""
    found = engine.tally(Condition.everything(), (Key("x"),), (Measure("rows"),))
    engine.close()
    return dict(zip((group[0] for group in found.groups), found.measures[Measure("rows")], strict=True))


def expected(one, texts):
    counts: dict = {}
    for text in texts:
        code = code_of(one, text)
        counts[code] = counts.get(code, 0) + 1
    return counts


def shortest(value):
    return None if value is None else repr(value)


@settings(max_examples=60)
@given(
    st.lists(numbers, max_size=60), st.sampled_from(STEPS), st.sampled_from([(-50, 1000), (0, 2**60), (-(2**40), 7)])
)
def test_a_file_of_doubles_is_rounded_to_the_nearest_grid_point_of_what_people_read(
    tmp_path_factory, values, step, ends
):
    one = column(step, *ends)
    path = tmp_path_factory.mktemp("typed") / "t.parquet"
    pq.write_table(pa.table({"x": pa.array([*values, None], type=pa.float64())}), path)
    texts = [shortest(value) if math.isfinite(value) else "nan" for value in values] + [None]
    assert counted(DuckDB(schema_of(one), path, time_limit=30)) == expected(one, texts)


def test_every_type_of_a_parquet_file(tmp_path):
    path = tmp_path / "t.parquet"
    whole = [-(2**63), -51, 0, 7, 1000, 2**63 - 1, None]
    cases = [
        (pa.int64(), whole, column(Fraction(1)), [shortest(v) for v in whole]),
        (pa.int64(), whole, column(Fraction(5, 2)), [shortest(v) for v in whole]),
        (pa.uint64(), [0, 2**64 - 1, None], column(Fraction(1)), ["0", str(2**64 - 1), None]),
        (pa.int8(), [-128, 127], column(Fraction(1, 4)), ["-128", "127"]),
        (pa.float32(), [0.1, 2.5, 0.15], column(Fraction(1, 10)), ["0.1", "2.5", "0.15"]),
        (pa.decimal128(20, 3), [Decimal("0.125"), Decimal("-0.5")], column(Fraction(1, 4)), ["0.125", "-0.5"]),
        (pa.string(), ["12", "x", None, "NaN"], column(Fraction(1)), ["12", "x", None, "NaN"]),
        (pa.bool_(), [True, False, None], Column(name="x", kind="boolean"), ["true", "false", None]),
        (
            pa.date32(),
            [date(1, 1, 1), date(2020, 2, 29), date(9999, 12, 31), None],
            Column(name="x", kind="date", low=0, high=20000),
            ["0001-01-01", "2020-02-29", "9999-12-31", None],
        ),
        (pa.int32(), [1, 2, 3, None], Column(name="x", kind="category", values=("1", "3")), ["1", "2", "3", None]),
        (pa.binary(), [b"12", None], column(Fraction(1)), ["12", None]),
        (pa.list_(pa.int32()), [[1], None], column(Fraction(1)), ["[1]", None]),
    ]
    for kind, values, one, texts in cases:
        pq.write_table(pa.table({"x": pa.array(values, type=kind)}), path)
        assert counted(DuckDB(schema_of(one), path, time_limit=30)) == expected(one, texts), kind


def test_every_type_of_a_postgres_table(postgres):
    cases = [
        ("bigint", ["-9223372036854775808", "7", None], column(Fraction(1))),
        (
            "double precision",
            ["0.125", "1.005", "NaN", "Infinity", "-Infinity", "1e300", None],
            column(Fraction(1, 100)),
        ),
        ("real", ["0.1", "0.15"], column(Fraction(1, 10))),
        ("numeric", ["0.125", "NaN", "1e200"], column(Fraction(3, 7))),
        ("boolean", ["true", "false", None], Column(name="x", kind="boolean")),
        ("date", ["2020-02-29", "0001-01-01", "infinity", None], Column(name="x", kind="date", low=0, high=20000)),
        ("timestamp", ["2020-02-29 23:59:59"], Column(name="x", kind="date", low=0, high=20000)),
        ("jsonb", ["12", '{"a": 1}'], column(Fraction(1))),
    ]
    for kind, texts, one in cases:
        with psycopg.connect(postgres) as connection:
            connection.execute("DROP TABLE IF EXISTS typed")
            connection.execute(f"CREATE TABLE typed (x {kind})")
            connection.cursor().executemany(
                f"INSERT INTO typed VALUES (CAST(%s AS text)::{kind})", [[t] for t in texts]
            )
        found = counted(Postgres(schema_of(one), postgres, table="typed", time_limit=30))
        assert found == expected(one, texts), kind


def test_a_column_of_any_name_is_read(tmp_path):  # catalogue: H-07; nothing of a name reaches the SQL unquoted
    for name in ('a"b', "select", "ü; DROP TABLE rows", "a.b", " "):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({name: [1, 2, 2]}), path)
        one = replace(column(Fraction(1)), name=name)
        engine = DuckDB(Schema(name="t", version="1", columns={name: one}, joins={}), path, time_limit=30)
        assert engine.tally(Condition.everything(), (), (Measure("sum", name),)).measures[Measure("sum", name)] == (5,)
        engine.close()
