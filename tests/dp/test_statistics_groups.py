"""Histograms, thresholds, group-by, top-k: which keys appear, with which chance, at which price. Catalogue: H-03, H-04."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chances import likely

from tacit import TacitError
from tacit.dp import Bounds, Cost, Count, GroupBy, Histogram, Mean, Sum, TopK
from tacit.dp.mechanisms.discrete_laplace import tail_probability
from tacit.dp.statistics.histogram import threshold_for

SURE = 10**6


def test_public_keys_are_all_answered_and_unknown_ones_are_left_out():
    histogram = Histogram(keys=["a", "b", "c"], epsilon=SURE, neighbours="replace")
    found = histogram.release(["a", "a", "zzz", None, float("nan"), ["a"], "b"])
    assert dict(found.value) == {"a": 2, "b": 1, "c": 0}
    assert dict(histogram.release([]).value) == {"a": 0, "b": 0, "c": 0}
    assert histogram.noise.sensitivity == 2


def chance_of_one(threshold: int, scale: float) -> float:
    """The chance that a key with one record is shown."""
    return tail_probability(threshold - 1, scale)


@given(st.floats(0.05, 50), st.floats(1e-12, 0.4))
def test_the_threshold_is_the_smallest_at_which_a_single_person_is_shown_with_chance_delta(scale, delta):
    found = threshold_for(scale, delta)
    assert chance_of_one(found, scale) <= delta
    assert found == 2 or chance_of_one(found - 1, scale) > delta * (1 - 1e-9)


def test_the_chance_of_one_is_the_tail_of_the_noise():
    for scale, threshold in ((1.0, 3), (2.5, 7)):
        z = np.arange(-4000, 4001)
        law = math.tanh(1 / (2 * scale)) * np.exp(-np.abs(z) / scale)
        assert chance_of_one(threshold, scale) == pytest.approx(law[1 + z >= threshold].sum())


def test_a_rare_key_is_shown_with_its_chance_and_a_frequent_one_always():
    """10 000 keys of one person each; 10⁻¹² by the binomial law, and half of δ is rejected: the threshold is tight."""
    histogram = Histogram(epsilon=1, delta="0.1", neighbours="add_remove")
    assert histogram.threshold == 3
    shown = histogram.release([f"rare {place}" for place in range(10_000)] + ["often"] * 50).value
    assert "often" in shown  # e^-47
    assert likely(len(shown) - 1, 10_000, chance_of_one(3, 1.0))
    assert not likely(len(shown) - 1, 10_000, 0.05)


def thresholded_law(counts: list[int], scale: float, threshold: int, reach: int = 40) -> np.ndarray:
    """The joint law of what is shown of two keys: place 0 is "not shown", the others noisy counts from the threshold on."""
    parts = []
    for count in counts:
        noisy = np.arange(threshold, threshold + reach)
        law = math.tanh(1 / (2 * scale)) * np.exp(-np.abs(noisy - count) / scale) if count else np.zeros(reach)
        parts.append(np.append(1 - law.sum(), law))
    return np.outer(*parts)


@pytest.mark.parametrize(
    ("before", "after", "neighbours"),
    [
        ((1, 0), (0, 1), "replace"), ((1, 4), (0, 5), "replace"), ((4, 0), (3, 1), "replace"), ((2, 5), (1, 6), "replace"),
        ((1, 3), (0, 3), "add_remove"), ((3, 3), (2, 3), "add_remove"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("delta", [0.02, 0.2])
def test_the_argument_for_thresholds_holds_for_the_exact_law(before, after, neighbours, delta):
    histogram = Histogram(epsilon=1, delta=delta, neighbours=neighbours)
    laws = [thresholded_law(list(c), histogram.noise.scale, histogram.threshold) for c in (before, after)]
    for one, other in (laws, laws[::-1]):
        assert np.maximum(one - math.e * other, 0).sum() <= delta + 1e-12


def test_shown_keys_come_in_an_order_that_is_not_that_of_the_data():
    histogram = Histogram(epsilon=SURE, delta="1e-9", neighbours="add_remove")
    data = ["b", 3, "a", 1] * 10
    assert list(histogram.release(data).value) == list(histogram.release(data[::-1]).value) == [1, 3, "a", "b"]
    assert dict(histogram.release([]).value) == {}


@pytest.mark.parametrize(("one", "many"), [(-0.0, 0.0), (True, 1), (1, 1.0)])
def test_a_shown_key_is_not_written_as_the_first_record_has_it(one, many):
    """Equal values, of which one person's is written otherwise: it is a key of one record, and is not shown."""
    histogram = Histogram(epsilon=SURE, delta="1e-9", neighbours="add_remove")
    shown = histogram.release([one] + [many] * 50).value
    assert list(map(repr, shown)) == [repr(many)]
    assert list(histogram.release([one, many] * 50).value.values()) == [100]


