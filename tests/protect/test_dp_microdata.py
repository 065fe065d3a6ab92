"""Differentially private microdata: what one record can change, how wide the noise is, and what it is worth (E-07)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, kendalltau
from tests.chances import ERROR, likely

from tacit import Release, TacitError
from tacit.dp.noise import laplace_scale, with_laplace
from tacit.protect import DpIdentity, DpMicroaggregate
from tacit.protect.dp_microaggregate import (
    assign_by_rank,
    group_sizes,
    group_sums,
    kendall_concordance,
    private_correlations,
    private_quantiles,
)
from tacit.protect.private.grid import LEVELS, off_grid, on_grid

ANY_STEP = st.one_of(st.integers(0, LEVELS), st.sampled_from([0, LEVELS]))
FILES = st.lists(ANY_STEP, min_size=2, max_size=40)


@given(FILES, ANY_STEP, st.data())
def test_one_record_moves_all_sums_of_groups_by_its_own_change_and_no_more(steps, new, data):  # catalogue: E-07
    """In whole numbers, so exactly: the L1 change is |b − a|, at most the range (facts: range/k of the means)."""
    k = data.draw(st.integers(2, len(steps)))
    place = data.draw(st.integers(0, len(steps) - 1))
    other = [*steps[:place], new, *steps[place + 1 :]]
    before, after = (group_sums(np.array(file), k) for file in (steps, other))
    assert np.abs(after - before).sum() == abs(new - steps[place]) <= LEVELS


def test_the_bound_on_the_sums_is_reached():
    worst = np.abs(group_sums(np.array([0] * 9), 3) - group_sums(np.array([0] * 8 + [LEVELS]), 3)).sum()
    assert worst == LEVELS


@given(FILES, st.integers(2, 40))
def test_the_sums_are_those_of_the_groups_listed_one_by_one(steps, k):
    if k > len(steps):
        return
    ordered, count = sorted(steps), len(steps) // k
    groups = [ordered[place * k : (place + 1) * k if place < count - 1 else None] for place in range(count)]
    assert group_sums(np.array(steps), k).tolist() == [sum(group) for group in groups]
    assert group_sizes(len(steps), k).tolist() == [len(group) for group in groups]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=25), st.data())
def test_concordance_is_that_of_all_pairs_and_one_record_changes_2_per_pair(rows, data):
    place, new = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    other = [*rows[:place], new, *rows[place + 1 :]]
    before, after = (kendall_concordance(*np.array(file).T) for file in (rows, other))
    assert before == sum(int(np.sign(a[0] - b[0]) * np.sign(a[1] - b[1])) for i, a in enumerate(rows) for b in rows[:i])
    assert abs(after - before) <= 2 * (len(rows) - 1)


def test_concordance_of_many_is_that_of_scipy():
    first, second = np.random.default_rng(1).normal(size=(2, 3000))
    second += first
    assert kendall_concordance(first, second) / (3000 * 2999 / 2) == pytest.approx(kendalltau(first, second).statistic)


@given(st.floats(allow_nan=False), st.floats(-1e9, 1e9), st.floats(0.001, 1e9))
def test_every_value_becomes_a_step_of_the_grid(value, low, width):
    high = low + width
    if not low < high:
        return
    (step,) = on_grid(np.array([value]), low, high)
    assert 0 <= step <= LEVELS
    if low <= value <= high:
        assert off_grid(np.array([step]), low, high)[0] == pytest.approx(value, abs=width / LEVELS + 1e-6)


def lower_bound(hits: int, others: int, rounds: int, error: float = ERROR) -> float:
    """ε that the event proves, each share by its Clopper–Pearson bound."""
    low = beta.ppf(error, hits, rounds - hits + 1) if hits else 0.0
    high = beta.isf(error, others + 1, rounds - others) if others < rounds else 1.0
    return math.log(low / high) if low else -math.inf


def test_the_scale_is_right_and_one_30_percent_too_small_is_rejected():
    """The worst neighbours of one group: all at the lowest value, or one of them at the highest.

    Wrong with a chance of 2·10⁻¹²; what proves that the scale is too small is at 2.46 ± 0.045, ten standard errors.
    """
    none, one = np.zeros(5), np.array([0, 0, 0, 0, 1.0])
    rounds = 12_000
    assert lower_bound(tail(one, 1.0, rounds), tail(none, 1.0, rounds), rounds) <= 2
    assert lower_bound(tail(one, 0.7, rounds), tail(none, 0.7, rounds), rounds) > 2


def tail(column: np.ndarray, shrink: float, rounds: int) -> int:
    """Answers at or above the larger true one, where chances differ by e^ε; ``shrink`` plants the bug."""
    (total,) = group_sums(on_grid(column, 0, 1), len(column)).tolist()
    scale = laplace_scale(LEVELS, Fraction(2)) * shrink
    return sum(noisy >= LEVELS for noisy in with_laplace([total] * rounds, scale))


def test_means_of_own_groups_in_the_rows_of_their_records_are_not_private():
    """The published form keeps who is in which group: one replaced record proves far more than ε (so rows are dealt out).

    The shares are 0.996 and 0.004, so 1,200 rounds prove 3 ε but for a chance below 10⁻⁹.
    """
    rounds, epsilon = 1200, Fraction(1)
    others = np.linspace(0.2, 0.8, 59)
    hits = []
    for own in (1.0, 0.0):
        column = np.append(others, own)
        steps, group = on_grid(column, 0, 1), np.argsort(np.argsort(column)) // 20
        shown = [private_quantiles(steps, 20, epsilon)[group[-1]] for _ in range(rounds)]
        hits.append(sum(value > LEVELS / 2 for value in shown))
    assert lower_bound(hits[0], hits[1], rounds, 1e-5) > 3 * epsilon


def test_the_lowest_scores_get_the_lowest_means():
    values, scores = np.array([1.0, 2.0, 3.0]), np.array([0.3, -1.0, 2.0, 0.1, 0.2, 5.0])
    assert assign_by_rank(values, np.array([2, 2, 2]), scores).tolist() == [2.0, 1.0, 3.0, 1.0, 2.0, 3.0]


def test_a_row_tells_nothing_of_whose_it_is():
    """Also without noise: rows are dealt out. Six standard errors of a correlation of 0; the seed fixes the lots."""
    release = people()
    made = DpMicroaggregate(columns=["age", "pay"], k=50, epsilon=1e6, bounds=BOUNDS).apply(release, seed=1).release
    for column in ("age", "pay"):
        found = np.corrcoef(release.series(column).to_numpy(), made.series(column).to_numpy())[0, 1]
        assert abs(found) < 6 / math.sqrt(release.size)


def people(count: int = 3000) -> Release:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 95, count)
    pay = np.round(np.clip(800 * np.exp(0.01 * age + 0.5 * rng.normal(size=count)), 0, 9000), 2)
    frame = pl.DataFrame({"age": age, "pay": pay, "sex": ["F", "M"] * (count // 2)})
    return Release(frame, quasi=["age", "sex"], confidential="pay")


BOUNDS = {"age": [0, 110], "pay": [0.0, 10_000.0]}


def test_a_huge_epsilon_gives_the_means_of_groups_and_their_relations():
    release = people()
    made = DpMicroaggregate(columns=["age", "pay"], k=50, epsilon=1e6, bounds=BOUNDS).apply(release, seed=1).release
    for column in ("age", "pay"):
        true, got = (np.sort(one.series(column).to_numpy()) for one in (release, made))
        centres = np.repeat(true.reshape(-1, 50).mean(axis=1), 50)
        assert np.allclose(got, centres, atol=0.51 if column == "age" else 0.02)
    pairs = [kendalltau(one.series("age"), one.series("pay")).statistic for one in (release, made)]
    assert pairs[1] == pytest.approx(pairs[0], abs=0.03)


def test_the_default_keeps_what_the_naive_release_loses():  # catalogue: E-07
    """Chances of failing by luck: the distances differ by a factor of ten and more."""
    release = people()
    naive = DpIdentity(columns=["age", "pay"], epsilon=1, bounds=BOUNDS).apply(release)
    ours = DpMicroaggregate(columns=["age", "pay"], k=150, epsilon=1, bounds=BOUNDS).apply(release, seed=1)
    for column in ("age", "pay"):
        far, near = (distance(release, masked.release, column) for masked in (naive, ours))
        assert near < 0.2 * far
    shares = [abs(share_of(masked.release) - share_of(release)) for masked in (naive, ours)]
    assert shares[1] < 0.15 < shares[0]


def distance(one: Release, other: Release, column: str) -> float:
    """Mean distance of the sorted columns (earth mover's), as a share of the declared range."""
    first, second = (np.sort(release.series(column).to_numpy().astype(float)) for release in (one, other))
    return float(np.abs(first - second).mean() / BOUNDS[column][1])


def share_of(release: Release) -> float:
    return float(kendalltau(release.series("age"), release.series("pay")).statistic)


def test_the_error_falls_as_epsilon_grows():
    release, errors = people(), []
    for epsilon in (0.02, 0.5, 20):
        runs = [
            DpMicroaggregate(columns="pay", k=100, epsilon=epsilon, bounds={"pay": [0, 10_000]}).apply(release, seed=s)
            for s in range(5)
        ]
        errors.append(np.mean([distance(release, run.release, "pay") for run in runs]))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_the_budget_is_shared_exactly_and_the_trace_says_the_scale():
    release = people()
    masked = DpMicroaggregate(columns=["age", "pay"], k=50, epsilon=0.3, bounds=BOUNDS, relations=0.2).apply(
        release, seed=1
    )
    told = {name: finding.value for name, finding in masked.trace[0].outcome.items()}
    assert told["guarantee"]["epsilon"] == 0.3
    assert told["guarantee"]["neighbours"] == "one record replaced"
    assert told["scale"] == {
        "age": pytest.approx(110 / (50 * 0.12), rel=1e-3),
        "pay": pytest.approx(10_000 / (50 * 0.12), rel=1e-3),
    }
    assert told["not_covered"] == ["sex"]
    naive = DpIdentity(columns=["age", "pay"], epsilon=0.3, bounds=BOUNDS).apply(release)
    assert naive.trace[0].outcome["scale"].value == {
        "age": pytest.approx(110 / 0.15, rel=1e-3),
        "pay": pytest.approx(10_000 / 0.15, rel=1e-3),
    }
    assert [name for name, finding in masked.trace[0].outcome.items() if not finding.publishable] == ["no_value"]


@given(st.integers(2, 5), st.fractions(Fraction(1, 50), 50))
@settings(max_examples=25)
def test_noisy_correlations_are_a_correlation_matrix(columns, loss):
    data = np.random.default_rng(3).normal(size=(columns, 60))
    found = private_correlations(list(data), loss)
    assert np.allclose(np.diag(found), 1)
    assert np.allclose(found, found.T)
    np.linalg.cholesky(found)


def test_dates_come_back_as_dates_within_their_bounds():
    days = pl.Series("born", np.random.default_rng(1).integers(0, 20_000, 400)).cast(pl.Int32).cast(pl.Date)
    release = Release(pl.DataFrame({"born": days}), quasi="born")
    bounds = {"born": ["1930-01-01", "2026-01-01"]}
    masked = DpMicroaggregate(columns="born", k=40, epsilon=1, bounds=bounds).apply(release, seed=1)
    born = masked.release.series("born")
    assert born.dtype == pl.Date
    assert born.min().year >= 1930
    assert born.max().year <= 2026


def test_no_value_makes_a_step_fail_or_changes_the_type():
    """What is no number counts as the middle of the bounds, which nobody is told: with a huge ε it comes back."""
    given = {"columns": "pay", "epsilon": 1e6, "bounds": {"pay": [0, 10]}}
    odd = [None, "unknown", "2020-01-01", "inf", "NaN", "", "1e999", "9" * 30, "-3", "3.4"]
    for method in (DpIdentity(**given), DpMicroaggregate(**given, k=2)):
        masked = method.apply(Release(pl.DataFrame({"pay": odd * 2})), seed=1)
        assert masked.release.series("pay").dtype == pl.Int64
        assert sorted(masked.release.series("pay")) == sorted([5] * 14 + [10, 10, 0, 0, 3, 3])
        assert masked.trace[0].outcome["no_value"].value == {"pay": 14}
        assert "no_value" not in masked.trace[0].as_json(public=True)["outcome"]
        for column in ([1.0, float("nan"), float("inf")] * 9, [True, False] * 9, [1e300, -1e300] * 9):
            assert method.apply(Release(pl.DataFrame({"pay": column})), seed=1).release.series("pay").dtype == pl.Int64


def test_what_would_break_the_promise_is_refused():
    given = {"columns": "pay", "epsilon": 1, "bounds": {"pay": [0, 10]}}
    with pytest.raises(TacitError, match="k=5"):
        DpMicroaggregate(**given, k=5).apply(Release(pl.DataFrame({"pay": [1.0, 2.0]})), seed=1)
    with pytest.raises(TacitError, match="seed"):
        DpMicroaggregate(**given, k=5).apply(Release(pl.DataFrame({"pay": [1.0, 2.0] * 9})))


@pytest.mark.parametrize("bounds", [{}, {"pay": [0, None]}, {"pay": [5, 1]}, {"pay": [0, 1], "age": [0, 1]}, 5])
def test_bounds_without_two_ends_are_refused(bounds):
    with pytest.raises(TacitError):
        DpIdentity(columns="pay", epsilon=1, bounds=bounds)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "1", True, None])
