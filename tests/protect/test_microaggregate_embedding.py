"""The distance of records of any kind, against a slow one written from its definition; centres against the same."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.protect._microaggregation.centres import central_members, group_means, group_medians
from tacit.protect._microaggregation.embedding import column_form, count_dimensions, embed_rows

TOWNS = {
    "Lund": ["Skåne", "south"],
    "Malmö": ["Skåne", "south"],
    "Kalmar": ["Småland", "south"],
    "Umeå": ["Norr", "north"],
}


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "pay": rng.normal(1000, 300, n).round(),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 9000, n)],
            "school": rng.choice(["1 none", "2 basic", "3 high"], n),
            "sex": rng.choice(["F", "M", "X"], n),
            "town": rng.choice(list(TOWNS), n),
        }
    )
    return Release(
        frame,
        quasi=frame.columns,
        kinds={"school": "ordinal", "pay": "continuous"},
        hierarchies={"town": {"table": TOWNS}},
        missing="own",
    )


def squared_distance(release, i, j, weights):
    """From the definition, value by value."""
    frame, total = release.to_native(), 0.0
    for column, weight in weights.items():
        x, y = frame[column][i], frame[column][j]
        if column in ("pay", "born"):
            values = frame[column].to_physical().to_numpy().astype(float)
            apart = (values[i] - values[j]) / values.std() if values.std() else 0.0
            total += weight * apart**2
        elif column == "school":
            places = sorted(set(frame[column]))
            total += weight * ((places.index(x) - places.index(y)) / max(1, len(places) - 1)) ** 2
        elif column == "sex":
            total += weight * (x != y)
        else:
            total += weight * sum(a != b for a, b in zip([x, *TOWNS[x]], [y, *TOWNS[y]], strict=True)) / 3
    return total


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_squared_distances_are_those_of_the_definition(n, seed):  # catalogue: E-02, E-16
    release = mixed(n, seed)
    weights = {"pay": 1.0, "born": 2.0, "school": 0.5, "sex": 3.0, "town": 1.0}
    points = embed_rows(release, list(weights), np.arange(n), weights, rng=np.random.default_rng(seed))
    for i in range(n):
        for j in range(n):
            expected = squared_distance(release, i, j, weights)
            assert np.square(points[i] - points[j]).sum() == pytest.approx(expected, abs=1e-9)


def test_forms_follow_kinds_and_hierarchies():
    release = mixed(30, 1)
    assert [column_form(release, column) for column in release.columns] == [
        "number",
        "number",
        "ordinal",
        "nominal",
        "tree",
    ]
    assert count_dimensions(release, ["pay", "born", "school"]) == 3
    assert count_dimensions(release, ["sex"]) == 3
    assert count_dimensions(release, ["town"]) == 3  # the labels of four towns follow from the towns
    for columns in (["pay", "sex"], ["town", "school"], ["sex", "town", "born"]):
        assert embed_rows(release, columns, np.arange(30), {}, rng=np.random.default_rng(1)).shape[
            1
        ] == count_dimensions(release, columns)


def test_many_categories_are_projected_and_distances_stay_about_right():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"code": rng.permutation([f"c{i}" for i in range(200)]), "x": rng.normal(size=200)})
    release = Release(frame)
    assert count_dimensions(release, ["code", "x"]) == 201
    points = embed_rows(release, ["code", "x"], np.arange(200), {}, rng=np.random.default_rng(4))
    assert points.shape == (200, 24)
    assert np.allclose(points[:, 0], (frame["x"] - frame["x"].mean()) / frame["x"].std(ddof=0))  # never projected
    labels = points[:, 1:]
    apart = np.square(labels[:, None] - labels[None]).sum(axis=2)[np.triu_indices(200, 1)]
    # 19 900 pairs, each 4/(2·23) times a Binomial(23, ½): mean 1, deviation sqrt(1/23) = 0.21
    assert abs(apart.mean() - 1) < 0.02
    assert abs(apart.std() - np.sqrt(1 / 23)) < 0.02
    assert np.array_equal(embed_rows(release, ["code", "x"], np.arange(200), {}, rng=np.random.default_rng(4)), points)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40), st.integers(0, 10**6))
def test_the_central_member_is_one_of_least_summed_distance(members, seed):  # catalogue: E-16
    values = np.array([value for value, _ in members])
    _, group = np.unique([g for _, g in members], return_inverse=True)
    nodes = np.array([values, values // 2])  # two levels: siblings 0,1 and 2,3
    chosen = central_members(nodes, group, np.random.default_rng(seed))
    for g, place in enumerate(chosen):
        inside = np.flatnonzero(group == g)
        summed = {int(i): int((nodes[:, inside] != nodes[:, [i]]).sum()) for i in inside}
        assert place in inside
        assert summed[int(place)] == min(summed.values())


def test_ties_go_by_lot_with_equal_chances():
    group = np.repeat(np.arange(3000), 4)
    values = np.tile([0, 0, 1, 1], 3000)
    chosen = values[central_members(values[None], group, np.random.default_rng(5))]
    # 3000 tosses: 4 standard deviations are 0.037; lots loaded by 30 % (0.65) fall far outside
    assert abs(chosen.mean() - 0.5) < 0.037 < abs(0.65 - 0.5)
    middle = group_medians(values, group, rng=np.random.default_rng(6))
    assert abs(middle.mean() - 0.5) < 0.037


@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 3)), min_size=1, max_size=40))
def test_means_and_medians_are_those_of_numpy(members):
    values = np.array([value for value, _ in members])
    _, group = np.unique([g for _, g in members], return_inverse=True)
    for g in range(group.max() + 1):
        assert group_means(values, group)[g] == pytest.approx(values[group == g].mean(), abs=1e-9)
        assert group_medians(values, group)[g] == pytest.approx(np.median(values[group == g]), abs=1e-9)
        assert group_medians(values, group, rng=np.random.default_rng(0))[g] in values[group == g]
