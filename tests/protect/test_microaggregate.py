import datetime as dt
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import squared_error
from tacit.protect import Mdav, Microaggregate
from tacit.release.households import one_per_household

from .test_microaggregate_embedding import TOWNS, mixed

ALL = ["pay", "born", "school", "sex", "town"]


def smallest_class(frame, columns):
    """How many records the rarest combination has; counted by Polars, not by us."""
    return frame.group_by(columns).len()["len"].min()


def numeric(n, seed, *, missing=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": rng.normal(size=n), "b": rng.lognormal(size=n), "c": rng.normal(size=n)})
    hidden = pl.Series(np.arange(n) < missing)
    return frame.with_columns(b=pl.when(~hidden).then("b"))


@given(st.integers(2, 60), st.integers(2, 7), st.sampled_from([None, 2.0]), st.integers(0, 10**6))
def test_records_of_any_kind_share_their_values_with_k(n, k, randomised, seed):  # catalogue: E-02, D-07, E-08
    n = max(n, k)
    release = mixed(n, seed)
    masked = release.protect(Microaggregate(columns=ALL, k=k, randomised=randomised), seed=seed)
    before, after = release.to_native(), masked.release.to_native()
    assert smallest_class(after, ALL) >= k
    assert after.schema == before.schema
    assert [after.height, masked.lineage] == [n, None]
    sizes = masked.trace[0].outcome["sizes"].value
    assert sum(int(size) * count for size, count in sizes.items()) == n
    assert min(map(int, sizes)) >= k and sum(sizes.values()) == masked.trace[0].outcome["groups"].value


@given(st.integers(4, 60), st.integers(2, 5), st.integers(0, 10**6))
def test_a_group_shows_a_category_that_a_member_has(n, k, seed):  # sdcMicro issue 245: none is invented
    n = max(n, k)
    release = mixed(n, seed)
    masked = release.protect(Microaggregate(columns=ALL, k=k), seed=1).release.to_native()
    both = masked.with_columns(release.to_native()["school", "sex", "town"].select(pl.all().name.prefix("old_")))
    for _, members in both.group_by(["pay", "born", "school", "sex", "town"]):
        for column in ("school", "sex", "town"):
            assert members[column][0] in members[f"old_{column}"].to_list()


@given(st.integers(2, 80), st.integers(2, 6), st.integers(0, 10**6))
def test_means_are_kept_and_variances_shrink(n, k, seed):
    n = max(n, k)
    frame = numeric(n, seed)
    masked = Release(frame).protect(Microaggregate(columns=["a", "b", "c"], k=k)).release.to_native()
    for column in "abc":
        assert masked[column].mean() == pytest.approx(frame[column].mean(), abs=1e-9)
        assert masked[column].var() <= frame[column].var() * (1 + 1e-9)


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=14), st.integers(2, 5))
def test_one_column_gets_the_optimum(values, k):  # catalogue: E-02; all partitions of the sorted values are tried
    ordered = sorted(values)
    if len(ordered) < k:
        return

    @cache
    def least(end):
        if end == 0:
            return 0.0
        parts = [ordered[start:end] for start in range(end) if end - start >= k and (start == 0 or start >= k)]
        return min((least(end - len(p)) + float(np.var(p)) * len(p) for p in parts), default=float("inf"))

    release = Release(pl.DataFrame({"x": [float(value) for value in values]}))
    after = release.protect(Microaggregate(columns="x", k=k, groups="each")).release.to_native()["x"]
    assert float(np.square(after.to_numpy() - values).sum()) == pytest.approx(least(len(ordered)), abs=1e-6)


def test_the_loss_is_below_that_of_mdav(reference_data):
    release = Release(pl.read_csv(reference_data / "census.csv", infer_schema_length=None).cast(pl.Float64))
    ours, mdav = (
        squared_error(release.protect(method(columns=release.columns, k=5)), original=release)[0].value
        for method in (Microaggregate, Mdav)
    )
    assert ours <= mdav
    each = release.protect(Microaggregate(columns=release.columns, k=5, groups="each"))
    assert squared_error(each, original=release)[0].value < 0.05 * mdav  # one by one loses little


