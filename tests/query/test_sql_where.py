"""WHERE means what DuckDB makes of the same text, row by row, missing values included. catalogue: H-07."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.query.column import EPOCH
from tacit.query.sql import parse

from .declared import SCHEMAS
from .kleene import reached

FIRST = EPOCH + timedelta(days=18262)
ROWS = [
    dict(zip(("age", "sex", "income", "visit", "town", "ok"), row, strict=True))
    for row in itertools.product(
        (None, 0, 1, 2, 110),
        (None, "f", "m"),
        (None, -1.0, 0.25, 0.5, 200.0),
        (None, FIRST, date(2024, 2, 29)),
        (None, "a", ""),
        (None, True, False),
    )
]


@pytest.fixture(scope="module")
def engine():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE patients (age INTEGER, sex VARCHAR, income DECIMAL(9, 2), visit DATE, town VARCHAR, ok BOOLEAN)"
    )
    connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS[::7]])
    yield connection
    connection.close()


signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "!=", "=="])
equal = st.sampled_from(["=", "<>", "!="])
numbers = st.sampled_from("-5 -1 0 1 2 2.5 1.5 110 200 0.3 0.25 -0.75 1e3 .5 5. 111".split())
dates = st.sampled_from(["DATE '2020-01-01'", "'2024-02-29'", "DATE '1999-12-31'", "CAST('2030-01-01' AS DATE)"])


def sides(column, sign, value, swapped):
    return f"{value} {sign} {column}" if swapped else f"{column} {sign} {value}"


def listed(column, values, negated):
    return f"{column} {'NOT ' if negated else ''}IN ({', '.join(values)})"


def between(column, low, high, negated):
    return f"{column} {'NOT ' if negated else ''}BETWEEN {low} AND {high}"


some = st.booleans()
measured = st.sampled_from(["age", "income"])
leaves = st.one_of(
    st.builds(sides, measured, signs, numbers, some),
    st.builds(sides, st.just("visit"), signs, dates, some),
    st.builds(sides, st.just("sex"), equal, st.sampled_from(["'f'", "'m'"]), some),
    st.builds(sides, st.just("town"), equal, st.sampled_from(["'a'", "''", "'it''s'"]), some),
    st.builds(sides, st.just("ok"), equal, st.sampled_from(["TRUE", "false"]), some),
    st.builds(sides, numbers, signs, numbers, some),
    st.builds(listed, measured, st.lists(numbers, min_size=1, max_size=4), some),
    st.builds(listed, st.just("town"), st.lists(st.sampled_from(["'a'", "'b'", "''"]), min_size=1, max_size=3), some),
    st.builds(between, measured, numbers, numbers, some),
    st.builds(between, st.just("visit"), dates, dates, some),
    st.builds(
        "{} IS {}NULL".format, st.sampled_from("age sex income visit town ok".split()), st.sampled_from(["", "NOT "])
    ),
    st.sampled_from(["ok", "NOT ok", "TRUE", "FALSE", "1 = 0"]),
)
wheres = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("NOT {}".format, inner),
        st.builds("({})".format, inner),
        st.builds("{} AND {}".format, inner, inner),
        st.builds("{} OR {}".format, inner, inner),
    ),
    max_leaves=6,
)


def coded(row):
    """The row as whole numbers: places, quarters of income, days."""
    age, sex, income, visit, town, ok = row
    return {
        "age": age,
        "sex": None if sex is None else "fm".index(sex),
        "income": None if income is None else int(income * 4),
        "visit": None if visit is None else (visit - EPOCH).days,
        "town": town,
        "ok": None if ok is None else int(ok),
    }


@given(wheres)
def test_where_means_what_duckdb_makes_of_it(engine, where):
    condition = parse(f"SELECT COUNT(*) FROM patients WHERE {where}", SCHEMAS)[0].where
    rows = engine.execute(f"SELECT coalesce(({where}), FALSE), * FROM patients").fetchall()
    assert [reached(condition, coded(row)) for _, *row in rows] == [met for met, *_ in rows]
