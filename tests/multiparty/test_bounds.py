"""Opened figures are compared with what the agreed bounds allow, in every step of a model (I-06, I-07)."""

from __future__ import annotations

import asyncio

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.multiparty.faults import Contradiction
from tacit.multiparty.local_network import LocalNetwork, run_protocol
from tacit.multiparty.ring import Ring
from tacit.multiparty.session import task_of
from tacit.multiparty.statistics.column import NumericColumn
from tacit.multiparty.statistics.feasibility import InfeasibleSums, check_moments

from .over_tls import agreed
from .parties import TASK, everybody, house

AGE, PAY = {"low": 0, "high": 120}, {"low": -50, "high": 50, "decimals": 1}
COLUMNS = {"age": AGE, "pay": PAY}
ILL = {"low": 0, "high": 1}
TASKS = {
    "count": {"compute": "count"},
    "sum": {"compute": "sum", "columns": COLUMNS},
    "mean": {"compute": "mean", "columns": COLUMNS},
    "covariance": {"compute": "covariance", "columns": COLUMNS},
    "histogram": {"compute": "histogram", "bins": 4, "columns": COLUMNS},
    "quantile": {"compute": "quantile", "at": [0.5], "columns": COLUMNS},
    "linear": {"compute": "linear_regression", "target": "pay", "columns": COLUMNS},
    "logistic": {"compute": "logistic_regression", "target": "ill", "columns": {"age": AGE, "ill": ILL}},
    "naive_bayes": {
        "compute": "naive_bayes",
        "target": "ill",
        "columns": {**COLUMNS, "sex": {"categories": ["f", "m"]}, "ill": {"categories": ["0", "1"]}},
    },
    "k_means": {"compute": "k_means", "centres": [[20, 0], [60, 0]], "columns": COLUMNS},
}
FRAMES = {
    "A": pl.DataFrame({"age": [30, 41], "pay": [-50.0, 2.5], "ill": [0, 1], "sex": ["f", "m"]}),
    "B": pl.DataFrame({"age": [20, 25, 31], "pay": [0.0, 50.0, 1.1], "ill": [0, 1, 0], "sex": ["f", "m", "f"]}),
    "C": pl.DataFrame({"age": [77, 19], "pay": [3.0, 9.9], "ill": [1, 1], "sex": ["f", "m"]}),
}


class Liar:
    """A program whose party B adds something to one of its numbers in one of its sums; the protocol itself it follows."""

    def __init__(self, task, place, more, step=1):
        self.task, self.place, self.more, self.step = task, place, more, step

    async def run(self, seat, own):
        if seat.me == "B":
            words, calls = seat.ring.words, [0]

            class Lying(Ring):
                def words(ring, numbers):
                    numbers = [int(number) for number in numbers]
                    calls[0] += 1
                    if calls[0] == self.step and self.place < len(numbers):
                        numbers[self.place] += self.more
                    return words(numbers)

            seat = _Seat(seat, Lying(seat.ring.modulus))
        return await self.task.run(seat, own)


class _Seat:
    def __init__(self, seat, ring):
        self.seat, self.ring = seat, ring

    def __getattr__(self, name):
        return getattr(self.seat, name)


def outcome(kind, *, place=0, more=0, step=1, protocol="additive_sum", rows=4):
    """What everybody ends with: figures, or the first party's error."""
    agreement = agreed("ABC", protocol, {"rows": rows, **TASKS[kind]})
    task = task_of(agreement)
    table = LocalNetwork("ABC", Ring(agreement.modulus))
    own = {name: task.load_input(frame, name) for name, frame in FRAMES.items()}
    return run_protocol(Liar(task, place, more, step).run, own, table)


@pytest.mark.parametrize("kind", TASKS)
def test_honest_parties_are_within_their_bounds(kind):
    found = outcome(kind)
    assert found["A"]["rows"] == 7


LENGTH = {
    "count": 1,
    "sum": 3,
    "mean": 3,
    "covariance": 6,
    "histogram": 9,
    "linear": 6,
    "naive_bayes": 14,
    "k_means": 6,
}
LIES = [(kind, place, 1) for kind, length in LENGTH.items() for place in range(length)]
LIES += [("quantile", 0, 1), ("quantile", 0, 2), ("quantile", 1, 2), ("quantile", 0, 3)]
LIES += [("logistic", 0, 1), *(("logistic", place, step) for place in range(5) for step in (2, 5, 13))]
LIES += [("k_means", place, 2) for place in range(6)]


