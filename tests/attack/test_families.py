"""Families of distances: definitions, which contains which, how they are read, and what is refused. catalogue: M-01."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.learning.families import FAMILIES, FamilyName, embed_parameters, family_of
from tacit.attack.learning.families.choquet import (
    Choquet,
    column_subsets,
    interaction_indices,
    measure_of,
    moebius_of,
    shapley_values,
)
from tacit.attack.learning.families.mahalanobis import matrix_of, parameters_of
from tacit.attack.learning.pairs import Pairs
from tacit.errors import TacitError
from tacit.kernels.nearest import Costs

seeds = st.integers(0, 2**32)
widths = st.integers(1, 5)
KINDS = [(name, None) for name in FAMILIES] + [("choquet", 1), ("choquet", 2), ("monotone", 2), ("monotone", 3)]


def choquet(x, measure) -> float:
    """The integral as it is defined: a sum over levels of what the set above the level weighs."""
    levels = sorted({0.0, *x.tolist()})
    above = [sum(1 << v for v in range(len(x)) if x[v] > level) for level in levels[:-1]]
    steps = np.diff(levels)
    return float(sum(step * measure[mask] for step, mask in zip(steps, above, strict=True)))


def set_function(rng, columns) -> np.ndarray:
    """Any one, with 0 for the empty set, by bits from 0 on."""
    return np.append(0.0, rng.normal(size=2**columns - 1))


# Definitions


def test_a_worked_choquet_integral():
    # μ(a)=1 μ(b)=2 μ(ab)=2.5 μ(c)=4 μ(ac)=4 μ(bc)=5 μ(abc)=6; x = (3, 1, 7)
    # 1·μ(abc) + (3−1)·μ(ac) + (7−3)·μ(c) = 6 + 8 + 16 = 30
    measure, x = np.array([1, 2, 2.5, 4, 4, 5, 6]), np.array([3.0, 1.0, 7.0])
    assert Choquet().terms(x) @ measure == 30.0
    # Möbius: m(a)=1 m(b)=2 m(ab)=−.5 m(c)=4 m(ac)=−1 m(bc)=−1 m(abc)=1.5
    assert moebius_of(measure).tolist() == [1, 2, -0.5, 4, -1, -1, 1.5]
    # sets by size: a b c ab ac bc abc; minima 3 1 7 1 3 1 1
    terms = Choquet(additive=3).terms(x)
    assert terms.tolist() == [3, 1, 7, 1, 3, 1, 1]
    assert terms @ np.array([1, 2, 4, -0.5, -1, -1, 1.5]) == 30.0


def test_worked_terms_of_the_other_families():
    x = np.array([[3.0, -1.0, 2.0]])
    assert family_of("ordered").terms(x**2).tolist() == [[1.0, 4.0, 9.0]]
    assert family_of("bilinear").terms(x).tolist() == [[9.0, -3.0, 6.0, 1.0, -2.0, 4.0]]
    # W = [[2, 1], [1, 3]]: 2·9 + 2·1·3·(−1) + 3·1 = 15
    assert family_of("bilinear").terms(x[:, :2]) @ parameters_of(np.array([[2.0, 1.0], [1.0, 3.0]])) == [15.0]


@given(widths, seeds)
def test_choquet_terms_give_the_integral_of_the_definition(columns, seed):
    rng = np.random.default_rng(seed)
    measure, x = set_function(rng, columns), rng.integers(0, 4, (6, columns)).astype(float)
    expected = [choquet(one, measure) for one in x]
    np.testing.assert_allclose(Choquet().terms(x) @ measure[1:], expected, atol=1e-12)
    moebius = moebius_of(measure[1:])[column_subsets(columns, columns) - 1]
    np.testing.assert_allclose(Choquet(additive=columns).terms(x) @ moebius, expected, atol=1e-12)


@given(widths, seeds)
def test_special_measures_give_the_smallest_the_largest_and_the_sum(columns, seed):
    x = np.random.default_rng(seed).random((5, columns))
    terms, sets = Choquet().terms(x), column_subsets(columns)
    np.testing.assert_allclose(terms @ (sets == sets[-1]), x.min(axis=1))
    np.testing.assert_allclose(terms @ np.ones(len(sets)), x.max(axis=1))
    np.testing.assert_allclose(terms @ Choquet().of_weights(np.ones(columns)), x.sum(axis=1))


@given(widths, seeds)
def test_moebius_and_measure_undo_each_other_and_match_their_sums(columns, seed):
    measure = set_function(np.random.default_rng(seed), columns)
    moebius = np.append(0.0, moebius_of(measure[1:]))
    np.testing.assert_allclose(measure_of(moebius[1:]), measure[1:], atol=1e-12)
    for t in range(1, 2**columns):
        inside = [s for s in range(2**columns) if s & ~t == 0]
        signs = [(-1) ** (int.bit_count(t) - int.bit_count(s)) for s in inside]
        assert moebius[t] == pytest.approx(np.dot(signs, measure[inside]), abs=1e-10)


# Reading


@given(st.integers(1, 4), seeds)
def test_shapley_values_are_what_a_column_adds_over_all_orders(columns, seed):
    measure = set_function(np.random.default_rng(seed), columns)
    added = np.zeros(columns)
    orders = list(permutations(range(columns)))
    for order in orders:
        before = 0
        for v in order:
            added[v] += measure[before | 1 << v] - measure[before]
            before |= 1 << v
    sets = column_subsets(columns)
    values = shapley_values(moebius_of(measure[1:]), sets, columns)
    np.testing.assert_allclose(values, added / len(orders), atol=1e-12)
    assert values.sum() == pytest.approx(measure[-1])


@given(st.integers(2, 4), seeds)
def test_interactions_are_what_two_columns_add_together_over_all_orders(columns, seed):
    """Over all orders in which the two, as one, join the others: μ(S+u+v) − μ(S+u) − μ(S+v) + μ(S) on average."""
    measure = set_function(np.random.default_rng(seed), columns)
    found = interaction_indices(moebius_of(measure[1:]), column_subsets(columns), columns)
    for u, v in combinations(range(columns), 2):
        rest = [w for w in range(columns) if w not in (u, v)]
        gains = []
        for order in permutations(["both", *rest]):
            s = sum(1 << w for w in order[: order.index("both")])
            gains.append(measure[s | 1 << u | 1 << v] - measure[s | 1 << u] - measure[s | 1 << v] + measure[s])
        assert found[u, v] == pytest.approx(np.mean(gains), abs=1e-12)
        assert found[v, u] == pytest.approx(found[u, v])


def test_a_worked_reading_of_a_measure():
    # μ(a)=.6 μ(b)=.4 μ(ab)=1 … with a third column that is a copy of a: m(ac) = −.6
    measure = np.array([0.6, 0.4, 1.0, 0.6, 0.6, 1.0, 1.0])
    told = Choquet().describe_parameters(measure, ("city", "age", "zip"))
    assert told["share"] == pytest.approx({"city": 0.3, "age": 0.4, "zip": 0.3})
    assert told["together"] == pytest.approx({"city × zip": -0.6})


def test_what_the_other_families_tell():
    assert family_of("signed").describe_parameters(np.array([-3.0, 1.0]), ("a", "b"))["counts against"] == ("a",)
    told = family_of("ordered").describe_parameters(np.array([2.0, 1.0, 1.0]), ("a", "b", "c"))
    assert told["weight from the smallest difference"] == {"1 of 3": 0.5, "2 of 3": 0.25, "3 of 3": 0.25}
    assert told["orness"] == 0.375 and told["counts"] == "the smallest differences"
    assert family_of("ordered").describe_parameters(np.ones(3), ("a", "b", "c"))["counts"] == "all differences"
    assert family_of("bilinear").describe_parameters(np.zeros(3), ("a", "b")) == {
        "share": {"a": 0.0, "b": 0.0},
        "together": {},
    }


@pytest.mark.parametrize(("name", "additive"), KINDS)
def test_shares_add_up_to_one_and_forget_the_scale(name, additive):
    family, columns = family_of(name, additive), ("a", "b", "c")
    parameters = family.of_weights(np.array([1.0, 2.0, 5.0]))
    told = family.describe_parameters(parameters, columns)
    part = told["weight from the smallest difference"] if name == "ordered" else told["share"]
    assert sum(part.values()) == pytest.approx(1.0)
    assert repr(family.describe_parameters(4.0 * parameters, columns)) == repr(told)
    if name not in ("ordered", "arithmetic"):
        assert part == pytest.approx({"a": 0.125, "b": 0.25, "c": 0.625})


# Which contains which


INCLUSIONS = [
    *(("arithmetic", large) for large in FAMILIES if large not in ("arithmetic", "mahalanobis")),
    *(("weighted", large) for large in ("signed", "bilinear", "nonnegative", "definite", "choquet", "monotone")),
    ("ordered", "choquet"),
    *(("mahalanobis", large) for large in ("bilinear", "nonnegative", "definite")),
    *(("definite", large) for large in ("nonnegative", "bilinear")),
    ("nonnegative", "bilinear"),
    ("monotone", "choquet"),
    ("signed", "choquet"),
]


WITH_TERMS = [("monotone", "choquet", 1, 2), ("monotone", "choquet", 2, None), ("monotone", "choquet", None, 2)]
WITH_TERMS += [(small, "choquet", None, 2) for small in ("weighted", "ordered")]
WITH_TERMS += [("weighted", "monotone", None, 2), ("choquet", "choquet", 1, 3), ("monotone", "monotone", 2, 3)]


@pytest.mark.parametrize("small, large, first, second", [*((*two, None, None) for two in INCLUSIONS), *WITH_TERMS])
@given(columns=widths, seed=seeds)
def test_what_contains_another_has_its_distances(small, large, first, second, columns, seed):
    rng = np.random.default_rng(seed)
    inner, outer = family_of(small, first), family_of(large, second)
    parameters = rng.random(inner.size(columns))
    if small in ("mahalanobis", "definite"):
        root = rng.normal(size=(columns, columns))
        parameters = parameters_of(root @ root.T)
    if small == "arithmetic":
        parameters[:] = parameters[0]
    found = embed_parameters(parameters, inner, outer, columns)
    if found is None:
        assert second == 2 and small in ("ordered", "monotone")  # terms of two columns do not have every measure
        return
    signed = rng.normal(size=(7, columns))
    far = [f.terms(signed if f.signed else signed**2) @ p for f, p in ((inner, parameters), (outer, found))]
    np.testing.assert_allclose(far[0], far[1], rtol=1e-9, atol=1e-12)
    allowed = outer.cone(columns)
    assert not allowed.nonnegative or (found >= 0).all()
    if small != "monotone":  # its random parameters are no monotone measure
        assert allowed.sides is None or (allowed.sides @ found >= -1e-12).all()
    assert large != "definite" or len(outer.cone(columns).beyond(found)) == 0


def test_what_is_not_contained_has_no_parameters():
    for small, large in [
        ("choquet", "weighted"),
        ("weighted", "ordered"),
        ("ordered", "monotone"),
        ("bilinear", "definite"),
    ]:
        inner = family_of(small)
        assert embed_parameters(np.ones(inner.size(3)), inner, family_of(large), 3) is None
    assert embed_parameters(np.ones(6), family_of("choquet", 2), family_of("choquet", 1), 3) is None


@pytest.mark.parametrize(("name", "additive"), KINDS)
@given(columns=widths, seed=seeds)
def test_weights_give_the_weighted_mean(name, additive, columns, seed):
    rng = np.random.default_rng(seed)
    family, weights, signed = family_of(name, additive), rng.random(columns), rng.normal(size=(5, columns))
    if name in ("arithmetic", "ordered"):
        weights[:] = weights.mean()
    found = family.terms(signed if family.signed else signed**2) @ family.of_weights(weights)
    np.testing.assert_allclose(found, signed**2 @ weights)


# Nothing to search


def test_mahalanobis_is_the_inverse_covariance_of_linked_differences():
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(500, 3)) @ np.array([[1.0, 0.8, 0], [0, 0.5, 0], [0, 0, 2.0]])
    places = rng.normal(size=(500, 3)) * 10
    own = rng.permutation(500)
    costs = Costs(np.zeros(3, int), np.array([1.0, 4.0, 0.25]), np.ones(3), np.ones(3))
    pairs = Pairs(places[own] + noise, places, own, costs)
    apart = noise[:400] * np.sqrt(costs.weight)
    found = family_of("mahalanobis").closed_form(pairs, np.arange(400))
    np.testing.assert_allclose(matrix_of(found), np.linalg.inv(np.cov(apart.T, bias=True)), rtol=1e-8)


def test_a_column_that_was_not_changed_counts_most_by_mahalanobis():
    rng = np.random.default_rng(6)
    places = rng.normal(size=(50, 2))
    seekers = places + np.column_stack([rng.normal(size=50), np.zeros(50)])
    pairs = Pairs(seekers, places, np.arange(50), Costs(np.zeros(2, int), np.ones(2), np.ones(2), np.ones(2)))
    family = family_of("mahalanobis")
    assert family.describe_parameters(family.closed_form(pairs, np.arange(50)), ("a", "b"))["share"][
        "b"
    ] == pytest.approx(1.0)
    for who in (np.arange(0), np.arange(1)):
        assert matrix_of(family.closed_form(pairs, who)).tolist() == np.eye(2).tolist()


def test_only_two_families_have_nothing_to_learn():
    ones, places = np.ones(3), np.random.default_rng(0).normal(size=(12, 3))
    pairs = Pairs(places + 0.1, places, np.arange(12), Costs(np.zeros(3, int), ones, ones, ones))
    fixed = {name for name in FAMILIES if family_of(name).closed_form(pairs, np.arange(3)) is not None}
    assert fixed == {"arithmetic", "mahalanobis"}
    assert family_of("arithmetic").closed_form(pairs, np.arange(0)).tolist() == [1.0, 1.0, 1.0]


# What is refused


def test_too_many_columns_are_refused_with_a_way_out():
    for name in ("choquet", "monotone"):
        with pytest.raises(TacitError, match=r"13 columns has 8,191 parameters[\s\S]*additive=2"):
            family_of(name).cone(13)
        assert family_of(name).too_large(12) is None and family_of(name).size(12) == 4095
        assert family_of(name, 2).cone(40).size == 820
    with pytest.raises(TacitError, match=r"additive=3 of 13 columns[\s\S]*additive=2"):
        family_of("monotone", 3).cone(13)
    with pytest.raises(TacitError, match=r"additive=2 of 100 columns has 5,050[\s\S]*additive=1"):
        family_of("choquet", 2).terms(np.zeros((1, 100)))
    assert all(family_of(name).too_large(100) is None for name in FAMILIES if name not in ("choquet", "monotone"))


@pytest.mark.parametrize("additive", [0, -1, 1.5, True, "2"])
def test_additive_is_a_whole_number_from_one_on(additive):
    with pytest.raises(TacitError, match="additive"):
        family_of("choquet", additive)


def test_unknown_families_and_senseless_options_are_refused():
    with pytest.raises(TacitError, match="did you mean 'weighted'"):
        family_of("weighed")
    with pytest.raises(TacitError, match="means nothing for family='weighted'"):
        family_of("weighted", 2)
    with pytest.raises(TacitError, match="use one of"):
        family_of(3)


def test_every_family_is_named_by_its_type():
    assert get_args(FamilyName) == tuple(FAMILIES)


def test_families_are_values():
    for name, additive in KINDS:
        assert family_of(name, additive) == family_of(name, additive)
        assert len({family_of(name, additive), family_of(name, additive)}) == 1
        assert family_of(name, additive).name == name
    assert family_of("choquet") != family_of("choquet", 2) and family_of("choquet") != family_of("monotone")
