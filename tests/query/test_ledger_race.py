"""Many at once: never over the cap, exactly the sum charged, nothing lost (catalogue: H-07; attack 18)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.dp.cost import Cost
from tacit.query.ledger import Ledger
from tacit.query.ledger.caps import on_grid
from tacit.query.refusal import Refusal

from .asking import ANSWER, asked, caps, pay

amounts = st.lists(
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 7), Fraction(2)]), min_size=4, max_size=24
)


def raced(ledgers: list[Ledger], amounts: list[Fraction], limit: Fraction, *, check_and_charge=pay) -> list[Fraction]:
    """All charges at once over several ledgers of one database; those that were taken, on the grid of the ledger."""
    gate = threading.Barrier(len(amounts))

    def one(place: int) -> Fraction:
        gate.wait()
        try:
            check_and_charge(ledgers[place % len(ledgers)], amounts[place], limit)
            return on_grid(Cost.of(amounts[place])).amount
        except Refusal as refusal:
            assert refusal.code == "budget"
            return Fraction(0)

    with ThreadPoolExecutor(len(amounts)) as threads:
        return list(threads.map(one, range(len(amounts))))


def sound(ledger: Ledger, taken: list[Fraction], limit: Fraction) -> None:
    entries = ledger.entries()
    charges = [entry for entry in entries if entry.kind == "charge"]
    assert sum((entry.spent.amount for entry in charges), Fraction(0)) == sum(taken) <= limit
    assert ledger.spent("d").amount == sum(taken)
    assert len(charges) == len([entry for entry in entries if entry.kind == "answer"])
    assert ledger.verify().holds


@settings(max_examples=12)
@given(amounts=amounts, limit=st.fractions(min_value=0, max_value=6, max_denominator=30))
def test_threads_with_several_connections_to_a_file(tmp_path_factory, amounts, limit):
    path = tmp_path_factory.mktemp("race") / "ledger.db"
    ledgers = [Ledger.open(path) for _ in range(3)]
    taken = raced(ledgers, amounts, limit)
    sound(ledgers[0], taken, limit)
    assert all(
        sum(taken) + on_grid(Cost.of(amount)).amount > limit
        for amount, got in zip(amounts, taken, strict=True)
        if not got
    )
    for ledger in ledgers:
        ledger.close()


@settings(max_examples=6)
@given(amounts=amounts, limit=st.fractions(min_value=0, max_value=6, max_denominator=30))
def test_threads_with_several_connections_to_postgres(postgres, amounts, limit):
    with psycopg.connect(postgres) as direct:
        direct.execute("DROP TABLE IF EXISTS tacit_ledger")
    ledgers = [Ledger.open(postgres) for _ in range(3)]
    taken = raced(ledgers, amounts, limit)
    sound(ledgers[0], taken, limit)
    assert all(
        sum(taken) + on_grid(Cost.of(amount)).amount > limit
        for amount, got in zip(amounts, taken, strict=True)
        if not got
    )
    for ledger in ledgers:
        ledger.close()


def test_the_race_would_find_a_check_outside_the_turn(tmp_path):
    """The test can fail: whoever looks first and charges in a turn of its own overspends, here after all have looked."""
    looked = threading.Barrier(8)

    def careless(ledger: Ledger, amount: Fraction, limit: Fraction) -> None:
        if ledger.spent("d").amount + amount > limit:
            raise Refusal("budget", "nothing is left", fix="ask the owner")
        looked.wait()
        pay(ledger, amount)

    with Ledger.open(tmp_path / "ledger.db") as ledger:
        taken = raced([ledger], [Fraction(1)] * 8, Fraction(3), check_and_charge=careless)
        with pytest.raises(AssertionError):
            sound(ledger, taken, Fraction(3))


SPENDER = """
import sys
from tests.query.asking import pay
from tacit.query.ledger import Ledger
with Ledger.open(sys.argv[1]) as ledger:
    print("ready", flush=True)
    while True:
        print(pay(ledger, "1/1000000", settle=False).number, flush=True)
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_killed_at_any_moment_leave_a_sound_ledger(request, tmp_path, kind):
    """Every charge that was reported is there; at most one more per process, and the chain holds."""
    place = str(tmp_path / "ledger.db") if kind == "sqlite" else request.getfixturevalue("database")
    root = str(request.config.rootpath)
    reported: set[int] = set()
    for moment in (0.05, 0.2, 0.31):
        spenders = [
            subprocess.Popen([sys.executable, "-c", SPENDER, place], stdout=subprocess.PIPE, text=True, cwd=root)
            for _ in range(2)
        ]
        for spender in spenders:
            assert spender.stdout and spender.stdout.readline() == "ready\n"
        time.sleep(moment)
        for spender in spenders:
            os.kill(spender.pid, signal.SIGKILL)
            lines = spender.communicate()[0].splitlines(keepends=True)
            reported |= {int(line) for line in lines if line.endswith("\n")}
    with Ledger.open(place) as ledger:
        numbers = {entry.number for entry in ledger.entries(limit=10**6)}
        assert reported <= numbers and len(numbers) <= len(reported) + 6
        assert ledger.spent("d").amount == len(numbers) * Fraction(1, 10**6)
        assert ledger.verify().holds
        with ledger.transaction() as turn:
            ledger_goes_on = turn.charge(asked(), Cost.of(1), caps(100))
        assert ledger.settle(ledger_goes_on.number, ANSWER).charge == ledger_goes_on.number
