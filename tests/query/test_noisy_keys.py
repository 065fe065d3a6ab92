"""Which groups are shown: all declared ones, and of others only those that one unit alone cannot make."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.chances import ERROR, likely

from tacit.dp.mechanisms.noise_distribution import NoiseDistribution
from tacit.dp.opendp import domains, measurements, metrics
from tacit.query.bins import group_of
from tacit.query.column import NULL, Column
from tacit.query.condition import Condition
from tacit.query.modes.dp import DpMode, group_threshold
from tacit.query.noisy.keys import declared_groups
from tacit.query.question import Aggregate, Key
from tacit.query.refusal import Refusal
from tacit.query.value_set import Codes

from .noisy_case import AGE, GROUP, SEX, TOWN, X, ask, promise
from .row_source import RowSource, schema_of

# catalogue: H-03, H-07; attack 14 of the query service

SMALL = Column(name="a", kind="integer", low=2, high=12)
PAIR = schema_of(SMALL, SEX)
CODES = (NULL, *range(2, 13))


def _joined(parts):
    one, other, both = parts
    return one & other if both else one | other


intervals = st.lists(st.tuples(st.integers(2, 12), st.integers(2, 12)), max_size=3).map(Codes.of)
ages = st.tuples(intervals, st.booleans()).map(lambda pair: pair[0] | Codes.of([(NULL, NULL)] if pair[1] else []))
sexes = st.sets(st.sampled_from([NULL, 0, 1])).map(lambda found: Codes.of((code, code) for code in found))
leaves = st.one_of(ages.map(lambda one: Condition.of(SMALL, one)), sexes.map(lambda one: Condition.of(SEX, one)))
conditions = st.recursive(leaves, lambda inner: st.tuples(inner, inner, st.booleans()).map(_joined), max_leaves=5)


@given(conditions, st.integers(0, 4))
def test_groups_are_those_that_some_row_could_be_in(where, width):
    by = (Key("a", width), Key("sex"))
    shown = declared_groups(ask(Aggregate("count"), where=where, by=by), PAIR)
    rows = list(product(CODES, (NULL, 0, 1)))
    met = where.holds({"a": np.array([r[0] for r in rows]), "sex": np.array([r[1] for r in rows])})
    possible = {_group(row, by) for row, holds in zip(rows, met, strict=True) if holds}
    assert possible <= set(shown)
    for place in range(2):  # of each key alone, nothing that no row could have
        assert {group[place] for group in shown} == {group[place] for group in possible}
    assert len(set(shown)) == len(shown)


def _group(row, by):
    codes = zip(row, by, (SMALL, SEX), strict=True)
    return tuple(None if code == NULL else group_of(code, key, column) for code, key, column in codes)


def test_declared_groups_are_all_there_whatever_the_data_hold():
    schema = schema_of(SEX, AGE)
    question = ask(Aggregate("count"), by=(Key("sex"), Key("age", 50)))
    everything = set(product(("f", "m", None), (0, 50, 100, None)))
    for table in ({"sex": [], "age": []}, {"sex": [0, 1, None], "age": [3, None, 70]}):
        mode = DpMode(schema, RowSource(schema, table), unit="epsilon", neighbours="add_remove")
        answer = mode.answer(mode.quote(question, Fraction(1)))
        assert {(dict_[1], dict_[0]) for dict_ in answer.keys} == everything


def test_too_many_groups_are_refused_before_the_data_are_touched():
    schema = schema_of(GROUP, AGE, X)
    source = RowSource(schema, {"group": [1], "age": [1], "x": [0]})
    mode = DpMode(schema, source, unit="epsilon", neighbours="add_remove")
    with pytest.raises(Refusal, match="1120000 groups") as caught:
        mode.quote(ask(Aggregate("count"), by=(Key("group"), Key("age"))), Fraction(1))
    assert caught.value.code == "too_complex"
    with pytest.raises(Refusal) as caught:
        mode.quote(ask(Aggregate("quantile", "age", Fraction(1, 2)), by=(Key("group"),)), Fraction(1))
    assert caught.value.code == "too_complex"
    assert source.touched == 0


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("scale", [0.5, 2.0, 17.3])
def test_the_threshold_meets_delta_by_the_library_s_own_account(rows, scale):
    """OpenDP's propose-test-release on counts of units: l0 = rows, each changed by one."""
    delta = Fraction(1, 10**6)
    found = group_threshold(NoiseDistribution("epsilon", scale), delta, promise(rows=rows))
    assert _laplace_delta(scale, found, rows) <= delta < _laplace_delta(scale, found - 1, rows) * 1.001


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("scale", [0.5, 2.0, 17.3])
def test_the_threshold_of_gaussian_noise_is_the_least_by_its_weights_and_near_the_library_s(rows, scale):
    """OpenDP's account takes the normal law's tail beyond τ − 1: never less than the chance, so its τ is at most one more."""
    delta = Fraction(1, 10**6)
    found = group_threshold(NoiseDistribution("rho", scale), delta, promise("rho", rows=rows))
    places = range(-math.ceil(40 * scale) - 10, math.ceil(40 * scale) + 10)
    weight = {z: math.exp(-0.5 * (z / scale) ** 2) for z in places}

    def shown(least: int) -> float:
        return rows * math.fsum(w for z, w in weight.items() if z >= least) / math.fsum(weight.values())

    assert shown(found) <= delta < shown(found - 1)
    assert shown(found) <= _gaussian_delta(scale, found, rows)
    assert _gaussian_delta(scale, found + 1, rows) <= delta


