"""Many at once on one budget (attack 18).

Fifty clients over HTTP, SIGKILL under load and between charge and answer are in ``test_server_load.py``, the same races
on the ledger alone, over files and PostgreSQL, in ``test_ledger_race.py``.

catalogue: H-04, H-07
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.query import load_service, open_desk
from tacit.query.ledger.caps import GRID

from .stub import NoLock
from .world import MODES, World, people


def together(work, count: int) -> list:
    """What all say who begin at the same moment."""
    gate = threading.Barrier(count)

    def one(place: int):
        gate.wait()
        return work(place)

    with ThreadPoolExecutor(count) as crowd:
        return list(crowd.map(one, range(count)))


def test_attack_18_succeeds_against_a_budget_that_is_looked_at_before_it_is_written():
    """All have looked before the first engine is done."""
    stub = NoLock(1.0, work=threading.Barrier(50).wait)
    assert sum(together(lambda _: stub.ask(0.25), 50)) == 50


def charged(spend: str) -> Fraction:
    """What the ledger takes: a multiple of 10⁻⁹, rounded up."""
    return Fraction(-(-Fraction(spend) * GRID // 1), GRID)


@settings(max_examples=5)
@given(
    spends=st.lists(st.sampled_from(["0.1", "1/3", "0.07", "2", "0.5"]), min_size=10, max_size=30),
    cap=st.fractions(min_value="1/10", max_value=4, max_denominator=30),
)
def test_attack_18_any_questions_at_once_never_go_over_the_cap(tmp_path_factory, spends, cap):
    """Two desks on one ledger, as two processes would have them, threads on both."""
    mode = MODES["clinic"].replace("epsilon = 1000", f'epsilon = "{cap}"')
    with World(tmp_path_factory.mktemp("race"), people(), clinic=mode) as world:
        first, second = world.desk, open_desk(load_service(world.file))

        def ask(place: int) -> Fraction:
            one = World.__new__(World)
            one.desk = (first, second)[place % 2]
            code = one.code(f"SELECT COUNT(*) FROM clinic WHERE who <= {place}", spends[place])
            assert code in ("answered", "budget")
            return charged(spends[place]) if code == "answered" else Fraction(0)

        taken = together(ask, len(spends))
        assert sum(taken) == world.spent() <= cap
        assert all(sum(taken) + charged(one) > cap for one, got in zip(spends, taken, strict=True) if not got)
        kinds = [line.kind for line in first.ledger.entries()]
        assert kinds.count("charge") == kinds.count("answer") == sum(map(bool, taken))
        assert first.ledger.verify().holds
        second.close()
