import duckdb
import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.errors import Cancelled
from tacit.protect import DropIdentifiers, Pipeline, RankSwap, Shuffle, SuppressRecords

FRAME = pl.DataFrame({"id": range(60), "x": [float(i % 7) for i in range(60)], "q": [i % 31 for i in range(60)]})


@pytest.mark.parametrize("door", [lambda frame: frame, lambda frame: duckdb.from_arrow(frame.to_arrow())])
def test_rows_are_put_in_random_order_and_the_lineage_knows_it(door):
    release = Release(door(FRAME))
    masked = release.protect(Shuffle(), seed=1)
    assert masked.release.shuffled and not release.shuffled
    assert masked.release.series("id").to_list() == masked.lineage.tolist() != list(range(60))
    assert sorted(masked.lineage.tolist()) == list(range(60))
    assert release.protect(Shuffle(), seed=1).lineage.tolist() == masked.lineage.tolist()
    with pytest.raises(TacitError, match="shuffle draws at random and got no seed"):
        release.protect(Shuffle())


def test_every_order_is_equally_likely():
    release = Release(FRAME[:3])
    rng = np.random.default_rng(3)
    found = [tuple(release.protect(Shuffle(), seed=rng).lineage.tolist()) for _ in range(1200)]
    counts = [found.count(order) for order in set(found)]
    assert len(counts) == 6 and min(counts) > 130 and max(counts) < 275  # 200 ± 5.5 standard deviations


def test_a_pipeline_is_its_steps():
    release = Release(FRAME, identifier="id", quasi="q")
    steps = [DropIdentifiers(), SuppressRecords(k=2), RankSwap(columns="x", percent=20), Shuffle()]
    masked = release.protect(Pipeline(steps=steps), seed=9)
    assert [trace.method for trace in masked.trace] == ["drop_identifiers", "suppress_records", "rank_swap", "shuffle"]
    assert masked.release.size == len(masked.lineage) == 58  # q 29 and 30 occur once
    assert masked.release.series("q").to_list() == FRAME["q"].gather(masked.lineage).to_list()
    again = release.protect(Pipeline(steps=tuple(steps)), seed=9)
    assert again.release.to_native().equals(masked.release.to_native())
    # the draws of a step do not depend on the other steps
    shorter = release.protect(Pipeline(steps=[*steps[:3], DropIdentifiers()]), seed=9).release.to_native()
    assert (
        shorter["x"].gather(np.argsort(masked.lineage).argsort()).to_list() == masked.release.to_native()["x"].to_list()
    )


def test_one_generator_may_serve_all_steps():
    steps = [RankSwap(columns="x", percent=20), Shuffle()]
    one = Release(FRAME).protect(Pipeline(steps=steps), seed=np.random.default_rng(2))
    two = Release(FRAME).protect(Pipeline(steps=steps), seed=np.random.default_rng(2))
    assert one.release.to_native().equals(two.release.to_native())


def test_steps_without_chance_need_no_seed():
    assert Release(FRAME, quasi="q").protect(Pipeline(steps=[SuppressRecords(k=2)])).release.size == 58


def test_progress_rises_and_may_cancel():
    told: list[float] = []
    pipeline = Pipeline(steps=[RankSwap(columns="x", percent=20), RankSwap(columns="x", percent=20)])
    Release(FRAME).protect(pipeline, seed=1, progress=lambda _, share: told.append(share))
    assert told == sorted(told) and told[-1] == 1.0
    with pytest.raises(Cancelled):
        Release(FRAME).protect(pipeline, seed=1, progress=lambda _step, _share: False)


@pytest.mark.parametrize("steps", [[], "shuffle", [1], None, [Shuffle]])
def test_steps_are_checked(steps):
    with pytest.raises(TacitError, match="made of methods"):
        Pipeline(steps=steps)
