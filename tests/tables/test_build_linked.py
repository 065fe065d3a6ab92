"""Linked tables as one system."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.build.cell_tables import from_cells
from tacit.tables.build.linking import cells_of_table, join_trees, link_tables
from tacit.tables.build.records import tabulate
from tacit.tables.dimension import Dimension

from .test_build_ready import SETS, turnover

TREE = {"N": ["n1", "n2"], "S": ["s1", "s2", "s3"]}
person = st.tuples(
    st.sampled_from(["n1", "n2", "s1", "s2", "s3"]), st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 9)
)


def frame_of(people):
    frame = pl.DataFrame(people, schema=["county", "sex", "job", "v"], orient="row")
    return frame.with_columns(region=pl.col("county").str.slice(0, 1).str.to_uppercase())


# catalogue: G-06
@given(st.lists(person, min_size=1, max_size=30))
def test_a_linked_set_is_the_union_of_its_tables(people):
    frame = frame_of(people)
    tree = {"county": TREE}
    parts = {
        "a": tabulate(frame, by=["county", "sex"], response="v", hierarchies=tree),
        "b": tabulate(frame, by=["job", "county"], response="v", hierarchies=tree),
        "c": tabulate(frame, by=["sex", "job"], response="v"),
    }
    joint = link_tables(parts)
    identity, sums = set(), set()
    for name, table in parts.items():
        at = cells_of_table(joint, name)
        assert joint.values[at].tolist() == table.values.tolist()
        assert joint.contributors[at].tolist() == table.contributors.tolist()
        assert joint.contributions.owners[at].tolist() == table.contributions.owners.tolist()
        codes = [
            tuple(row.get(one, "Total") for one in ("county", "sex", "job"))
            for row in table.labels.iter_rows(named=True)
        ]
        identity |= set(codes)
        for row in table.equations.matrix:
            sums.add(frozenset((codes[cell], sign) for cell, sign in zip(row.indices, row.data, strict=True)))
    assert set(joint.labels.select("county", "sex", "job").iter_rows()) == identity
    assert joint.size == len(identity) and len(joint.equations) == len(sums)
    assert np.abs(joint.equations.residuals(joint.values)).max() == 0


# catalogue: G-06
@given(st.lists(person, min_size=1, max_size=30))
def test_a_finer_and_a_coarser_table_share_their_cells(people):
    frame = frame_of(people)
    regions = Dimension.flat("county", ["N", "S"])
    sexes, jobs = Dimension.flat("sex", "ab"), Dimension.flat("job", "xyz")
    coarse = tabulate(
        frame.with_columns(county="region"), by=["county", "sex"], hierarchies={"county": regions, "sex": sexes}
    )
    fine = tabulate(frame, by=["county", "job"], hierarchies={"county": TREE, "job": jobs})
    joint = link_tables({"coarse": coarse, "fine": fine})
    # 3 × 3 and 8 × 4 cells; shared: region and the total, with all other dimensions at their total.
    assert joint.size == 9 + 32 - 3
    shared = np.intersect1d(cells_of_table(joint, "coarse"), cells_of_table(joint, "fine"))
    assert sorted(joint.labels["county"][shared]) == ["N", "S", "Total"]
    assert joint.cell(county="n1", job="x") in cells_of_table(joint, "fine")


def test_figures_that_cancel_out_are_not_taken_for_contradictions():
    rng = np.random.default_rng(3)
    half = rng.lognormal(18, 2, 500)
    frame = pl.DataFrame({"a": rng.integers(0, 4, 1000), "b": rng.integers(0, 4, 1000), "c": rng.integers(0, 4, 1000)})
    frame = frame.with_columns(v=np.r_[half, -half])
    joint = link_tables(
        {"ab": tabulate(frame, by=["a", "b"], response="v"), "ca": tabulate(frame, by=["c", "a"], response="v")}
    )
    assert np.abs(joint.equations.residuals(joint.values)).max() <= 1e-9 * joint.shadow.max()


def test_different_responses_are_different_cells():
    frame = frame_of([("n1", "a", "x", 3), ("s1", "b", "x", 4)])
    joint = link_tables({"sum": tabulate(frame, by="sex", response="v"), "count": tabulate(frame, by=["sex", "job"])})
    assert joint.size == 3 + 6 and not joint.is_frequency
    assert joint.values[joint.cell(response="v")] == 7 and joint.values[joint.cell(response="counts")] == 2


def test_a_level_that_one_table_leaves_out_is_filled_in():
    flat = Dimension.flat("county", ["n1", "n2", "s1", "s2", "s3"])
    deep = Dimension.tree("county", {"N": "Total", "S": "Total", **{c: c[0].upper() for c in flat.codes[1:]}})
    assert join_trees([flat, deep]) == Dimension.tree(
        "county", {**{c: c[0].upper() for c in flat.codes[1:]}, "N": "Total", "S": "Total"}
    )
    assert set(join_trees([deep, flat]).codes) == set(deep.codes)


CLASHES = [
    ({"x": "A", "y": "B", "A": "Total", "B": "Total"}, "under 'A' in one table and under 'B'"),
    ({"x": "A", "y": "A", "z": "A", "A": "Total", "B": "Total"}, "'z' within 'A'"),
    ({"A": "x", "x": "Total", "y": "x", "B": "Total"}, "'A'"),
]


# catalogue: G-06, bad input
@pytest.mark.parametrize(("other", "said"), CLASHES)
def test_trees_that_contradict_one_another_are_refused(other, said):
    one = Dimension.tree("d", {"x": "A", "y": "A", "A": "Total", "B": "Total"})
    with pytest.raises(TacitError) as caught:
        join_trees([one, Dimension.tree("d", other)])
    assert said in str(caught.value) and "column 'd'" in str(caught.value)


def test_tables_that_contradict_one_another_are_refused():
    one = pl.DataFrame({"s": ["f", "m", "Total"], "n": [3, 4, 7]})
    two = pl.DataFrame({"s": ["f", "m", "Total"], "n": [4, 3, 7]})
    parts = {"first": from_cells(one, by="s", value="n"), "second": from_cells(two, by="s", value="n")}
    with pytest.raises(TacitError, match="s = 'f' has one figure in 'first' and another in 'second'"):
        link_tables(parts)
    joint = link_tables(parts, tolerance=1)
    assert np.abs(joint.equations.residuals(joint.values)).max() < 1e-9
    with pytest.raises(TacitError, match="did you mean 'first'"):
        cells_of_table(joint, "frist")
    with pytest.raises(TacitError, match="no tables"):
        link_tables({})


def test_tables_by_firm_and_by_holding_are_not_linked():
    frame = frame_of([("n1", "a", "x", 3), ("n1", "a", "y", 4)])
    one = tabulate(frame, by="sex", response="v")
    two = tabulate(frame, by=["sex", "job"], response="v", holding="county")
    with pytest.raises(TacitError, match="one number of contributors in 'firms' and another in 'groups'"):
        link_tables({"firms": one, "groups": two})


def test_a_total_of_another_name_is_refused():
    one = pl.DataFrame({"s": ["f", "Total"], "n": [3, 3]})
    two = pl.DataFrame({"s": ["f", "All"], "n": [3, 3]})
    with pytest.raises(TacitError, match="the total 'Total' in one table and 'All' in another"):
        link_tables({"a": from_cells(one, by="s", value="n"), "b": from_cells(two, by="s", value="n", total="All")})


# catalogue: G-06, the four linked tables of the peers
def test_four_published_tables_become_one_system(reference_data):
    folder = reference_data / "tables/rtauargus"
    parts = {name: turnover(folder, name, by) for name, by, _ in SETS}
    joint = link_tables(parts)
    # 113 activities, 119 regions, 4 sizes, 4 forms; each pair of tables shares the margin of the common dimension.
    assert joint.size == (452 + 452 - 113) + (476 + 476 - 119) - (4 + 4 - 1)
    assert [one.name for one in joint.dimensions] == ["ACTIVITY", "SIZE", "CJ", "NUTS"]
    for name, table in parts.items():
        assert joint.values[cells_of_table(joint, name)] == pytest.approx(table.values, abs=1e-6)
    assert np.abs(joint.equations.residuals(joint.values)).max() < 1e-6


# catalogue: G-06, two ways of grouping the same municipalities
def test_hierarchies_that_cross_share_their_finest_cells(reference_data):
    rows = pl.read_csv(reference_data / "tables/ssbtools/z2.csv")
    rows = rows.with_columns(
        fylke=pl.format("county {}", "fylke"), kostragr=pl.format("type {}", "kostragr"), ant=pl.col("ant")
    )
    parts = {
        one: tabulate(rows, by=["region", "hovedint"], response="ant", hierarchies={"region": [one]})
        for one in ("fylke", "kostragr")
    }
    with pytest.raises(TacitError, match="crossing='region'"):
        link_tables(parts)
    joint = link_tables(parts, crossing="region")
    counties, types = rows["fylke"].n_unique(), rows["kostragr"].n_unique()
    assert joint.size == (11 + counties + types + 1) * 5 and joint.dimensions == ()
    for column in ("fylke", "kostragr"):
        for code, cause, count in rows.group_by(column, "hovedint").agg(pl.col("ant").sum()).iter_rows():
            assert joint.values[joint.cell(region=code, hovedint=cause)] == count
    assert np.abs(joint.equations.residuals(joint.values)).max() == 0
    with pytest.raises(TacitError, match="link all tables at once"):
        link_tables({"joint": joint, "fylke": parts["fylke"]})


def test_counts_that_differ_stay_whole_or_are_refused():
    one = pl.DataFrame({"s": ["f", "m", "Total"], "n": [3, 4, 8]})
    first = from_cells(one, by="s", value="n", contributors="n", tolerance=1)
    assert first.values.tolist() == [7, 3, 4]
    inner = pl.DataFrame({"s": ["f", "f", "m"], "t": ["x", "y", "x"], "n": [2, 2, 3]})
    second = from_cells(inner, by=["s", "t"], value="n", contributors="n", add_totals=True)
    with pytest.raises(TacitError, match="has one number of contributors in 'a' and another in 'b'"):
        link_tables({"a": first, "b": second})
    weighted = replace(first, contributors=None), replace(second, contributors=None)
    with pytest.raises(TacitError, match="these counts do not add up"):
        link_tables(dict(zip("ab", weighted, strict=True)), tolerance=1)


def test_rounded_tables_are_joined_and_add_up():
    rng = np.random.default_rng(5)
    drawn = {"county": rng.integers(0, 9, 400), "sex": rng.integers(0, 5, 400), "job": rng.integers(0, 7, 400)}
    frame = pl.DataFrame(drawn).with_columns(v=rng.lognormal(2, 1, 400))
    parts = {}
    for name, by in {"a": ["county", "sex"], "b": ["county", "job"], "c": ["sex", "job"]}.items():
        table = tabulate(frame, by=by, response="v")
        parts[name] = from_cells(table.labels.with_columns(v=table.values.round(1)), by=by, value="v")
    joint = link_tables(parts)
    assert joint.unit == pytest.approx(0.1)
    assert np.abs(joint.equations.residuals(joint.values)).max() < 1e-9
    assert np.abs(joint.values[cells_of_table(joint, "b")] - parts["b"].values).max() < 0.3
