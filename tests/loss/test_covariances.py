import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.loss import covariances


def test_by_hand():  # catalogue: F-01
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [1.0, 1.0, 4.0]}))
    after = Release(pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 1.0]}))
    # In deviations of the original (2 and √3): variances 1, 1 and covariance 3 / (2√3); after, 1/4, 1 and 0.
    together = 3 / (2 * np.sqrt(3))
    found = covariances(after, original=before)
    assert found["x"].value == pytest.approx(np.hypot(0.75, together) / np.hypot(1, together))
    assert found["y"].value == pytest.approx(together / np.hypot(1, together))
    assert found[0].value == pytest.approx(np.sqrt((0.75**2 + 2 * together**2) / (2 + 2 * together**2)))
    assert found["x"].facts["variance ratio"] == pytest.approx(0.25)
    assert found["y"].facts["variance ratio"] == pytest.approx(1.0)
    assert found[0].facts == {"columns": 2, "entries": 3}


def test_means_for_all_cost_one():
    rng = np.random.default_rng(1)
    before = Release(pl.DataFrame({"x": rng.normal(size=20), "y": rng.normal(size=20)}))
    after = Release(pl.DataFrame({"x": np.ones(20), "y": np.full(20, 7.0)}))
    assert [part.value for part in covariances(after, original=before)] == [1, 1, 1]


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
def test_independent_noise_adds_its_variance(share):
    """Noise of a share of each variance, uncorrelated to the last digit, adds share·I to the correlations R."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    noise = np.linalg.qr(np.column_stack((np.ones(200), matrix, rng.normal(size=(200, 3)))))[0][:, 4:]
    noisy = matrix + np.sqrt(share * 199) * noise * matrix.std(axis=0, ddof=1)
    before, after = (Release(pl.DataFrame(dict(zip("abc", m.T, strict=True)))) for m in (matrix, noisy))
    norm = np.linalg.norm(np.corrcoef(matrix.T))
    assert covariances(after, original=before)[0].value == pytest.approx(share * np.sqrt(3) / norm)


def test_files_of_different_length_need_no_lineage_and_lost_cells_lose_their_covariance():
    before = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0, 6.0], "y": [1.0, 2.0, 3.0, 5.0]}))
    after = Release(pl.DataFrame({"x": [0.0, 2.0, 4.0], "y": [None, None, 3.0]}, schema={"x": float, "y": float}))
    found = covariances(after, original=before)
    assert found["y"].value == pytest.approx(1.0)
    assert found["x"].facts["variance ratio"] == pytest.approx(4 / (20 / 3))
