"""The search and the proof against every set of seekers tried in exact arithmetic. catalogue: M-01, M-02, C-07."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.attack.learning.certificate import certified_links
from tacit.attack.learning.families import family_of
from tacit.attack.learning.learn import all_rivals, rows_of
from tacit.attack.learning.local_search import climb_parameters
from tacit.attack.learning.optimality import prove_optimum
from tacit.attack.learning.pairs import Pairs
from tacit.attack.learning.rows import Rows
from tacit.kernels.nearest import CODE, NUMBER, Costs

from . import learned_oracle as oracle

SECONDS = 20.0
SLACK = Fraction(1, 10**9)
LISTED = "weighted", "signed", "ordered", "bilinear", "choquet", "monotone", "nonnegative"
tiny = given(seed=st.integers(0, 10**6), name=st.sampled_from(LISTED), straight=st.booleans())


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """What the first calls spend on compiling must not count against the seconds of a search."""
    pairs, rng = oracle.numbers([[0, 0], [3, 3], [0, 0]], [[0, 1], [3, 3], [1, 0]]), np.random.default_rng(0)
    for name in LISTED:
        rows, cone = asked(pairs, name, straight=False), family_of(name).cone(2, pairs)
        climb_parameters(rows, cone, [start(pairs, name)], rng=rng, seconds=1.0)
        prove_optimum(rows, cone, start(pairs, name), rng=rng, seconds=1.0)


def drawn(seed: int) -> Pairs:
    """At most seven seekers on a coarse grid: masked a little or thoroughly, with twins, codes and gaps now and then."""
    rng = np.random.default_rng(seed)
    many, columns, top = int(rng.integers(2, 8)), int(rng.integers(2, 4)), int(rng.integers(1, 7))
    seekers = rng.integers(0, top + 1, (many, columns)).astype(float)
    places = seekers + rng.integers(-1, 2, seekers.shape)
    if rng.random() < 0.4:
        places = rng.permutation(places)
    if rng.random() < 0.3:
        places[rng.integers(many)] = places[rng.integers(many)]
    if rng.random() < 0.3:
        places[rng.random(places.shape) < 0.1] = np.nan
    kind = np.where(rng.random(columns) < 0.2, CODE, NUMBER)
    weight = rng.choice([1.0, 4.0], columns)  # their roots are whole numbers too
    return Pairs(seekers, places, np.arange(many), Costs(kind, weight, weight, np.zeros(columns)))


def sides(pairs: Pairs, name: str) -> list[list[Fraction]]:
    """What else a family asks of its parameters."""
    if name == "monotone":
        return oracle.monotone_submodular(pairs.columns)
    if name == "nonnegative":
        who, where = range(len(pairs.seekers)), range(len(pairs.places))
        return [oracle.terms(name, oracle.differences(pairs, i, j, signed=True)) for i in who for j in where]
    return []


def best(pairs: Pairs, name: str) -> int:
    """The optimum, by trying all sets."""
    exact = oracle.rows(pairs, name, signed=name in oracle.BILINEAR)
    return oracle.optimum(exact, nonnegative=name in ("weighted", "ordered"), sides=sides(pairs, name))


def asked(pairs: Pairs, name: str, *, straight: bool) -> Rows:
    """The inequalities as the package makes them, or straight from the definition: nothing left out, nobody named alike."""
    if not straight:
        return rows_of(pairs, family_of(name), all_rivals(pairs))
    exact = oracle.rows(pairs, name, signed=name in oracle.BILINEAR)
    values = np.array([v for own in exact for v in own], dtype=float)
    return Rows(values, np.append(0, np.cumsum([len(own) for own in exact])))


def allowed(pairs: Pairs, name: str, parameters: np.ndarray) -> bool:
    """Whether the parameters are the family's, but for rounding."""
    exact = [Fraction(p) for p in parameters.tolist()]
    size = max(map(abs, exact))
    more = sides(pairs, name) + (np.eye(len(exact), dtype=int).tolist() if name in ("weighted", "ordered") else [])
    return all(
        sum(a * b for a, b in zip(side, exact, strict=True)) >= -SLACK * size * sum(map(abs, side)) for side in more
    )


def start(pairs: Pairs, name: str) -> np.ndarray:
    return family_of(name).of_weights(np.ones(pairs.columns))


# A point that is outside its cone by a rounding must not count as finding whoever would be found outside only.
@example(seed=31, name="monotone", straight=True)
@example(seed=83, name="monotone", straight=False)
@example(seed=72, name="monotone", straight=False)
@example(seed=67, name="nonnegative", straight=False)
@example(seed=162, name="nonnegative", straight=False)
@tiny
def test_the_proof_is_the_optimum_and_its_parameters_find_as_many(seed, name, straight):
    pairs, family = drawn(seed), family_of(name)
    rows, cone = asked(pairs, name, straight=straight), family.cone(pairs.columns, pairs)
    proof = prove_optimum(rows, cone, start(pairs, name), rng=np.random.default_rng(seed), seconds=SECONDS)
    assert (proof.found, proof.bound) == (best(pairs, name),) * 2
    assert certified_links(pairs, family, proof.parameters).sum() == proof.found
    exact = oracle.rows(pairs, name, signed=name in oracle.BILINEAR)
    assert sum(oracle.found_exactly(exact, proof.parameters)) == proof.found
    assert allowed(pairs, name, proof.parameters)


