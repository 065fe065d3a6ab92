"""What all generators share: who gets new values, what stays bit by bit, households, totals, bounds, refusals."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import reidentify
from tacit.examples import clinic
from tacit.protect import SynthCopula, SynthMoments, SynthTrees
from tacit.release.step_effects import adds_records, drops_records, step_effect


def people(rows: int = 600, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    sex, region = rng.integers(0, 2, rows), rng.integers(0, 3, rows)
    wages = rng.lognormal(7 + 0.5 * sex, 0.5, rows).round(2)
    rents = rng.integers(0, 400, rows).astype(float)
    return pl.DataFrame(
        {
            "id": [f"p{row}" for row in range(rows)],
            "sex": pl.Series(["f", "m"]).gather(sex),
            "region": pl.Series(["north", "east", "south"]).gather(region),
            "born": np.datetime64("1950-01-01") + rng.integers(0, 18_000, rows).astype("timedelta64[D]"),
            "wages": wages,
            "rents": rents,
            "income": wages + rents,
        }
    )


def release(frame: pl.DataFrame | None = None, **about) -> Release:
    return Release(people() if frame is None else frame, identifier="id", **about)


def homes(persons: int = 900, seed: int = 2) -> Release:
    """Households of one to four: the rent is of the household and follows its size; a few people have no household."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, persons)
    home = np.repeat(np.arange(persons), size)[:persons]
    rent = 300.0 * np.bincount(home)[home] + rng.integers(0, 100, persons)[home]
    alone = rng.random(persons) < 0.3
    single = np.bincount(home)[home] == 1
    frame = pl.DataFrame(
        {
            "home": pl.Series(home + 1000).set(pl.Series(alone & single), None),
            "rent": rent,
            "age": rng.integers(1, 90, persons),
            "sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, persons)),
        }
    )
    return Release(frame, household="home", kinds={"age": "continuous"})


# Who gets new values


def test_a_full_synthesis_has_nobody_in_it():  # catalogue: L-01
    original = release()
    m = original.protect(SynthTrees(leaf=5, rows=250), seed=1)
    assert m.release.size == 250
    assert (m.rows() == -1).all()
    assert m.release.columns == ("sex", "region", "born", "wages", "rents", "income")
    assert m.release.types == original.select(m.release.columns).types
    assert m.release.shuffled
    assert adds_records(m.trace) and drops_records(m.trace)


@pytest.mark.parametrize("rows", [1, 599, 600, 5000])
def test_any_number_of_rows(rows):
    assert release().protect(SynthTrees(leaf=5, rows=rows), seed=1).release.size == rows
    assert homes().protect(SynthTrees(leaf=5, rows=rows), seed=1).release.size == rows


def test_a_partial_synthesis_leaves_all_other_cells_as_they_were():  # catalogue: E-15
    original = release()
    m = original.protect(SynthTrees(leaf=5, columns=["wages", "region"]), seed=1)
    before, after = original.to_native(), m.to_native()
    assert m.lineage is None and after.columns == before.columns
    for column in before.columns:
        assert after[column].equals(before[column]) == (column not in ("wages", "region")), column
    assert not adds_records(m.trace) and not drops_records(m.trace)
    assert set(step_effect(m.trace[0], m.release).columns) == {"wages", "region"}


def test_where_respects_records():  # catalogue: E-15
    original = release()
    method = SynthTrees(leaf=5, columns=["wages"], where={"region": ["north", "east"], "sex": "f"})
    m = original.protect(method, seed=1)
    chosen = original.to_native().select(pl.col("region").is_in(["north", "east"]) & (pl.col("sex") == "f")).to_series()
    before, after = original.to_native(), m.to_native()
    assert after.drop("wages").equals(before.drop("wages"))
    assert after["wages"].filter(~chosen).equals(before["wages"].filter(~chosen))
    assert (after["wages"].filter(chosen) != before["wages"].filter(chosen)).mean() > 0.95
    assert m.trace[0].outcome["synthetic_records"].value == chosen.sum()


def test_chosen_records_are_learnt_from_chosen_records_alone():
    frame = people().with_columns(wages=pl.when(pl.col("region") == "north").then(5.0).otherwise(pl.col("wages") + 100))
    frame = frame.with_columns(wages=pl.col("wages") + pl.Series(np.arange(600) % 7))
    m = release(frame).protect(SynthTrees(leaf=50, columns=["wages"], where={"region": "north"}), seed=1)
    assert m.to_native().filter(pl.col("region") == "north")["wages"].is_between(5, 11).all()


