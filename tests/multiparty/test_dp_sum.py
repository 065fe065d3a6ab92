"""Noise in shares: what one row can change, what the sum of the noise costs, and that too little is seen (I-04)."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.multiparty.session import check_task, taking_part
from tacit.multiparty.statistics.dp_sum_task import DpSumTask, gaussian_sum_gap, privacy_loss, shared_scale
from tacit.multiparty.statistics.statistic import statistic_of

from .parties import TASK, ages, house

PRIVATE = {**TASK, "rho": 0.5, "delta": 1e-6, "colluders": 1}
COLUMN = {"low": -3, "high": 2, "decimals": 1, "round": True}
ROW = st.tuples(*[st.floats(-3, 2)] * 2)


@given(st.lists(ROW, max_size=6), ROW, st.sampled_from(["count", "sum", "mean", "covariance", "histogram"]))
def test_one_row_changes_no_part_by_more_than_its_bound(rows, more, compute):
    """In whole numbers, so exactly: this is the sensitivity that the noise is made for."""
    task = {"compute": compute, "rows": 10, "bins": 3, "columns": {"x": COLUMN, "y": COLUMN}}
    statistic = statistic_of(task if compute != "count" else {"compute": "count", "rows": 10})
    schema = {"x": pl.Float64, "y": pl.Float64}
    before, after = (
        np.array(statistic.numbers(pl.DataFrame(part, schema=schema, orient="row"))) for part in (rows, [*rows, more])
    )
    place = 0
    for change, numbers in statistic.parts:
        moved = (after - before)[place : place + numbers]
        assert math.sqrt(float((moved**2).sum())) <= change + 1e-9
        place += numbers
    assert place == len(after) == statistic.length


def noise_of(scale, parties):
    """The exact law of the sum of so many discrete Gaussians, by convolution."""
    reach = math.ceil(12 * scale * math.sqrt(parties))
    steps = np.arange(-reach, reach + 1)
    one = np.exp(-(steps**2) / (2 * scale**2))
    law = one / one.sum()
    whole = law
    for _ in range(parties - 1):
        whole = np.convolve(whole, law)
    return whole


@pytest.mark.parametrize("scale", [0.5, 0.6, 0.8, 1.0, 2.0])
@pytest.mark.parametrize("parties", [1, 2, 4])
def test_the_published_bound_holds_for_the_law_of_the_sum(scale, parties):
    """Rényi divergences of the sum's exact law and of the same moved by the change, at several orders: below ρ·α."""
    law = noise_of(scale, parties)
    for change in (1, 2, 3):
        bound = privacy_loss(scale, change=change, noisy=parties, numbers=1)
        there, moved = law[change:], law[:-change]
        kept = (there > 1e-250) & (moved > 1e-250)
        for order in (1.5, 2, 4, 8):
            parts = order * np.log(there[kept]) + (1 - order) * np.log(moved[kept])
            divergence = np.logaddexp.reduce(parts) / (order - 1)
            assert divergence <= order * bound * (1 + 1e-9), (change, order)


def dearest(law, change):
    """The largest of Rényi divergence / order over several orders: the ρ that the law really costs."""
    there, moved = law[change:], law[:-change]
    kept = (there > 1e-250) & (moved > 1e-250)
    logs = np.log(there[kept]), np.log(moved[kept])
    orders = (1.01, 1.5, 2, 4, 8)
    return max(np.logaddexp.reduce(a * logs[0] + (1 - a) * logs[1]) / (a - 1) / a for a in orders)


@pytest.mark.parametrize(("parties", "colluders"), [(2, 0), (2, 1), (3, 0), (3, 2), (4, 2)])
def test_the_stated_loss_is_true_against_a_party_that_knows_its_own_noise(parties, colluders):
    """The exact law of the others' noise costs the part of ρ that is stated and hardly less; the law of everybody's is no measure."""
    asked = {**TASK, "rho": 0.5, "delta": 1e-6, "colluders": colluders, "columns": {"age": {"low": 0, "high": 3}}}
    agreement, _ = house("ABCD"[:parties], "dp_sum", task=asked)
    task = DpSumTask.of(agreement)
    unknown = parties - max(1, colluders)
    for scale, change in zip(task.scales, (1, 3), strict=True):
        cost = dearest(noise_of(scale, unknown), change)
        assert 0.95 * 0.25 < cost <= 0.25 * (1 + 1e-9)
        assert dearest(noise_of(scale * math.sqrt(unknown / parties), unknown), change) > 1.2 * 0.25


