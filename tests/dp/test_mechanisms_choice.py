"""Choices: the laws that OpenDP draws, and that these laws keep ε, computed exactly. Catalogue: H-03.

6 000 draws: a right law is rejected with a chance of 10⁻¹² (tests/chances.py), a wrong one accepted with one below 10⁻¹⁸.
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chances import follows

from tacit import TacitError
from tacit.dp import Exponential, PermuteAndFlip

DRAWS = 6000


def exponential_law(scores: list[int], scale: float) -> np.ndarray:
    weights = np.exp((np.array(scores) - max(scores)) / scale)
    return weights / weights.sum()


def permute_and_flip_law(scores: list[int], scale: float) -> np.ndarray:
    """Over all orders of the candidates, as the paper defines it."""
    taken = np.exp((np.array(scores) - max(scores)) / scale)
    chances = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        reached = 1 / math.factorial(len(scores))
        for one in order:
            chances[one] += reached * taken[one]
            reached *= 1 - taken[one]
    return chances


LAWS = {Exponential: exponential_law, PermuteAndFlip: permute_and_flip_law}


@pytest.mark.parametrize("kind", LAWS)
def test_each_choice_has_its_own_law_and_not_the_other_nor_another_scale(kind):
    scores = [0, 0, 4, 2]
    mechanism = kind(sensitivity=1, epsilon=1, neighbours="add_remove")
    drawn = [mechanism.release(scores) for _ in range(DRAWS)]
    other = next(law for one, law in LAWS.items() if one is not kind)
    assert follows(drawn, dict(enumerate(LAWS[kind](scores, 2.0))))
    assert not follows(drawn, dict(enumerate(LAWS[kind](scores, 1.4))))
    assert not follows(drawn, dict(enumerate(other(scores, 2.0))))


scores_and_moves = st.integers(2, 5).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(low, 3), min_size=k, max_size=k) for low in (-8, -3)])
)


@given(scores_and_moves, st.floats(0.05, 4))
@settings(max_examples=60)
@pytest.mark.parametrize("kind", LAWS)
def test_scores_that_move_by_the_sensitivity_change_no_chance_by_more_than_epsilon(kind, both, epsilon):
    scores, moves = both
    moved = [score + max(-3, min(3, move)) for score, move in zip(scores, moves, strict=True)]
    mechanism = kind(sensitivity=3, epsilon=epsilon, neighbours="replace")
    ratios = np.log(LAWS[kind](scores, mechanism.scale) / LAWS[kind](moved, mechanism.scale))
    assert np.abs(ratios).max() <= epsilon * (1 + 1e-9)


@given(scores_and_moves, st.floats(0.05, 4))
@settings(max_examples=60)
@pytest.mark.parametrize("kind", LAWS)
def test_monotone_scores_need_half_the_scale(kind, both, epsilon):
    scores, moves = both
    moved = [score + max(0, min(3, move)) for score, move in zip(scores, moves, strict=True)]
    mechanism = kind(sensitivity=3, epsilon=epsilon, neighbours="add_remove", monotone=True)
    ratios = np.log(LAWS[kind](scores, mechanism.scale) / LAWS[kind](moved, mechanism.scale))
    assert np.abs(ratios).max() <= epsilon * (1 + 1e-9)
    assert mechanism.scale == pytest.approx(3 / epsilon)


def test_without_monotone_scores_half_the_scale_is_not_enough():
    scores, moved = [0, 0, 0, 0], [1, -1, -1, -1]
    for law in LAWS.values():
        assert np.abs(np.log(law(scores, 1.0) / law(moved, 1.0))).max() > 1


def test_opendp_confirms_the_prices():
    from tacit.dp.mechanisms.choice import _noisy_max

    flip = PermuteAndFlip(sensitivity=3, epsilon="0.7", neighbours="replace")
    assert _noisy_max(flip.measure, flip.scale).map(3) <= 0.7 * (1 + 1e-12)
    gumbel = Exponential(sensitivity=3, epsilon="0.7", neighbours="replace")
    assert _noisy_max(gumbel.measure, gumbel.scale).map(3) <= float(gumbel.event.rho) * (1 + 1e-12)


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=5), st.floats(0.1, 3))
@settings(max_examples=40)
def test_permute_and_flip_is_never_worse_than_the_exponential_mechanism(scores, scale):
    expected = [law(scores, scale) @ np.array(scores) for law in (permute_and_flip_law, exponential_law)]
    assert expected[0] >= expected[1] - 1e-9


def test_the_shortfall_holds_for_the_exact_law():
    mechanism = Exponential(sensitivity=1, epsilon=1, neighbours="add_remove")
    scores = [0, *[-15] * 4, -3]
    bound = mechanism.shortfall(len(scores))
    law = exponential_law(scores, mechanism.scale)
    assert law[np.array(scores) < -bound].sum() <= 0.05


def test_bad_choices_are_refused():
    with pytest.raises(TacitError, match="no candidate"):
        Exponential(sensitivity=1, epsilon=1, neighbours="replace").release([])
    with pytest.raises(TacitError, match="monotone"):
        Exponential(sensitivity=1, epsilon=1, neighbours="replace", monotone=True)
    assert PermuteAndFlip(sensitivity=1, epsilon=1, neighbours="replace").release([0, 10**40]) == 1