def test_types_come_back_and_a_genuine_999_is_a_number():
    frame = pl.DataFrame(
        {
            "whole": pl.Series([-999, -999, 1, 2, 6], dtype=pl.Int16),
            "day": [dt.date(2000, 1, day) for day in (1, 1, 10, 11, 16)],
            "moment": [dt.datetime(2000, 1, 1, hour) for hour in (0, 2, 10, 11, 12)],
        }
    )
    release = Release(frame, kinds={"whole": "continuous"})
    masked = release.protect(Microaggregate(columns=frame.columns, k=2)).release
    after = masked.to_native()
    assert after["whole"].to_list() == [-999, -999, 3, 3, 3]
    assert after["day"].to_list() == [dt.date(2000, 1, 1)] * 2 + [dt.date(2000, 1, 12)] * 3
    assert after["moment"].to_list() == [dt.datetime(2000, 1, 1, 1)] * 2 + [dt.datetime(2000, 1, 1, 11)] * 3
    assert after.schema["day"] == pl.Date and after.schema["whole"].is_integer()
    assert masked.kind("whole") == "continuous"  # two values are left, and nobody is asked what they are


def test_each_aggregate_is_what_it_says():
    frame = pl.DataFrame(
        {
            "pay": [1.0, 2.0, 6.0, 101.0, 102.0, 106.0],
            "town": ["Lund", "Malmö", "Kalmar", "Umeå", "Umeå", "Lund"],
            "step": [1, 2, 3, 7, 8, 9],
        }
    )
    release = Release(frame, kinds={"step": "ordinal"}, hierarchies={"town": {"table": TOWNS}})
    weights = {"town": 0, "step": 0}
    shown = release.protect(Microaggregate(columns=["pay", "town", "step"], k=3, weights=weights), seed=1).to_native()
    assert shown["pay"].to_list() == [3.0] * 3 + [103.0] * 3
    assert shown["step"].to_list() == [2] * 3 + [8] * 3
    assert shown["town"][0] in ("Lund", "Malmö") and shown["town"][3] == "Umeå"  # Kalmar is farther from the others
    said = Microaggregate(columns=["pay"], k=3, aggregate={"pay": "median"})
    assert release.protect(said).to_native()["pay"].to_list() == [2.0] * 3 + [102.0] * 3


def test_groups_of_columns_are_made_apart():
    frame = numeric(60, 4)
    release = Release(frame)
    lists = Microaggregate(columns=["a", "b", "c"], k=4, groups=[["a", "b"], ["c"]])
    masked = release.protect(lists)
    after = masked.release.to_native()
    assert smallest_class(after, ["a", "b"]) >= 4 and smallest_class(after, ["c"]) >= 4
    assert smallest_class(after, ["a", "b", "c"]) < 4
    alone = release.protect(Microaggregate(columns="c", k=4)).release.to_native()
    assert after["c"].equals(alone["c"])
    assert masked.trace[0].outcome["grouping"].value == [["a", "b"], ["c"]]
    each = release.protect(Microaggregate(columns=["a", "b", "c"], k=4, groups="each")).release.to_native()
    assert each["c"].equals(alone["c"])


def test_groups_stay_within_their_stratum():
    frame = numeric(90, 5).with_columns(region=pl.Series(["n", "s", "s"] * 30))
    masked = Release(frame).protect(Microaggregate(columns=["a", "b"], k=4, strata="region")).release.to_native()
    assert smallest_class(masked, ["a", "b", "region"]) >= 4
    assert masked.group_by("region").agg(pl.col("a").mean()).sort("region")["a"].to_list() == pytest.approx(
        frame.group_by("region").agg(pl.col("a").mean()).sort("region")["a"].to_list()
    )
    small = frame.with_columns(region=pl.when(pl.int_range(90) < 3).then(pl.lit("rare")).otherwise("region"))
    with pytest.raises(TacitError, match="makes 3 strata, of which 1 have fewer than k=4 records") as caught:
        Release(small).protect(Microaggregate(columns=["a", "b"], k=4, strata="region"))
    assert caught.value.column == "region" and "rare" not in str(caught.value)


def test_records_with_missing_values_are_left_or_grouped_with_their_like():
    frame = numeric(50, 6, missing=12).with_columns(c=pl.when(pl.int_range(50) == 20).then(None).otherwise(pl.col("c")))
    release = Release(frame, quasi=["a", "b", "c"], missing="own")
    left = release.protect(Microaggregate(columns=["a", "b", "c"], k=4))
    assert left.to_native()[:12].equals(frame[:12]) and left.to_native()[20].equals(frame[20])
    assert left.trace[0].outcome["left_out"].value == 13
    apart = release.protect(Microaggregate(columns=["a", "b", "c"], k=4, missing="apart"))
    assert apart.trace[0].outcome["left_out"].value == 1  # nobody else lacks c
    assert apart.to_native()[20].equals(frame[20])
    grouped = apart.to_native().filter(pl.int_range(50) != 20)
    assert smallest_class(grouped, ["a", "b", "c"]) >= 4
    assert grouped["b"].null_count() == 12
    assert grouped["a"].mean() == pytest.approx(frame.filter(pl.int_range(50) != 20)["a"].mean())