@pytest.mark.parametrize(
    ("scale", "noisy", "found"),
    [
        (0.5, 2, 10 * math.exp(-(math.pi**2) / 4)),
        (1.0, 3, 10 * (math.exp(-(math.pi**2)) + math.exp(-4 * math.pi**2 / 3))),
    ],
)
def test_tau_is_that_of_the_paper(scale, noisy, found):
    """Proposition 14 written out: 10 Σ exp(−2π²σ² k/(k+1)) for k from 1 to m − 1; it enters ρ with √d."""
    assert gaussian_sum_gap(scale, noisy) == pytest.approx(found, rel=1e-12)
    loss = privacy_loss(scale, change=2, noisy=noisy, numbers=4)
    assert loss == pytest.approx((2 / (math.sqrt(noisy) * scale) + 2 * found) ** 2 / 2, rel=1e-12)


def test_noise_30_percent_too_small_would_break_the_bound():
    law, bound = noise_of(0.7 * 2.0, 4), privacy_loss(2.0, change=2, noisy=4, numbers=1)
    there, moved = law[2:], law[:-2]
    kept = (there > 1e-250) & (moved > 1e-250)
    assert np.logaddexp.reduce(2 * np.log(there[kept]) - np.log(moved[kept])) > 2 * bound


@given(st.floats(1e-4, 10), st.floats(0.5, 1e4), st.integers(1, 20), st.integers(1, 50))
def test_the_scale_keeps_the_loss_below_what_was_asked_for(rho, change, noisy, numbers):
    scale = shared_scale(rho, change=change, noisy=noisy, numbers=numbers)
    assert privacy_loss(scale, change=change, noisy=noisy, numbers=numbers) <= rho
    if scale > 0.51:
        assert privacy_loss(scale / 1.001, change=change, noisy=noisy, numbers=numbers) > rho


def test_a_session_tells_its_figures_with_noise_and_what_it_cost():  # catalogue: D-10, I-04
    """Far from the truth in less than one of 10¹² runs: 8 standard deviations of the number of rows."""
    agreement, secrets = house("ABC", "dp_sum", task=PRIVATE)

    async def session():
        return await asyncio.gather(*(taking_part(agreement, secrets[name], ages(name)) for name in "ABC"))

    found = asyncio.run(session())
    assert len({one.figures["rows"] for one in found}) == 1
    wide = found[0].figures["noise"]["standard deviation of the number of rows"]
    assert wide == pytest.approx(math.sqrt(3) / math.sqrt(2 * 0.25 * 2), rel=0.02)
    assert abs(found[0].figures["rows"] - 6) < 8 * wide
    assert found[0].figures["privacy"]["epsilon"] == pytest.approx(0.5 + 2 * math.sqrt(0.5 * math.log(1e6)))


def test_the_noise_of_a_party_has_the_scale_that_is_told():
    """Mean square of 400 draws: outside 0.5 to 1.6 times the variance in fewer than one of 10⁹ runs."""
    agreement, _ = house("ABC", "dp_sum", task={**PRIVATE, "rho": 0.001})
    task = DpSumTask.of(agreement)
    drawn = np.array([task.load_input(pl.DataFrame({"age": [30]}), "A")[0] - 1 for _ in range(400)], float)
    assert 0.5 < float((drawn**2).mean()) / task.scales[0] ** 2 < 1.6


def test_two_parties_need_accept_nothing():
    agreement, _ = house("AB", "dp_sum", task=PRIVATE)
    assert check_task(agreement).leakage is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rho": 0}, "rho 0 is no number above 0"),
        ({"rho": "much"}, "rho 'much'"),
        ({"delta": 1}, "and below 1"),
        ({"delta": None}, "delta None"),
        ({"colluders": -1}, "colluders=-1"),
        ({"colluders": 3}, "leave nobody to protect"),
        ({"rho": 1e-32}, "too small: sums may reach"),
    ],
)
def test_what_decides_protection_has_no_default_and_is_checked(change, told):
    agreement, _ = house("ABC", "dp_sum", task={**PRIVATE, **change})
    with pytest.raises(TacitError, match=told):
        check_task(agreement)
