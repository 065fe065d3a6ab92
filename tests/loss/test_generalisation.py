from datetime import date

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.loss import generalisation
from tacit.protect import (
    DropIdentifiers,
    Generalise,
    Mdav,
    RankSwap,
    Recode,
    Shuffle,
    SuppressCells,
    SuppressRecords,
    TopBottomCode,
)

TOWNS = {"Lund": ["S", "*"], "Malmö": ["S", "*"], "Ystad": ["S", "*"], "Umeå": ["N", "*"], "Luleå": ["N", "*"]}


def towns(*values, **described):
    frame = pl.DataFrame({"town": values}, schema={"town": pl.String})
    return Release(frame, quasi="town", hierarchies={"town": {"table": TOWNS}}, **described)


def loss(masked, original, column="town"):
    return generalisation(masked, original=original)[column].value


def test_a_label_costs_the_share_of_the_values_that_it_leaves_open():  # catalogue: F-04
    release = towns("Lund", "Umeå", "Umeå", "Umeå")
    masked = release.protect(Generalise(levels={"town": 1}))
    # five leaves in the file: S leaves 2 of 4 others open, N 1 of 4; Luleå counts though nobody lives there
    assert loss(masked, release) == pytest.approx((2 / 4 + 3 * 1 / 4) / 4)
    assert loss(release.protect(Generalise(levels={"town": 2})), release) == 1
    assert loss(release, release) == 0


def test_rules_count_over_the_values_present():
    frame = pl.DataFrame(
        {"age": [1, 2, 7, 8, 9], "born": [date(1960 + i, 1, 1) for i in range(5)], "zip": list("abcde")}
    )
    release = Release(
        frame,
        quasi=["age", "born", "zip"],
        kinds={"age": "continuous"},
        hierarchies={"age": {"intervals": [5]}, "born": {"dates": ["year", "decade"]}, "zip": {"prefix": [1]}},
    )
    masked = release.protect(Generalise(levels={"age": 1, "born": 1, "zip": 1}))
    assert loss(masked, release, "age") == pytest.approx((2 * 1 + 3 * 2) / 5 / 4)
    assert loss(masked, release, "born") == 0  # every year has one person's date
    assert loss(masked, release, "zip") == 1


def test_blanks_removed_records_and_dropped_columns_cost_one():
    release = towns("Lund", "Lund", "Lund", "Umeå", None, missing="any")
    blanked = release.protect(SuppressCells(k=2)).then(Shuffle(), seed=1)
    # the blank record matches all: Umeå has one match besides itself
    assert loss(blanked, release) == 0
    blanked = release.protect(SuppressCells(k=3)).then(Shuffle(), seed=1)
    assert loss(blanked, release) == pytest.approx(1 / 4)  # over the four records that had a value
    removed = towns("Lund", "Lund", "Umeå").protect(SuppressRecords(k=2))
    assert loss(removed, towns("Lund", "Lund", "Umeå")) == pytest.approx(1 / 3)
    named = Release(pl.DataFrame({"town": ["a", "b"], "x": [1, 2]}), identifier="town")
    assert loss(named.protect(DropIdentifiers()), Release(named.to_native(), quasi="town")) == 1
    both = removed.then(Generalise(levels={"town": 1}))
    assert loss(both, towns("Lund", "Lund", "Umeå")) == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_recoding_costs_what_it_merges():
    release = Release(
        pl.DataFrame({"town": ["a", "b", "b", "c", None], "age": [1, 5, 90, 95, 3]}), quasi=["town", "age"]
    )
    masked = release.protect(Recode(column="town", groups={"ab": ["a", "b"]})).then(TopBottomCode(column="age", top=50))
    assert loss(masked, release) == pytest.approx((3 * 1 / 2) / 4)
    assert loss(masked, release, "age") == pytest.approx((2 * 1 / 4) / 5)


def test_perturbation_generalises_nothing():
    x = np.random.default_rng(1).integers(0, 12, 200)
    release = Release(pl.DataFrame({"x": x}), quasi="x", kinds={"x": "continuous"})
    assert loss(release.protect(RankSwap(columns="x", percent=20), seed=1), release, "x") == 0
    assert loss(release.protect(Mdav(columns="x", k=3)), release, "x") == 0


def test_records_have_their_own_cost():
    release = towns("Lund", "Umeå", None)
    result = generalisation(release.protect(Generalise(levels={"town": 1})), original=release)["town"]
    assert result.per_record.values().tolist() == [0.5, 0.25, 0.0]
    assert result.per_record.rows_of == "original"


def test_one_value_and_no_value():
    release = Release(pl.DataFrame({"town": ["x", "x"]}), quasi="town", hierarchies={"town": {"prefix": [2, 1]}})
    assert loss(release.protect(Generalise(levels={"town": 2})), release) == 0  # nothing else was possible
    empty = towns(None, None)
    assert loss(empty, empty) == 0
    with pytest.raises(TacitError, match="no quasi-identifier"):
        generalisation(release, original=Release(release.to_native()))
