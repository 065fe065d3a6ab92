"""Spends lie on one grid, so that no analyst can make a data set unusable by awkward fractions (review A2)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.query import views
from tacit.query.ledger import Ledger
from tacit.query.ledger.caps import GRID, on_grid
from tacit.query.ledger.entry import canonical_json
from tacit.query.ledger.lines import append_entry
from tacit.query.restriction.restriction import is_prime

from .asking import asked, pay
from .desks import Cost, ask, desk


def primes(count: int, start: int = 900_000_000) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        start += 1
        if is_prime(start):
            found.append(start)
    return found


def test_awkward_spends_leave_the_data_set_usable(tmp_path):
    """479 spends over distinct primes made every further request fail, for everybody and for ever."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        for prime in primes(479):
            pay(ledger, Fraction(prime // 1000 + 1, prime), digest=str(prime), settle=False)
        assert GRID % ledger.spent("d").amount.denominator == 0
        assert max(len(entry.totals) for entry in ledger.entries()) < 400
        assert ledger.verify().holds
    found = desk(tmp_path / "other.db")
    ana = found.service.accounts["ana"]
    reply = found.query(ana, ask(spend=Fraction(900_001, 900_000_011)))
    assert reply.charged.amount == Fraction(1_000_002, GRID)  # rounded up, and never below what the noise was drawn for
    assert views.list_budgets(found, ana)["budgets"]
    found.close()


def test_a_ledger_with_other_fractions_can_be_read_and_goes_on(tmp_path):
    """Lines from before the grid: an odd denominator, and one of thousands of digits, which Python no longer prints when it grows."""
    huge = Fraction(1, 10**4290 + 1)
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        total = Fraction(0)
        for amount in (Fraction(1, 3), Fraction(1, 7), huge):
            total += amount
            cost = Cost.of(amount)
            totals = {scope: Cost.of(total).as_json() for scope in ("dataset", "project", "account")}
            with ledger.transaction() as turn:
                append_entry(
                    turn.rows, asked(), "charge", cost=canonical_json(cost.as_json()), totals=canonical_json(totals)
                )
        assert ledger.verify().holds
        used = ledger.spent("d").amount
        assert total <= used <= total + Fraction(1, GRID) and GRID % used.denominator == 0
        pay(ledger, "0.1")
        assert ledger.spent("d").amount == used + Fraction(1, 10)
        assert ledger.verify().holds


@pytest.mark.parametrize("given", ["1/3", "0.1", "1/7", "0.0000000001", "99.999999999"])
def test_an_amount_is_never_rounded_down(given):
    amount = Fraction(given)
    found = on_grid(Cost.of(given)).amount
    assert amount <= found < amount + Fraction(1, GRID) and (found * GRID).denominator == 1


def test_a_forged_total_is_still_found(tmp_path):
    """Rounding up is allowed once, from an old total to the grid; anything else is not the sum of the charges."""
    for wrong in (Fraction(1, 3) - Fraction(1, 10**12), Fraction(333333334, 10**9) + Fraction(1, GRID)):
        with Ledger.open(tmp_path / f"{wrong.numerator}.db") as ledger:
            for amount, total in ((Fraction(1, 3), Fraction(1, 3)), (Fraction(1, 10), wrong + Fraction(1, 10))):
                totals = {scope: Cost.of(total).as_json() for scope in ("dataset", "project", "account")}
                with ledger.transaction() as turn:
                    append_entry(
                        turn.rows,
                        asked(),
                        "charge",
                        cost=canonical_json(Cost.of(amount).as_json()),
                        totals=canonical_json(totals),
                    )
            assert ledger.verify().broken == 2
