"""The clinic register has the shape, the dependences and the blemishes that its docstring promises.

All draws are seeded, so no test can fail by chance; the tolerances say how far a rightly built generator would
stray for another seed (about four standard errors).
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.examples import clinic

ROWS = 20_000
AGE = (pl.lit(date(2024, 12, 31)) - pl.col("birth")).dt.total_days() / 365.25


@pytest.fixture(scope="module")
def register() -> Any:
    return clinic(ROWS, seed=11).frame.with_columns(age=AGE)


def cramers_v(left: pl.Series, right: pl.Series) -> float:
    """Cramér's V = sqrt(χ² / (n (min(rows, columns) − 1))) of two columns."""
    counts = pl.DataFrame({"a": left, "b": right}).pivot("b", index="a", values="b", aggregate_function="len")
    table = counts.drop("a").fill_null(0).to_numpy().astype(float)
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()
    chi2 = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi2 / table.sum() / (min(table.shape) - 1)))


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 400), seed=st.integers(0, 2**40))
def test_any_size_and_seed_gives_whole_households(rows: int, seed: int) -> None:
    frame: Any = clinic(rows, seed=seed).frame.with_columns(age=AGE)
    homes = frame.group_by("household").agg(
        pl.len(),
        pl.col("zip").n_unique(),
        pl.col("rent").n_unique(),
        oldest=pl.col("age").max(),
        youngest=pl.col("age").min(),
    )
    assert frame.height == rows
    assert homes["len"].max() <= 6
    assert homes["zip"].max() == homes["rent"].max() == 1
    assert homes["oldest"].min() >= 18 and homes["youngest"].min() >= 0 and homes["oldest"].max() < 105
    families = homes.filter(pl.col("len") >= 3)
    assert (families["oldest"] - families["youngest"] > 17.9).all()
    assert frame["weight"].min() >= 1 and frame["visits"].is_between(1, 20).all()
    assert frame["income"].is_nan().sum() == 0 and (frame["income"].drop_nulls() >= 0).all()


def test_the_same_seed_gives_the_same_register_and_another_does_not() -> None:
    assert clinic(300, seed=5).frame.equals(clinic(300, seed=5).frame)
    assert not clinic(300, seed=5).frame.equals(clinic(300, seed=6).frame)
    rng = np.random.default_rng(1)
    assert not clinic(50, seed=rng).frame.equals(clinic(50, seed=rng).frame)


@pytest.mark.parametrize("rows", [0, -3, 2.5, "10", True, None])
def test_a_register_needs_a_positive_whole_number_of_rows(rows: Any) -> None:
    with pytest.raises(TacitError, match="rows="):
        clinic(rows)


def test_a_bad_seed_is_the_users_error() -> None:
    with pytest.raises(TacitError, match="seed"):
        clinic(10, seed=-1)


def test_roles_and_kinds_are_those_of_the_columns() -> None:
    example = clinic(20)
    listed = [name for role in ("identifier", "quasi", "confidential") for name in example.roles[role]]
    listed += [example.roles["weight"], example.roles["household"]]
    assert set(listed) < set(example.frame.columns) and len(set(listed)) == len(listed)
    assert set(example.kinds) == set(example.frame.columns)
    assert set(example.kinds.values()) == {"continuous", "ordinal", "nominal", "date", "code", "geographic"}
    assert set(example.hierarchies) >= {*example.roles["quasi"], *example.roles["confidential"]}


def test_missing_values_are_as_many_as_stated(register: Any) -> None:
    assert register["income"].null_count() / ROWS == pytest.approx(0.04, abs=0.006)
    assert register["occupation"].null_count() / ROWS == pytest.approx(0.03, abs=0.006)
    complete = register.drop("income", "occupation")
    assert sum(complete.null_count().row(0)) == 0


def test_identifiers_single_out_most_people_but_not_all(register: Any) -> None:
    assert 0.7 < register["name"].is_unique().mean() < 0.99
    assert 0.8 < register["phone"].is_unique().mean() < 0.99
    children = register.filter(pl.col("age") < 13.99).group_by("household").agg(pl.col("phone").n_unique())
    assert children["phone"].max() == 1


def test_zip_codes_are_text_with_leading_zeros_and_a_few_large_towns(register: Any) -> None:
    assert register["zip"].str.contains(r"^\d{5}$").all()
    assert 0.3 < register["zip"].str.starts_with("0").mean() < 0.5
    sizes = register["zip"].value_counts(sort=True)["count"]
    assert sizes[0] > 10 * sizes.median()


def test_members_of_a_household_do_not_stand_together(register: Any) -> None:
    neighbours = (register["household"] == register["household"].shift(1)).mean()
    assert neighbours < 0.002


