"""Random rounding: right on average, within the base, and what the sums give away."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.tables.equations import Equations
from tacit.tables.perturb.adjust import adjust
from tacit.tables.perturb.checks import levels_met, perturbation_facts
from tacit.tables.perturb.controlled_rounding import round_controlled
from tacit.tables.perturb.random_rounding import round_random
from tacit.tables.perturb.recovery import as_seen, recovery_risk, short_of_levels

from .instances import flat, random_problem, random_table

DRAWS = 4_000
BOUND = 5.0
"""Standard errors; a right mean is further off with a chance of 6e-7 per cell, 2e-5 over the 30 cells."""


def standing(draws, values, base, chance):
    """How many standard errors the mean lies from that of the given chance of rounding up, at most."""
    low = np.floor(values / base) * base
    part = chance((values - low) / base)
    spread = base * np.sqrt(part * (1 - part) / len(draws))
    moved = part > 0
    return float((np.abs(draws.mean(axis=0) - (low + base * part))[moved] / spread[moved]).max())


# catalogue: G-05
def test_the_mean_is_the_truth_and_a_wrong_chance_is_rejected():
    table = random_table([flat(5, "a"), flat(4, "b")], seed=1, high=40)
    draws = np.array([round_random(table, base=5, seed=seed).values for seed in range(DRAWS)])
    assert (np.abs(draws - table.values) < 5).all()
    assert (draws % 5 == 0).all()
    at = table.values % 5 == 0
    assert (draws[:, at] == table.values[at]).all()
    assert standing(draws, table.values, 5, lambda part: part) < BOUND
    assert standing(draws, table.values, 5, lambda part: part**1.2) > BOUND


# catalogue: G-05
def test_it_is_not_additive_and_says_so():
    table = random_table([flat(3, "a"), flat(2, "b")], seed=1, high=20)
    results = [round_random(table, base=5, seed=seed) for seed in range(20)]
    assert any(not one.facts["additive"] for one in results)
    for one in results:
        assert one.facts["additive"] == (np.abs(table.equations.matrix @ one.values).max() == 0)
        assert bool(one.notes) != one.facts["additive"]


def test_the_same_seed_gives_the_same_table_and_another_another():
    table = random_table([flat(6, "a"), flat(6, "b")], seed=1)
    assert (round_random(table, base=5, seed=3).values == round_random(table, base=5, seed=3).values).all()
    assert (round_random(table, base=5, seed=3).values != round_random(table, base=5, seed=4).values).any()


# catalogue: G-05
@pytest.mark.parametrize("seed", range(4))
def test_what_the_sums_give_away_is_that_of_enumeration(seed):
    table = replace(random_table([flat(2, "a"), flat(2, "b")], seed=seed, high=6), response=None)
    result = round_random(table, base=3, seed=seed)
    near = [range(max(0, int(value) - 2), int(value) + 3) for value in result.values]
    inner = [table.cell(a=f"a{i}", b=f"b{j}") for i in range(2) for j in range(2)]
    seen = []
    for choice in itertools.product(*[near[cell] for cell in inner]):
        (p, q, r, s), full = choice, {}
        full = [p + q + r + s, p + r, q + s, p + q, p, q, r + s, r, s]
        if all(value in allowed for value, allowed in zip(full, near, strict=True)):
            seen.append(full)
    spans = np.ptp(np.array(seen), axis=0)
    facts = recovery_risk(result).facts
    assert facts["cells known exactly"] == int((spans == 0).sum())
    assert facts["mean width"] == pytest.approx(spans.mean())


def test_controlled_rounding_can_be_asked_what_it_gives_away_too():
    table = replace(random_table([flat(3, "a"), flat(3, "b")], seed=1, high=20), response=None)
    found = recovery_risk(round_controlled(table, base=5))
    assert 0 <= found.value <= 1
    problem = random_problem([flat(4, "a"), flat(4, "b")], seed=1)
    with pytest.raises(TacitError, match="how far"):
        recovery_risk(adjust(problem, seed=1))


def test_checks_see_what_is_broken():
    table = random_table([flat(2, "a"), flat(2, "b")], seed=1, zero=0.5)
    assert perturbation_facts(table, table.values)["additive"]
    assert perturbation_facts(table, table.values)["cells changed"] == 0
    wrong = table.values.copy()
    wrong[0] += 1
    assert perturbation_facts(table, wrong)["equations that fail"] == 2
    below = table.values - 10_000
    assert perturbation_facts(table, below)["cells below zero"] == table.size
    assert not perturbation_facts(table, below)["zeros kept"]


# catalogue: G-05
def test_levels_that_rounding_does_not_give_are_named():
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.3, seed=2, zero=0)
    rounded = round_controlled(problem.table, base=5)
    need = np.where(problem.upper > 0, 1.0, 0.0)
    assert len(short_of_levels(replace(problem, upper=need * 0.1, lower=need * 0.1), rounded)) == 0
    # a sum rounded to base 5 is known to within 5 on either side, so that 20 can be reached by none
    assert (
        short_of_levels(replace(problem, upper=need * 20, lower=need * 20), rounded).tolist()
        == problem.primaries.tolist()
    )


def test_weighted_counts_are_not_taken_for_whole_numbers():
    """Base 5 leaves whole counts within 4 of what is shown, and weighted ones within 5."""
    table = replace(random_table([flat(3, "a"), flat(2, "b")], seed=3), response=None)
    assert table.is_frequency and table.is_integer
    weighted = table.with_values(table.values * 1.37)
    assert not weighted.is_integer and not replace(table, response="turnover").is_integer
    for one, reach in ((table, 4.0), (weighted, 5.0)):
        seen = as_seen(round_random(one, base=5, seed=1))
        assert ((seen.low <= one.values) & (one.values <= seen.high)).all()
        assert (seen.high - round_random(one, base=5, seed=1).values == reach).all()
    found = recovery_risk(round_random(weighted, base=5, seed=1))
    assert found.facts["cells known exactly"] == 0


def test_figures_below_zero_are_right_on_average():
    table = random_table([flat(3, "a"), flat(2, "b")], seed=1, high=40)
    below = replace(table, values=-table.values)
    draws = np.array([round_random(below, base=5, seed=seed).values for seed in range(DRAWS // 4)])
    assert (np.abs(draws - below.values) < 5).all()
    assert standing(draws, below.values, 5, lambda part: part) < BOUND


def test_sums_that_say_nothing_narrow_nothing():
    """One cell in no sum: what the rounding leaves open stays open."""
    table = replace(random_table([flat(1, "a")], seed=1), equations=Equations.of(np.zeros((0, 2))))
    found = recovery_risk(round_random(table, base=5, seed=1))
    assert found.facts["cells narrowed by the sums"] == 0
    assert found.facts["mean width"] == found.facts["mean width without the sums"] == 10


def test_half_the_sliding_level_is_asked_for_on_either_side():
    problem = random_problem([flat(3, "a"), flat(3, "b")], share=0.2, seed=1)
    none = problem.upper * 0
    wide = replace(problem, upper=none, lower=none, sliding=np.where(problem.upper > 0, 30.0, 0.0))
    for moved, met in ((15, True), (-15, True), (14, False), (-14, False)):
        assert (levels_met(wide, problem.table.values + moved) == met).all()