@given(st.integers(20, 80), st.integers(2, 4), st.sampled_from([None, 2.0]), st.integers(0, 10**6))
def test_strata_missing_values_and_lots_go_together(n, k, randomised, seed):
    """Who is not left as they were shares values and gaps with k records of the same stratum."""
    rng = np.random.default_rng(seed)
    frame = mixed(n, seed).to_native().with_columns(region=pl.Series(np.arange(n) % 3), row=pl.int_range(n))
    for column in ("pay", "sex"):
        frame = frame.with_columns(pl.when(pl.Series(rng.random(n) > 0.3)).then(column).alias(column))
    kinds = {"pay": "continuous", "school": "ordinal", "region": "nominal", "row": "code"}
    release = Release(frame, quasi=["pay", "sex", "school"], kinds=kinds, missing="own")
    method = Microaggregate(
        columns=["pay", "sex", "school"], k=k, strata="region", missing="apart", randomised=randomised
    )
    masked = release.protect(method, seed=seed)
    cells = frame.group_by("region", pl.col("pay", "sex").is_null().name.prefix("no_")).agg("row")
    small = cells.filter(pl.col("row").list.len() < k)["row"].explode().drop_nulls().to_list()
    after = masked.release.to_native()
    assert masked.trace[0].outcome["left_out"].value == len(small)
    assert after.filter(pl.col("row").is_in(small)).equals(frame.filter(pl.col("row").is_in(small)))
    grouped = after.filter(~pl.col("row").is_in(small))
    assert not grouped.height or smallest_class(grouped, ["pay", "sex", "school", "region"]) >= k
    assert after["pay"].is_null().equals(frame["pay"].is_null())
    assert after["sex"].is_null().equals(frame["sex"].is_null())


def test_households_are_grouped_as_one():
    rng = np.random.default_rng(7)
    home = rng.integers(0, 40, 120)
    frame = pl.DataFrame({"home": home, "rent": rng.normal(size=40)[home], "pay": rng.normal(size=120)})
    release = Release(frame, household="home")
    masked = release.protect(Microaggregate(columns=["rent", "pay"], k=3))
    after = masked.release.to_native()
    assert after.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    first, _ = one_per_household(release)
    assert smallest_class(after[first], ["rent"]) >= 3
    assert masked.trace[0].outcome["by_household"].value == ["rent"]


def test_a_total_stays_the_sum_of_its_parts():
    frame = pl.DataFrame({"wages": [1, 2, 4, 50, 60, 71], "rents": [0, 3, 3, 10, 20, 31]})
    frame = frame.with_columns(income=pl.col("wages") + pl.col("rents"))
    release = Release(frame, kinds=dict.fromkeys(frame.columns, "continuous"))
    method = Microaggregate(columns=["wages", "rents"], k=3, totals={"income": ["wages", "rents"]})
    after = release.protect(method).to_native()
    assert (after["income"] == after["wages"] + after["rents"]).all()
    assert smallest_class(after, ["wages", "rents", "income"]) >= 3


@pytest.mark.parametrize("randomised", [None, 2])
def test_the_order_of_the_rows_does_not_matter(randomised):
    release = mixed(200, 3)
    order = np.random.default_rng(8).permutation(200)
    method = Microaggregate(columns=["pay", "sex", "town"], k=4, randomised=randomised)
    straight = release.protect(method, seed=1).release.to_native()
    shuffled = release.take(order).protect(method, seed=1).release.to_native()
    columns = ["pay", "sex", "town", "born"]  # born tells records apart
    assert shuffled[columns].sort(columns).equals(straight[columns].sort(columns))


