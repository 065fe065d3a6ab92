"""Figures from noisy parts: right on average, inside the bounds, on the grid, and as near as is said."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.chances import ERROR

from tacit.query.column import Column
from tacit.query.modes.dp import DpMode, draw_groups
from tacit.query.noisy.aggregate import Mean, Variance, ratio_error
from tacit.query.noisy.part import column_sum, known_count
from tacit.query.noisy.quantile_choice import choose_quantile
from tacit.query.question import Aggregate, Key
from tacit.query.refusal import Refusal

from .noisy_case import AGE, INCOME, X, ask, design_of, promise
from .row_source import RowSource, schema_of

# catalogue: H-02, H-03, H-04

HALF = Fraction(1, 2)
STATISTICS = tuple(
    Aggregate(what, "age", HALF if what == "quantile" else 0) for what in ("sum", "mean", "variance", "quantile")
)


def noiseless(aggregate, column, values):
    """The figure that true parts would give: what is answered as the noise goes to nothing."""
    source = RowSource(schema_of(column), {column.name: values})
    found = {}
    for part in aggregate.parts:
        tally = source.tally(ask().where, (), part.measures)
        found[part] = part.exact_value({one: tally.measures[one][0] for one in part.measures})
    return aggregate.figure(found)


@given(st.lists(st.one_of(st.none(), st.integers(0, 110)), min_size=1, max_size=30))
def test_without_noise_mean_and_variance_are_those_of_numpy(values):
    known = [value for value in values if value is not None]
    if known:
        assert noiseless(Mean.of(AGE, None), AGE, values) == pytest.approx(np.mean(known))
    if len(known) > 1:
        assert noiseless(Variance.of(AGE, None), AGE, values) == pytest.approx(np.var(known, ddof=1))


def test_figures_are_in_the_analyst_s_units():
    cents = [100_000, 250_050, None, 3_000_000]
    assert noiseless(Mean.of(INCOME, None), INCOME, cents) == pytest.approx(np.mean([1_000, 2_500.5, 30_000]))
    assert noiseless(Variance.of(INCOME, None), INCOME, cents) == pytest.approx(
        np.var([1_000, 2_500.5, 30_000], ddof=1)
    )


def test_coarse_grains_do_not_show():
    wide = Column(name="w", kind="integer", low=-(2**50), high=2**50)
    values = [2**49 + 12_345, -(2**48), 7]
    assert column_sum(wide, centred=False).grain > 1
    assert noiseless(Mean.of(wide, None), wide, values) == pytest.approx(np.mean(values), rel=1e-6)
    assert noiseless(Variance.of(wide, None), wide, values) == pytest.approx(np.var(values, ddof=1), rel=1e-6)


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=20), st.sampled_from([Fraction(1, 4), HALF, Fraction(9, 10)]))
def test_the_best_bin_is_the_quantile_and_a_score_is_the_distance_in_rows(values, share):
    choice = choose_quantile(X, share)
    scores = choice.scores({place: values.count(place - 1) for place in range(4)})
    ordered = sorted(values)
    for place, score in enumerate(scores):
        below = sum(value < place - 1 for value in ordered)
        upto = sum(value <= place - 1 for value in ordered)
        aim = share * len(ordered)
        assert Fraction(score, share.denominator) == max(below - aim, aim - upto, 0)
    assert scores[np.quantile(values, float(share), method="inverted_cdf") + 1] == 0


@given(
    st.integers(-500, 500),
    st.integers(1, 100),
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(-20, 20),
    st.integers(-20, 20),
)
def test_the_error_of_a_ratio_is_never_above_its_bound(total_, number, s, n, ds, dn):
    most = 10
    total_ = max(-most * number, min(most * number, total_))
    ds, dn = max(-s, min(s, ds)), max(-n, min(n, dn))
    if number + dn >= 1:
        found = max(Fraction(-most), min(Fraction(most), Fraction(total_ + ds, number + dn)))
        bound = ratio_error(found, number + dn, of_total=s, of_number=n, most=most)
        assert abs(found - Fraction(total_, number)) <= bound


@given(
    st.lists(st.integers(0, 110), min_size=2, max_size=40), st.tuples(*[st.integers(-100, 100)] * 3), st.integers(0, 30)
)
def test_means_and_variances_are_within_their_width_while_each_part_is_within_its_own(values, moved, more):
    """Every part moved by any share of its own half-width: the widths are bounds, not estimates."""
    values = values * (more + 1)
    design = design_of(ask(Aggregate("mean", "age"), Aggregate("variance", "age")), schema_of(AGE), promise(), spend=6)
    source = RowSource(schema_of(AGE), {"age": values})
    drawn_ = {}
    for part, share in zip(sorted(design.laws), moved, strict=True):
        tally = source.tally(ask().where, (), part.measures)
        exact = part.exact_value({one: tally.measures[one][0] for one in part.measures})
        # a third of 5 % for each part of a variance, half of it for each of a mean: take the narrower
        drawn_[part] = exact + int(design.laws[part].half_width(0.025) * share / 100)
    mean, variance = design.aggregates
    number = drawn_[mean.known]
    assert abs(mean.figure(drawn_) - np.mean(values)) <= mean.width_after(drawn_, design.laws) + 1e-9
    if number > 1:  # the factor n/(n − 1) of a noisy number is beside the bound
        true = np.var(values) * number / (number - 1)
        assert abs(variance.figure(drawn_) - true) <= variance.width_after(drawn_, design.laws) + 1e-6


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_stated_accuracy_covers_what_it_says(unit):
    """900 groups: coverage of 95 % is missed wrongly with a chance of 10⁻¹²; half of a width is noticed, by eight errors."""
    group = Column(name="group", kind="integer", low=0, high=899)
    schema = schema_of(group, AGE)
    rng = np.random.default_rng(3)
    ages = rng.integers(20, 60, (900, 40))
    source = RowSource(schema, {"group": np.repeat(np.arange(900), 40).tolist(), "age": ages.ravel().tolist()})
    question = ask(*STATISTICS[:3], Aggregate("count"), by=(Key("group"),))
    design = design_of(question, schema, promise(unit), spend=8)
    truths = {"count": np.full(900, 40), "sum": ages.sum(1), "mean": ages.mean(1), "variance": ages.var(1, ddof=1)}
    enough = binom.ppf(ERROR, 900, 0.95)
    shown = [(key[0], parts) for key, parts in draw_groups(source, design).items() if key[0] is not None]
    for one, asked in zip(design.aggregates, question.aggregates, strict=True):
        truth = truths[asked.what]
        errors = np.array([abs(one.figure(parts) - truth[key]) for key, parts in shown])
        widths = np.array([one.width_after(parts, design.laws) for _, parts in shown])
        assert (errors <= widths).sum() >= enough, asked
        if asked.what in ("count", "sum"):
            assert one.width(design.laws) == widths[0]
            assert (errors < 0.5 * widths).sum() < enough, asked


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_a_quantile_is_as_many_ranks_off_as_said(unit):
    group = Column(name="group", kind="integer", low=0, high=399)
    schema = schema_of(group, AGE)
    ages = np.random.default_rng(4).integers(0, 111, (400, 60))
    source = RowSource(schema, {"group": np.repeat(np.arange(400), 60).tolist(), "age": ages.ravel().tolist()})
    design = design_of(ask(STATISTICS[3], by=(Key("group"),)), schema, promise(unit), spend=2)
    said = int(design.aggregates[0].note(design.laws).split(" rows")[0].split()[-1])
    right = 0
    for (key,), parts in draw_groups(source, design).items():
        if key is not None:
            value = next(iter(parts.values()))
            right += (ages[key] < value).sum() - said <= 30 <= (ages[key] <= value).sum() + said
    assert right >= binom.ppf(ERROR, 400, 0.95)


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_nobody_at_all_is_answered_like_somebody(neighbours):
    """H-02: no error, no NaN, no missing figure, all within the bounds; a mean of none is around the middle."""
    schema = schema_of(AGE)
    mode = DpMode(schema, RowSource(schema, {"age": []}), unit="epsilon", neighbours=neighbours)
    quote = mode.quote(ask(*STATISTICS, Aggregate("count")), Fraction(5))
    means = []
    for _ in range(200):
        count, mean, quantile, _, variance = mode.answer(quote).figures[0]
        assert isinstance(count, int)
        assert 0 <= mean <= 110
        assert 0 <= quantile <= 110
        assert 0 <= variance <= 110**2 / 4 * 2
        means.append(mean)
    assert np.median(means) == 55


def test_sums_counts_and_quantiles_lie_on_the_grid_whatever_the_data():
    """Attack 9: of two neighbours every answer is a whole number of cents, and so is the noise."""
    schema = schema_of(INCOME)
    for incomes in ([], [1], [12_345, 20_000_000, -5, 10**12]):
        mode = DpMode(schema, RowSource(schema, {"income": incomes}), unit="epsilon", neighbours="add_remove")
        quote = mode.quote(ask(Aggregate("sum", "income"), Aggregate("quantile", "income", HALF)), Fraction(1))
        for _ in range(15):
            quantile, total_ = mode.answer(quote).figures[0]
            assert (Fraction(repr(total_)) * 100).denominator == 1
            assert (Fraction(repr(quantile)) * 100).denominator == 1


def test_rows_in_another_order_give_the_same_parts():
    values = [3, 77, None, 110, 20, 20]
    for one in (Mean.of(AGE, None), Variance.of(AGE, None)):
        assert noiseless(one, AGE, values) == noiseless(one, AGE, values[::-1])


def test_with_a_public_size_all_is_spent_on_the_sum():
    schema = schema_of(AGE)
    source = RowSource(schema, {"age": [10, 20, None, 70]})
    mode = DpMode(schema, source, unit="epsilon", neighbours="replace", size=4)
    quote = mode.quote(ask(Aggregate("mean", "age")), Fraction(1))
    (part,) = quote.plan["design"].laws
    assert quote.plan["design"].laws[part].scale == 110
    assert quote.accuracy[0] == pytest.approx(110 * np.log(2 / (0.05 * (1 + np.exp(-1 / 110)))) / 4, rel=0.01)
    # a missing value counts as the middle, so the noiseless answer is over four rows
    assert Mean.of(AGE, 4).figure({part: -45 - 35 + 15}) == (10 + 20 + 55 + 70) / 4
    by_half = mode.quote(ask(Aggregate("mean", "age"), by=(Key("age", 60),)), Fraction(1))
    assert known_count(AGE) in by_half.plan["design"].laws


def test_shares_that_are_too_fine_are_refused():
    schema = schema_of(AGE)
    mode = DpMode(schema, RowSource(schema, {"age": []}), unit="epsilon", neighbours="add_remove")
    with pytest.raises(Refusal, match="three decimals"):
        mode.quote(ask(Aggregate("quantile", "age", Fraction(1, 10**9))), Fraction(1))
