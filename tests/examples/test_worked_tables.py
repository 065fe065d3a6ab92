"""The worked tables carry their published numbers, which a few lines of group-by find again."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tacit.examples import ALL, Example
from tacit.release.hierarchy import hierarchy


def k(frame: Any, keys: list[Any]) -> int:
    return int(frame.group_by(keys).len()["len"].min())


def distinct_l(frame: Any, keys: list[Any], column: str) -> int:
    return int(frame.group_by(keys).agg(pl.col(column).n_unique())[column].min())


def entropy_l(frame: Any, keys: list[str], column: str) -> float:
    """exp of the smallest entropy of a class, Σ −p ln p."""
    counts = frame.group_by([*keys, column]).len().with_columns(p=pl.col("len") / pl.col("len").sum().over(keys))
    return float(counts.group_by(keys).agg((-pl.col("p") * pl.col("p").log()).sum().exp())["p"].min())


def variational_t(frame: Any, keys: list[str], column: str) -> float:
    """Largest ½Σ|p − q| between a class and the whole table."""
    overall = frame[column].value_counts(normalize=True)
    distances = []
    for _, part in frame.group_by(keys):
        both = overall.join(part[column].value_counts(normalize=True), on=column, how="left").fill_null(0)
        distances.append((both["proportion"] - both["proportion_right"]).abs().sum() / 2)
    return float(max(distances))


def measured(example: Example) -> dict[str, float]:
    """k, ℓ, entropy-ℓ and t of the table as it is."""
    frame, keys, columns = example.frame, list(example.roles["quasi"]), example.roles["confidential"]
    return {
        "k": k(frame, keys),
        "l": min((distinct_l(frame, keys, column) for column in columns), default=1),
        "entropy l": min((entropy_l(frame, keys, column) for column in columns), default=1),
        "t": max((variational_t(frame, keys, column) for column in columns), default=0),
    }


@pytest.mark.parametrize("name", ["sensitive", "parties", "salaries", "cancers", "positives", "outcomes", "skewness"])
def test_the_table_as_it_is_has_its_published_numbers(name: str) -> None:  # catalogue: D-02, D-03, D-04
    example = ALL[name]()
    found = measured(example)
    assert example.facts
    for fact, published in example.facts.items():
        digits = {"entropy l": 0.005, "t": 0.00005}.get(fact, 0)
        assert found[fact] == pytest.approx(published, abs=digits), fact


def test_postcodes_in_three_characters_and_decades() -> None:  # catalogue: D-01, D-03
    example = ALL["postcodes"]()
    area, decade = pl.col("zip").str.slice(0, 3), pl.col("birth").dt.year() // 10
    assert example.facts == {
        "k, 3 characters": k(example.frame, [area]),
        "k, 3 characters and decade": k(example.frame, [area, decade]),
        "l, 3 characters and decade": distinct_l(example.frame, [area, decade], "party"),
    }
    assert sorted(example.frame["zip"].str.len_chars().unique()) == [5, 6]  # the slip of the source is kept


def test_ages_hidden_and_coarsened() -> None:  # catalogue: D-01
    example = ALL["ages"]()
    decade = pl.col("age") // 10
    assert example.facts == {
        "k, age hidden": k(example.frame, ["gender"]),
        "k, gender hidden": k(example.frame, ["age"]),
        "k, decade": k(example.frame, [decade, pl.col("gender")]),
        "k, decade and gender hidden": k(example.frame, [decade]),
    }
    assert list(example.facts.values()) == [2, 1, 1, 4]


def test_birth_years_hidden_and_coarsened() -> None:  # catalogue: D-01
    example = ALL["birth_years"]()
    decade = pl.col("year") // 10
    assert example.facts == {
        "k": k(example.frame, ["gender", "year"]),
        "k, decade": k(example.frame, [pl.col("gender"), decade]),
        "k, gender hidden": k(example.frame, ["year"]),
        "k, decade and gender hidden": k(example.frame, [decade]),
    }
    assert list(example.facts.values()) == [1, 3, 2, 4]


def test_patients_need_no_coarser_zip() -> None:  # catalogue: D-03
    example = ALL["patients"]()
    assert example.facts == {
        "k": k(example.frame, ["birth", "gender", "zip"]),
        "k, birth hidden": k(example.frame, ["gender", "zip"]),
    }


@pytest.mark.parametrize("name", ALL)
def test_every_example_is_complete(name: str) -> None:
    example = ALL[name]()
    assert example.name == name and example.about and example.frame.height > 0
    assert set(example.roles) == {"identifier", "quasi", "confidential", "weight", "household"}
    assert set(example.kinds) == set(example.frame.columns) >= set(example.hierarchies)
    for column, plain in example.hierarchies.items():
        assert hierarchy(plain).height == levels(plain), column
    assert "rows" in repr(example)


def levels(plain: Any) -> int:
    """The number of the top level; the first prefix length is that of the value itself."""
    ((word, content),) = plain.items()
    if word == "table":
        return len(next(iter(content.values())))
    return len(content) if word == "prefix" else len(content) + 1
