"""Methods that work row by row give the same release on every engine, in bounded memory, and leave the rows where they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from tacit import Release, protect, read
from tacit.seed import BLOCK

ROWS = 2 * BLOCK + 5000
JOBS = {"edges": {"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"}}
ABOUT = {
    "quasi": ["zip", "job"],
    "kinds": {"visits": "continuous", "age": "continuous"},
    "hierarchies": {"zip": {"prefix": [4, 2]}, "ip": {"ip": [20, 9]}, "job": JOBS, "age": {"intervals": [5, 10]}},
    "missing": "own",
}
METHODS = {
    "generalise": protect.Generalise(levels={"zip": 1, "ip": 1, "job": 1, "age": 2}),
    "recode groups": protect.Recode(column="job", groups={"health": ["surgeon", "nurse"]}),
    "recode breaks": protect.Recode(column="age", breaks=[18, 65]),
    "top_bottom_code": protect.TopBottomCode(column="income", top=5000, bottom=10),
    "top_bottom_code mean": protect.TopBottomCode(column="income", top=5000, replace="mean"),
    "add_noise uncorrelated": protect.AddNoise(columns=["income", "visits"], variance=0.1, form="uncorrelated"),
    "add_noise correlated": protect.AddNoise(columns=["income", "rent"], variance=0.1, bounds={"rent": [-50, None]}),
    "multiply_noise": protect.MultiplyNoise(columns=["income", "rent"], spread=0.05),
    "pram given": protect.Pram(columns="job", stay=0.8),
    "pram invariant": protect.Pram(columns=["job", "flag"], stay=0.8, form="invariant", strata="zip"),
    "round": protect.Round(columns=["income"], base=100),
    "round random": protect.Round(columns=["income", "visits"], base=10, form="random"),
    "semantic_noise": protect.SemanticNoise(columns="job", stay=0.7),
    "shift_dates": protect.ShiftDates(columns=["born", "seen"], days=365),
    "shift_dates person": protect.ShiftDates(columns=["born", "seen"], days=365, person="person", step="week"),
    "shift_dates bounds": protect.ShiftDates(columns="seen", days=365, bounds={"seen": ["born", "2030-01-01"]}),
    "geo_mask donut": protect.GeoMask(latitude="lat", longitude="lon", least=100, most=500),
    "geo_mask density": protect.GeoMask(latitude="lat", longitude="lon", k=20, density="income", together=False),
    "geo_mask grid": protect.GeoMask(latitude="lat", longitude="lon", form="grid", side=1000),
    "pipeline": protect.Pipeline(
        steps=[protect.Generalise(levels={"zip": 1}), protect.Pram(columns="job", stay=0.8), protect.DropIdentifiers()]
    ),
}
"""The methods that promise to work row by row, in each of their forms."""
ON_SPARK = (
    "generalise",
    "add_noise correlated",
    "multiply_noise",
    "pram invariant",
    "round random",
    "semantic_noise",
    "shift_dates person",
    "geo_mask density",
)
"""One form for every kernel: each costs seconds there."""
ROUNDED = ("income", "rent", "lat", "lon")
"""Numbers whose last bits may differ on Spark, which adds up and rounds in its own way."""


def table(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    income = np.round(rng.lognormal(7, 1, rows), 2) + 1
    day = rng.integers(-9000, 9000, rows)
    return pl.DataFrame(
        {
            "id": np.arange(rows),
            "person": rng.integers(0, rows // 3 + 1, rows),
            "zip": pl.Series(rng.choice(["1001", "1002", "2001", "2002"], rows, p=[0.4, 0.3, 0.2, 0.1])),
            "ip": [f"10.{a}.{b}.7" for a, b in rng.integers(0, 256, (rows, 2)).tolist()],
            "job": rng.choice(["surgeon", "nurse", "clerk"], rows, p=[0.2, 0.3, 0.5]),
            "flag": rng.random(rows) < 0.3,
            "age": rng.integers(0, 100, rows),
            "income": income,
            "rent": np.round(income / 3 + rng.normal(0, 5, rows), 2),
            "visits": rng.poisson(30, rows),
            "born": pl.Series(day.astype(np.int32)).cast(pl.Date),
            "seen": pl.Series((day + rng.integers(0, 9000, rows)) * 86_400_000_000 + 3_723_000_000).cast(
                pl.Datetime("us")
            ),
            "lat": np.round(rng.uniform(-90, 90, rows), 3),
            "lon": np.round(rng.uniform(-180, 180, rows), 3),
        }
    ).with_columns(
        pl.when(pl.Series(rng.random(rows) < 0.05)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("zip", "job", "rent", "visits", "seen")
    )


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return table(ROWS)


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("big") / "big.parquet"
    frame.write_parquet(path, compression="uncompressed")
    return path


def test_every_method_that_says_so_is_here():
    """A method whose own words promise it works row by row on every engine has a line above."""
    promised = {
        name
        for name, entry in protect.METHODS.items()
        if "row by row" in (said := " ".join((entry.call.__doc__ or "").lower().split())) and "on every engine" in said
    }
    assert promised <= {name.split()[0] for name in METHODS}


@pytest.mark.parametrize("name", METHODS)
def test_duckdb_gives_the_release_of_polars(name, frame, file):
    """Bit by bit, over more than two blocks of draws."""
    lazily = read(file, engine="duckdb", **ABOUT)
    assert lazily.engine == "duckdb"
    one = Release(frame, **ABOUT).protect(METHODS[name], seed=7)
    other = lazily.protect(METHODS[name], seed=7)
    here, there = one.to_native(), other.to_native().pl()
    assert there.columns == here.columns
    for column in here.columns:
        found = there[column].cast(here.schema[column])
        if (name, column) == ("top_bottom_code mean", "income"):  # each engine adds up the tail in its own order
            assert np.allclose(found.to_numpy(), here[column].to_numpy(), rtol=1e-12, atol=0)
            continue
        assert found.equals(here[column]), column
    assert dict(other.release.types) == dict(one.release.types)
    assert one.trace[0].method == other.trace[0].method


def guard(patch) -> None:
    """No more than a few rows may reach the driver."""
    from pyspark.sql.classic.dataframe import DataFrame

    for name in ("collect", "toPandas", "toArrow"):
        plain = getattr(DataFrame, name)

        def guarded(self, *arguments, plain=plain):
            rows = plain(self, *arguments)
            assert len(rows) <= 1000, "records were brought to the driver"
            return rows

        patch.setattr(DataFrame, name, guarded)


def test_spark_gives_the_release_of_polars(spark, file, monkeypatch):
    """As sets of rows; nothing but aggregates reaches the driver while the methods run."""
    given = spark.read.parquet(str(file)).limit(9000).repartition(3).localCheckpoint()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1100")  # so that a partition has several batches
    release = Release(given, **ABOUT)
    numbered = release.scan(numbered=True).collect("polars").to_native().sort("__tacit_row").drop("__tacit_row")
    here = Release(numbered, **ABOUT)
    for name in ON_SPARK:
        method = METHODS[name]
        with monkeypatch.context() as patch:
            guard(patch)
            masked = release.protect(method, seed=7).release
            assert dict(masked.types) == dict(here.types) | {c: masked.types[c] for c in changed(name)}, name
        found = masked.scan().collect("polars").to_native().sort("id")
        expected = here.protect(method, seed=7).to_native().sort("id")
        assert found.columns == expected.columns
        for column in expected.columns:
            values = found[column].cast(expected.schema[column])
            if column in ROUNDED:
                assert np.allclose(values.to_numpy(), expected[column].to_numpy(), rtol=1e-9, equal_nan=True), name
            else:
                assert values.equals(expected[column]), (name, column)


def changed(name: str) -> list[str]:
    """The columns that a method of the list turns into text or numbers."""
    return ["age", "zip", "ip", "job"] if name == "generalise" else []


CHILD = """
import sys, tacit
from tacit import protect
release = tacit.read(sys.argv[1], engine="duckdb", memory="60MB", kinds={"pay": "continuous"})
release.protect(protect.MultiplyNoise(columns="pay", spread=0.05), seed=7)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_a_process_stays_smaller_than_the_table(tmp_path):
    """Peak memory of a child that masks a table of 640 MB, its libraries included; the bench has 10⁷ rows."""
    path = tmp_path / "wide.parquet"
    columns = ", ".join(f"(i * {place + 3} % 1009)::DOUBLE AS f{place}" for place in range(19))
    duckdb.connect(config={"memory_limit": "200MB"}).execute(
        f"COPY (SELECT (i % 97)::DOUBLE AS pay, {columns} FROM range(4000000) t(i)) TO '{path}' (FORMAT parquet)"
    )
    done = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 4_000_000 * 20 * 8