def test_weights_make_columns_count():
    frame = pl.DataFrame({"x": [0.0, 1.0, 0.0, 1.0], "y": [0.0, 0.0, 1.0, 1.0]})
    by_x = Release(frame).protect(Microaggregate(columns=["x", "y"], k=2, weights={"x": 9})).to_native()
    assert by_x["x"].to_list() == [0.0, 1.0, 0.0, 1.0] and set(by_x["y"]) == {0.5}
    by_y = Release(frame).protect(Microaggregate(columns=["x", "y"], k=2, weights={"y": 9})).to_native()
    assert by_y["y"].to_list() == [0.0, 0.0, 1.0, 1.0] and set(by_y["x"]) == {0.5}


def test_many_categories_are_grouped_and_it_is_said_that_they_were_projected():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"code": [f"c{i}" for i in rng.integers(0, 90, 400)], "x": rng.normal(size=400)})
    masked = Release(frame).protect(Microaggregate(columns=["code", "x"], k=3), seed=5)
    assert smallest_class(masked.to_native(), ["code", "x"]) >= 3
    assert masked.trace[0].outcome["projected"].value == [["code", "x"]]


def test_progress_is_told_and_cancels():
    told = []
    release = Release(numeric(200, 1))
    release.protect(Microaggregate(columns=["a", "b", "c"], k=3), progress=lambda step, share: told.append(share))
    assert told[0] == 0 and told[-1] == 1 and all(one <= other for one, other in pairwise(told))
    with pytest.raises(TacitError, match="cancelled"):
        release.protect(Microaggregate(columns=["a", "b"], k=3), progress=lambda *_: False)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"k": 1}, "k=1"),
        ({"groups": "some"}, "groups='some'"),
        ({"groups": [["a"]]}, "'b' is in no group"),
        ({"groups": [["a", "b"], ["c"]]}, "'c' is in a group and not among"),
        ({"groups": [["a", "b"], ["a"]]}, "named twice"),
        ({"effort": "most"}, "effort='most'"),
        ({"missing": "fill"}, "missing='fill'"),
        ({"strata": "a"}, "makes the strata and is masked"),
        ({"weights": {"c": 1}}, "'c' is in weights and not among"),
        ({"weights": {"a": -1}}, "weight -1"),
        ({"aggregate": {"a": "sum"}}, "shown by 'sum'"),
        ({"aggregate": "mean"}, "not given by column"),
        ({"randomised": 1}, "no fuzzifier"),
        ({"totals": {"a": ["b", "c"]}}, "masked by itself"),
    ],
)
def test_mistakes_in_parameters_are_answered(changes, text):
    with pytest.raises(TacitError, match=text):
        Microaggregate(**{"columns": ["a", "b"], "k": 3} | changes)


def test_mistakes_with_the_data_are_answered():
    release = Release(numeric(10, 1, missing=8).with_columns(word=pl.lit("hidden")))
    with pytest.raises(TacitError, match="k=3 is above the 2 records that have values in a, b"):
        release.protect(Microaggregate(columns=["a", "b"], k=3))
    homes = pl.DataFrame({"home": [1, 1, 2, 2], "rent": [5.0, 5.0, 7.0, 7.0]})
    with pytest.raises(TacitError, match="k=3 is above the 2 households that have values in rent"):
        Release(homes, household="home").protect(Microaggregate(columns="rent", k=3))
    with pytest.raises(TacitError, match="is nominal and has no mean") as caught:
        release.protect(Microaggregate(columns="word", k=3, aggregate={"word": "mean"}))
    assert caught.value.fix == "use mode"
    with pytest.raises(TacitError, match="needs a hierarchy"):
        release.protect(Microaggregate(columns="word", k=3, aggregate={"word": "centroid"}))
    with pytest.raises(TacitError, match="draws at random and got no seed"):
        release.protect(Microaggregate(columns="a", k=3, randomised=2))
    with pytest.raises(TacitError, match="k=30 is above the 10"):
        release.protect(Microaggregate(columns=["a", "word"], k=30))


def test_lots_without_a_seed_come_from_the_operating_system(monkeypatch):
    """Whoever knows how ties were broken could repeat the grouping, so there is no seed that everybody knows."""
    drawn = []
    monkeypatch.setattr("tacit.protect.microaggregate.secret_seed", lambda: drawn.append(1) or b"0123456789abcdef")
    release = Release(pl.DataFrame({"x": [1.0, 1.0, 2.0, 2.0], "y": [1.0, 2.0, 1.0, 2.0]}))
    release.protect(Microaggregate(columns=["x", "y"], k=2))
    assert drawn
    release.protect(Microaggregate(columns=["x", "y"], k=2), seed=7)
    assert len(drawn) == 1