def test_what_is_no_loss_is_refused(epsilon):
    with pytest.raises(TacitError, match="privacy loss"):
        DpMicroaggregate(columns="pay", k=5, epsilon=epsilon, bounds={"pay": [0, 1]})


@pytest.mark.parametrize("relations", [0, 1, -0.1, "half", True])
def test_a_share_that_leaves_nothing_is_refused(relations):
    with pytest.raises(TacitError, match="share of epsilon"):
        DpMicroaggregate(columns="pay", k=5, epsilon=1, bounds={"pay": [0, 1]}, relations=relations)


def test_the_noise_on_relations_has_the_stated_scale_and_not_one_30_percent_smaller():
    """2(n−1)·pairs/ε on S, which is 0 for constant columns; the mean size of 2 000 draws is 17 % off with a chance of 10⁻¹¹."""
    count, loss, rounds = 50, Fraction(4), 2000
    scale, nothing = 2 * (count - 1) / 4, [np.zeros(count), np.zeros(count)]
    drawn = [private_correlations(nothing, loss)[0, 1] for _ in range(rounds)]
    sizes = np.abs(np.arcsin(drawn)) * 2 / math.pi * count * (count - 1) / 2
    assert abs(sizes.mean() / scale - 1) < 0.17
    assert abs(sizes.mean() / (scale / 0.7) - 1) > 0.17


def test_the_naive_noise_has_the_stated_scale_and_not_one_30_percent_smaller():
    """From the middle, noise of scale range/ε reaches a bound with chance e^{−ε/2}: binomial tests at 10⁻¹²."""
    count = 4000
    release = Release(pl.DataFrame({"pay": [50.0] * count}))
    out = DpIdentity(columns="pay", epsilon=2, bounds={"pay": [0, 100]}).apply(release).release.series("pay")
    beyond = int(((out <= 0) | (out >= 100)).sum())
    right, wrong = math.exp(-1), math.exp(-1 / 0.7)
    assert likely(beyond, count, right)
    assert not likely(beyond, count, wrong)