@settings(max_examples=20)
@tiny
def test_the_climb_never_finds_more_than_there_is(seed, name, straight):
    pairs, family = drawn(seed), family_of(name)
    rows, cone = asked(pairs, name, straight=straight), family.cone(pairs.columns, pairs)
    begin = [start(pairs, name)]
    climb = climb_parameters(rows, cone, begin, rng=np.random.default_rng(seed), seconds=SECONDS)
    found = certified_links(pairs, family, climb.parameters)
    assert np.sum(climb.found) == found.sum() <= best(pairs, name)
    assert found.sum() >= certified_links(pairs, family, begin[0]).sum()
    assert allowed(pairs, name, climb.parameters)


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_definite_forms_lie_between_weighted_means_and_all_forms(seed):
    pairs, family = drawn(seed), family_of("definite")
    rows, cone = asked(pairs, "definite", straight=False), family.cone(pairs.columns)
    proof = prove_optimum(rows, cone, start(pairs, "definite"), rng=np.random.default_rng(seed), seconds=SECONDS)
    assert best(pairs, "weighted") <= proof.found == proof.bound <= best(pairs, "bilinear")
    assert certified_links(pairs, family, proof.parameters).sum() == proof.found
    assert oracle.positive_definite(slackened(proof.parameters, pairs.columns))
    rng = np.random.default_rng(seed)
    for _ in range(50):  # no form at all may beat a proven bound
        root = rng.integers(-3, 4, (pairs.columns, pairs.columns)).astype(float)
        whole = root.T @ root
        u, v = np.triu_indices(pairs.columns)
        assert certified_links(pairs, family, whole[u, v] * np.where(u == v, 1, 2)).sum() <= proof.bound


def slackened(parameters: np.ndarray, columns: int) -> list[list[Fraction]]:
    """The matrix of a form, a billionth of its largest entry added to its diagonal."""
    exact = np.zeros((columns, columns), dtype=object)
    for p, u, v in zip(parameters.tolist(), *np.triu_indices(columns), strict=True):
        exact[u, v] = exact[v, u] = Fraction(p) / (1 if u == v else 2)
    slack = SLACK * max(map(abs, exact.ravel()))
    return [[value + (slack if u == v else 0) for v, value in enumerate(row)] for u, row in enumerate(exact)]


# Planted


@pytest.mark.parametrize("name", LISTED)
def test_twins_are_never_found(name):
    """Three people on one spot, two records on another: whatever the distance, one of three and none of two."""
    seekers = [[0, 0], [0, 0], [0, 0], [5, 5], [5, 6]]
    places = [[0, 1], [1, 0], [3, 3], [5, 6], [5, 6]]
    pairs, family = oracle.numbers(seekers, places), family_of(name)
    rows, cone = asked(pairs, name, straight=False), family.cone(2, pairs)
    proof = prove_optimum(rows, cone, start(pairs, name), rng=np.random.default_rng(0), seconds=SECONDS)
    assert proof.found == proof.bound == best(pairs, name) <= 1
    assert not certified_links(pairs, family, proof.parameters)[3:].any()


def test_equal_distances_on_a_grid_are_ties_by_every_rule():
    """Four records around each person: the mean finds nobody, unequal weights of both signs may."""
    seekers = np.zeros((4, 2))
    places = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    pairs = oracle.numbers(seekers, places)
    for name in ("weighted", "signed", "ordered", "choquet", "monotone"):
        assert best(pairs, name) == 0
        cone, family = family_of(name).cone(2, pairs), family_of(name)
        proof = prove_optimum(
            asked(pairs, name, straight=True), cone, start(pairs, name), rng=np.random.default_rng(0), seconds=SECONDS
        )
        assert proof.found == proof.bound == 0
        assert not certified_links(pairs, family, proof.parameters).any()


# The slow solver itself


def test_the_programme_is_that_of_textbooks():
    assert oracle.witness([[1, -1], [-1, 1]], []) is None
    assert oracle.witness([[1, -1], [-1, 2]], []) is not None
    assert oracle.witness([[-1, 0]], [[1, 0]]) is None
    assert oracle.witness([[0, 0]], []) is None  # nothing is not more than nothing
    assert oracle.optimum([[[1, -1]], [[-1, 1]], [[1, 0]]]) == 2
    assert oracle.optimum([[[1, -1]], [[-1, 0]]], nonnegative=True) == 1
    assert oracle.optimum([[[-1, -1]]], nonnegative=True) == 0


@given(seed=st.integers(0, 10**6))
def test_a_witness_is_one_and_where_there_is_none_no_float_solver_finds_one(seed):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    strict, more = rng.integers(-3, 6, (rng.integers(1, 30), size)), rng.integers(-3, 4, (rng.integers(0, 6), size))
    found = oracle.witness(strict.tolist(), more.tolist())
    ends = -np.append(np.ones(len(strict)), np.zeros(len(more)))
    floats = linprog(np.zeros(size), A_ub=-np.vstack([strict, more]), b_ub=ends, bounds=[(None, None)] * size)
    assert (floats.status == 0) == (found is not None)
    if found is not None:
        assert all(np.array(strict, dtype=object) @ np.array(found) > 0)
        assert all(np.array(more, dtype=object) @ np.array(found) >= 0)
