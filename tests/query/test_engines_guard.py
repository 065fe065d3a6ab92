"""What an engine lets nobody do: multiply a unit, wrap around, run for ever, look outside, tell a value.

catalogue: H-07; attacks 10, 11, 13, 15, 20, 22, 24.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.errors import TacitError
from tacit.query.column import Column, Schema
from tacit.query.condition import LARGEST, Condition
from tacit.query.engines import DuckDB, Postgres
from tacit.query.question import Key
from tacit.query.refusal import Refusal
from tacit.query.tally import Measure
from tacit.query.value_set import FURTHEST, Codes, Texts

from .declared import PATIENTS
from .engine_rows import VALUES, WARDS, write_csv

ROWS = Measure("rows")
UNITS = Measure("units")
WHOLE = Condition.everything()
AGE = Column(name="age", kind="integer", low=0, high=110)
TOWN = Column(name="who", kind="text")
PEOPLE = Schema(name="people", version="1", columns={"age": AGE}, unit="who", rows=3, joins={})


def one_file(folder, ages, who):
    path = folder / "people.parquet"
    pq.write_table(pa.table({"age": ages, "who": who}), path)
    return path


def one_table(url, ages, who, name="people"):
    with psycopg.connect(url) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.execute(f"CREATE TABLE {name} (age bigint, who text)")
        with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(ages, who, strict=True):
                copy.write_row(row)
    return name


@pytest.fixture(params=["duckdb", "postgres"])
def opened(request, tmp_path, postgres):
    made = []

    def opener(ages, who, schema=PEOPLE, time_limit=30):
        if request.param == "duckdb":
            made.append(DuckDB(schema, one_file(tmp_path, ages, who), time_limit=time_limit))
        else:
            made.append(Postgres(schema, postgres, table=one_table(postgres, ages, who), time_limit=time_limit))
        return made[-1]

    yield opener
    for engine in made:
        engine.close()


def test_one_unit_with_very_many_rows_counts_as_declared(opened):  # attack 15
    ages, who = [i % 100 for i in range(20_000)] + [50], ["x"] * 20_000 + ["y"]
    engine = opened(ages, who)
    unbounded = engine.tally(WHOLE, (), (ROWS, UNITS), bounded=False).measures
    assert (unbounded[ROWS], unbounded[UNITS]) == ((20_001,), (2,))  # what it would be without the bound
    found = engine.tally(WHOLE, (), (ROWS, UNITS, Measure("sum", "age"))).measures
    assert found[ROWS] == (4,)
    assert found[UNITS] == (2,)
    assert found[Measure("sum", "age")][0] <= 3 * 110 + 50
    spread = engine.tally(WHOLE, (Key("age"),), (ROWS,)).measures[ROWS]
    assert sum(spread) == 4


def test_rows_that_do_not_meet_the_condition_use_up_nothing(opened):
    engine = opened([1, 1, 1, 1, 1, 90, 91], ["x"] * 7)
    old = Condition.of(AGE, Codes.of([(90, 110)]))
    assert engine.tally(old, (), (ROWS,)).measures[ROWS] == (2,)


def test_rows_without_a_unit_are_left_out(opened):
    engine = opened([1, 2, 3], ["x", None, None])
    assert engine.tally(WHOLE, (), (ROWS,), bounded=False).measures[ROWS] == (1,)


def test_a_key_that_occurs_twice_in_a_joined_table_is_refused_by_name(tmp_path, postgres):  # attack 15
    path = write_csv(tmp_path / "p.csv", list(VALUES), [dict.fromkeys(VALUES) | {"patient": "p", "ward": "A"}])
    wards = write_csv(tmp_path / "w.csv", ["ward", "beds", "kind"], [*WARDS, {"ward": "A", "beds": "77"}])
    with pytest.raises(TacitError, match="'ward' occurs more than once in 'wards'") as raised:
        DuckDB(PATIENTS, path, joins={"wards": wards}, time_limit=30)
    assert "77" not in str(raised.value)
    with psycopg.connect(postgres) as connection:
        connection.execute("DROP TABLE IF EXISTS twice_p; DROP TABLE IF EXISTS twice_w")
        connection.execute(f"CREATE TABLE twice_p ({', '.join(f'{name} text' for name in VALUES)})")
        connection.execute(
            "CREATE TABLE twice_w AS SELECT 'A' AS ward, '1' AS beds, 'icu' AS kind FROM generate_series(1, 2)"
        )
    with pytest.raises(TacitError, match="'ward' occurs more than once in 'wards'"):
        Postgres(PATIENTS, postgres, table="twice_p", joins={"wards": "twice_w"}, time_limit=30)


@pytest.mark.parametrize("furthest", [2**31, 2**45, FURTHEST])
def test_sums_at_the_bounds_never_wrap_around(opened, furthest):  # attack 10
    wide = replace(AGE, low=-furthest, high=furthest)
    schema = replace(PEOPLE, columns={"age": wide}, unit=None)
    engine = opened([2**63 - 1] * 3000 + [-(2**63)] * 10, ["x"] * 3010, schema)
    measures = tuple(
        Measure(what, "age", centre) for what in ("sum", "squares") for centre in (0, furthest, -furthest, 7)
    )
    found = engine.tally(WHOLE, (), measures).measures
    for one in measures:
        power = 1 if one.what == "sum" else 2
        exact = 3000 * (furthest - one.centre) ** power + 10 * (-furthest - one.centre) ** power
        assert found[one] == (exact,)


def test_bounds_beyond_what_an_engine_holds_are_refused(tmp_path):
    path = one_file(tmp_path, [1], ["x"])
    for column in (replace(AGE, high=2**62 + 1), replace(AGE, kind="number", high=2**61, step=Fraction(10**40, 3))):
        with pytest.raises(TacitError, match="'age' has bounds"):
            DuckDB(replace(PEOPLE, columns={"age": column}), path, time_limit=30)


def test_what_takes_too_long_is_stopped_and_refused(opened):  # attack 13
    engine = opened([i % 100 for i in range(100_000)], [f"w{i % 777}" for i in range(100_000)], time_limit=0.001)
    started = time.monotonic()
    with pytest.raises(Refusal) as refused:
        engine.tally(WHOLE, (Key("age"),), (UNITS, Measure("squares", "age")))
    assert refused.value.code == "time_out"
    assert time.monotonic() - started < 10


def test_many_threads_get_each_its_own_answer(opened):
    engine = opened(list(range(100)) * 3, [f"w{i}" for i in range(300)])

    def ask(age):
        where = Condition.of(AGE, Codes.of([(age, 99)]))
        return engine.tally(where, (), (ROWS,)).measures[ROWS] == (3 * (100 - age),)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(0, 100, 3)))
    assert threading.active_count() < 20


def test_the_largest_condition_that_is_allowed_is_answered(opened):
    engine = opened([1, 2, 3], ["a", "b", "c"], replace(PEOPLE, columns={"age": AGE, "who": TOWN}))
    many = Condition.of(TOWN, Texts.of([f"t{i}" for i in range(LARGEST // 2 - 10)] + ["a"]))
    assert engine.tally(many, (), (ROWS,)).measures[ROWS] == (1,)
    spread = Condition.nothing()
    for age in range(0, 111, 2):
        spread = spread | (Condition.of(AGE, Codes.of([(age, age)])) & Condition.of(TOWN, Texts.of([f"t{age}", "b"])))
    assert engine.tally(spread, (Key("who"),), (ROWS,)).groups == (("b",),)


def test_texts_are_compared_and_never_run(opened):  # attack 24
    nasty = ["a' OR '1'='1", "$1", '"; DROP TABLE rows; --', "%s", "ü\u0301", "\\"]
    engine = opened([1] * len(nasty), nasty, replace(PEOPLE, columns={"age": AGE, "who": TOWN}))
    for text in nasty:
        assert engine.tally(Condition.of(TOWN, Texts.of([text])), (Key("who"),), (ROWS,)).groups == ((text,),)


def test_duckdb_opens_nothing_once_the_data_are_read(tmp_path):  # attack 24
    engine = DuckDB(PEOPLE, one_file(tmp_path, [1], ["x"]), time_limit=30)
    cursor = engine._connection.cursor()
    other = str(tmp_path / "people.parquet")
    for sql in (
        f"SELECT * FROM '{other}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        f"COPY rows TO '{tmp_path / 'x.csv'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
    ):
        with pytest.raises(duckdb.Error):
            cursor.execute(sql)
    assert duckdb.connect().execute(f"SELECT COUNT(*) FROM '{other}'").fetchone() == (1,)  # the file itself can be read
    engine.close()


def test_postgres_is_read_once_and_in_one_state(postgres):  # attack 22
    name = one_table(postgres, [1, 2], ["x", "y"], "states")
    engine = Postgres(PEOPLE, postgres, table=name, time_limit=30)
    with psycopg.connect(postgres) as connection:
        connection.execute("INSERT INTO states VALUES (3, 'z')")
    assert engine.tally(WHOLE, (), (ROWS,)).measures[ROWS] == (2,)
    again = Postgres(PEOPLE, postgres, table=name, time_limit=30)
    assert again.tally(WHOLE, (), (ROWS,)).measures[ROWS] == (3,)
    assert again.version != engine.version
    engine.close()
    again.close()


def test_the_version_changes_with_content_and_declarations_only(opened):  # attack 22
    def version(*given):
        engine = opened(*given)
        engine.close()
        assert engine.schema.version == engine.version
        return engine.version

    first = version([1, 2, 3], ["x", "y", "z"])
    assert first.startswith("1+")
    assert version([1, 2, 3], ["x", "y", "z"]) == first
    assert version([1, 2, 4], ["x", "y", "z"]) != first
    assert version([1, 2, 3], ["x", "y", "y"]) != first
    assert version([1, 2, 3], ["x", "y", "z"], replace(PEOPLE, columns={"age": replace(AGE, high=100)})) != first


def test_no_question_needs_the_database(postgres):  # a lost connection failed, and charged, every further question
    name = one_table(postgres, [1, 2], ["x", "y"], "dropped")
    engine = Postgres(PEOPLE, postgres, table=name, time_limit=30)
    with psycopg.connect(postgres, options="-c lock_timeout=20000", autocommit=True) as connection:
        connection.execute("DROP TABLE dropped")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
    assert engine.tally(WHOLE, (), (ROWS,)).measures[ROWS] == (2,)
    engine.close()


def test_texts_survive_the_way_from_postgres(postgres):  # blocks of CSV: quotes, line breaks, nothing and no text
    texts = ["", " ", '"', "a\nb", "a\r\nb", "\\.", ",", "\\N", "NULL"]
    one_table(postgres, [1] * len(texts), texts, "odd_texts")
    engine = Postgres(replace(PEOPLE, columns={"who": TOWN}), postgres, table="odd_texts", time_limit=30)
    assert {group[0] for group in engine.tally(WHOLE, (Key("who"),), (ROWS,)).groups} == set(texts)
    engine.close()


def test_what_cannot_be_opened_says_why_and_shows_no_value(tmp_path, postgres):
    path = one_file(tmp_path, [1], ["secret"])
    (tmp_path / "broken.parquet").write_bytes(b"secret")
    (tmp_path / "broken.csv").write_bytes(b'"secret\n\xff\xfe"\x00,\n' * 3)
    (tmp_path / "other.txt").write_text("secret")
    wrong = replace(PEOPLE, columns={"agee": replace(AGE, name="agee")})
    for schema, given, named in [
        (PEOPLE, tmp_path / "nowhere.csv", "no file"),
        (PEOPLE, tmp_path / "*.parquet", "several files"),
        (PEOPLE, tmp_path / "broken.parquet", "cannot be read"),
        (PEOPLE, tmp_path / "broken.csv", "'"),
        (PEOPLE, tmp_path / "other.txt", "neither"),
        (wrong, path, "'agee' is not in the table"),
        (replace(PEOPLE, unit="whom"), path, "'whom' is not in the table"),
        (replace(PEOPLE, joins={"wards": "age"}), path, "'wards' has no file"),
    ]:
        with pytest.raises(TacitError, match=named) as raised:
            DuckDB(schema, given, time_limit=30)
        assert "secret" not in str(raised.value)
    one_table(postgres, [1], ["secret"], "openable")
    for schema, url, table, named in [
        (PEOPLE, "postgresql://nobody:secret@127.0.0.1:1/x", "people", "cannot be reached"),
        (PEOPLE, postgres, "nowhere", "'nowhere' cannot be read"),
        (wrong, postgres, "openable", "'agee' is not in the table"),
    ]:
        with pytest.raises(TacitError, match=named) as raised:
            Postgres(schema, url, table=table, time_limit=30)
        assert "secret" not in str(raised.value)
