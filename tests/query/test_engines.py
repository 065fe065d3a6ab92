"""Both engines count and sum exactly what plain Python does, whatever the data hold (attacks 9, 10, 15, 16).

catalogue: H-07.
"""

from __future__ import annotations

import random
from dataclasses import replace

import psycopg
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tacit.query.condition import Condition
from tacit.query.engines import DuckDB, Postgres
from tacit.query.sql import parse

from . import engine_oracle as oracle
from .declared import PATIENTS
from .engine_rows import MEASURES, VALUES, WARDS, keys, rows, write_csv
from .test_sql_where import wheres

SCHEMAS = {
    "some rows of a unit": PATIENTS,
    "one row of a unit": replace(PATIENTS, rows=1),
    "no unit": replace(PATIENTS, unit=None),
}


@pytest.fixture(params=["duckdb", "postgres"], scope="module")
def opened(request, tmp_path_factory, postgres):
    folder = tmp_path_factory.mktemp("engine")

    def opener(schema, some, wards=WARDS):
        if request.param == "duckdb":
            path = write_csv(folder / "patients.csv", list(VALUES), some)
            other = write_csv(folder / "wards.csv", ["ward", "beds", "kind"], wards)
            return DuckDB(schema, path, joins={"wards": other}, time_limit=30)
        stored(postgres, "patients", list(VALUES), some)
        stored(postgres, "wards", ["ward", "beds", "kind"], wards)
        return Postgres(schema, postgres, table="engines.patients", joins={"wards": "engines.wards"}, time_limit=30)

    return opener


def stored(url, table, header, some):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS engines")
        connection.execute(f"DROP TABLE IF EXISTS engines.{table}")
        connection.execute(f"CREATE TABLE engines.{table} ({', '.join(f'{name} text' for name in header)})")
        with connection.cursor() as cursor, cursor.copy(f"COPY engines.{table} FROM STDIN") as copy:
            for row in some:
                copy.write_row([row[name] for name in header])


def asked(where):
    return parse(f"SELECT COUNT(*) FROM patients WHERE {where}", {"patients": PATIENTS})[0].where


@settings(max_examples=15, phases=[Phase.explicit, Phase.generate])  # to shrink a failure takes minutes
@given(
    rows,
    st.lists(st.tuples(wheres, keys, st.booleans(), st.booleans()), min_size=4, max_size=8),
    st.sampled_from(sorted(SCHEMAS)),
)
def test_engines_agree_with_plain_python(opened, some, questions, chosen):
    schema = SCHEMAS[chosen]
    engine = opened(schema, some)
    codes = oracle.coded(schema, some, WARDS)
    try:
        for where, by, joined, bounded in questions:
            condition = asked(where)
            found = engine.tally(condition, by, MEASURES, joined=("wards",) if joined else (), bounded=bounded)
            assert found == oracle.tally(schema, codes, condition, by, MEASURES, joined=joined, bounded=bounded)
    finally:
        engine.close()


def everyone(n, **given):
    plain = dict.fromkeys(VALUES) | {"age": "30", "ward": "A"} | given
    return [plain | {"patient": f"p{i}"} for i in range(n)]


def test_the_order_of_the_rows_makes_no_difference(opened):  # attack 9
    draws = random.Random(3)
    some = [{name: draws.choice(values) for name, values in VALUES.items()} for _ in range(300)]
    tallies = []
    for _ in range(3):
        draws.shuffle(some)
        engine = opened(PATIENTS, some)
        tallies.append(engine.tally(Condition.everything(), (), MEASURES))
        engine.close()
    assert tallies[0] == tallies[1] == tallies[2]
