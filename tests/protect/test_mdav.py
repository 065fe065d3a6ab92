import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import squared_error
from tacit.models import KAnonymity
from tacit.protect import Mdav, VMdav

LOSSES = {  # 100 SSE/SST on standardised columns, 13 columns, of the CASC reference files
    "census": {3: 5.692186, 5: 9.088435, 10: 14.155930},
    "tarragona": {3: 16.932588, 5: 22.461860, 10: 33.192885},
}


@pytest.mark.parametrize("file", LOSSES)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_losses_are_those_of_the_reference_files(reference_data, file, k):  # catalogue: E-02, F-04
    release = Release(pl.read_csv(reference_data / f"{file}.csv"))
    masked = release.protect(Mdav(columns=release.columns, k=k))
    assert 100 * squared_error(masked, original=release)[0].value == pytest.approx(LOSSES[file][k], abs=5e-7)


def mixture(n, seed, missing=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 1000, n), "c": rng.lognormal(size=n)})
    hidden = pl.Series(np.arange(n) < missing)
    return frame.with_columns(b=pl.when(~hidden).then("b"))


@given(st.integers(6, 80), st.integers(2, 6), st.integers(0, 5), st.integers(0, 10**6))
def test_groups_of_k_share_values_and_means_are_kept(n, k, missing, seed):
    missing = min(missing, n - k)
    frame = mixture(n, seed, missing)
    release = Release(frame, quasi=["a", "b", "c"], kinds={"b": "continuous"}, missing="own")
    masked = release.protect(Mdav(columns=["a", "b", "c"], k=k))
    new = masked.release.to_native()
    assert release.to_native().equals(frame)
    assert new[:missing].equals(frame[:missing].cast(new.schema))  # incomplete records stay as they are
    assert masked.trace[0].outcome["left_out"].value == missing
    complete = masked.release.take(np.arange(missing, n))
    assert KAnonymity(k=k).holds(complete)
    assert (np.asarray(complete.classes().sizes) < 2 * k).all()
    assert masked.trace[0].outcome["groups"].value == complete.classes().count
    for column in "abc":
        assert new[column].mean() == pytest.approx(frame[column].mean())
        assert new[column].var() <= frame[column].var() * (1 + 1e-9)


def test_the_order_of_the_rows_does_not_matter():
    frame = mixture(200, 3).with_columns(a=pl.col("a").round(0))  # ties
    order = np.random.default_rng(8).permutation(200)
    method = Mdav(columns=["a", "b", "c"], k=4)
    straight = Release(frame, kinds={"b": "continuous"}).protect(method).release.to_native()
    mixed = Release(frame[order], kinds={"b": "continuous"}).protect(method).release.to_native()
    assert mixed.equals(straight[order])


def test_units_and_constant_columns_do_not_count():
    frame = mixture(60, 5)
    grouped = Release(frame).protect(Mdav(columns=["a", "b"], k=3)).release.to_native()
    scaled = frame.with_columns(pl.col("a") * 1024, constant=pl.lit(0.1))
    again = Release(scaled).protect(Mdav(columns=["a", "b", "constant"], k=3)).release.to_native()
    assert again["b"].to_list() == grouped["b"].to_list()
    assert again["constant"].to_list() == pytest.approx([0.1] * 60)


def test_mistakes_are_answered():
    frame = mixture(10, 1, missing=7).with_columns(text=pl.lit("hidden"), few=pl.Series([1, 2] * 5))
    release = Release(frame, kinds={"few": "nominal", "b": "continuous"})
    with pytest.raises(TacitError, match="k=4 is above the 3 records that have values in a, b"):
        release.protect(Mdav(columns=["a", "b"], k=4))
    with pytest.raises(TacitError, match="holds text, which has no mean"):
        release.protect(Mdav(columns="text", k=2))
    with pytest.raises(TacitError, match="mean of codes"):
        release.protect(Mdav(columns="few", k=2))
    with pytest.raises(TacitError, match="in row 2"):
        Release(pl.DataFrame({"a": [1.0, float("-inf"), 2.0]})).protect(Mdav(columns="a", k=2))
    for k in (1, 0, 2.0, True, "3", None):
        with pytest.raises(TacitError, match="k="):
            Mdav(columns="a", k=k)


