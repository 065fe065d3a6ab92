"""Who is found, without a doubt: the evaluator against pair-by-pair fractions, and against the tolerance. catalogue: M-01."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.learning import certificate
from tacit.attack.learning.all_pairs import nearest_outcome
from tacit.attack.learning.certificate import certified_links
from tacit.attack.learning.families import FAMILIES, family_of
from tacit.attack.learning.pairs import Pairs
from tacit.attack.learning.rows import TIE, Rows, found_by
from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs

from .learned_oracle import BILINEAR, CHOQUET, found_exactly, numbers, rows, sets, terms


def weighted(pairs: Pairs, *parameters: float) -> list[bool]:
    return certified_links(pairs, family_of("weighted"), np.array(parameters, dtype=float)).tolist()


def drawn(seed: int, *, scale: float = 1.0, weight: float = 1.0) -> Pairs:
    """Numbers, codes, floors and gaps on a coarse grid, so that ties and twins abound."""
    rng = np.random.default_rng(seed)
    columns, seekers, places = (int(rng.integers(*ends)) for ends in ((1, 5), (1, 7), (1, 9)))
    sides = [scale * rng.integers(-2, 3, (many, columns)).astype(float) for many in (seekers, places)]
    for side in sides:
        side[rng.random(side.shape) < 0.1] = np.nan
    kind = rng.choice([NUMBER, NUMBER, CODE, FLOOR], columns)
    weights = weight * rng.choice([1.0, 2.0, 1 / 3, 0.1], columns)
    return Pairs(*sides, rng.integers(-1, places, seekers), Costs(kind, weights, 0.7 * weights, 0.3 * weights))


def as_rows(pairs: Pairs, name: str) -> Rows:
    values = np.array(rows(pairs, name, signed=name in BILINEAR), dtype=float)
    many, rivals, size = values.shape
    return Rows(values.reshape(-1, size), np.arange(many + 1) * rivals)


# Against fractions, pair by pair


@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(FAMILIES)), additive=st.sampled_from([None, 1, 2]))
def test_all_families_agree_with_fractions(seed, name, additive):
    pairs, rng = drawn(seed), np.random.default_rng(seed)
    additive = min(additive or 9, pairs.columns) if name in CHOQUET else None
    size = len(terms(name, [Fraction(1)] * pairs.columns, additive))
    for parameters in (np.ones(size), rng.integers(-2, 4, size).astype(float), rng.normal(size=size), np.zeros(size)):
        known = found_exactly(rows(pairs, name, signed=name in BILINEAR, additive=additive), parameters)
        known = [one and own >= 0 for one, own in zip(known, pairs.own, strict=True)]
        assert certified_links(pairs, family_of(name, additive), parameters).tolist() == known


@given(
    seed=st.integers(0, 10**6),
    scale=st.sampled_from([1e-170, 1e-162, 1e-160, 1e100, 1e150, 1e160]),
    weight=st.sampled_from([1e-300, 1.0, 1e20]),
)
def test_squares_beyond_the_range_of_floats_are_decided_too(seed, scale, weight):
    pairs = drawn(seed, scale=scale, weight=weight)
    for name in ("weighted", "bilinear", "choquet"):
        parameters = np.ones(len(terms(name, [Fraction(1)] * pairs.columns)))
        known = found_exactly(rows(pairs, name, signed=name in BILINEAR), parameters)
        known = [one and own >= 0 for one, own in zip(known, pairs.own, strict=True)]
        assert certified_links(pairs, family_of(name), parameters).tolist() == known


@given(seed=st.integers(0, 10**6), name=st.sampled_from(["weighted", "ordered", "bilinear", "choquet"]))
def test_distances_a_rounding_apart_are_told_apart(seed, name):
    """The last parameter balances a rival and one's own up to its own rounding: floats cannot say who is nearer."""
    rng = np.random.default_rng(seed)
    pairs = numbers(rng.normal(size=(1, 3)), rng.normal(size=(4, 3)), weight=rng.random(3))
    exact = rows(pairs, name, signed=name in BILINEAR)
    parameters = rng.normal(size=len(exact[0][0]))
    rival = exact[0][int(rng.integers(3))]
    known = sum((Fraction(p) * v for p, v in zip(parameters[:-1], rival, strict=False)), start=Fraction(0))
    if rival[-1]:
        parameters[-1] = float(-known / rival[-1])
    for p in (parameters, -parameters):
        assert certified_links(pairs, family_of(name), p).tolist() == found_exactly(exact, p)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.integers(0, 10**6))
def test_steps_by_a_measure_are_minima_by_its_moebius_transform(values, seed):
    apart, many = [Fraction(value) for value in values], len(values)
    inside = sorted(sets(many), key=len)
    share = dict(zip(inside, np.random.default_rng(seed).integers(-3, 4, len(inside)).tolist(), strict=True))
    measure = [sum(share[small] for small in inside if set(small) <= set(one)) for one in sets(many)]
    by_steps = sum(m * t for m, t in zip(measure, terms("choquet", apart), strict=True))
    assert by_steps == sum(m * t for m, t in zip(share.values(), terms("choquet", apart, many), strict=True))


@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(FAMILIES)), additive=st.integers(1, 4))
def test_parameters_mean_the_same_to_the_search(seed, name, additive):
    """Terms of the package, rounded, against those of the definition: the same number at the same parameter."""
    rng = np.random.default_rng(seed)
    apart = rng.integers(0 if name not in BILINEAR else -9, 9, 4).astype(float)
    for most in (None, additive) if name in CHOQUET else (None,):
        known = terms(name, [Fraction(value) for value in apart], most)
        assert family_of(name, most).terms(apart).tolist() == [float(value) for value in known]


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    pairs = numbers(rng.integers(0, 9, (30, 3)), rng.integers(0, 9, (30, 3)))
    whole = certified_links(pairs, family_of("bilinear"), np.arange(6.0))
    monkeypatch.setattr(certificate, "BLOCK", 1)
    assert np.array_equal(certified_links(pairs, family_of("bilinear"), np.arange(6.0)), whole)


