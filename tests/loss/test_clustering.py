"""Clusters of both files: the indices against scikit-learn's, blobs that stay, noise that breaks them. catalogue: F-02."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import pair_confusion_matrix

from tacit import Masked, Release, TacitError
from tacit.loss import clustering
from tacit.loss.learning.clustering import agreement_of, k_means_clusters
from tacit.protect import Pipeline, Shuffle, SuppressRecords


def blobs(size: int = 300, seed: int = 1) -> Release:
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 3, size)
    x, y = (rng.normal(0, 0.3, size) + np.array(places)[which] for places in ([0, 4, 8], [0, 5, 0]))
    kind = np.array(["a", "b", "c"])[which]
    return Release(pl.DataFrame({"x": x, "y": y, "kind": kind, "q": rng.integers(0, 30, size)}), identifier="q")


def noisy(release: Release, much: float) -> Release:
    rng = np.random.default_rng(5)
    changes = {c: release.floats(c) + much * rng.normal(size=release.size) for c in ("x", "y")}
    return release.select(["x", "y"]).with_columns(changes)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_indices_agree_with_the_library(pairs):  # catalogue: F-02
    one, other = np.array(pairs).T
    rand, jaccard = agreement_of(one, other)
    assert rand == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)
    apart = pair_confusion_matrix(one, other)
    together = apart[1, 1] + apart[0, 1] + apart[1, 0]
    assert jaccard == pytest.approx(apart[1, 1] / together if together else 1.0)


def test_k_means_finds_what_is_there():
    release = blobs()
    points = np.column_stack([release.floats("x"), release.floats("y")])
    labels = k_means_clusters(points, 3, np.random.default_rng(1))
    assert agreement_of(labels, release.codes("kind").codes)[0] == 1


def test_clusters_stay_under_little_noise_and_are_gone_under_much():
    release = blobs()
    kept = clustering(noisy(release, 0.05), original=release, clusters=3)[0]
    assert kept.value == 0 and kept.facts["Jaccard by clusters"] == {"3": 1.0}
    losses = [clustering(noisy(release, much), original=release, clusters=3)[0].value for much in (1.5, 4.0, 40.0)]
    assert losses == sorted(losses) and losses[0] > 0 and 0.9 < losses[-1] <= 1


def test_blind_to_row_order_and_to_records_that_are_gone():
    release = blobs()
    masked = Masked(noisy(release, 1.0), ())
    one, other = (clustering(file, original=release)[0] for file in (masked, masked.then(Shuffle(), seed=1)))
    assert one.value == other.value > 0 and dict(one.facts) == dict(other.facts)
    keyed = release.with_metadata(roles={**release.roles, "q": "quasi"})
    fewer = keyed.protect(Pipeline(steps=[SuppressRecords(k=10), Shuffle()]), seed=1)
    assert 0 < fewer.release.size < release.size
    found = clustering(fewer, original=keyed)[0]
    assert found.value == 0 and found.facts["records"] == fewer.release.size


def test_nothing_is_lost_without_masking_also_when_k_means_has_not_come_to_rest(monkeypatch):
    monkeypatch.setattr("tacit.loss.learning.clustering.STEPS", 1)
    rng = np.random.default_rng(2)
    release = Release(pl.DataFrame({"x": rng.normal(size=500), "y": rng.normal(size=500)}))
    assert clustering(release, original=release)[0].value == 0


def test_units_do_not_matter():
    release = blobs()
    masked = noisy(release, 1.0)
    large = clustering(
        masked.with_columns({"x": 1024 * masked.floats("x")}),
        original=release.with_columns({"x": 1024 * release.floats("x")}),
    )
    assert large[0].value == clustering(masked, original=release)[0].value


def test_categories_and_gaps_count():
    release = Release(pl.DataFrame({"kind": ["a", "b", None] * 20}))
    assert clustering(release, original=release, clusters=3)[0].value == 0
    same = release.with_columns({"kind": np.full(60, "a", dtype=object)})
    assert clustering(same, original=release, clusters=3)[0].value == 1


@pytest.mark.parametrize(
    ("clusters", "message"),
    [(1, "clusters=1"), ((), "no number"), (2.5, "are no numbers"), ([2, "x"], "clusters='x'"), (500, "make no 500")],
)
def test_bad_input(clusters, message):
    release = blobs(50)
    with pytest.raises(TacitError, match=message):
        clustering(release, original=release, clusters=clusters)


def test_no_common_column():
    with pytest.raises(TacitError, match="no column in common"):
        clustering(Release(pl.DataFrame({"a": [1]})), original=Release(pl.DataFrame({"b": [1]})))


def test_less_agreement_than_by_chance_is_no_agreement():
    """{1, 2 | 3, 4} becomes {1, 3 | 2, 4}: an adjusted Rand index of −1/2, of which nothing is left, not the half."""
    before, after = (Release(pl.DataFrame({"pay": pay})) for pay in ([0.0, 0.1, 10.0, 10.1], [0.0, 10.0, 0.1, 10.1]))
    (found,) = clustering(after, original=before, clusters=2)
    assert found.facts["adjusted Rand by clusters"] == {"2": pytest.approx(-0.5)}
    assert found.value == 1