@pytest.mark.parametrize("more", [10**9, -(10**9)])
@pytest.mark.parametrize(("kind", "place", "step"), LIES)
def test_a_number_far_beyond_the_bounds_ends_every_kind_of_task_in_every_step(kind, place, step, more):
    """One liar, any number that it adds, either way: the others see that the rest cannot be, and cannot see whose it is."""
    scale = 2**30 if kind == "logistic" and step > 1 else 1
    with pytest.raises(Contradiction) as ended:
        outcome(kind, place=place, more=more * scale, step=step)
    assert ended.value.exit_code == 14 and ended.value.party == ""


def test_the_last_party_that_could_have_brought_it_is_not_named():
    """A liar within what the others left unused is not noticed: the bounds are for all others together."""
    found = outcome("mean", place=1, more=120, rows=4)
    assert found["A"]["mean"]["age"] == (243 + 120) / 7


@pytest.mark.parametrize("protocol", ["additive_sum", "verified_sum"])
def test_over_tls_all_end_with_the_same_code_and_nobody_has_a_result(protocol, monkeypatch):
    """Mean age with bounds 0 to 120 and a party that adds 10^9: all exited with 0 and 111,111,151 once."""
    from tacit.multiparty.statistics.sum_task import SumTask

    reads = SumTask.load_input
    monkeypatch.setattr(
        SumTask,
        "load_input",
        lambda task, frame, me: [n + (me == "B") * 10**9 * at for at, n in enumerate(reads(task, frame, me))],
    )
    adversary = "malicious" if protocol == "verified_sum" else "semi-honest"
    agreement, secrets = house("ABC", protocol, adversary=adversary)
    found = asyncio.run(everybody(agreement, secrets))
    assert {found[name].exit_code for name in "AC"} == {14}, found
    assert "sum of column 'age' is beyond its agreed bounds" in str(found["A"])
    assert not any(str(n) in str(found["A"]) for n in (10**9, 111)), "no sum is shown"


def test_noise_may_cross_the_bounds_and_a_lie_far_beyond_it_may_not():
    task = {**TASK, "rows": 3, "rho": 0.001, "delta": 1e-6, "colluders": 0}
    asked = task_of(agreed("ABC", "dp_sum", task))
    frames = {name: frame.select("age") for name, frame in FRAMES.items()}
    spread = max(asked.scales)
    for _ in range(20):  # noise of some thousand years on bounds of 0 to 1,080
        own = {name: asked.load_input(frame, name) for name, frame in frames.items()}
        run_protocol(asked.run, own, LocalNetwork("ABC", Ring(2**64)))
    own["B"][1] += int(40 * spread)
    with pytest.raises(Contradiction, match="than its noise carries it"):
        run_protocol(asked.run, own, LocalNetwork("ABC", Ring(2**64)))


VALUES = st.lists(st.tuples(st.integers(-5, 9), st.integers(0, 3)), max_size=8)
A, B = NumericColumn(name="a", low=-5, high=9), NumericColumn(name="b", low=0, high=3)


def moments(rows):
    a, b = [x for x, _ in rows], [y for _, y in rows]
    products = [sum(x * x for x in a), sum(x * y for x, y in rows), sum(y * y for y in b)]
    return len(rows), [sum(a), sum(b)], products


@settings(max_examples=100)
@given(VALUES)
def test_moments_of_values_within_the_bounds_are_never_refused(rows):
    check_moments((A, B), *moments(rows))


@settings(max_examples=100)
@given(VALUES, st.integers(0, 4), st.integers(-400, 400))
def test_moments_that_are_accepted_are_those_of_some_distribution_within_the_bounds(rows, place, more):
    """Slow oracle: a covariance matrix without negative eigenvalues, means and variances of a law on the bounds."""
    count, totals, products = moments(rows)
    (totals if place < 2 else products)[place % 2 if place < 2 else place - 2] += more
    try:
        check_moments((A, B), count, totals, products)
    except InfeasibleSums:
        return
    if not count:
        assert not any([*totals, *products])
        return
    means = np.array(totals) / count
    second = np.array([[products[0], products[1]], [products[1], products[2]]]) / count
    assert -5 <= means[0] <= 9 and 0 <= means[1] <= 3
    assert np.linalg.eigvalsh(second - np.outer(means, means)).min() > -1e-6
    for at, (low, high) in enumerate([(-5, 9), (0, 3)]):
        assert second[at, at] - means[at] ** 2 <= (means[at] - low) * (high - means[at]) + 1e-9


def test_refused_figures_are_an_error_that_can_be_mended():
    with pytest.raises(TacitError, match="fix: let every party check its file"):
        outcome("mean", place=1, more=10**9)
