"""Which parameters a family of distances allows: monotone and submodular measures, definite and nonnegative forms. catalogue: M-01."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.learning.families import family_of
from tacit.attack.learning.families.choquet import (
    Monotone,
    column_subsets,
    expand_to_all_sets,
    measure_of,
    moebius_of,
    submodular_constraints,
)
from tacit.attack.learning.families.mahalanobis import beyond_definite, definite_span, matrix_of, parameters_of
from tacit.attack.learning.pairs import Pairs, column_differences
from tacit.kernels.nearest import CODE, NUMBER, Costs

seeds = st.integers(0, 2**32)
widths = st.integers(1, 5)


def submodular(rng, columns) -> np.ndarray:
    """A monotone and submodular one: what a set of columns covers of some weighted points, and a concave function of size."""
    covers, weight = rng.random((columns, 7)) < 0.4, rng.random(7)
    values = []
    for mask in range(2**columns):
        inside = [v for v in range(columns) if mask >> v & 1]
        values.append(weight[covers[inside].any(axis=0)].sum() + 0.3 * np.sqrt(len(inside)))
    return np.array(values)


# Monotone and submodular measures


def is_allowed(measure, columns) -> bool:
    """By all chains: monotone in every step, and every column adds less to a larger set."""
    sets = range(2**columns)
    for s in sets:
        for v in range(columns):
            if s >> v & 1:
                continue
            gain = measure[s | 1 << v] - measure[s]
            if gain < -1e-9:
                return False
            larger = (t for t in sets if s & ~t == 0 and not t >> v & 1)
            if any(measure[t | 1 << v] - measure[t] > gain + 1e-9 for t in larger):
                return False
    return True


@given(st.integers(1, 4), seeds, st.floats(0, 2))
def test_the_sides_are_those_of_monotone_and_submodular_measures(columns, seed, push):
    rng = np.random.default_rng(seed)
    measure = submodular(rng, columns)
    assert is_allowed(measure, columns)
    measure = measure + push * rng.normal(size=len(measure)) * (rng.random(len(measure)) < 0.3)
    measure[0] = 0.0
    sides = Monotone().cone(columns).sides
    assert bool((sides @ measure[1:] >= -1e-9).all()) == is_allowed(measure, columns)
    sets = column_subsets(columns, columns)
    moebius = moebius_of(measure[1:])[sets - 1]
    by_terms = Monotone(additive=columns).cone(columns).sides
    assert bool((by_terms @ moebius >= -1e-9).all()) == is_allowed(measure, columns)


@given(st.integers(1, 5), st.integers(1, 3), seeds)
def test_the_sides_of_few_terms_are_those_of_their_measure(columns, additive, seed):
    rng = np.random.default_rng(seed)
    sets = column_subsets(columns, min(additive, columns))
    sizes = np.bitwise_count(sets)
    moebius = np.where(sizes == 1, 1.0, rng.normal(scale=0.4, size=len(sets)) * (rng.random(len(sets)) < 0.5))
    measure = np.append(0.0, measure_of(expand_to_all_sets(moebius, sets, columns)))
    sides = Monotone(additive=additive).cone(columns).sides
    assert bool((sides @ moebius >= -1e-9).all()) == is_allowed(measure, columns)


@pytest.mark.parametrize("columns", [2, 3])
def test_no_side_can_be_left_out(columns):
    """For each side there is a measure that breaks it alone."""
    from scipy.optimize import linprog

    sides = Monotone().cone(columns).sides
    for k in range(len(sides)):
        rest = np.delete(sides, k, axis=0)
        found = linprog(sides[k], A_ub=-rest, b_ub=np.zeros(len(rest)), bounds=[(-1, 1)] * sides.shape[1])
        assert found.fun < -0.1


def test_sides_that_are_not_listed_say_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    for additive in (None, 3):
        listed = Monotone(additive=additive).cone(5)
        monkeypatch.setattr("tacit.attack.learning.families.choquet.LISTED", 0)
        asked = Monotone(additive=additive).cone(5)
        monkeypatch.undo()
        assert asked.sides is None and listed.beyond is None
        inside = listed.sides.sum(axis=0) * 0 + Monotone(additive=additive).of_weights(np.ones(5))
        assert len(asked.beyond(inside)) == 0
        for _ in range(30):
            p = inside + 0.2 * rng.normal(size=len(inside))
            rows, worst = asked.beyond(p), (listed.sides @ p).min()
            assert (len(rows) == 0) == (worst >= -1e-12)
            assert not len(rows) or ((rows @ p < 0).all() and (rows @ p).min() == pytest.approx(worst))
            d = rng.normal(size=len(inside))
            start = inside + (0.01 * _concave(5, additive))
            low, high = asked.span(start, d)
            here, along = listed.sides @ start, listed.sides @ d
            assert high == pytest.approx((-here[along < 0] / along[along < 0]).min())
            assert low == pytest.approx((-here[along > 0] / along[along > 0]).max())


def _concave(columns, additive):
    """A measure in the middle of the cone: concave in the size of a set (of Möbius terms of three columns, −|S|²)."""
    size = np.bitwise_count(column_subsets(columns)).astype(float)
    measure = 2 * columns * size - size**2
    return measure if additive is None else moebius_of(measure)[column_subsets(columns, additive) - 1]


def test_a_full_measure_of_twelve_columns_is_asked_in_a_moment():
    assert len(submodular_constraints(12, None).sets) == 66 * 1024 + 12
    cone = Monotone().cone(12)
    weights = Monotone().of_weights(np.arange(1.0, 13.0))
    assert len(cone.beyond(weights)) == 0
    assert len(cone.beyond(-weights)) == 12  # it adds up, so that it is submodular; it falls as sets grow
    assert cone.span(weights, -weights) == (-np.inf, pytest.approx(1.0))


# Matrices


@given(widths, seeds, st.integers(0, 5))
def test_rows_beyond_a_definite_form_are_its_negative_directions(columns, seed, rank):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(columns, min(rank, columns)))
    inside, anyone = root @ root.T, rng.normal(size=(columns, columns))
    assert len(beyond_definite(parameters_of(inside))) == 0
    matrix = anyone + anyone.T
    rows = beyond_definite(parameters_of(matrix))
    assert len(rows) == (np.linalg.eigvalsh(matrix) < 0).sum()
    assert (rows @ parameters_of(matrix) < 0).all()
    assert (rows @ parameters_of(inside) >= -1e-9).all()  # no allowed form is cut off
    np.testing.assert_allclose(matrix_of(parameters_of(matrix)), matrix)


@given(widths, seeds, st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_the_span_of_definite_forms_ends_where_an_eigenvalue_vanishes(columns, seed, rank, lift, spread):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(columns, min(rank, columns)))
    inside = root @ root.T
    along = rng.normal(size=(columns, columns))
    along = along + along.T
    if spread:  # a direction that grows out of the null space, or stays within the range
        up = rng.normal(size=(columns, min(lift, columns)))
        along = up @ up.T + root @ rng.normal(size=(root.shape[1],) * 2) @ root.T
        along = along + along.T
    low, high = definite_span(parameters_of(inside), parameters_of(along))
    assert low <= 0 <= high

    def least(t):
        return np.linalg.eigvalsh(inside + t * along).min()

    scale = max(1.0, np.abs(inside).max(), np.abs(along).max())
    for end, sign in ((low, -1.0), (high, 1.0)):
        if np.isfinite(end):
            assert least(end) >= -1e-7 * scale * max(1.0, abs(end))
            assert least(end + sign * 0.05 * max(1.0, abs(end))) < -1e-9
        else:
            assert least(sign * 1e3) >= -1e-6 * scale


def test_worked_spans_of_definite_forms():
    def span(matrix, along):
        return definite_span(parameters_of(np.array(matrix, float)), parameters_of(np.array(along, float)))

    # diag(1, 4) + t·[[0, 1], [1, 0]] ⪰ 0 iff t² ≤ 4
    assert span([[1, 0], [0, 4]], [[0, 1], [1, 0]]) == pytest.approx((-2.0, 2.0))
    # diag(1, 0): off the diagonal nothing may move; on it upwards only
    assert span([[1, 0], [0, 0]], [[0, 1], [1, 0]]) == (0.0, 0.0)
    assert span([[1, 0], [0, 0]], [[0, 0], [0, 1]]) == (0.0, np.inf)
    # [[1, t], [t, t]] ⪰ 0 iff t ≥ t²
    assert span([[1, 0], [0, 0]], [[0, 1], [1, 1]]) == pytest.approx((0.0, 1.0))
    assert span([[0, 0], [0, 0]], [[1, 0], [0, 1]]) == (0.0, np.inf)


def some_pairs(rng, n=12, columns=3) -> Pairs:
    kind = np.array([NUMBER, NUMBER, CODE])[:columns]
    places = np.round(rng.normal(size=(n, columns)), 1)
    places[:, 2:] = rng.integers(0, 3, (n, max(columns - 2, 0)))
    seekers = places + np.where(kind == NUMBER, np.round(0.3 * rng.normal(size=places.shape), 1), 0.0)
    ones = np.ones(columns)
    return Pairs(seekers, places, np.arange(n), Costs(kind, 0.5 * ones, ones, ones))


@given(seeds)
def test_a_nonnegative_form_is_bound_by_every_pair(seed):
    rng = np.random.default_rng(seed)
    pairs, family = some_pairs(rng), family_of("nonnegative")
    n = len(pairs.seekers)
    who, where = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    terms = family.terms(column_differences(pairs, who, where, signed=True))
    cone = family.cone(3, pairs)
    p = rng.normal(size=6)
    rows = cone.beyond(p)
    assert (len(rows) == 0) == ((terms @ p).min() >= -1e-12)
    assert (rows @ p < 0).all()
    inside = family.of_weights(np.ones(3))
    assert len(cone.beyond(inside)) == 0 and (rows @ inside >= 0).all()
