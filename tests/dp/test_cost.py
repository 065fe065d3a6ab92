"""Exact costs and the ledger that refuses to be overspent. Catalogue: H-04."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.dp import Bounds, Cost, Count, GroupBy, Histogram, Ledger, Mean, Sum
from tacit.dp.cost import rounded_up, to_fraction


@pytest.mark.parametrize("tenth", [0.1, "0.1", "1/10", Decimal("0.1"), Fraction(1, 10), np.float64(0.1)])
def test_a_tenth_is_a_tenth_however_it_is_written(tenth):
    assert to_fraction(tenth) == Fraction(1, 10)
    assert to_fraction(np.int64(3)) == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "x", "1/0", None, True, [1], Decimal("NaN"), 1j])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TacitError, match="not a finite number"):
        to_fraction(value)


@given(st.floats(0, 1e6))
def test_a_bound_is_rounded_up_and_only_a_little(value):
    assert 0 <= rounded_up(value) - Fraction(value) < Fraction(1, 10**9)


def test_ten_tenths_are_one_and_nothing_more_is_left():
    ledger = Ledger(Cost.of(1), neighbours="add_remove")
    for _ in range(10):
        ledger.charge(Cost.of(0.1), neighbours="add_remove")
    assert ledger.spent == Cost.of(1)
    assert ledger.left == Cost.of(0)
    with pytest.raises(TacitError, match="ε = 0 is left"):
        ledger.charge(Cost.of("1e-30"), neighbours="add_remove")
    assert len(ledger.charges) == 10


def test_a_hair_more_than_the_budget_is_refused():
    with pytest.raises(TacitError, match="is left"):
        Ledger(Cost.of(1), neighbours="replace").charge(Cost.of(1.0000000000000002), neighbours="replace")
    with pytest.raises(TacitError, match="is left"):
        Ledger(Cost.of(1, "1e-6"), neighbours="replace").charge(Cost.of("0.1", "2e-6"), neighbours="replace")


@given(st.lists(st.fractions(0, 1), max_size=30))
def test_a_ledger_is_never_overspent_and_refuses_only_what_does_not_fit(amounts):
    ledger, spent = Ledger(Cost.of(2), neighbours="replace"), Fraction(0)
    for amount in amounts:
        if spent + amount <= 2:
            ledger.charge(Cost(amount), neighbours="replace")
            spent += amount
        else:
            with pytest.raises(TacitError):
                ledger.charge(Cost(amount), neighbours="replace")
    assert ledger.spent.amount == spent <= 2


def test_many_threads_do_not_spend_the_same_rest():
    ledger = Ledger(Cost.of(1), neighbours="replace")

    def one(_: int) -> bool:
        try:
            ledger.charge(Cost.of("0.03"), neighbours="replace")
        except TacitError:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        granted = sum(pool.map(one, range(200)))
    assert granted == 33
    assert ledger.spent == Cost.of("0.99")


def test_a_ledger_knows_its_neighbours_and_its_unit():
    ledger = Ledger(Cost.of(1), neighbours="add_remove")
    with pytest.raises(TacitError, match="cannot be added up"):
        ledger.charge(Cost.of("0.1"), neighbours="replace")
    with pytest.raises(TacitError, match="cannot be added"):
        ledger.charge(Cost.of("0.1", unit="rho"), neighbours="add_remove")
    with pytest.raises(TacitError, match="cannot be added up"):
        ledger.answer(Count(epsilon="0.1", neighbours="replace"), [1])
    assert ledger.charges == ()
    for budget in (Cost.of(0), 1, None):
        with pytest.raises(TacitError, match="budget above 0"):
            Ledger(budget, neighbours="add_remove")


def test_a_ledger_charges_first_and_gives_nothing_back_when_the_answer_fails():
    ledger = Ledger(Cost.of(1), neighbours="replace")
    mean = Mean(bounds=Bounds(0, 1), epsilon="0.4", neighbours="replace", size=3)
    with pytest.raises(TacitError, match="promised"):
        ledger.answer(mean, [1, 2])
    assert ledger.spent == Cost.of("0.4")
    assert 0 <= ledger.answer(mean, [1, 0, 1]).value <= 1
    with pytest.raises(TacitError, match="0.2 is left"):
        ledger.answer(mean, [1, 0, 1])


def test_a_ledger_of_rho_takes_pure_epsilon_at_half_its_square():
    ledger = Ledger(Cost.of("0.5", "1e-6", unit="rho"), neighbours="add_remove")
    ledger.answer(Sum(bounds=Bounds(0, 5), epsilon="0.5", neighbours="add_remove"), [1, 2])
    assert ledger.spent == Cost.of("1/8", unit="rho")
    keys = Histogram(epsilon="0.1", delta="1e-6", neighbours="add_remove")
    count = Count(epsilon="0.1", neighbours="add_remove")
    ledger.answer(GroupBy(statistic=count, keys=keys, neighbours="add_remove"), ["a"], [1])
    assert ledger.spent == Cost.of("0.135", "1e-6", unit="rho")


def test_costs_that_cannot_be_are_refused_and_survive_json():
    for amount, delta in ((-1, 0), (1, 1), (1, -0.1)):
        with pytest.raises(TacitError, match="cannot be"):
            Cost.of(amount, delta)
    cost = Cost.of("1/3", "1e-9")
    assert Cost.from_json(cost.as_json()) == cost
