"""The intruder sees the columns that it knows and what was published, and no more. catalogue: A-02."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError, Trace
from tacit.claims import Scenario
from tacit.release.trace import Finding

FILE = Release(
    pl.DataFrame({"name": ["Ann", "Bea"], "zip": ["N1", "N2"], "income": [1.0, 2.0]}),
    identifier="name",
    quasi="zip",
    confidential="income",
)


def test_the_file_is_cut_to_what_is_known():
    assert Scenario(file=FILE, knows=("zip",)).file.columns == ("zip",)
    assert Scenario.worst_case(FILE).knows == ("zip",)
    assert Scenario.worst_case(FILE, knows=["zip", "income"]).file.columns == ("zip", "income")


def test_what_was_not_published_is_not_told():
    step = Trace("mdav", {"k": 3}, {"cuts": Finding([1, 2], True), "groups": Finding([0, 0, 1], False)})
    told = Scenario.worst_case(FILE, told=(step,)).told
    assert told[0].parameters == {"k": 3}
    assert list(told[0].outcome) == ["cuts"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (lambda: Scenario(file=FILE, knows=("zap",)), "zip"),
        (lambda: Scenario(file=FILE, knows=()), "knows no column"),
        (lambda: Scenario(file=FILE.take(np.zeros(0, dtype=int)), knows=("zip",)), "no rows"),
        (lambda: Scenario.worst_case(FILE.select("income")), "quasi"),
    ],
)
def test_mistakes_are_named(given, says):
    with pytest.raises(TacitError, match=says):
        given()
