"""A row kernel gives the same columns on every engine, streamed, in order, and with errors in our words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

import duckdb
import numpy as np
import polars as pl
import pytest
from tests.lazily import relation

from tacit import Release, TacitError, read
from tacit.protect._numbers import as_numbers
from tacit.release.engines.stream import BATCH
from tacit.seed import draw_rows

ROWS = 2 * BATCH + 12_345


@dataclass(frozen=True)
class Noisy:
    """The row number, noise on an amount, and the text turned round: all that a kernel can be asked for."""

    seed: int = 7

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        noise = draw_rows(self.seed, start, batch.height, lambda rng, n: rng.standard_normal(n))
        return pl.DataFrame(
            {
                "place": np.arange(start, start + batch.height),
                "pay": batch["pay"] + pl.Series(noise),
                "zip": batch["zip"].str.reverse(),
                "born": batch["born"].dt.offset_by("1d"),
                "seen": batch["seen"].dt.offset_by("1h"),
            }
        )


TYPES = {
    "pay": pl.Float64(),
    "place": pl.Int64(),
    "zip": pl.String(),
    "born": pl.Date(),
    "seen": pl.Datetime("us"),
}
READ = ["zip", "pay", "born", "seen"]


@dataclass(frozen=True)
class Failing:
    """A kernel that refuses a number which only a later batch has."""

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        return pl.DataFrame({"pay": as_numbers(batch["pay"], start)})


def table(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "place": np.zeros(rows, dtype=np.int64),
            "zip": pl.Series(rng.integers(100, 1000, rows)).cast(pl.String),
            "born": pl.Series(rng.integers(-9000, 9000, rows).astype(np.int32)).cast(pl.Date),
            "sex": rng.choice(["f", "m"], rows),
            "pay": np.where(rng.random(rows) < 0.1, np.nan, rng.random(rows)),
            "seen": pl.Series(rng.integers(0, 10**15, rows)).cast(pl.Datetime("us")),
            "flag": rng.random(rows) < 0.5,
        }
    )


def on_spark(spark, frame: pl.DataFrame, folder, parts: int):
    path = folder / "given.parquet"
    frame.write_parquet(path)
    return spark.read.parquet(str(path)).repartition(parts)


@pytest.mark.parametrize("rows", [0, 1, BATCH, ROWS])
def test_duckdb_gives_what_polars_gives(rows):
    frame = table(rows)
    expected = Release(frame).map_batches(READ, Noisy(), TYPES).to_native()
    masked = Release(relation(frame)).map_batches(READ, Noisy(), TYPES)
    assert masked.columns == tuple(frame.columns)
    assert dict(masked.types) == dict(Release(frame).types)
    assert masked.to_native().pl().equals(expected.cast(masked.to_native().pl().schema))
    assert masked.to_native().pl()["place"].to_list() == list(range(rows))


def test_duckdb_puts_rows_in_order_when_the_plan_has_lost_it():
    frame = table(ROWS)
    given = Release(relation(frame))._table
    lost = type(given)(given.relation.order("zip, __tacit_row DESC"), given.store)
    masked = lost.map_batches(READ, Noisy(), TYPES)
    expected = Release(frame).map_batches(READ, Noisy(), TYPES).to_native()
    assert masked.to_native().pl().equals(expected.cast(masked.to_native().pl().schema))


def test_marks_of_suppressed_cells_pass_through():
    frame = table(100)
    hidden = np.arange(100) < 7
    masked = Release(relation(frame)).suppress_cells({"sex": hidden}).map_batches(READ, Noisy(), TYPES)
    assert dict(masked.suppressed) == {"sex": 7}


def test_an_error_names_the_row_of_the_table_not_of_the_batch():
    frame = table(ROWS).with_columns(pay=pl.when(pl.int_range(pl.len()) == ROWS - 5).then(1e200).otherwise("pay"))
    for given in (frame, relation(frame)):
        with pytest.raises(TacitError, match=f"'pay' has a number beyond .* in row {ROWS - 4}\n"):
            Release(given).map_batches(["pay"], Failing(), {"pay": pl.Float64()})


def test_duckdb_leaves_no_file_of_a_failed_kernel():
    frame = table(10).with_columns(pay=pl.lit(1e200))
    release = Release(relation(frame))
    before = sorted(release._table.store.folder.iterdir())
    with pytest.raises(TacitError):
        release.map_batches(["pay"], Failing(), {"pay": pl.Float64()})
    assert sorted(release._table.store.folder.iterdir()) == before


def test_duckdb_maps_a_file_larger_than_its_memory(tmp_path):
    rows = 1_600_000
    frame = table(rows).with_columns(**{f"filler{i}": pl.Series(np.arange(rows) / (i + 3)) for i in range(8)})
    path = tmp_path / "big.parquet"
    frame.write_parquet(path, compression="uncompressed")
    assert frame.estimated_size() > 150e6
    release = read(path, engine="duckdb", memory="60MB")
    masked = release.map_batches(READ, Noisy(), TYPES)
    assert np.array_equal(masked.series("place").to_numpy(), np.arange(rows))
    assert masked.series("filler7").equals(frame["filler7"])


def test_spark_gives_what_polars_gives_and_collects_no_records(spark, monkeypatch, tmp_path):
    from pyspark.sql.classic.dataframe import DataFrame

    given = on_spark(spark, table(50_000), tmp_path, 5)
    release = Release(given)
    # the rows in the order in which Spark numbers them, taken before collecting is forbidden
    numbered = release.scan(numbered=True).collect("polars").to_native().sort("__tacit_row")
    expected = Release(numbered.drop("__tacit_row")).map_batches(READ, Noisy(), TYPES).to_native()
    with monkeypatch.context() as patch:
        for name in ("collect", "toPandas", "toArrow"):
            plain = getattr(DataFrame, name)

            def guarded(self, *arguments, plain=plain):
                rows = plain(self, *arguments)
                assert len(rows) <= 100, "records were brought to the driver"
                return rows

            patch.setattr(DataFrame, name, guarded)
        masked = release.map_batches(READ, Noisy(), TYPES)
    assert masked.columns == release.columns
    found = masked.scan().collect("polars").to_native().sort("place")
    assert found.equals(expected.cast(found.schema))
    again = masked.scan(numbered=True).collect("polars").to_native()
    assert (again["place"] == again["__tacit_row"]).all(), "the rows are numbered as before"


def test_spark_tells_the_error_of_a_worker(spark, tmp_path):
    frame = table(100).with_columns(pay=pl.when(pl.int_range(pl.len()) == 50).then(1e200).otherwise(1.0))
    release = Release(on_spark(spark, frame, tmp_path, 3))
    with pytest.raises(TacitError, match="^column 'pay' has a number beyond .* in row [0-9]+\n") as caught:
        release.map_batches(["pay"], Failing(), {"pay": pl.Float64()})
    assert caught.value.column == "pay"
    assert caught.value.fix.startswith("correct it")


def test_spark_keeps_moments_of_a_time_zone(spark):
    frame = spark.createDataFrame(
        [(date(2020, 1, 1), datetime(2020, 1, 1, 12), "x", 1.0)], ["born", "seen", "zip", "pay"]
    )
    release = Release(frame)
    schema = release.scan().collect("polars").to_native().schema
    masked = release.map_batches(READ, Noisy(), {"seen": schema["seen"], "born": schema["born"]})
    assert masked.types == release.types
    (before,), (after,) = frame.select("seen").collect(), masked.to_native().select("seen").collect()
    assert (after[0] - before[0]).total_seconds() == 3600


def test_rows_that_an_engine_gives_in_another_order_are_sorted_first():
    """A plan may lose the order of the file; a kernel never sees rows under other numbers than their own."""
    plain = Release(duckdb.sql("SELECT range AS pay FROM range(300_000)"))
    table = plain._table
    mixed = Release(duckdb.sql("SELECT 1 AS pay"))
    upside_down = type(table)(table.relation.order("pay DESC"), table.store)
    mixed._set_state(upside_down, plain._description)
    found = mixed.map_batches(["pay"], Numbered(), {"pay": pl.Int64()})
    assert (found.series("pay") == 0).all()


@dataclass(frozen=True)
class Numbered:
    """The value less the number of its row."""

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        return pl.DataFrame({"pay": batch["pay"] - np.arange(start, start + batch.height)})