def test_the_claim_of_k_anonymity_and_its_preconditions():
    """All quasi-identifiers at once, none missing: k holds. A missing cell, or a household's column beside a person's: it may not."""
    from tacit.models import KAnonymity

    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    for k in (2, 3, 7):
        masked = Release(frame, quasi=["x", "y"], missing="own").protect(Mdav(columns=["x", "y"], k=k), seed=1)
        assert KAnonymity(k=k).holds(masked)
    gap = frame.with_columns(x=pl.when(pl.int_range(100) == 5).then(None).otherwise(pl.col("x")))
    assert not KAnonymity(k=3).holds(
        Release(gap, quasi=["x", "y"], missing="own").protect(Mdav(columns=["x", "y"], k=3))
    )


def slow_v_mdav(points, k, gamma):
    """V-MDAV as its authors describe it, with all distances in a table; for data without ties."""
    apart = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    from_centre = np.sqrt(np.square(points - points.mean(axis=0)).sum(axis=1))
    free, groups = set(range(len(points))), []
    while len(free) >= k:
        start = max(free, key=lambda i: from_centre[i])
        group = sorted(free, key=lambda i: apart[start, i])[:k]
        free -= set(group)
        while free and len(group) < 2 * k - 1:
            nearest = min(free, key=lambda i: apart[group, i].min())
            others = [apart[nearest, i] for i in free if i != nearest]
            if gamma == 0 or apart[group, nearest].min() >= gamma * min(others, default=np.inf):
                break
            group.append(nearest)
            free.remove(nearest)
        groups.append(group)
    for x in sorted(free, key=lambda i: tuple(points[i])):
        roomy = [group for group in groups if len(group) < 2 * k - 1]
        nearest = min(roomy or groups, key=lambda group: apart[x, group].min())
        if roomy:
            nearest.append(x)
        else:
            out = sorted(nearest, key=lambda i: apart[x, i])[: k - 1]
            nearest[:] = [i for i in nearest if i not in out]
            groups.append([x, *out])
    return groups


@given(st.integers(2, 40), st.integers(2, 5), st.sampled_from([0.0, 0.2, 1.1, 3.0]), st.integers(0, 10**6))
def test_v_mdav_groups_as_its_authors_say(n, k, gamma, seed):  # catalogue: E-02
    n = max(n, k)
    frame = mixture(n, seed).select("a", "c")
    masked = Release(frame).protect(VMdav(columns=["a", "c"], k=k, gamma=gamma))
    values = frame.to_numpy()
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    expected = np.empty_like(values)
    for group in slow_v_mdav(points, k, gamma):
        expected[group] = values[group].mean(axis=0)
    assert masked.to_native().to_numpy() == pytest.approx(expected)
    assert masked.to_native().group_by("a", "c").len()["len"].min() >= k


def test_v_mdav_finds_clusters_of_unequal_size():
    rng = np.random.default_rng(2)
    centre = np.repeat(np.arange(6) * 100.0, [3, 4, 4, 3, 4, 3])
    release = Release(pl.DataFrame({"x": centre + rng.normal(size=21), "y": centre**2 + rng.normal(size=21)}))
    loss = {
        name: squared_error(release.protect(method), original=release)["x"].value
        for name, method in {
            "fixed": Mdav(columns=["x", "y"], k=3),
            "variable": VMdav(columns=["x", "y"], k=3, gamma=1.1),
        }.items()
    }
    assert loss["variable"] < 0.01 * loss["fixed"]
    for gamma in (-1, None, "much", float("nan")):
        with pytest.raises(TacitError, match="gamma="):
            VMdav(columns="x", k=3, gamma=gamma)