def test_where_without_columns_makes_all_other_columns_of_the_chosen_anew():
    original = release(people().drop("income"))
    m = original.protect(SynthTrees(leaf=5, where={"born": original.to_native()["born"].sort()[:60].to_list()}), seed=1)
    before, after = original.to_native(), m.to_native()
    assert after["born"].equals(before["born"]) and after["id"].equals(before["id"])
    changed = (after["wages"] != before["wages"]).to_numpy()
    assert 50 <= changed.sum() <= 62


def test_missing_cells_stay_in_a_partial_and_are_drawn_in_a_full_synthesis():  # catalogue: L-01
    rng = np.random.default_rng(3)
    frame = people(4000)
    lost = rng.random(4000) < np.where(frame["sex"] == "f", 0.4, 0.1)
    frame = frame.drop("income").with_columns(
        wages=frame["wages"].set(pl.Series(lost), None), region=frame["region"].set(pl.Series(lost), None)
    )
    partial = release(frame).protect(SynthTrees(leaf=5, columns=["wages", "region"]), seed=1).to_native()
    assert partial["wages"].is_null().equals(frame["wages"].is_null())
    assert partial["region"].is_null().equals(frame["region"].is_null())
    full = release(frame).protect(SynthTrees(leaf=5), seed=1).to_native()
    for sex, share in (("f", 0.4), ("m", 0.1)):
        of = full.filter(pl.col("sex") == sex)
        assert abs(of["wages"].is_null().mean() - share) < 0.04  # 2000 draws: five standard errors are 0.055 and 0.034
        assert (of["wages"].is_null() == of["region"].is_null()).mean() > 0.97
    assert not full["wages"].is_null().equals(frame["wages"].is_null())


def test_a_column_without_any_value_stays_so():
    frame = people().with_columns(notes=pl.lit(None, dtype=pl.String), country=pl.lit("X"))
    full = release(frame).protect(SynthTrees(leaf=5), seed=1).to_native()
    assert full["notes"].is_null().all() and (full["country"] == "X").all()


# Constraints


def test_totals_are_the_sum_of_their_parts_exactly():  # catalogue: L-01
    totals = {"income": ["wages", "rents"]}
    for method in (
        SynthTrees(leaf=5, totals=totals, rows=900),
        SynthTrees(leaf=5, columns=["wages"], totals=totals),
        SynthTrees(leaf=5, columns=["wages"], totals=totals, where={"sex": "f"}),
    ):
        m = release().protect(method, seed=1)
        frame = m.to_native()
        assert (frame["income"] == frame["wages"] + frame["rents"]).all()
        assert "income" not in m.trace[0].outcome["captured"].value["order"]
        assert "income" in m.trace[0].outcome["synthetic_columns"].value


def test_totals_of_other_records_stay_bit_by_bit():
    frame = people()
    odd = frame.with_columns(income=pl.col("income") * (1 + 1e-13))  # as rounding elsewhere may have left it
    m = release(odd).protect(
        SynthTrees(leaf=5, columns=["wages"], totals={"income": ["wages", "rents"]}, where={"sex": "f"}), seed=1
    )
    men = (odd["sex"] == "m").to_numpy()
    assert m.to_native()["income"].to_numpy()[men].tolist() == odd["income"].to_numpy()[men].tolist()


def test_bounds_hold():
    bounds = {"wages": [0, 50_000], "born": ["1950-01-01", "2000-12-31"], "rents": [0, 399]}
    m = release().protect(SynthTrees(leaf=5, bounds=bounds), seed=1)
    assert m.to_native()["wages"].is_between(0, 50_000).all()
    assert m.to_native()["born"].is_between(dt.date(1950, 1, 1), dt.date(2000, 12, 31)).all()
    assert m.trace[0].outcome["at_bounds"].value["rents"] >= 0


def test_bounds_hold_where_a_generator_goes_beyond():
    m = release(people().drop("income")).protect(
        SynthMoments(columns=["wages", "born"], bounds={"wages": [0, 9e9], "born": ["1950-01-01", None]}), seed=1
    )
    at_bounds = m.trace[0].outcome["at_bounds"].value
    assert m.to_native()["wages"].min() == 0 and m.to_native()["born"].min() == dt.date(1950, 1, 1)
    assert at_bounds["wages"] == (m.to_native()["wages"] == 0).sum() > 0


