"""Columns in whole units: nothing is lost on the way, and no result takes the place of another (I-06)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty.statistics.column import parse_column
from tacit.multiparty.statistics.labels import column_labels
from tacit.multiparty.statistics.moments import Moments, column_pairs
from tacit.multiparty.statistics.statistic import statistic_of


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.integers(0, 9))
def test_whole_numbers_are_counted_exactly(values, decimals):
    column = parse_column("x", {"low": -(2**62), "high": 2**62, "decimals": decimals})
    assert column.units(pl.DataFrame({"x": values})) == [value * 10**decimals for value in values]
    assert column.max_size == 2**62 * 10**decimals


@given(st.lists(st.floats(-1e12, 1e12), min_size=1), st.integers(0, 9))
def test_a_fraction_goes_to_a_nearest_unit_and_never_beyond_the_bounds(values, decimals):
    column = parse_column("x", {"low": -1e12, "high": 1e12, "decimals": decimals, "round": True})
    for unit, value in zip(column.units(pl.DataFrame({"x": values})), values, strict=True):
        off = abs(unit - Fraction(value) * 10**decimals)
        assert off <= Fraction(1, 2) + Fraction(1, 2**53) * abs(unit) and abs(unit) <= column.max_size
        assert off <= Fraction(1, 2) or abs(unit) < 2**53


@pytest.mark.parametrize(
    ("values", "decimals", "said"),
    [
        ([0.4] * 5, 0, "has 5 of 5 values with more than the agreed 0 decimals, the first in row 1"),
        ([1.0, 26.96], 1, "has 1 of 2 values with more than the agreed 1 decimals, the first in row 2"),
        ([Decimal("1.10"), Decimal("1.11")], 1, "has 1 of 2 values"),
        ([2.0, 0.30001], 3, "has 1 of 2"),
    ],
)
def test_values_with_more_decimals_than_agreed_are_refused_unless_rounding_is_agreed(values, decimals, said):
    """Five times 0.4 in whole units was a mean of 0, and nobody was told."""
    bounds = {"low": 0, "high": 100, "decimals": decimals}
    frame = pl.DataFrame({"x": values})
    with pytest.raises(TacitError, match=said) as problem:
        parse_column("x", bounds).units(frame)
    assert not any(str(value) in str(problem.value) for value in (0.4, 26.96, 1.11, 0.30001))
    assert len(parse_column("x", {**bounds, "round": True}).units(frame)) == len(values)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1), st.integers(0, 6))
def test_values_of_the_agreed_decimals_are_never_refused(units, decimals):
    """As floats that are off by their last digits, too: 0.1 + 0.2 is 0.3."""
    column = parse_column("x", {"low": -(10**7), "high": 10**7, "decimals": decimals})
    values = [unit / 10**decimals for unit in units]
    assert column.units(pl.DataFrame({"x": values})) == units
    assert column.units(pl.DataFrame({"x": [value + 0.1 - 0.1 for value in values]})) == units


def test_rounding_is_agreed_by_yes_or_no():
    with pytest.raises(TacitError, match="round 1 is not true or false"):
        parse_column("x", {"low": 0, "high": 1, "round": 1})


def test_decimals_of_the_file_are_not_made_floats():
    column = parse_column("x", {"low": 0, "high": 10**15, "decimals": 2})
    frame = pl.DataFrame({"x": [Decimal("999999999999999.99"), Decimal("0.01")]})
    assert column.units(frame) == [99_999_999_999_999_999, 1]


@pytest.mark.parametrize("value", [2**53 + 1, Decimal(2**53 + 1)])
def test_a_whole_number_just_beyond_the_bounds_is_seen(value):
    with pytest.raises(TacitError, match="beyond the agreed bounds in row 1"):
        parse_column("x", {"low": 0, "high": 2**53}).units(pl.DataFrame({"x": [value]}))


def test_a_sum_of_whole_numbers_is_exact():
    statistic = statistic_of({"compute": "sum", "rows": 2, "columns": {"x": {"low": 0, "high": 2**60}}})
    assert statistic.figures(statistic.numbers(pl.DataFrame({"x": [2**53 + 1, 2]})))["sum"] == {"x": 2**53 + 3}


NAMES = st.lists(st.text("ab, '·\\", min_size=1, max_size=4), min_size=1, max_size=4, unique=True)


@given(NAMES, st.sampled_from([", ", " · "]))
def test_no_two_results_have_one_name(names, between):
    groups = [(a,) if a == b else (a, b) for a, b in column_pairs(names)]
    assert len(set(column_labels(groups, between))) == len(groups)


def test_a_column_with_a_comma_in_its_name_takes_no_pairs_place():
    """Columns a, b and "a, b": the pair (a, b) is what it is without the third."""
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [3, 1, 2], "a, b": [0, 9, 9]})
    columns = {name: {"low": 0, "high": 9} for name in frame.columns}
    statistic = statistic_of({"compute": "covariance", "rows": 3, "columns": columns})
    found = statistic.figures(statistic.numbers(frame))
    assert found["variance"] == {"a": 1, "b": 1, "a, b": 27}
    assert found["covariance"] == {"a, b": -0.5, "a, a, b": 4.5, "b, a, b": -4.5}
    moments = Moments(
        columns=statistic.columns,
        rows=3,
        totals={name: sum(frame[name]) for name in columns},
        products={(a, b): (frame[a] * frame[b]).sum() for a, b in column_pairs(list(columns))},
    )
    assert moments.covariances()["'a', 'b'"] == -0.5 and moments.covariances()["'a, b'"] == 27
    assert moments.correlations() == pytest.approx({"a, b": -0.5, "a, a, b": 0.8660254, "b, a, b": -0.8660254})
