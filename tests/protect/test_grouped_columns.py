import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Mdav, from_json, grouped_columns, published_setup, to_json
from tacit.protect.grouped_columns import SETUPS

NAMES = ("M4-33", "M4-28", "M4-82", "M5-38", "M6-385", "M6-853")
PUBLISHED = dict(zip(NAMES, (84.00, 68.50, 71.00, 39.75, 78.00, 84.75), strict=True))
"""Per cent that the arithmetic mean of the columns finds (M-02)."""


def slow_mdav(points, k):
    """MDAV as its authors describe it, on the values as they are; ties as they come."""
    group, left, made = np.full(len(points), -1), np.arange(len(points)), 0

    def take(left, centre):
        order = np.argsort(np.square(points[left] - centre).sum(axis=1), kind="stable")[:k]
        return left[order], np.delete(left, order)

    def farthest(left, centre):
        return points[left[np.argmax(np.square(points[left] - centre).sum(axis=1))]]

    while len(left) >= 3 * k:
        first = farthest(left, points[left].mean(axis=0))
        for centre in (first, farthest(left, first)):
            members, left = take(left, centre)
            group[members], made = made, made + 1
    if len(left) >= 2 * k:
        members, left = take(left, farthest(left, points[left].mean(axis=0)))
        group[members], made = made, made + 1
    group[left] = made
    return group


def averaged(values, groups):
    """Values by means of groups; ``groups``: places of columns and their k."""
    made = np.empty_like(values)
    for places, k in groups:
        group = slow_mdav(values[:, places], k)
        for place in places:
            made[:, place] = (np.bincount(group, values[:, place]) / np.bincount(group))[group]
    return made


def places(name):
    """The columns of each group, by number."""
    found, start = [], 0
    for size, k in SETUPS[name]:
        found.append((list(range(start, start + size)), k))
        start += size
    return found


def found_by_mean(masked, original):
    """Per cent of masked records whose original alone is nearest, each side standardised by itself."""
    a, b = ((side - side.mean(axis=0)) / side.std(axis=0) for side in (masked, original))
    apart = np.square(a[:, None] - b[None]).sum(axis=2)
    own = apart.diagonal().copy()
    np.fill_diagonal(apart, np.inf)
    return 100 * (apart.min(axis=1) > own).mean()


@pytest.mark.parametrize("name", NAMES)
def test_names_say_columns_and_k(name):  # catalogue: M-02
    sizes, ks = zip(*SETUPS[name], strict=True)
    assert sum(sizes) == int(name[1]) and "".join(map(str, ks)) == name[3:]
    assert sorted(sizes, reverse=True) == list(sizes) and set(sizes) <= {2, 3}


@given(st.sampled_from(NAMES), st.integers(16, 60), st.integers(0, 10**6))
def test_groups_are_those_of_mdav_on_raw_values(name, n, seed):  # catalogue: M-02, E-02
    values = np.random.default_rng(seed).lognormal(size=(n, 6)) * [1, 10, 100, 1, 10, 100]
    release = Release(pl.DataFrame(values, schema=list("abcdef")))
    masked = release.protect(published_setup(release, name=name))
    assert [step.method for step in masked.trace] == ["mdav"] * len(SETUPS[name])
    columns = sum(size for size, _ in SETUPS[name])
    expected = np.column_stack([averaged(values[:, :columns], places(name)), values[:, columns:]])
    assert masked.to_native().to_numpy() == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_census_gives_the_published_level(reference_data, name):  # catalogue: M-02
    file = pl.read_csv(reference_data / "census.csv")
    shares, slow = [], []
    for seed in range(3):
        rows = np.random.default_rng(seed).choice(len(file), 400, replace=False)
        frame = file[rows][:, : int(name[1])]
        release = Release(frame, kinds=dict.fromkeys(frame.columns, "continuous"))
        values = frame.to_numpy().astype(float)
        shares.append(
            found_by_mean(release.protect(published_setup(release, name=name)).to_native().to_numpy(), values)
        )
        slow.append(found_by_mean(averaged(values, places(name)), values))
    assert np.mean(shares) == pytest.approx(np.mean(slow), abs=0.25)  # ties at the edge of a group may fall otherwise
    assert np.mean(shares) == pytest.approx(PUBLISHED[name], abs=5)


