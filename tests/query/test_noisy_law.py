"""The noise that is drawn has the stated law, its quantiles are exact, and a scale 30 % too small is noticed."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from tests.chances import follows

from tacit.dp.mechanisms.noise_distribution import NoiseDistribution
from tacit.query.column import Column
from tacit.query.modes.dp import draw_groups
from tacit.query.question import Aggregate, Key

from .noisy_case import GROUP, X, ask, design_of, promise
from .row_source import Remembered, RowSource, schema_of

# catalogue: H-01, H-03


def law_of(unit, scale):
    """The law from its definition, summed far out."""
    reach = int(60 * scale + 10)
    places = np.arange(-reach, reach + 1)
    logs = -np.abs(places) / scale if unit == "epsilon" else -0.5 * (places / scale) ** 2
    weights = np.exp(logs)
    return places, weights / weights.sum()


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("scale", [0.1, 0.6, 1.0, 3.7, 50.0])
def test_half_widths_are_the_least_that_cover(unit, scale):
    places, chances = law_of(unit, scale)
    for miss in (0.05, 0.025, 0.01):
        width = NoiseDistribution(unit, scale).half_width(miss)
        assert chances[np.abs(places) > width].sum() <= miss + 1e-12
        assert width == 0 or chances[np.abs(places) > width - 1].sum() > miss - 1e-12


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("scale", [0.6, 1.0, 3.7, 50.0])
def test_a_rare_excess_is_as_rare_as_said(unit, scale):
    places, chances = law_of(unit, scale)
    for chance in (0.05, 1e-3, 1e-8):
        found = NoiseDistribution(unit, scale).tail_threshold(chance)
        assert chances[places >= found].sum() <= chance
        assert chances[places >= found - 1].sum() > chance * (1 - 2e-9)


def test_far_out_the_normal_law_stands_for_the_discrete_one():
    for scale in (1999.0, 2001.0):
        assert abs(NoiseDistribution("rho", scale).half_width() - 1.959964 * scale) < 1.01


@pytest.fixture(scope="module")
def many_groups():
    """Ten thousand groups, each with other rows: one answer is ten thousand draws of every part."""
    rng = np.random.default_rng(7)
    groups = rng.integers(0, 9_999, 20_000)
    schema = schema_of(GROUP, X, unit="who", rows=2)
    who = [f"{group}-{turn}" for turn, group in enumerate(groups)]
    table = {"group": groups.tolist(), "x": rng.integers(-1, 3, 20_000).tolist()}
    return schema, Remembered(RowSource(schema, table, who))


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_every_noisy_sum_follows_its_law_and_no_narrower_one(unit, neighbours, many_groups):
    schema, source = many_groups
    given = promise(unit, neighbours, rows=2)
    question = ask(
        *(Aggregate(what, "x") for what in ("sum", "mean", "variance")), Aggregate("count"), by=(Key("group"),)
    )
    design = design_of(question, schema, given, spend=5)
    found = draw_groups(source, design)
    assert len(found) == 10_000
    for part in design.sums:
        tally = source.tally(question.where, question.by, part.measures)
        exact = {
            group: part.exact_value({one: tally.measures[one][place] for one in part.measures})
            for place, group in enumerate(tally.groups)
        }
        noise = [parts[part] - exact.get(group, 0) for group, parts in found.items()]
        reach = part.sensitivity(groups=10_000, promise=given)
        share = 5 / len(design.laws)
        scale = reach.l1 / share if unit == "epsilon" else (reach.l2_squared / (2 * share)) ** 0.5
        assert follows(noise, dict(zip(*law_of(unit, scale), strict=True))), part
        assert not follows(noise, dict(zip(*law_of(unit, 0.7 * scale), strict=True))), part


def permute_and_flip(scores, scale):
    """Its law from the definition: in random order, the first that a coin of chance exp(−score/scale) accepts."""
    found = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    accept = np.exp(-(np.array(scores) - min(scores)) / scale)
    for order in orders:
        left = 1.0
        for place in order:
            found[place] += left * accept[place] / len(orders)
            left *= 1 - accept[place]
    return found / found.sum()


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_quantiles_follow_the_exponential_mechanism_or_permute_and_flip(unit):
    groups = 6_000  # too narrow a law is accepted with a chance below 10⁻¹⁰
    schema = schema_of(Column(name="group", kind="integer", low=0, high=groups - 1), X)
    values = [-1, 0, 1, 2]
    table = {"group": [g for g in range(groups) for _ in values], "x": values * groups}
    where_asked = ask(Aggregate("quantile", "x", Fraction(1, 2)), by=(Key("group"),))
    design = design_of(where_asked, schema, promise(unit), spend=2 if unit == "epsilon" else Fraction(1, 2))
    choice = design.choices[0]
    assert choice.scores({0: 1, 1: 1, 2: 1, 3: 1}) == [2, 0, 0, 2]
    found = draw_groups(RowSource(schema, table), design)
    seen = [parts[choice] for group, parts in found.items() if group[0] is not None]
    scale = 2 * 1 / 2 if unit == "epsilon" else (1 / (2 * 0.5)) ** 0.5
    for factor, right in ((1, True), (0.7, False)):
        scores, narrow = [2, 0, 0, 2], factor * scale
        plain = np.exp(-np.array(scores) / narrow)
        law = permute_and_flip(scores, narrow) if unit == "epsilon" else plain / plain.sum()
        assert follows(seen, dict(zip(range(-1, 3), law.tolist(), strict=True))) == right


def test_sums_are_cut_to_what_can_be_drawn():
    assert max(map(abs, NoiseDistribution("epsilon", 1.0).add_noise([2**80, -(2**80)]))) <= 2**63
