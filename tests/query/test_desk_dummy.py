"""Made-up data: from the declaration alone, within it, and the same every time (catalogue: H-07; attack 20)."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import polars as pl

from tacit.query.column import Column, Schema
from tacit.query.startup import dummy_tables

from .declared import PATIENTS, PEOPLE


def test_every_column_is_within_its_declared_domain():
    tables = dummy_tables(PATIENTS, units=400, rows=PATIENTS.rows)
    main, wards = tables[""], tables["wards"]
    assert set(main.columns) == {"age", "sex", "income", "visit", "town", "ok", "free", "ward", "patient"}
    assert main["age"].is_between(0, 110).all() and set(main["sex"]) == {"f", "m"}
    assert main["income"].is_between(-1, 200).all() and ((main["income"] * 4) % 1 == 0).all()
    assert main["visit"].is_between(date(2020, 1, 1), date(2026, 12, 31)).all()
    assert main["ok"].dtype == pl.Boolean
    assert set(main["ward"]) <= set(wards["ward"]) == {"A", "B", "C"} and wards["ward"].is_unique().all()
    assert wards["beds"].is_between(0, 50).all() and set(wards["kind"]) <= {"icu", "day"}


def test_every_unit_has_from_one_to_the_declared_number_of_rows():
    sizes = dummy_tables(PATIENTS, units=400, rows=2)[""]["patient"].value_counts()["count"]
    assert len(sizes) == 400 and set(sizes) == {1, 2}
    assert dummy_tables(PEOPLE, units=70, rows=1)[""].height == 70


def test_the_same_seed_makes_the_same_data_and_another_does_not():
    one, again, other = (dummy_tables(PATIENTS, units=50, rows=2, seed=seed) for seed in (0, 0, 1))
    assert all(one[name].equals(again[name]) for name in one)
    assert not one[""].equals(other[""])


def test_values_are_uniform_over_the_domain():
    """χ² over eleven bins of ten ages: above 31.4 with probability 0.0005 for uniform values, and the seed is fixed."""
    ages = dummy_tables(PEOPLE, units=5000, rows=1)[""].filter(pl.col("age") < 110)["age"]
    counts = (ages // 10).value_counts()["count"]
    expected = len(ages) / 11
    assert len(counts) == 11 and sum((count - expected) ** 2 / expected for count in counts) < 31.4


def test_a_point_in_a_name_is_no_join():
    income = Column(name="income.2020", kind="number", low=0, high=100, step=Fraction(1, 2))
    schema = Schema(name="pay", version="1", columns={income.name: income}, joins={})
    assert dummy_tables(schema, units=9, rows=1)[""].columns == ["income.2020"]
