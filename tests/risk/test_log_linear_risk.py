"""Global risk from a log-linear model: closed forms, slow fits, reference figures, a known population."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.risk import log_linear_risk
from tacit.risk.log_linear_risk import expected_people, interaction_pairs

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def poisson_fit(design: np.ndarray, counts: np.ndarray, offset: np.ndarray | float = 0.0) -> np.ndarray:
    """Fitted means of a Poisson regression, by reweighted least squares."""
    mean = counts + 0.1
    line = np.log(mean)
    for _ in range(200):
        root = np.sqrt(mean)[:, None]
        target = line - offset + (counts - mean) / mean
        beta = np.linalg.lstsq(design * root, target * root[:, 0], rcond=None)[0]
        new = design @ beta + offset
        if np.abs(new - line).max() < 1e-11:
            break
        line, mean = new, np.exp(new)
    return np.exp(new)


@pytest.fixture(scope="module")
def survey(reference_data):
    return Release(pl.read_csv(reference_data / "testdata.csv"), quasi=KEYS, weight="sampling_weight")


def shares(expected: np.ndarray, weights: np.ndarray, classes: int) -> tuple[str, str]:
    """The reference program's figures from the fitted means of the sample uniques."""
    hidden = (1 - 1 / weights) * expected
    return f"{np.exp(-hidden).sum() / classes:.5f}"[1:], f"{((1 - np.exp(-hidden)) / hidden).sum() / classes:.5f}"[1:]


def test_the_reference_figure_of_the_fitted_margins(survey):
    """sdcMicro 5.8.1 modRisk, "IPF": .22493/.28042.

    Its fit is ours; but it puts the expected *sample* count πλ where the formula has λ, and divides by the number of
    classes, not of sample uniques. With λ the shares of the 157 uniques are .0348 and .0951.
    """
    # catalogue: C-01
    classes = survey.classes()
    alone = (classes.sizes == 1)[classes.of_record]
    fitted = expected_people(survey, np.ones(survey.size), ())[alone]
    assert shares(fitted, survey.weights()[alone], classes.count) == (".22493", ".28042")
    one, two = log_linear_risk(survey)
    hidden = (1 - 1 / survey.weights()[alone]) * fitted * 100  # every weight is 100 here
    assert one.value == pytest.approx(np.exp(-hidden).sum())
    assert two.value == pytest.approx(((1 - np.exp(-hidden)) / hidden).sum())
    assert (one.value, two.value) == (pytest.approx(5.470138, abs=1e-6), pytest.approx(14.924667, abs=1e-6))


def test_the_other_reference_figures_take_codes_for_amounts(survey):
    """Its "default", PML, CE and weighted forms fit one slope to the numeric codes of each key; reproduced here."""
    table = survey.to_native().group_by(KEYS).agg(pl.len(), pl.col("sampling_weight").sum().alias("w"))
    cells = {row[: len(KEYS)]: row[len(KEYS) :] for row in table.iter_rows()}
    grid = list(itertools.product(*(survey.codes(key).dictionary.to_list() for key in KEYS)))
    counts, weights = np.array([cells.get(cell, (0, 0)) for cell in grid], dtype=float).T
    design = np.column_stack([np.ones(len(grid)), np.array(grid, dtype=float)])
    alone = counts == 1
    offset = np.log(np.divide(counts, weights, out=np.zeros_like(counts), where=weights > 0) + 0.1)
    forms = {
        "default": (poisson_fit(design, counts), (".20871", ".27265")),
        "CE": (poisson_fit(design, counts, offset), (".20162", ".26724")),
        "weighted": (poisson_fit(np.column_stack([design, weights]), counts), (".25400", ".30642")),
    }
    for fitted, printed in forms.values():
        assert shares(fitted[alone], weights[alone], int((counts > 0).sum())) == printed


def described(table, weight=None):
    schema = {"a": pl.String, "b": pl.String, "c": pl.String, "d": pl.String}
    return Release(pl.DataFrame(table, schema=schema, orient="row"), quasi=list(schema), missing="own")


letter = st.sampled_from(["x", "y", None])
tables = st.lists(st.tuples(letter, letter, letter, letter), min_size=3, max_size=40)


@given(tables)
def test_main_effects_are_the_product_of_the_margins(table):
    fitted = expected_people(described(table), np.ones(len(table)), ())
    n = len(table)
    for row, found in zip(table, fitted, strict=True):
        margins = [sum(other[c] == row[c] for other in table) for c in range(4)]
        assert found == pytest.approx(np.prod(margins) / n**3)