def test_income_is_skewed_with_zeros_and_outliers(register: Any) -> None:
    told = register["income"].drop_nulls()
    earned = told.filter(told > 0)
    assert 0.15 < (told == 0).mean() < 0.35
    assert earned.mean() > 1.15 * earned.median()
    assert earned.max() > 12 * earned.median()
    logs = np.log(earned.filter(earned > 5000).to_numpy())
    assert ((logs - logs.mean()) / logs.std()).max() > 4  # beyond any log-normal of 15 000 draws


def test_income_follows_education_occupation_and_quarter(register: Any) -> None:
    adults = register.filter(pl.col("age") > 25, pl.col("income").is_not_null())
    assert adults.select(pl.corr("income", "education", method="spearman")).item() > 0.3
    median = adults.group_by("occupation").agg(pl.col("income").median())
    by_job = dict(median.rows())
    assert by_job["physician"] > 1.5 * by_job["nurse"] > 1.5 * by_job["cleaner"]
    by_area = dict(adults.group_by(pl.col("zip").str.slice(0, 3)).agg(pl.col("income").median()).rows())
    assert by_area["022"] > 1.2 * by_area["104"]
    homes = register.unique("household")
    rent = dict(homes.group_by(pl.col("zip").str.slice(0, 3)).agg(pl.col("rent").median()).rows())
    assert rent["022"] > 1.3 * rent["104"]


def test_occupation_follows_age_and_sex(register: Any) -> None:
    working = register.filter(pl.col("age").is_between(27, 60))
    women = dict(working.group_by("occupation").agg((pl.col("sex") == "F").mean()).rows())
    assert women["nurse"] > 0.7 and women["mechanic"] < 0.15
    old = register.filter(pl.col("age") > 67, pl.col("occupation").is_not_null())
    assert (old["occupation"] == "retired").mean() > 0.9
    assert register.filter(pl.col("occupation") == "pupil")["age"].is_between(5.99, 18).all()


def test_diagnosis_follows_age_and_sex_and_is_skewed(register: Any) -> None:
    chapter, decade = register["diagnosis"].str.slice(0, 1), (register["age"] // 10).cast(pl.Int64)
    assert cramers_v(chapter, decade) > 0.2
    assert cramers_v(chapter, decade.shuffle(seed=3)) < 0.05
    mean_age = dict(register.group_by("diagnosis").agg(pl.col("age").mean()).rows())
    assert mean_age["I10"] > mean_age["J06.9"] + 20
    sexes = dict(register.group_by(pl.col("diagnosis").str.slice(0, 1)).agg(pl.col("sex").unique()).rows())
    assert "M" not in sexes["O"]
    assert "F" not in register.filter(pl.col("diagnosis").is_in(["C61", "N40"]))["sex"].to_list()
    counts = register["diagnosis"].value_counts(sort=True)["count"]
    assert counts[0] > 0.05 * ROWS and (counts < 0.001 * ROWS).sum() >= 5


def test_weights_vary_with_region_and_age(register: Any) -> None:
    by_area = dict(register.group_by(pl.col("zip").str.slice(0, 3)).agg(pl.col("weight").mean()).rows())
    assert by_area["799"] > 4 * by_area["100"]
    young = register.filter(pl.col("age").is_between(20, 34))["weight"].mean()
    assert young > 1.2 * register.filter(pl.col("age") > 60)["weight"].mean()


@pytest.mark.parametrize("column", ["sex", "occupation", "education", "diagnosis"])
def test_each_table_is_a_tree_that_covers_its_column(register: Any, column: str) -> None:
    table = clinic(1).hierarchies[column]["table"]
    assert set(register[column].drop_nulls()) <= set(table)
    ladders = [[value, *labels] for value, labels in table.items()]
    assert len({len(ladder) for ladder in ladders}) == 1 and {ladder[-1] for ladder in ladders} == {"*"}
    for level in range(len(ladders[0]) - 1):
        parents: dict[object, set[object]] = {}
        for ladder in ladders:
            parents.setdefault(ladder[level], set()).add(ladder[level + 1])
        assert all(len(above) == 1 for above in parents.values())


def test_occupations_have_about_forty_values_in_three_kinds() -> None:
    ladders = list(clinic(1).hierarchies["occupation"]["table"].values())
    assert 40 <= len(ladders) <= 50
    assert len({group for group, _, _ in ladders}) == 9 and len({kind for _, kind, _ in ladders}) == 3


def test_a_code_lies_in_its_category_and_chapter() -> None:
    for code, labels in clinic(1).hierarchies["diagnosis"]["table"].items():
        assert labels == [code[:3], code[0], "*"]
