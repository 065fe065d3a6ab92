"""Randomised response as a masking method: its chances, the way back, and what is refused (E-07)."""

from __future__ import annotations

import math

import polars as pl
import pytest
from tests.chances import likely

from tacit import Release, TacitError
from tacit.attack import reidentify
from tacit.loss.corrected import counts
from tacit.protect import RandomisedResponse

SEX = {"sex": ["F", "M", "X"]}


def town(count: int = 6000) -> Release:
    values = (["F"] * 6 + ["M"] * 3 + ["X"]) * (count // 10)
    return Release(pl.DataFrame({"sex": values, "smokes": [True, False] * (count // 2)}), quasi=["sex", "smokes"])


def test_the_truth_is_told_as_often_as_epsilon_allows():  # catalogue: E-07
    """Binomial test at 10⁻¹²; the chance of an ε 30 % larger is rejected, by eight standard errors."""
    release = town(12_000)
    masked = RandomisedResponse(columns="sex", epsilon=1, categories=SEX).apply(release)
    kept = int((masked.release.series("sex") == release.series("sex")).sum())
    right, wrong = (math.exp(epsilon) / (math.exp(epsilon) + 2) for epsilon in (1, 1.3))
    assert likely(kept, release.size, right)
    assert not likely(kept, release.size, wrong)
    matrix = masked.trace[0].outcome["matrix"].value["sex"][0]["matrix"]
    assert matrix["F"]["F"] == pytest.approx(right, abs=1e-6)
    assert max(matrix[a][c] / matrix[b][c] for a in "FMX" for b in "FMX" for c in "FMX") == pytest.approx(
        math.e, rel=1e-5
    )


def test_counts_are_corrected_from_the_trace():
    """Eight standard errors: 10⁻¹⁴; what is not corrected is ten of its own further off than six of them."""
    found = counts(RandomisedResponse(columns="sex", epsilon=1, categories=SEX).apply(town()), columns="sex")
    for true, value, error in zip((3600, 1800, 600), found.corrected, found.standard_error, strict=True):
        assert abs(value - true) < 8 * error
    assert abs(found.naive[0] - 3600) > 6 * found.standard_error[0]


def test_several_columns_share_epsilon_and_types_come_back():
    given = {**SEX, "smokes": [False, True]}
    masked = RandomisedResponse(columns=["sex", "smokes"], epsilon=2, categories=given).apply(town(100))
    assert masked.release.types == town(100).types
    matrix = masked.trace[0].outcome["matrix"].value["smokes"][0]["matrix"]
    assert matrix["true"]["true"] == pytest.approx(math.e / (math.e + 1), abs=1e-6)


def test_an_intruder_who_is_told_the_matrix_can_attack():
    release = town(200)
    masked = RandomisedResponse(columns="sex", epsilon=1, categories=SEX).apply(release)
    assert 0 <= reidentify(masked, original=release).value <= 1


def test_undeclared_and_missing_values_get_any_answer_and_the_declared_type():
    """Evenly over the categories: of 3,000 each as often as a third, binomial test at 10⁻¹²."""
    release = Release(pl.DataFrame({"sex": ["SECRETCELL", None, "37.5"] * 1000}), quasi="sex")
    masked = RandomisedResponse(columns="sex", epsilon=3, categories=SEX).apply(release)
    counts_of = masked.release.series("sex").value_counts()
    assert set(counts_of["sex"]) == {"F", "M", "X"}
    assert all(likely(count, release.size, 1 / 3) for count in counts_of["count"])
    assert masked.trace[0].outcome["no_value"].value == {"sex": 3000}
    assert "no_value" not in masked.trace[0].as_json(public=True)["outcome"]
    numbers = Release(pl.DataFrame({"stage": [1.0, 2.5, 2.0]}))
    stage = RandomisedResponse(columns="stage", epsilon=30, categories={"stage": [1, 2]}).apply(numbers)
    assert stage.release.series("stage").dtype == pl.Int64


@pytest.mark.parametrize(
    "categories", [{}, {"sex": ["F"]}, {"sex": ["F", "F"]}, {"sex": "FM"}, {"sex": ["F", 1]}, {"age": [1, 2]}, 3]
)
def test_categories_that_are_none_are_refused(categories):
    with pytest.raises(TacitError):
        RandomisedResponse(columns="sex", epsilon=1, categories=categories)