def test_fractions_are_for_the_doubtful_alone(monkeypatch):
    rng = np.random.default_rng(0)
    pairs = numbers(rng.normal(size=(100, 4)), rng.normal(size=(100, 4)))
    monkeypatch.setattr(certificate, "to_fractions", None)
    for name in ("weighted", "ordered", "bilinear", "choquet"):
        size = len(terms(name, [Fraction(1)] * 4))
        assert certified_links(pairs, family_of(name), rng.random(size)).sum() < 100


# Ties


def test_a_tie_finds_nobody():
    assert weighted(numbers([[0]], [[1], [-1]]), 1) == [False]
    assert weighted(numbers([[0]], [[1], [1]]), 1) == [False]  # twins
    assert weighted(numbers([[0]], [[1], [2]]), 0) == [False]  # a distance that is nothing
    assert weighted(numbers([[0, 0]], [[3, 4], [4, 3]]), 1, 1) == [False]
    assert weighted(numbers([[0, 0]], [[3, 4], [4, 3]]), 1, 0.5) == [True]


def test_alone_one_is_found_and_without_a_place_never():
    assert weighted(numbers([[0]], [[1]]), 1) == [True]
    assert weighted(numbers([[0], [1]], [[0], [1]], own=[-1, 1]), 1) == [False, True]


def test_all_on_one_spot_find_nobody():
    pairs = numbers(np.zeros((20, 2)), np.zeros((20, 2)))
    for name, size in (("weighted", 2), ("bilinear", 3), ("choquet", 3), ("ordered", 2)):
        assert not certified_links(pairs, family_of(name), np.ones(size)).any()


def test_the_claim_is_about_the_floats_given():
    """0.1 and 0.2 as floats are more than 0.3 as a float: by the numbers given it is no tie, by the tolerance it is."""
    pairs = numbers([[0, 0, 0]], [[0, 0, 1], [1, 1, 0]])
    assert Fraction(0.1) + Fraction(0.2) > Fraction(0.3)
    parameters = np.array([0.1, 0.2, 0.3])
    assert weighted(pairs, *parameters) == [True]
    assert found_by(as_rows(pairs, "weighted"), parameters).tolist() == [False]


@pytest.mark.parametrize("swapped", [False, True])
def test_what_a_sum_of_floats_drops_decides(swapped):
    """10¹⁴ + 2⁻⁸⁰ is no float, but nearer is who is nearer."""
    near, far = [10.0**7, 0.0], [10.0**7, 2.0**-40]
    pairs = numbers([[0, 0]], [far, near] if swapped else [near, far])
    assert weighted(pairs, 1, 1) == [not swapped]


def test_squares_too_small_for_floats_keep_their_weight():
    """(1.5·10⁻¹⁶²)² is zero as a float, (1.6·10⁻¹⁶²)² is twice too large; weights of 10²⁰ bring both back into sight."""
    near, far = [1.6e-162, 0.0], [1.5e-162, 1.5e-162]
    assert weighted(numbers([[0, 0]], [near, far], weight=[1e20, 1e20]), 1, 1) == [True]
    assert weighted(numbers([[0, 0]], [far, near], weight=[1e20, 1e20]), 1, 1) == [False]


# Where the tolerance and the exact rule can differ: when a margin that is not zero is at most TIE times what it is summed
# from. Whole numbers have margins of at least one, so they agree while TIE times that sum is below one.


@given(
    seed=st.integers(0, 10**6),
    top=st.sampled_from([1, 3, 1000, 10**5]),
    name=st.sampled_from(sorted(FAMILIES)),
)
def test_on_grids_of_whole_numbers_the_tolerance_is_exact(seed, top, name):
    rng = np.random.default_rng(seed)
    seekers, places = (rng.integers(0, top + 1, (6, 3)) for _ in range(2))
    places[3:5] = seekers[3:5]  # some on their own place, and twins
    pairs = numbers(seekers, places)
    grid = as_rows(pairs, name)
    parameters = rng.integers(-2, 4, grid.size).astype(float)
    assert TIE * (np.abs(grid.values) @ np.abs(parameters)).max() < 1
    found = certified_links(pairs, family_of(name), parameters)
    assert np.array_equal(found, found_by(grid, parameters))
    assert np.array_equal(found, nearest_outcome(pairs, family_of(name), parameters).found)


@given(seed=st.integers(0, 10**6))
def test_up_to_a_million_they_differ_on_margins_within_the_tolerance_alone(seed):
    rng = np.random.default_rng(seed)
    pairs = numbers(rng.integers(0, 10**6, (6, 3)), rng.integers(0, 10**6, (6, 3)))
    grid = as_rows(pairs, "weighted")
    summed = np.abs(grid.values).sum(axis=1)
    close = np.abs(grid.values.sum(axis=1)) <= 2 * TIE * summed
    same = certified_links(pairs, family_of("weighted"), np.ones(3)) == found_by(grid, np.ones(3))
    assert same[~close.reshape(6, -1).any(axis=1)].all()


def test_a_million_is_where_they_first_differ_in_two_columns():
    """10¹² + 1 against 10¹²: nearer by one, which is the tolerance of two distances of that size."""
    pairs = numbers([[0, 0]], [[0, 10**6], [10**6, 1]])
    assert weighted(pairs, 1, 1) == [True]
    assert found_by(as_rows(pairs, "weighted"), np.ones(2)).tolist() == [False]
