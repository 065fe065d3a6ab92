"""Ready-made tables: what the peers publish is read as it stands, and bad ones are refused."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.tables.build.additivity import check_additive, nearest_additive
from tacit.tables.build.cell_tables import from_cells
from tacit.tables.equations import Equations
from tacit.tables.table import Table

from .instances import balanced, flat, random_table

ACTIVITY, NUTS = "activity_corr_table.csv", "nuts23_fr_corr_table.csv"
SETS = [
    ("turnover_act_size", ("ACTIVITY", "SIZE"), 414),
    ("turnover_act_cj", ("ACTIVITY", "CJ"), 406),
    ("turnover_nuts_size", ("NUTS", "SIZE"), 460),
    ("turnover_nuts_cj", ("NUTS", "CJ"), 452),
]


SUM = Equations.of([[1, 1, -1]])


def read(folder, name):
    figures = dict.fromkeys(("TOT", "MAX", "N_OBS"), pl.Float64)
    return pl.read_csv(folder / f"{name}.csv", schema_overrides={**figures, "ACTIVITY": pl.String})


def turnover(folder, name, by):
    trees = {"ACTIVITY": {"nested": ACTIVITY}, "NUTS": {"nested": NUTS}}
    return from_cells(
        read(folder, name),
        by=by,
        value="TOT",
        contributors="N_OBS",
        top="MAX",
        hierarchies={one: trees[one] for one in by if one in trees},
        folder=folder,
    )


# catalogue: G-06
@pytest.mark.parametrize(("name", "by", "rows"), SETS)
def test_published_tables_are_read_with_their_hierarchies(reference_data, name, by, rows):
    folder = reference_data / "tables/rtauargus"
    table, cells = turnover(folder, name, by), read(folder, name)
    assert cells.height == rows
    found = table.labels.with_columns(at=np.arange(table.size)).join(cells, on=list(by), how="left")
    listed = found.filter(pl.col("TOT").is_not_null())
    assert listed.height == rows
    at = listed["at"].to_numpy()
    assert table.values[at] == pytest.approx(listed["TOT"].to_numpy(), abs=1e-9)
    assert table.contributors[at].tolist() == listed["N_OBS"].to_list()
    assert table.contributions.values[at, 0].tolist() == listed["MAX"].to_list()
    assert (table.values[found.filter(pl.col("TOT").is_null())["at"].to_numpy()] == 0).all()
    # The contributors add up as well, which nobody checked while the table was made.
    assert np.abs(table.equations.residuals(table.contributors)).max() == 0


# catalogue: G-06, a total of another name in one dimension
def test_a_table_of_three_dimensions_with_a_total_of_its_own(reference_data):
    cells = read(reference_data / "tables/rtauargus", "turnover_act_nuts_size")
    east = {code: code[:-1] if len(code) == 5 else "Total_EAST" for code in cells["NUTS"].unique() if code[0] == "F"}
    table = from_cells(
        cells,
        by=["ACTIVITY", "NUTS", "SIZE"],
        value="TOT",
        hierarchies={"ACTIVITY": {"nested": ACTIVITY}, "NUTS": east},
        total={"NUTS": "Total_EAST"},
        folder=reference_data / "tables/rtauargus",
    )
    assert [len(one.codes) for one in table.dimensions] == [107, 14, 4]
    assert (
        table.values[table.cell()]
        == cells.filter(
            (pl.col("ACTIVITY") == "Total") & (pl.col("NUTS") == "Total_EAST") & (pl.col("SIZE") == "Total")
        )["TOT"].item()
    )


@given(st.integers(0, 10_000), st.booleans())
def test_totals_that_are_left_out_are_worked_out(seed, missing_zeros):
    """The finest cells alone give back the whole table, and so do all cells less the empty ones."""
    table = random_table([balanced([2, 2], "h"), flat(3, "d")], seed=seed)
    rows = table.labels.with_columns(v=table.values)
    finest = {"h": [f"h.{i}.{j}" for i in range(2) for j in range(2)], "d": ["d0", "d1", "d2"]}
    inner = rows.filter(pl.col("h").is_in(finest["h"]) & pl.col("d").is_in(finest["d"]))
    trees = {"h": table.dimensions[0], "d": table.dimensions[1]}
    kept = inner.filter(pl.col("v") != 0) if missing_zeros else inner
    if kept.height:
        found = from_cells(kept, by=["h", "d"], value="v", hierarchies=trees, add_totals=True)
        assert found.labels.equals(table.labels) and found.values.tolist() == table.values.tolist()
    found = from_cells(rows.filter(pl.col("v") != 0), by=["h", "d"], value="v", hierarchies=trees)
    assert found.values.tolist() == table.values.tolist()


# catalogue: G-01
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_rounded_figures_pass_and_are_made_to_add_up(seed, digits):
    true = random_table([balanced([2, 3], "h"), flat(4, "d")], seed=seed)
    figures = np.random.default_rng(seed).lognormal(3, 1, true.size) * (true.values > 0)
    from tacit.tables.build.cross import added_up

    shape = [len(one.codes) for one in true.dimensions]
    inner = np.zeros(shape)
    leaves = np.ix_(*(one.leaves for one in true.dimensions))
    inner[leaves] = figures.reshape(shape)[leaves]
    exact = added_up(true.dimensions, inner).ravel()
    printed = np.round(exact, digits)
    rows = true.labels.with_columns(v=printed)
    table = from_cells(rows, by=["h", "d"], value="v", hierarchies={"h": true.dimensions[0]})
    assert np.abs(table.equations.residuals(table.values)).max() < 1e-9
    # The truth is one of the tables that add up, so the nearest one is not farther from the print than it is.
    assert np.linalg.norm(table.values - printed) <= np.linalg.norm(exact - printed) + 1e-9
    assert (table.values[printed == 0] == 0).all()


@given(st.integers(0, 10_000), st.data())
def test_one_wrong_figure_is_found_with_its_equation(seed, data):
    table = random_table([flat(3, "a"), flat(3, "b")], seed=seed)
    cell = data.draw(st.integers(0, table.size - 1))
    values = table.values.copy()
    values[cell] += 1
    with pytest.raises(TacitError) as caught:
        check_additive(table.with_values(values))
    text = str(caught.value)
    assert any(repr(code) in text for code in table.labels.row(cell)) and "differ by more than" in text
    check_additive(table.with_values(values), tolerance=1)
    check_additive(nearest_additive(table.with_values(values)), tolerance=0)


def test_zeros_move_only_if_they_must():
    """0.1 + 0 = 0 has one way out that keeps the zeros; none is left when the 0.1 is known to be right."""
    one = Table(labels=pl.DataFrame({"c": list("abt")}), values=np.array([0.1, 0, 0]), equations=SUM, response="v")
    assert nearest_additive(one).values == pytest.approx([0, 0, 0], abs=1e-12)
    fixed = Equations.of([[1, 1, -1], [1, 0, 0]], np.array([0.0, 0.1]))
    other = replace(one, equations=fixed)
    found = nearest_additive(other)
    assert np.abs(fixed.residuals(found.values)).max() < 1e-9 and found.values[1:] == pytest.approx([0, 0.1])
    with pytest.raises(TacitError, match="contradict one another"):
        nearest_additive(replace(one, equations=Equations.of([[1, 1, -1], [1, 1, -1]], np.array([0.0, 0.1]))))


CELLS = {"s": ["f", "m", "Total"] * 3, "a": ["y"] * 3 + ["o"] * 3 + ["Total"] * 3, "n": [1, 2, 3, 4, 5, 9, 5, 7, 12]}


def cells(**change):
    return pl.DataFrame({**CELLS, **change}, strict=False)


BAD = [
    (cells(n=[1, 2, 3, 4, 5, 9, 5, 7, 13]), {}, ["does not add up in 2 of 6 equations", "'Total'"]),
    (cells().filter(pl.col("s") != "Total"), {}, ["column 's' has no total", "add_totals"]),
    (cells(s=["f", "m", "TOTAL"] * 3), {}, ["name its code (total), perhaps 'TOTAL'"]),
    (cells()[:-1], {}, ["the total s = 'Total', a = 'Total' has no row"]),
    (cells()[1:], {"missing_cells": "error"}, ["the cell s = 'f', a = 'y' has no row"]),
    (cells()[1:], {}, ["does not add up"]),
    (cells().vstack(cells()[3:4]), {}, ["s = 'f', a = 'o' stands in rows 4 and 10"]),
    (cells(n=[1, None, 3, 4, 5, 9, 5, 7, 12]), {}, ["column 'n'", "row 2"]),
    (cells(n=[1.0, 2.0, float("nan"), 4, 5, 9, 5, 7, 12]), {}, ["row 3"]),
    (cells(n=[-1, 2, 1, 4, 5, 9, 3, 7, 10]), {"contributors": "n"}, ["negative in row 1"]),
    (
        cells(n=["1", "x", "3", "4", "5", "9", "5", "7", "12"]),
        {},
        ["holds text in 1 row, the first is row 2, where figures"],
    ),
    (cells(n=["1", None, "3", "4", "5", "?", "5", "7", "-"]), {}, ["holds text in 2 rows, the first is row 6, where"]),
    (cells(n=list("abcdefghi")), {}, ["holds text where figures"]),
    (cells(n=[True] * 9), {}, ["holds boolean where figures"]),
    (cells(s=["f", None, "Total"] * 3), {}, ["column 's'", "3 missing values"]),
    (cells(), {"hierarchies": {"s": {"f": "Total"}}}, ["the code 'm', which its hierarchy lacks"]),
    (cells(), {"hierarchies": {"s": {"f": "m", "m": "f"}}}, ["in a circle"]),
    (cells(), {"hierarchies": {"s": {"f": "q", "m": "Total"}}}, ["lies under 'q', which lies nowhere"]),
    (cells(), {"tolerance": -1.0}, ["the tolerance is not 0 or more"]),
    (cells(), {"missing_cells": "one"}, ["missing_cells='one'"]),
]


# catalogue: G-01, bad input
@pytest.mark.parametrize(("frame", "options", "said"), BAD)
def test_bad_tables_are_refused_by_name(frame, options, said):
    with pytest.raises(TacitError) as caught:
        from_cells(frame, by=["s", "a"], value="n", **options)
    assert all(one in str(caught.value) for one in said), str(caught.value)


def test_negative_sums_are_fine_and_counts_are_counts():
    figures = [-1, 2, 1, 4, 5, 9, 3, 7, 10]
    assert from_cells(cells(n=figures), by=["s", "a"], value="n").values.min() == -1
    assert from_cells(cells(), by=["s", "a"], value="n", contributors="n").is_frequency
    assert not from_cells(cells(), by=["s", "a"], value="n").is_frequency


def test_added_totals_have_the_largest_contribution_of_their_parts():
    inner = cells(m=[1, 2, 2, 3, 4, 4, 3, 4, 4]).filter((pl.col("s") != "Total") & (pl.col("a") != "Total"))
    table = from_cells(inner, by=["s", "a"], value="n", top="m", add_totals=True)
    assert table.contributions.values[table.cell()].tolist() == [4]
    assert table.contributions.values[table.cell(a="y")].tolist() == [2]
    assert (table.contributions.owners == -1).all()


# catalogue: G-01
def test_large_whole_figures_add_up_to_the_last_unit():
    for size in (1e6, 1e9, 1e11):
        cells = pl.DataFrame({"a": ["x", "y", "Total"], "v": [size, 1.0, size + 2]})
        with pytest.raises(TacitError, match="does not add up"):
            from_cells(cells, by="a", value="v")
        right = from_cells(cells.with_columns(v=pl.Series([size, 1.0, size + 1])), by="a", value="v")
        assert right.values.tolist() == [size + 1, size, 1.0]


def test_no_figure_becomes_negative_when_a_table_is_made_to_add_up():
    cells = pl.DataFrame({"a": ["x", "y", "z", "Total"], "v": [1.0, 1.0, 100.0, 97.0]})
    table = from_cells(cells, by="a", value="v", tolerance=5)
    assert table.values.tolist() == pytest.approx([98.5, 0, 0, 98.5])
    signed = from_cells(cells.with_columns(v=pl.Series([-1.0, 1.0, 100.0, 99.0])), by="a", value="v", tolerance=5)
    assert signed.values.tolist() == pytest.approx([99.25, -0.75 - 0.5, 0.75, 99.75])


# catalogue: G-03
def test_largest_contributions_in_another_order_are_refused():
    cells = pl.DataFrame({"a": ["x", "y", "Total"], "v": [100.0, 50, 150], "m1": [20.0, 20, 20], "m2": [20.0, 30, 30]})
    with pytest.raises(TacitError, match="'m2' is larger than 'm1' in 2 rows, the first is row 2"):
        from_cells(cells, by="a", value="v", top=["m1", "m2"])
    assert from_cells(cells.head(1).vstack(cells.tail(2)), by="a", value="v", top=["m2", "m1"]).size == 3


@pytest.mark.parametrize(("total", "fits"), [(8, True), (5, True), (4, False), (10, False)])
def test_contributors_that_contradict_one_another_are_refused(total, fits):
    """A total has as many as its parts together, or fewer where holdings are shared, but no fewer than the largest part."""
    cells = pl.DataFrame({"a": ["x", "y", "Total"], "v": [1.5, 4.5, 6.0], "n": [3, 5, total]})
    if fits:
        assert from_cells(cells, by="a", value="v", contributors="n").contributors.tolist() == [total, 3, 5]
    else:
        with pytest.raises(TacitError, match="numbers of contributors contradict .* a: 'x' \\+ 'y' = 'Total'"):
            from_cells(cells, by="a", value="v", contributors="n")


def test_rounding_explains_half_a_unit_of_the_last_digit_for_each_figure():
    # Three figures with one decimal: 0.15 at most.
    def line(total):
        return pl.DataFrame({"sex": ["f", "m", "Total"], "pay": [1.4, 2.4, total]})

    assert from_cells(line(3.9), by="sex", value="pay").unit == 0.1
    with pytest.raises(TacitError, match="does not add up in 1 of 1"):
        from_cells(line(4.0), by="sex", value="pay")
    assert from_cells(line(4.0), by="sex", value="pay", tolerance=0.2).size == 3