# Households


def test_households_are_drawn_as_a_whole():  # catalogue: L-01
    original = homes()
    m = original.protect(SynthTrees(leaf=5), seed=1)

    def sizes(frame: pl.DataFrame) -> list[int]:
        return sorted(frame.drop_nulls("home").group_by("home").len()["len"].to_list())

    before, after = original.to_native(), m.to_native()
    assert sizes(after) == sizes(before)
    assert after["home"].null_count() == before["home"].null_count() > 0
    assert (after.drop_nulls("home").group_by("home").agg(pl.col("rent").n_unique())["rent"] == 1).all()
    of = after.drop_nulls("home").with_columns(size=pl.len().over("home"))
    assert ((of["rent"] / 300).floor() == of["size"]).mean() > 0.97  # the rent follows the size
    assert set(m.trace[0].outcome["captured"].value) == {"households", "people"}


def couples() -> pl.DataFrame:
    """Households of one to four: a partner of the same age, children 28 years younger; a head's age says nothing else."""
    rng = np.random.default_rng(1)
    size = rng.integers(1, 5, 1000)
    home = np.repeat(np.arange(1000), size)
    member = np.arange(len(home)) - (np.cumsum(size) - size)[home]
    head = rng.normal(50, 12, 1000)[home]
    age = head - 28 * (member > 1) + rng.normal(0, 3, len(home)) * (member > 0)
    return pl.DataFrame({"home": home, "age": age, "sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, len(home)))})


def together(frame: pl.DataFrame, one: int, other: int) -> float:
    """The correlation of the ages of two members."""
    placed = frame.with_columns(place=pl.int_range(pl.len()).over("home"))
    pairs = placed.filter(pl.col("place") == one).join(placed.filter(pl.col("place") == other), on="home")
    return float(pairs.select(pl.corr("age", "age_right")).item())


@pytest.mark.parametrize(
    ("method", "least"), [(SynthTrees(leaf=5), (0.9, 0.8, 0.85)), (SynthCopula(), (0.9, 0.5, 0.4))]
)
def test_members_of_a_household_go_together(method, least):  # catalogue: L-01
    m = Release(couples(), household="home").protect(method, seed=1)
    for pair, bound in zip(((0, 1), (1, 2), (2, 3)), least, strict=True):
        assert together(m.to_native(), *pair) > bound
        assert together(couples(), *pair) > 0.9
    child = m.to_native().with_columns(place=pl.int_range(pl.len()).over("home")).filter(pl.col("place") > 1)
    assert abs(child["age"].mean() - 22) < 4
    captured = m.trace[0].outcome["captured"].value
    assert list(captured)[:2] == ["member 1", "member 2"] and list(captured)[-1].endswith("and later")
    assert "of the one before" in str(captured["member 2"]) and "of the one before" not in str(captured["member 1"])


def test_few_members_are_learnt_from_all_together():
    few = couples().filter(pl.col("home") < 60)
    m = Release(few, household="home").protect(SynthTrees(leaf=5), seed=1)
    assert "order" in m.trace[0].outcome["captured"].value
    assert m.release.size == few.height


def test_columns_of_the_household_stay_so_in_a_partial_synthesis():
    original = homes()
    m = original.protect(SynthTrees(leaf=5, columns=["rent", "age"]), seed=1)
    after = m.to_native()
    assert after.select("home", "sex").equals(original.to_native().select("home", "sex"))
    assert (after.drop_nulls("home").group_by("home").agg(pl.col("rent").n_unique())["rent"] == 1).all()
    assert (after["rent"] != original.to_native()["rent"]).mean() > 0.5


def test_half_a_household_cannot_be_given_another_rent():
    with pytest.raises(TacitError, match="some members without the others"):
        homes().protect(SynthTrees(leaf=5, columns=["rent"], where={"sex": "f"}), seed=1)
    m = homes().protect(SynthTrees(leaf=5, columns=["age"], where={"sex": "f"}), seed=1)
    men = homes().to_native()["sex"] == "m"
    assert m.to_native()["age"].filter(men).equals(homes().to_native()["age"].filter(men))


# The rest of the house


def test_seeds_repeat_and_differ():
    one, again, other = (release().protect(SynthTrees(leaf=5), seed=seed).to_native() for seed in (1, 1, 2))
    assert one.equals(again) and not one.equals(other)


def test_nobody_is_found_in_a_full_synthesis():
    example = clinic(400, seed=2)
    original = Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own"
    )
    m = original.protect(SynthTrees(leaf=5), seed=1)
    with pytest.raises(TacitError, match="no record of the file is anybody's"):
        reidentify(m, original=original)
    partial = original.protect(SynthTrees(leaf=5, columns=["income", "diagnosis"]), seed=1)
    assert reidentify(partial, original=original).value > 0.9  # their keys stay


BAD = {
    "rows of a partial synthesis": ({"columns": "wages", "rows": 5}, "keeps those there are"),
    "no rows": ({"rows": 0}, "whole number of 1"),
    "an unknown column": ({"columns": "wagse"}, "did you mean 'wages'"),
    "an identifier": ({"columns": "id"}, "is the identifier"),
    "a value nobody has": ({"columns": "wages", "where": {"region": "nroth"}}, "no record with 'nroth'"),
    "values nobody has together": (
        {"columns": "wages", "where": {"born": "1950-02-31x", "region": "north"}},
        "no record with",
    ),
    "a column that chooses and is made": ({"columns": "sex", "where": {"sex": "f"}}, "chooses the records"),
    "where that is no mapping": ({"where": ["sex"]}, "does not say which"),
    "where without a value": ({"where": {"sex": []}}, "chooses records by"),
    "a total that is a part": (
        {"totals": {"income": ["wages", "rents"], "wages": ["rents", "born"]}},
        "is a total, and a part",
    ),
    "a total among its parts": ({"totals": {"income": ["income", "wages"]}}, "own parts"),
    "a wrong total": ({"totals": {"wages": ["income", "rents"]}}, "is not the sum"),
    "a total with bounds": (
        {"totals": {"income": ["wages", "rents"]}, "bounds": {"income": [0, 9e9]}},
        "bounds of its own",
    ),
    "bounds the wrong way round": ({"bounds": {"wages": [9, 1]}}, "not the lower"),
    "bounds that cut the data": ({"bounds": {"wages": [0, 10]}}, "beyond its bounds"),
    "bounds of what stays": ({"columns": "wages", "bounds": {"rents": [0, 1e9]}}, "bounds and is not masked"),
    "bounds of text": ({"bounds": {"sex": [0, 1]}}, "has no bounds"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_done_is_said(case):
    how, words = BAD[case]
    with pytest.raises(TacitError, match=words) as problem:
        release().protect(SynthTrees(leaf=5, **how), seed=1)
    assert problem.value.fix


def test_what_cannot_be_learnt_is_said():
    constant = people().with_columns(country=pl.lit("X"), notes=pl.lit(None, dtype=pl.String))
    with pytest.raises(TacitError, match="one value only"):
        release(constant).protect(SynthTrees(leaf=5, columns="country"), seed=1)
    with pytest.raises(TacitError, match="no value at all"):
        release(constant).protect(SynthTrees(leaf=5, columns="notes"), seed=1)
    with pytest.raises(TacitError, match="1 record is to be learnt from"):
        release(people(1)).protect(SynthTrees(leaf=1), seed=1)
    with pytest.raises(TacitError, match="no rows"):
        release(people(5).head(0)).protect(SynthTrees(leaf=1), seed=1)
    with pytest.raises(TacitError, match="another category in every record"):
        Release(people()).protect(SynthTrees(leaf=5), seed=1)
    with pytest.raises(TacitError, match="got no seed"):
        release().protect(SynthTrees(leaf=5))


def test_duckdb_gives_the_release_of_polars(tmp_path):
    import tacit

    people().write_parquet(tmp_path / "people.parquet")
    lazily = tacit.read(tmp_path / "people.parquet", engine="duckdb", identifier="id")
    for method in (SynthTrees(leaf=5, rows=70), SynthTrees(leaf=5, columns="wages", where={"sex": "f"})):
        there = lazily.protect(method, seed=1)
        assert there.release.engine == "duckdb"
        here = release().protect(method, seed=1).to_native()
        assert there.to_native().pl().cast(here.schema).equals(here)