def test_a_histogram_has_keys_or_a_delta():
    for parts in ({}, {"keys": ["a"], "delta": 0.1}, {"delta": 0}, {"delta": 1}, {"keys": []}, {"keys": ["a", "a"]}):
        with pytest.raises(TacitError, match="fix:"):
            Histogram(epsilon=1, neighbours="replace", **parts)


def test_groups_cost_what_one_costs_or_two_when_records_are_replaced():
    mean = Mean(bounds=Bounds(0, 10), epsilon="0.5", neighbours="add_remove")
    assert GroupBy(statistic=mean, keys="a b c".split(), neighbours="add_remove").cost == Cost.of("0.5")
    assert GroupBy(statistic=mean, keys="a b c".split(), neighbours="replace").cost == Cost.of(1)
    keys = Histogram(epsilon="0.2", delta="1e-6", neighbours="replace")
    found = GroupBy(statistic=mean, keys=keys, neighbours="replace")
    assert found.cost == Cost.of("1.2", "1e-6")
    assert {event.neighbours for event in found.events} == {"replace"}


def test_each_group_has_its_own_statistic():
    total = Sum(bounds=Bounds(0, 10), epsilon=SURE, neighbours="add_remove")
    found = GroupBy(statistic=total, keys=["a", "b", "c"], neighbours="add_remove").release(
        ["a", "b", "a", "x", None], [1, 2, 3, 9, 9]
    )
    assert {key: one.value for key, one in found.value.items()} == {"a": 4, "b": 2, "c": 0}
    keys = Histogram(epsilon=SURE, delta="1e-9", neighbours="add_remove")
    found = GroupBy(statistic=total, keys=keys, neighbours="add_remove").release(["a"] * 5 + ["b"], [1] * 6)
    assert {key: one.value for key, one in found.value.items()} == {"a": 5}
    assert "a" in dict(found.rows())


def test_groups_refuse_to_mix_neighbours():
    count = Count(epsilon=1, neighbours="add_remove")
    with pytest.raises(TacitError, match="cannot be added up"):
        GroupBy(statistic=count, keys=Histogram(epsilon=1, delta=0.1, neighbours="add_remove"), neighbours="replace")
    with pytest.raises(TacitError, match="private"):
        GroupBy(statistic=Count(epsilon=1, neighbours="replace"), keys=["a"], neighbours="replace")
    with pytest.raises(TacitError, match="same length"):
        GroupBy(statistic=count, keys=["a"], neighbours="replace").release(["a"], [1, 2])
    with pytest.raises(TacitError, match="one statistic"):
        GroupBy(statistic="count", keys=["a"], neighbours="replace")


def test_the_most_frequent_keys_are_found_and_cost_epsilon_in_all():
    top = TopK(keys=list("abcd"), k=2, epsilon=SURE, neighbours="add_remove")
    assert top.release(list("bbbaac")).value == ("b", "a")
    assert sum(event.cost.amount for event in top.events) == SURE
    assert top.choice.monotone
    assert not TopK(keys=list("ab"), k=1, epsilon=1, neighbours="replace").choice.monotone
    assert len(TopK(keys=list("abcd"), k=4, epsilon=1, neighbours="replace").release([]).value) == 4


@given(st.integers(-2, 9))
@settings(max_examples=12)
def test_k_is_a_number_of_keys(k):
    if 1 <= k <= 4:
        assert TopK(keys=list("abcd"), k=k, epsilon=1, neighbours="replace").k == k
    else:
        with pytest.raises(TacitError, match="k="):
            TopK(keys=list("abcd"), k=k, epsilon=1, neighbours="replace")
