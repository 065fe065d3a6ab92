"""The enrolment game: the right numbers of the lecture, a count of all choices, and a simulation."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from tests.chances import likely

from tacit.dp.enrolment import enrolment
from tacit.errors import TacitError


def test_the_chances_are_10_and_40_95_percent():  # catalogue: H-05
    """The lecture has 10.7 % and 43.26 %: those of 28 scores."""
    found = enrolment()
    assert (found.in_one, found.in_any) == (Fraction(1, 10), Fraction(40951, 100_000))
    slip = enrolment(scores=28)
    assert (f"{float(slip.in_one):.1%}", f"{float(slip.in_any):.2%}") == ("10.7%", "43.26%")


@pytest.mark.parametrize(("scores", "drawn", "queries"), [(4, 2, 2), (5, 3, 2), (3, 3, 1), (4, 1, 3)])
def test_the_chances_are_those_of_all_choices_listed(scores, drawn, queries):
    games = list(product(combinations(range(scores), drawn), repeat=queries))
    seen = sum(any(0 in chosen for chosen in game) for game in games)
    found = enrolment(scores=scores, drawn=drawn, queries=queries)
    assert found.in_any == Fraction(seen, len(games))


def test_a_simulation_agrees_and_rejects_the_slip():
    """The seed fixes the outcome."""
    rounds, found = 40_000, enrolment()
    one, any_ = found.simulate(rounds=rounds, seed=7)
    assert (one, any_) == found.simulate(rounds=rounds, seed=7)
    assert likely(round(any_ * rounds), rounds, float(found.in_any))
    assert likely(round(one * 5 * rounds), 5 * rounds, float(found.in_one))
    assert not likely(round(any_ * rounds), rounds, 0.4326)
    assert not likely(round(one * 5 * rounds), 5 * rounds, 0.107)


def test_games_that_cannot_be_are_refused():
    with pytest.raises(TacitError, match="31 cannot be drawn"):
        enrolment(drawn=31)
    with pytest.raises(TacitError, match="queries"):
        enrolment(queries=0)
    with pytest.raises(TacitError, match="rounds"):
        enrolment().simulate(rounds=0, seed=1)