def test_standardised_groups_are_others():
    values = np.random.default_rng(1).lognormal(size=(60, 4)) * [1, 1000, 1, 1000]
    release = Release(pl.DataFrame(values, schema=list("abcd")))
    raw = release.protect(published_setup(release, name="M4-33")).to_native()
    standardised = release.protect(published_setup(release, name="M4-33", standardise=True)).to_native()
    assert not raw.equals(standardised)
    again = release.protect(Mdav(columns=["a", "b"], k=3)).release.protect(Mdav(columns=["c", "d"], k=3)).to_native()
    assert standardised.equals(again)


def test_columns_are_the_first_amounts_or_those_named():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "id": rng.permutation(50),
            "town": ["N1", "N2"] * 25,
            "a": rng.normal(size=50),
            "few": rng.integers(0, 5, 50),
            **{name: rng.normal(size=50) for name in "bcde"},
            "w": rng.random(50),
        }
    )
    release = Release(frame, identifier="id", weight="w")
    steps = published_setup(release, name="M5-38").steps
    assert [step.columns for step in steps] == [("a", "b", "c"), ("d", "e")]
    counted = Release(frame, identifier="id", kinds={"few": "continuous"})
    assert published_setup(counted, name="M4-33").steps[0].columns == ("a", "few")
    given = published_setup(release, name="M4-82", columns=["e", "a", "d", "b"])
    assert [(step.columns, step.k) for step in given.steps] == [(("e", "a"), 8), (("d", "b"), 2)]
    assert from_json(to_json(given)) == given


def test_who_is_told_the_raw_values_decided_makes_the_groups_again():
    values = np.random.default_rng(5).lognormal(size=(80, 4)) * [1, 1000, 1, 1000]
    release = Release(pl.DataFrame(values, schema=list("abcd")), quasi=list("abcd"))
    masked = release.protect(published_setup(release, name="M4-82"))
    scenario = Scenario(file=release, knows=tuple("abcd"), told=masked.trace, inside=True, covers=True)
    truth = Truth.by_lineage(None, release.size)
    told = judge(Transparency().claims(masked.release, scenario), truth)
    lists = np.unique(masked.to_native().to_numpy(), axis=0, return_counts=True)[1]
    assert told.value == pytest.approx(len(lists) / release.size)  # every group known: equal records alone are left


def test_mistakes_are_answered():
    rng = np.random.default_rng(2)
    release = Release(pl.DataFrame(rng.normal(size=(15, 5)), schema=list("abcde")))
    with pytest.raises(TacitError, match="'M4-38' is no published set-up\n  fix: did you mean 'M"):
        published_setup(release, name="M4-38")
    with pytest.raises(TacitError, match="use one of M4-33, M4-28, M4-82, M5-38, M6-385, M6-853"):
        published_setup(release, name="census")
    with pytest.raises(TacitError, match="no published set-up"):
        published_setup(release, name=None)
    with pytest.raises(TacitError, match="M6-385 has 6 numeric columns, and the file has 5"):
        published_setup(release, name="M6-385")
    with pytest.raises(TacitError, match="groups of 8 records, and the file has 15 records"):
        published_setup(release, name="M5-38")
    with pytest.raises(TacitError, match="M4-33 has 4 columns, and 3 are named"):
        published_setup(release, name="M4-33", columns=["a", "b", "c"])
    with pytest.raises(TacitError, match="column 'z' is not in the table"):
        published_setup(release, name="M4-33", columns=["a", "b", "c", "z"])
    with pytest.raises(TacitError, match="column 'a' is named twice"):
        grouped_columns([(["a", "b"], 3), (["a"], 2)])
    with pytest.raises(TacitError, match="k=1"):
        grouped_columns([(["a", "b"], 1)])
    for groups in ("ab", [("a", 2, 3)], {"a": 2}, [["a"]], None):
        with pytest.raises(TacitError, match="no groups of columns"):
            grouped_columns(groups)
    with pytest.raises(TacitError, match="made of methods"):
        grouped_columns([])
    with pytest.raises(TacitError, match="standardise='no' is neither"):
        Mdav(columns="a", k=2, standardise="no")
