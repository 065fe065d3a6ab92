"""Engines read unit by unit: the same codes as the tally counts, and the same answers of the modes that need them.

catalogue: H-06, H-07
"""

from dataclasses import replace

import numpy as np
import polars as pl
import psycopg
import pytest

from tacit.query.camouflage.band import Band
from tacit.query.column import NULL
from tacit.query.engines import DuckDB, Postgres
from tacit.query.modes.exact import Exact
from tacit.query.modes.interval import Interval
from tacit.query.question import Key
from tacit.query.restriction.rules import Rules

from .people import COLUMNS, Asking, ask, people, schema, source

NAMES = [f"p{number:02}" for number in range(60)]
PUBLIC = ("age", "region", "sex")


def written(codes, path):
    frame = pl.DataFrame(
        {
            "name": NAMES,
            "age": [None if code == NULL else int(code) for code in codes["age"]],
            **{name: [COLUMNS[name].values[code] for code in codes[name]] for name in ("region", "sex", "illness")},
            "income": [f"{code // 100}.{code % 100:02}" for code in codes["income"]],
            "debt": codes["debt"],
            "job": ["?"] * len(NAMES),
        }
    )
    frame.write_csv(path)
    return frame


@pytest.fixture(params=["duckdb", "postgres"])
def opened(request, tmp_path):
    """Open the codes in an engine, with or without names of the units."""
    engines = []

    def open_(codes, unit):
        frame = written(codes, tmp_path / "people.csv")
        if request.param == "duckdb":
            engines.append(DuckDB(schema(unit=unit), tmp_path / "people.csv", time_limit=10))
        else:
            url = request.getfixturevalue("database")
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE TABLE people ({', '.join(f'{name} text' for name in frame.columns)})")
                places = ", ".join(["%s"] * frame.width)
                connection.cursor().executemany(f"INSERT INTO people VALUES ({places})", frame.rows())
            engines.append(Postgres(schema(unit=unit), url, table="people", time_limit=10))
        return engines[-1]

    yield open_
    for engine in engines:
        engine.close()


@pytest.mark.parametrize("unit", ["name", None])
def test_units_are_those_of_the_file(opened, unit):
    codes = people(60, seed=1)
    codes["age"][5] = NULL
    found = opened(codes, unit).units((*PUBLIC, "income"))
    expected = source(codes, names=NAMES if unit else None).units((*PUBLIC, "income"))
    assert found.size == 60 and sorted(found.names) == sorted(expected.names)
    rows = [sorted(zip(*one.codes.values(), one.names or [""] * 60, strict=True)) for one in (found, expected)]
    assert rows[0] == rows[1]
    assert all(array.dtype == np.int64 for array in found.codes.values())


def test_both_modes_answer_as_from_memory(opened):
    codes = people(60, seed=2)
    engine = opened(codes, "name")
    memory = source(codes, engine.version, NAMES)
    bands = {"income": Band.of(100), "debt": Band.of(50)}
    question = replace(ask("count", "sum income", "mean debt", by=(Key("sex"),)), version=engine.version)
    for build in (
        lambda data: Exact(engine.schema, data, rules=Rules(least=5)),
        lambda data: Interval(engine.schema, data, bands=bands, key=b"k" * 16),
    ):
        assert Asking(build(engine))(question) == Asking(build(memory))(question)