def test_a_unit_that_takes_another_s_place_counts_twice():
    law, delta = NoiseDistribution("epsilon", 5.0), Fraction(1, 1000)
    assert group_threshold(law, delta, promise(neighbours="replace", rows=2)) == group_threshold(
        law, delta, promise(rows=4)
    )


COUNTS = domains.map_domain(domains.atom_domain(T="String"), domains.atom_domain(T="i64"))


def _laplace_delta(scale, found, rows):
    metric = metrics.l01inf_distance(metrics.absolute_distance(T="i64"))
    return measurements.make_laplace_threshold(COUNTS, metric, scale=scale, threshold=found).map((rows, rows, 1))[1]


def _gaussian_delta(scale, found, rows):
    metric = metrics.l02inf_distance(metrics.absolute_distance(T="f64"))
    made = measurements.make_gaussian_threshold(COUNTS, metric, scale=scale, threshold=found)
    return made.map((rows, float(rows) ** 0.5, 1.0))[1]


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_a_rare_key_shows_up_with_at_most_the_chance_that_was_paid_for(unit):
    """5 000 people each alone in their town: 5 000 draws of the chance. Wrongly failing with a chance of 10⁻¹²."""
    schema = schema_of(TOWN)
    towns = [f"town {place}" for place in range(5_000)] + ["city"] * 1_000
    source = RowSource(schema, {"town": towns})
    mode = DpMode(schema, source, unit=unit, neighbours="add_remove", threshold_delta="0.05")
    quote = mode.quote(ask(Aggregate("count"), by=(Key("town"),)), Fraction(1, 2))
    assert quote.cost.delta == Fraction(1, 20)
    answer = mode.answer(quote)
    assert ("city",) in answer.keys
    threshold_ = quote.plan["design"].threshold
    places = np.arange(-200, 201)
    weights = np.exp(-np.abs(places) / 2) if unit == "epsilon" else np.exp(-0.5 * places**2)  # scales 1/ε and 1/√(2ρ)
    chance = weights[places + 1 > threshold_].sum() / weights.sum()
    assert chance <= 0.05
    assert likely(len(answer.keys) - 1, 5_000, chance)
    assert all(figure > threshold_ for (figure,) in answer.figures)


def test_a_person_alone_in_several_towns_is_as_well_hidden():
    """Of 2 000 people with three towns of their own each, at most δ show one or more."""
    schema = schema_of(TOWN, unit="who", rows=3)
    towns = [f"{person}-{place}" for person in range(2_000) for place in range(5)]
    source = RowSource(schema, {"town": towns}, [town.split("-")[0] for town in towns])
    mode = DpMode(schema, source, unit="epsilon", neighbours="add_remove", threshold_delta="0.05")
    answer = mode.answer(mode.quote(ask(Aggregate("count"), by=(Key("town"),)), Fraction(1)))
    seen = {key[0].split("-")[0] for key in answer.keys}
    assert len(seen) <= binom.isf(ERROR, 2_000, 0.05)


def test_a_key_without_a_list_needs_a_delta():
    schema = schema_of(TOWN)
    mode = DpMode(schema, RowSource(schema, {"town": ["a"]}), unit="epsilon", neighbours="add_remove")
    with pytest.raises(Refusal, match="threshold_delta") as caught:
        mode.quote(ask(Aggregate("count"), by=(Key("town"),)), Fraction(1))
    assert caught.value.code == "undeclared_bounds"
