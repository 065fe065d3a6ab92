"""Tables from records against loops over the records."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.errors import TacitError
from tacit.tables.build.records import tabulate

REGION = {"North": ["Ålta", "N.2"], "South": {"East": ["O'slo", 'Moss "x"'], "West": []}}
ABOVE = {
    "Ålta": ["North", "Total"],
    "N.2": ["North", "Total"],
    "O'slo": ["East", "South", "Total"],
    'Moss "x"': ["East", "South", "Total"],
    "West": ["South", "Total"],
}

record = st.tuples(
    st.sampled_from(list(ABOVE)),
    st.sampled_from([1, 2, 3]),
    st.integers(-40, 60),
    st.sampled_from([1.0, 1.5, 2.25, 3.0]),
    st.sampled_from(["h1", "h2", "h3", None]),
)


def frame_of(records):
    names = ["region", "size", "x", "w", "h"]
    schema = {"region": pl.String, "size": pl.Int64, "x": pl.Int64, "w": pl.Float64, "h": pl.String}
    return pl.DataFrame(records, schema=schema, orient="row").select(names)


def within(records, region, size):
    """The row numbers of a cell, by looking at each record."""
    return [
        row for row, one in enumerate(records) if region in (one[0], *ABOVE[one[0]]) and size in (str(one[1]), "Total")
    ]


def contributions(records, rows, holding):
    """Owner → (x, w) of a cell, summed by holding."""
    found = {}
    for row in rows:
        _, _, x, w, h = records[row]
        owner = next(r for r, one in enumerate(records) if one[4] == h) if holding and h is not None else row
        found.setdefault(owner, []).append((x, w))
    summed = {}
    for owner, pairs in found.items():
        size = sum(abs(x) for x, _ in pairs)
        mean = sum(w * abs(x) for x, w in pairs) / size if size else sum(w for _, w in pairs) / len(pairs)
        summed[owner] = (sum(x for x, _ in pairs), mean)
    return summed


# catalogue: G-01
@given(st.lists(record, min_size=1, max_size=25), st.booleans(), st.booleans(), st.integers(1, 4))
def test_every_cell_is_what_a_loop_over_the_records_finds(records, weighted, holding, top):
    table = tabulate(
        frame_of(records),
        by=["region", "size"],
        response="x",
        weight="w" if weighted else None,
        holding="h" if holding else None,
        hierarchies={"region": REGION},
        top=top,
        more="w",
    )
    plain = [(a, b, x, w if weighted else 1.0, h) for a, b, x, w, h in records]
    raw = [one[3] for one in records]
    for cell, (region, size) in enumerate(table.labels.iter_rows()):
        rows = within(records, region, size)
        behind = contributions(plain, rows, holding)
        assert table.values[cell] == pytest.approx(sum(plain[r][2] * plain[r][3] for r in rows))
        assert table.more["w"][cell] == pytest.approx(sum(raw[r] * plain[r][3] for r in rows))
        assert table.contributors[cell] == len(behind)
        assert table.shadow[cell] == pytest.approx(sum(abs(x) * w for x, w in behind.values()))
        best = sorted(behind.items(), key=lambda one: (-abs(one[1][0]), one[0]))[:top]
        best += [(-1, (0, 0.0))] * (top - len(best))
        assert table.contributions.owners[cell].tolist() == [owner for owner, _ in best]
        assert table.contributions.values[cell].tolist() == [x for _, (x, _) in best]
        assert table.contributions.weights[cell] == pytest.approx([w for _, (_, w) in best])
    assert np.abs(table.equations.residuals(table.values)).max() < 1e-9


# catalogue: G-01
@given(st.lists(record, min_size=1, max_size=25), st.booleans(), st.booleans())
def test_counts_are_weighted_and_contributors_are_not(records, weighted, holding):
    table = tabulate(
        frame_of(records),
        by=["size", "region"],
        weight="w" if weighted else None,
        holding="h" if holding else None,
        hierarchies={"region": REGION},
    )
    assert table.is_frequency and table.contributions is not None, (
        "whose they are is known: one may stand alone in several"
    )
    for cell, (size, region) in enumerate(table.labels.iter_rows()):
        rows = within(records, region, size)
        assert table.values[cell] == pytest.approx(sum(records[r][3] if weighted else 1 for r in rows))
        assert table.contributors[cell] == len(contributions(records, rows, holding))


# catalogue: G-01
@given(st.lists(record, min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_nothing(records, random):
    other = random.sample(records, len(records))
    kwargs = {"by": ["region", "size"], "response": "x", "holding": "h"}
    one, two = tabulate(frame_of(records), **kwargs), tabulate(frame_of(other), **kwargs)
    assert one.labels.equals(two.labels)
    assert one.values.tolist() == two.values.tolist() and one.contributors.tolist() == two.contributors.tolist()
    assert np.abs(one.contributions.values).tolist() == np.abs(two.contributions.values).tolist()


# catalogue: G-02, the cell of one respondent
def test_a_cell_of_one_shows_its_contribution_and_owner():
    people = pl.DataFrame({"job": ["a", "a", "b"], "town": ["x", "x", "x"], "pay": [100.0, 200.0, 18_347.0]})
    table = tabulate(people, by=["job", "town"], response="pay")
    cell = table.cell(job="b", town="x")
    assert table.values[cell] == 18_347 and table.contributors[cell] == 1
    assert table.contributions.owners[cell].tolist() == [2, -1, -1]


# catalogue: G-06, levels in columns of the data; the totals of the file itself
def test_the_companies_by_three_hierarchies_add_up_to_the_file(reference_data):
    firms = pl.read_csv(reference_data / "tables/rtauargus/indiv_dt.csv", schema_overrides={"A88": pl.String})
    table = tabulate(
        firms,
        by=["ACT", "NUTS", "SIZE"],
        response="TURNOVER",
        weight="WEIGHT",
        hierarchies={"ACT": ["A10", "A21", "A88"], "NUTS": ["NUTS1", "NUTS2", "NUTS3"]},
    )
    assert table.contributors[0] == 9_786
    assert table.values[0] == pytest.approx((firms["TURNOVER"] * firms["WEIGHT"]).sum())
    for level in ("A10", "A21", "A88"):
        sums = firms.group_by(level).agg((pl.col("TURNOVER") * pl.col("WEIGHT")).sum(), pl.len())
        for code, turnover, count in sums.iter_rows():
            cell = table.cell(ACT=code)
            assert table.values[cell] == pytest.approx(turnover) and table.contributors[cell] == count
    assert np.abs(table.equations.residuals(table.values)).max() < 1e-9 * table.values[0]


# catalogue: G-01, the peers' frequency table from its microdata
def test_the_micro_form_of_a_published_table_gives_its_counts(reference_data):
    folder = reference_data / "tables/ssbtools"
    table = tabulate(pl.read_csv(folder / "z1micro.csv"), by=["region", "hovedint"])
    for region, hovedint, count in pl.read_csv(folder / "z1.csv").iter_rows():
        assert table.values[table.cell(region=region, hovedint=hovedint)] == count


def test_any_frame_or_release_will_do():
    pandas = pytest.importorskip("pandas")
    given = {"sex": ["f", "m", "m"], "pay": [1.0, 2.0, 4.0], "w": [1.0, 2.0, 2.0]}
    frames = [pandas.DataFrame(given), pl.DataFrame(given), Release(pl.DataFrame(given))]
    assert [tabulate(one, by="sex", response="pay").values.tolist() for one in frames] == [[7.0, 1.0, 6.0]] * 3
    weighted = Release(pl.DataFrame(given), weight="w")
    assert tabulate(weighted, by="sex", response="pay").values.tolist() == [13.0, 1.0, 12.0]
    duckdb = pytest.importorskip("duckdb")
    lazy = Release(duckdb.from_arrow(pl.DataFrame(given).to_arrow()))
    assert tabulate(lazy, by="sex", response="pay").values.tolist() == [7.0, 1.0, 6.0]


def test_missing_codes_get_one_when_asked():
    people = pl.DataFrame({"sex": ["f", None, "m"], "age": [1.0, 2.0, float("nan")]})
    table = tabulate(people, by=["sex", "age"], missing="(missing)")
    assert table.values[table.cell(sex="(missing)")] == 1
    assert table.values[table.cell(age="(missing)")] == 1


def test_codes_of_any_type_are_text():
    from datetime import date, datetime

    kinds = {
        "float": ([1.0, 2.5, 2.5], ["1", "2.5"]),
        "bool": ([True, False, False], ["false", "true"]),
        "date": ([date(2020, 1, 1), date(2021, 1, 1), date(2021, 1, 1)], ["2020-01-01", "2021-01-01"]),
        "whole": ([10, 9, 9], ["9", "10"]),
    }
    frame = pl.DataFrame({name: values for name, (values, _) in kinds.items()}).with_columns(
        time=pl.Series([datetime(2020, 1, 1, 5)] * 3), enum=pl.Series(["b", "a", "a"], dtype=pl.Enum(["b", "a"]))
    )
    for name, (_, codes) in kinds.items():
        assert tabulate(frame, by=name).labels[name].to_list() == ["Total", *codes]
    assert tabulate(frame, by="time").size == 2
    assert tabulate(frame, by="enum").labels["enum"].to_list() == ["Total", "a", "b"]
    assert tabulate(frame, by="float", hierarchies={"float": {1: "Total", 2.5: "Total"}}).values.tolist() == [3, 1, 2]


GOOD = {"a": ["x", "y", "y"], "v": [1.0, 2.0, 3.0], "w": [1.0, 1.0, 2.0], "t": ["p", "q", "r"]}
BAD = [
    ({"a": ["x", None, None]}, {}, "2 missing values, the first in row 2"),
    ({"v": [1.0, None, float("nan")]}, {"response": "v"}, "in 2 records, the first in row 2"),
    ({"v": [1.0, float("inf"), 1.0]}, {"response": "v"}, "row 2"),
    ({"w": [1.0, 0.0, 1.0]}, {"weight": "w"}, "not positive in row 2"),
    ({}, {"response": "t"}, "column 't' holds text"),
    ({}, {"response": "vv"}, "did you mean 'v'"),
    ({}, {"top": 0}, "top=0"),
    ({}, {"hierarchies": {"b": None}}, "column 'b' has a hierarchy but is no dimension"),
    ({"a": ["x", "Total", "y"]}, {}, "holds 'Total', which is to be the code of all together"),
    ({}, {"hierarchies": {"a": {"x": "Total"}}}, "the code 'y', which its hierarchy lacks"),
    ({}, {"hierarchies": {"a": {"x": "y", "y": "Total"}}}, "2 records whose code has others below it"),
    ({}, {"hierarchies": {"a": {"x": "y", "y": "x"}}}, "in a circle"),
    ({}, {"hierarchies": {"a": {"x": "z", "y": "Total"}}}, "lies under 'z', which lies nowhere"),
    ({}, {"hierarchies": {"a": ["nowhere"]}}, "which is no column"),
]


# catalogue: G-01, bad input
@pytest.mark.parametrize(("change", "options", "said"), BAD)
def test_mistakes_are_named(change, options, said):
    with pytest.raises(TacitError) as caught:
        tabulate(pl.DataFrame({**GOOD, **change}, strict=False), by="a", **options)
    assert said in str(caught.value)


def test_no_records_no_dimension_and_too_many_cells():
    with pytest.raises(TacitError, match="no dimension"):
        tabulate(pl.DataFrame(GOOD), by=[])
    with pytest.raises(TacitError, match="no records"):
        tabulate(pl.DataFrame({"a": []}, schema={"a": pl.String}), by="a")
    wide = pl.DataFrame({name: range(400) for name in "abc"})
    with pytest.raises(TacitError, match="401 × 401 × 401"):
        tabulate(wide, by=["a", "b", "c"])


def test_a_holding_of_zeros_has_the_mean_weight_of_its_records():
    firms = pl.DataFrame({"a": ["x"] * 3, "h": ["one", "one", "two"], "v": [0.0, 0.0, 5.0], "w": [2.0, 4.0, 1.0]})
    kept = tabulate(firms, by="a", response="v", weight="w", holding="h").contributions
    assert kept.weights[1].tolist() == [1.0, 3.0, 0.0] and kept.owners[1].tolist() == [2, 0, -1]


def test_records_without_the_figure_count_with_nothing_or_not_at_all():
    firms = pl.DataFrame({"region": ["N", "N", "S"], "sales": [5, None, 100]})
    with pytest.raises(TacitError, match="has no figure in 1 records, the first in row 2(?s:.*)unanswered"):
        tabulate(firms, by="region", response="sales")
    zero, out = (tabulate(firms, by="region", response="sales", unanswered=one) for one in ("zero", "out"))
    assert zero.values.tolist() == out.values.tolist() == [105.0, 5.0, 100.0]
    assert (zero.contributors.tolist(), out.contributors.tolist()) == ([3.0, 2.0, 1.0], [2.0, 1.0, 1.0])
    with pytest.raises(TacitError, match="is unknown"):
        tabulate(firms, by="region", response="sales", unanswered="one")
    weighed = firms.with_columns(w=pl.Series([None, 1.0, 1.0]))
    with pytest.raises(TacitError, match="missing or infinite in 1 records") as said:
        tabulate(weighed, by="region", response="sales", weight="w", unanswered="zero")
    assert said.value.column == "w" and "unanswered" not in said.value.fix, "that would not help"
    with pytest.raises(TacitError, match="the first in row 2, counted without the 1 that are left out"):
        tabulate(
            firms.with_columns(w=pl.Series([1.0, 1.0, None])),
            by="region",
            response="sales",
            weight="w",
            unanswered="out",
        )


@pytest.mark.parametrize("holding", [None, "group"])
def test_an_owner_has_the_same_number_in_every_table_of_the_same_records(holding):
    """So that linked tables know what one respondent sees of both, whoever of the others gave no figure (G-01)."""
    firms = pl.DataFrame(
        {"region": ["N", "N", "S"], "sales": [None, 7, 100], "staff": [3, 2, 1], "group": ["a", "b", "b"]}
    )
    whole, out = (
        tabulate(firms, by="region", response=one, holding=holding, unanswered="out") for one in ("staff", "sales")
    )
    south = whole.labels["region"].to_list().index("S")
    assert out.contributions.owners[south, 0] == whole.contributions.owners[south, 0] == (2 if holding is None else 1)
