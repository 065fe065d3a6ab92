import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.loss import squared_error
from tacit.protect import Mdav, Pipeline, Shuffle, SuppressRecords


def test_by_hand():  # catalogue: F-04
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [1.0, 1.0, 1.0], "z": [1.0, 2.0, None]}))
    after = Release(pl.DataFrame({"x": [1.0, 1.0, 4.0], "y": [1.0, 2.0, 1.0], "z": [1.5, 1.5, 7.0]}))
    results = squared_error(after, original=before)
    assert results["x"].value == pytest.approx(2 / 8)
    assert results["z"].value == pytest.approx(0.5 / 0.5)
    assert results[0].value == pytest.approx((0.25 + 1) / 2) and results[0].facts["columns"] == 2


def test_means_for_all_cost_one_and_nothing_costs_nothing():
    frame = pl.DataFrame({"x": np.random.default_rng(1).normal(size=20)})
    release = Release(frame)
    assert squared_error(release, original=release)[0].value == 0
    assert squared_error(release.protect(Mdav(columns="x", k=20)), original=release)[0].value == pytest.approx(1)


def test_records_are_paired_by_lineage():
    rng = np.random.default_rng(1)
    release = Release(pl.DataFrame({"x": rng.normal(size=50), "q": rng.integers(0, 20, 50)}), quasi="q")
    masked = release.protect(Pipeline(steps=[SuppressRecords(k=3), Shuffle()]), seed=1)
    assert 0 < masked.release.size < 50
    assert squared_error(masked, original=release)["x"].value == 0
    assert squared_error(masked.release, original=release, lineage=masked.lineage)["x"].value == 0
    with pytest.raises(TacitError, match="nobody said which is which"):
        squared_error(masked.release, original=release)


@pytest.mark.parametrize("lineage", [[0, 1], [0, 1, 3], [0, 1, -2], [[0], [1], [2]]])
def test_a_lineage_leads_somewhere(lineage):
    release = Release(pl.DataFrame({"x": [1.0, 2.0, 4.0]}))
    with pytest.raises(TacitError, match="does not lead"):
        squared_error(release, original=release, lineage=np.array(lineage))


def test_invented_rows_are_left_out():
    before = Release(pl.DataFrame({"x": [1.0, 3.0]}))
    after = Release(pl.DataFrame({"x": [99.0, 3.0, 1.0]}))
    assert squared_error(after, original=before, lineage=np.array([-1, 1, 0]))["x"].value == 0


def test_without_numbers_there_is_nothing_to_measure():
    release = Release(pl.DataFrame({"x": [1.0, 1.0]}))
    with pytest.raises(TacitError, match="no column holds varying numbers"):
        squared_error(release, original=release)
