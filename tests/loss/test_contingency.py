from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import contingency, headline
from tacit.loss.distributions.cells import cell_counts, tables_of
from tacit.loss.distributions.codings import common_codings
from tacit.protect import Pram

rows = st.lists(st.tuples(*(st.sampled_from(["a", "b", None]) for _ in range(4))), min_size=1, max_size=15)


def of(**columns) -> Release:
    return Release(pl.DataFrame(columns))


def text(table: list[tuple[str | None, ...]]) -> Release:
    return Release(pl.DataFrame(table, schema=dict.fromkeys("wxyz", pl.String), orient="row"))


def test_by_hand():  # catalogue: F-01
    before = of(sex=list("ffmm"), ill=list("yyyn"), job=list("aabb"))
    after = of(sex=list("ffmm"), ill=list("ynyy"), job=list("aabb"))
    found = contingency(after, original=before)
    # sex × ill: fy 2→1, fn 0→1, my 1→2, mn 1→0; likewise job × ill; sex × job stays; all three columns as sex × ill.
    assert [part.value for part in found] == pytest.approx([(0 + 1 / 3 + 1 / 2) / 3, 0, 1 / 3, 1 / 2])
    assert found["two columns"].facts["largest in"] == "sex × ill"
    assert headline(found) == found[0].value
    assert [part.column for part in contingency(after, original=before, order=1)] == [None, "one column"]


@given(rows, rows)
def test_the_slow_oracle_and_the_bounds(one, other):
    found = contingency(text(other), original=text(one))
    for order, part in enumerate(found[1:], start=1):
        expected = []
        for table in combinations(range(4), order):
            cut = [[tuple(row[place] for place in table) for row in file] for file in (one, other)]
            cells = {*cut[0], *cut[1]}
            gaps = [abs(cut[0].count(cell) / len(one) - cut[1].count(cell) / len(other)) for cell in cells]
            expected.append(sum(gaps) / 2)
        assert part.value == pytest.approx(np.mean(expected), abs=1e-12)
        assert 0 <= part.value <= 1 + 1e-12
    # Merging cells never moves more records: tables of fewer columns have moved less.
    assert found[1].value <= found[2].value + 1e-12 <= found[3].value + 2e-12


def test_large_tables_are_counted_by_the_cells_that_occur():
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 200, 300).astype(str) for name in "xyz"}
    before = of(**columns)
    after = before.with_columns({"x": rng.permutation(columns["x"]).astype(object)})
    table = common_codings(after, before, bins=5)
    counts = cell_counts(table)
    assert np.prod([one.count for one in table]) > 2**20 and len(counts[0]) <= 600
    assert counts[0].sum() == counts[1].sum() == 300
    together = [set(zip(*(side.series(name) for name in "xyz"), strict=True)) for side in (before, after)]
    assert contingency(after, original=before)["three columns"].value == pytest.approx(
        len(together[0] - together[1]) / 300, abs=0.01
    )


def test_tables_are_drawn_alike_for_every_release():
    every = list(combinations(range(7), 3))
    assert tables_of(7, 3, 35) == every
    some = tables_of(7, 3, 10)
    assert some == tables_of(7, 3, 10) == sorted(set(some)) and set(some) <= set(every) and len(some) == 10
    from tacit.loss.distributions.cells import _nth_table

    assert [_nth_table(place, 7, 3) for place in range(35)] == every
    many = tables_of(5000, 3, 20)
    assert len(set(many)) == 20 and all(a < b < c < 5000 for a, b, c in many)


def test_a_limit_is_told():
    release = of(**{name: list("ab") for name in "uvwxyz"})
    found = contingency(release, original=release, limit=7)
    assert [part.facts["tables"] for part in found[1:]] == [6, 7, 7]
    assert [part.facts["of all tables"] for part in found[1:]] == [6, 15, 20]


def test_the_more_categories_change_the_more_is_lost():
    rng = np.random.default_rng(1)
    sex = rng.choice(["f", "m"], 3000)
    job = np.where(rng.random(3000) < 0.8, sex, rng.choice(["a", "b"], 3000))
    release = of(sex=sex, job=job)
    losses = [
        contingency(release.protect(Pram(columns="sex", stay=stay), seed=1), original=release)["two columns"].value
        for stay in (1 - 1e-9, 0.9, 0.7, 0.5)
    ]
    assert losses[0] == pytest.approx(0, abs=1e-3) and all(one < other for one, other in pairwise(losses))


def test_a_permuted_column_keeps_its_own_table_and_loses_the_others():
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    before = of(x=x, y=x + 0.1 * rng.normal(size=2000))
    found = contingency(before.with_columns({"y": rng.permutation(before.floats("y"))}), original=before)
    assert found["one column"].value == 0
    # In five bins all but independent cells: at most 4/5 of the records move.
    assert 0.6 < found["two columns"].value < 0.8


@pytest.mark.parametrize(
    "wrong", [{"order": 4}, {"order": 0}, {"order": True}, {"limit": 0}, {"limit": 2.0}, {"bins": 1}]
)
def test_wrong_options(wrong):
    with pytest.raises(TacitError):
        contingency(of(x=[1]), original=of(x=[1]), **wrong)
