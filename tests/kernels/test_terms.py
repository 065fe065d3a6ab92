"""Terms and distances made on the fly are those of the readable definitions. catalogue: M-01."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.learning.all_pairs import nearest_by, nearest_outcome, rows_between
from tacit.attack.learning.families import FAMILIES, Family, family_of
from tacit.attack.learning.pairs import Pairs, column_differences
from tacit.attack.learning.rows import TIE, Rows, found_by
from tacit.kernels.every_pair import BLOCK, PAIRS, fill_differences, fill_distances, lowest_ratios
from tacit.kernels.forms import form_of, sides_of
from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs, nearest_and_next
from tacit.kernels.terms import fill_terms, pair_difference

KINDS = [(name, None) for name in FAMILIES] + [("choquet", 1), ("choquet", 2), ("monotone", 3)]


@st.composite
def mixed(draw, most=12, widest=5):
    """Small files on a grid, with codes, floors and gaps, so that there are many ties."""
    columns = draw(st.integers(1, widest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    places, seekers = (rng.integers(-1, 4, (draw(st.integers(1, most)), columns)).astype(float) for _ in range(2))
    for side in (places, seekers):
        side[side < 0] = np.nan if draw(st.booleans()) else 5.0
    kind = rng.choice([NUMBER, CODE, FLOOR], columns)
    weight, missing = rng.choice([0.5, 1 / 3, 2.0], columns), rng.choice([0.7, 1.0], columns)
    both = missing if draw(st.booleans()) else np.zeros(columns)
    own = rng.integers(-1, len(places), len(seekers))
    return Pairs(seekers, places, own, Costs(kind, weight, missing, both)), rng


def drawn(family: Family, columns: int, rng) -> np.ndarray:
    """Parameters in small fractions, so that sums of terms tie now and then."""
    free = family.name in ("signed", "bilinear", "choquet", "nonnegative")
    return rng.integers(-2 if free else 0, 4, family.size(columns)) / 2.0


def every(pairs: Pairs, signed: bool) -> np.ndarray:
    n, m = len(pairs.seekers), len(pairs.places)
    flat = column_differences(pairs, np.repeat(np.arange(n), m), np.tile(np.arange(m), n), signed=signed)
    return flat.reshape(n, m, -1)


@given(mixed(), st.booleans())
def test_differences_of_the_kernel_are_those_of_the_definition(space, signed):
    pairs, _ = space
    sides = sides_of(pairs.seekers, pairs.places, pairs.costs, squared=not signed)
    out = np.empty((pairs.columns, len(pairs.places)))
    for i, expected in enumerate(every(pairs, signed)):
        fill_differences(sides, i, 0, out)
        np.testing.assert_array_equal(out.T, expected)
        each = [[pair_difference(sides, i, j, v) for v in range(pairs.columns)] for j in range(len(pairs.places))]
        np.testing.assert_array_equal(each, expected)


def test_differences_of_a_worked_pair():
    nan = np.nan
    costs = Costs(np.array([NUMBER, CODE, FLOOR, NUMBER, CODE]), np.full(5, 4.0), np.full(5, 0.25), np.full(5, 0.09))
    pairs = Pairs(np.array([[1.0, 2, 3, nan, nan]]), np.array([[4.0, 5, 4, 1, nan]]), np.zeros(1, int), costs)
    # 4·(1−4)², 4·[2≠5], 4·[3<4], one gap, two gaps; then their roots, the number's with its sign
    assert every(pairs, False)[0, 0].tolist() == [36.0, 4.0, 4.0, 0.25, 0.09]
    assert every(pairs, True)[0, 0].tolist() == [-6.0, 2.0, 2.0, 0.5, 0.3]


@pytest.mark.parametrize(("name", "additive"), KINDS)
@given(space=mixed(widest=9))
def test_terms_and_distances_of_the_kernel_are_those_of_the_family(name, additive, space):
    pairs, rng = space
    family = family_of(name, additive)
    form, size = form_of(family.code, family.sets(pairs.columns)), family.size(pairs.columns)
    parameters = rng.normal(size=size)
    for row in every(pairs, family.signed):
        expected = family.terms(row)
        terms, from_what = np.empty(size), np.empty(size)
        for one, known in zip(row, expected, strict=True):
            fill_terms(one, form, terms, from_what)
            np.testing.assert_array_equal(terms, known)
            assert (from_what >= np.abs(terms)).all()
        far, reach = np.empty(len(row)), np.empty(len(row))
        fill_distances(np.ascontiguousarray(row.T), form, parameters, far, reach)
        np.testing.assert_allclose(far, expected @ parameters, rtol=0, atol=1e-12 * max(1.0, reach.max()) * size)
        assert (np.abs(expected) <= reach[:, None] * (1 + 1e-12)).all()


def judged(pairs: Pairs, family: Family, parameters: np.ndarray):
    """Who is found, and the least margin, from the matrix of all distances."""
    terms = family.terms(every(pairs, family.signed))
    sizes = np.abs(terms)
    if family.name in ("choquet", "monotone") and family.code == 3:  # steps are exact to what they lead up to
        sizes = np.broadcast_to(every(pairs, False).max(-1)[..., None], terms.shape)
    found, margins = [], []
    for i, own in enumerate(pairs.own):
        rest = np.arange(len(pairs.places)) != own
        more = terms[i, rest] - terms[i, own]
        more[np.abs(more) <= TIE * (sizes[i, rest] + sizes[i, own])] = 0.0
        far = more @ parameters
        found.append(own >= 0 and bool((far > TIE * np.abs(more) @ np.abs(parameters)).all()))
        margins.append(far.min(initial=np.inf) if own >= 0 else 0.0)
    return np.array(found), np.array(margins)


@pytest.mark.parametrize(("name", "additive"), KINDS)
@given(space=mixed())
def test_who_is_found_among_all_pairs_is_what_the_matrix_says(name, additive, space):
    pairs, rng = space
    family = family_of(name, additive)
    parameters = drawn(family, pairs.columns, rng)
    seen = nearest_outcome(pairs, family, parameters)
    found, margin = judged(pairs, family, parameters)
    np.testing.assert_array_equal(seen.found, found)
    np.testing.assert_allclose(seen.margin, margin, atol=1e-10)
    known = pairs.own >= 0
    assert (seen.rival[~known] == -1).all()
    assert (seen.rival[known] != pairs.own[known]).all()
    assert ((seen.rival >= 0) == (known & (len(pairs.places) > 1))).all()


@pytest.mark.parametrize(("name", "additive"), KINDS)
@given(space=mixed())
def test_rows_say_the_same_as_all_pairs(name, additive, space):
    pairs, rng = space
    family = family_of(name, additive)
    pairs = Pairs(pairs.seekers, pairs.places, np.maximum(pairs.own, 0), pairs.costs)
    parameters = drawn(family, pairs.columns, rng)
    n, m = len(pairs.seekers), len(pairs.places)
    who, where = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    others = where != pairs.own[who]
    rows = Rows(rows_between(pairs, family, who[others], where[others]), np.arange(n + 1) * (m - 1))
    np.testing.assert_array_equal(found_by(rows, parameters), nearest_outcome(pairs, family, parameters).found)


@pytest.mark.parametrize(("name", "additive"), KINDS)
@given(space=mixed())
def test_the_nearest_places_are_one_s_own_alone_iff_it_is_found(name, additive, space):
    pairs, rng = space
    family = family_of(name, additive)
    parameters = drawn(family, pairs.columns, rng)
    asked = rng.permutation(len(pairs.seekers))
    start, found, distance, following = nearest_by(pairs, family, parameters, asked)
    alone = [found[a:b].tolist() == [own] for a, b, own in zip(start, start[1:], pairs.own[asked], strict=False)]
    assert alone == nearest_outcome(pairs, family, parameters).found[asked].tolist()
    assert (np.diff(start) >= 1).all() and (distance >= 0).all() and (following >= distance).all()
    far = family.terms(every(pairs, family.signed)) @ parameters
    raised = distance - far.min(axis=1)[asked]
    np.testing.assert_allclose(raised, raised[0], atol=1e-10)  # one number for all, or none
    if far.min() >= 0:
        np.testing.assert_allclose(raised, 0.0, atol=1e-10)
    second = np.sort(far, axis=1)[asked, 1] if len(pairs.places) > 1 else np.full(len(asked), np.inf)
    np.testing.assert_allclose(following, second + raised[0], atol=1e-10)


@given(mixed(most=40))
def test_the_arithmetic_mean_names_the_places_of_the_search_by_distance(space):
    pairs, _ = space
    start, found, distance, _ = nearest_by(
        pairs, family_of("arithmetic"), np.ones(pairs.columns), np.arange(len(pairs.seekers))
    )
    known = nearest_and_next(pairs.places, pairs.seekers, pairs.costs)
    np.testing.assert_allclose(distance, known.distance, atol=1e-12)
    sets = [[set(f[a:b].tolist()) for a, b in zip(s, s[1:], strict=False)] for s, f in ((start, found), known[:2])]
    assert sets[0] == sets[1]


def test_negative_distances_are_raised_by_twice_the_lowest():
    costs = Costs(np.zeros(1, int), np.ones(1), np.ones(1), np.ones(1))
    pairs = Pairs(np.array([[0.0], [1.0]]), np.array([[1.0], [3.0]]), np.arange(2), costs)
    found = nearest_by(pairs, family_of("signed"), np.array([-1.0]), np.arange(2))
    # distances −1, −9 and 0, −4: the lowest are −9 and −4, raised by 18
    assert found.found.tolist() == [1, 1]
    assert found.distance.tolist() == [9.0, 14.0] and found.following.tolist() == [17.0, 18.0]


def test_equal_differences_that_round_apart_are_a_tie():
    """0.3 − 0.1 and 0.1 − (−0.1) are the same but for rounding, in a column and in the order of two columns."""
    costs = Costs(np.zeros(2, int), np.ones(2), np.ones(2), np.ones(2))
    pairs = Pairs(np.array([[0.1, 0.1]]), np.array([[0.3, 0.3], [-0.1, 0.3], [0.3, -0.1]]), np.zeros(1, int), costs)
    assert not np.array_equal(every(pairs, False)[0, 0], every(pairs, False)[0, 1])
    for name, additive in KINDS:
        family = family_of(name, additive)
        assert not nearest_outcome(pairs, family, family.of_weights(np.array([1.0, 3.0]))).found[0], name


@pytest.mark.parametrize("places", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7, PAIRS // 3])
def test_blocks_of_places_join_without_a_seam(places):
    rng = np.random.default_rng(places)
    costs = Costs(np.zeros(3, int), np.ones(3), np.ones(3), np.ones(3))
    pairs = Pairs(rng.normal(size=(5, 3)), rng.normal(size=(places, 3)), rng.integers(0, places, 5), costs)
    far = every(pairs, False).sum(-1)
    found = nearest_by(pairs, family_of("weighted"), np.ones(3), np.arange(5))
    assert found.found.tolist() == far.argmin(1).tolist()
    pairs = Pairs(pairs.seekers, pairs.places, far.argmin(1), costs)
    seen = nearest_outcome(pairs, family_of("weighted"), np.ones(3))
    assert seen.found.all() and seen.rival.tolist() == np.argsort(far, axis=1)[:, 1].tolist()


@given(mixed())
def test_the_lowest_pairs_are_those_of_the_matrix(space):
    pairs, rng = space
    family = family_of("bilinear")
    sides, form = (
        sides_of(pairs.seekers, pairs.places, pairs.costs, squared=False),
        form_of(family.code, family.sets(2)),
    )
    terms = family.terms(every(pairs, True))
    reach = (every(pairs, True) ** 2).sum(-1)
    d = rng.normal(size=family.size(pairs.columns))
    where, ratio = lowest_ratios(sides, form, d)
    known = np.divide(terms @ d, reach, out=np.zeros_like(reach), where=reach > 0)
    np.testing.assert_allclose(ratio, known.min(1), atol=1e-12)
    np.testing.assert_allclose(known[np.arange(len(where)), where], ratio, atol=1e-12)