@pytest.mark.parametrize("pairs", [[("a", "b")], [("a", "b"), ("b", "c")], [("a", "b"), ("c", "d")], "all"])
def test_interactions_are_fitted_as_by_poisson_regression(pairs):
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 3, 3000), rng.integers(0, 2, 3000)
    c, d = (a + rng.choice(3, 3000, p=[0.5, 0.4, 0.1])) % 3, (b + (rng.random(3000) < 0.3)) % 2
    frame = pl.DataFrame({"a": a, "b": b, "c": c, "d": d})
    release = Release(frame, quasi=["a", "b", "c", "d"])
    weights = rng.uniform(1, 20, 3000)
    grid = list(itertools.product(range(3), range(2), range(3), range(2)))
    place = {cell: i for i, cell in enumerate(grid)}
    where = np.array([place[cell] for cell in zip(a, b, c, d, strict=True)])
    terms = [("a",), ("b",), ("c",), ("d",), *interaction_pairs(release, pairs)]
    columns = [np.ones(len(grid))]
    for term in terms:
        axes = ["abcd".index(name) for name in term]
        for values in sorted({tuple(cell[axis] for axis in axes) for cell in grid}):
            columns.append(np.array([tuple(cell[axis] for axis in axes) == values for cell in grid], dtype=float))
    expected = poisson_fit(np.column_stack(columns), np.bincount(where, weights=weights, minlength=len(grid)))
    assert expected_people(release, weights, interaction_pairs(release, pairs)) == pytest.approx(
        expected[where], rel=1e-6
    )


def test_independent_keys_of_a_known_population():
    """Five independent skewed keys, 100 000 people, a sample of 5 %: the mean of ten samples within 10 % of the truth.

    Without the sampling fraction in λ, as some programs have it, the estimate is several times too large: rejected.
    """
    rng = np.random.default_rng(2)
    columns = {name: rng.zipf(1.8, 100_000) % 15 for name in "abcde"}
    everybody = pl.DataFrame(columns)
    size = everybody.select(pl.len().over(list("abcde"))).to_series().to_numpy()
    truth, found, matched, wrong = [], [], [], []
    for _ in range(10):
        rows = rng.permutation(100_000)[:5000]
        sample = Release(everybody[rows], quasi=list("abcde"))
        classes = sample.classes()
        alone = (classes.sizes == 1)[classes.of_record]
        truth.append(((size[rows] == 1)[alone].sum(), (1 / size[rows])[alone].sum()))
        one, two = log_linear_risk(sample, fraction=0.05)
        found.append(one.value)
        matched.append(two.value)
        wrong.append(np.exp(-0.95 * expected_people(sample, np.ones(5000), ())[alone]).sum())
    assert np.mean(found) == pytest.approx(np.mean(truth, axis=0)[0], rel=0.1)
    assert np.mean(matched) == pytest.approx(np.mean(truth, axis=0)[1], rel=0.1)
    assert np.mean(wrong) > 2 * np.mean(truth, axis=0)[0]


def test_a_census_has_no_doubt():
    """With a sampling fraction of 1 each sample unique is a population unique."""
    release = described([("x", "x", "x", "x"), ("y", "x", "x", "x"), ("y", "x", "x", "x")])
    one, two = log_linear_risk(release, fraction=1)
    assert (one.value, two.value) == (1, 1)
    assert one.per_record.values().tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("options", "shows"),
    [
        ({"interactions": "some"}, "'some'"),
        ({"interactions": [("a", "zz")]}, "column 'zz'"),
        ({"interactions": [("a",)]}, "two columns"),
        ({"interactions": [("a", "a")]}, "named twice"),
        ({}, "fraction="),
    ],
)
def test_mistakes_are_named(options, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        log_linear_risk(described([("x", "x", "x", "x")] * 3), **({"fraction": 0.5} if options else {}), **options)
    assert shows in str(caught.value)


def test_a_table_too_large_is_refused_before_it_is_made():
    frame = pl.DataFrame({"a": range(3000), "b": range(3000), "c": range(3000)})
    release = Release(frame, quasi=["a", "b", "c"])
    with pytest.raises(TacitError, match="27,000,000,000 cells"):
        log_linear_risk(release, fraction=0.1, interactions="all")
    assert log_linear_risk(release, fraction=0.1)[0].value > 0


def test_weights_below_one_give_no_chance_above_one():
    """Somebody who stands for less than one person hides nobody: the chance is 1, not more."""
    # catalogue: C-02
    table = pl.DataFrame({"p": ["a", "a", "b", "c"], "q": ["x", "y", "y", "x"], "w": [0.5, 0.25, 3.0, 0.8]})
    for result in log_linear_risk(Release(table, quasi=["p", "q"], weight="w")):
        shares = result.per_record.values()
        assert shares.max() <= 1
        assert (shares[[0, 1, 3]] == 1).all()
