"""Exact answers: small sets, differences, trackers, refusals that tell, people who compare (attacks 1 to 5).

catalogue: H-06
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.query.service import DatasetConfig

from .stub import Unprotected
from .world import MODES, TARGET, World, people

ALONE = f"SELECT SUM(income) FROM register WHERE who = {TARGET}"
ALL = "SELECT SUM(income) FROM register"
BUT_ONE = f"SELECT SUM(income) FROM register WHERE who <> {TARGET}"
SOME = "SELECT SUM(income) FROM register WHERE who <= 20"
SOME_BUT_ONE = f"SELECT SUM(income) FROM register WHERE who <= 20 AND who <> {TARGET}"


@pytest.fixture(scope="module")
def stub():
    return Unprotected(people(), "register", "clinic")


@pytest.fixture
def world(tmp_path):
    with World(tmp_path, people(), "register", "clinic") as found:
        yield found


def income() -> float:
    return people()["income"][TARGET]


def learned(asked, *sums: tuple[int, str]) -> float:
    """A combination of answers."""
    return sum(factor * asked.ask(sql)[0][0] for factor, sql in sums)


# --- 1: small set and complement


def test_attack_01_succeeds_against_answers_to_everything(stub):
    assert learned(stub, (1, ALONE)) == income()
    assert learned(stub, (1, ALL), (-1, BUT_ONE)) == pytest.approx(income())


def test_attack_01_small_sets_and_their_complements_are_refused(world):
    for what in ("SUM(income)", "AVG(income)", "COUNT(*)"):
        assert world.code(ALONE.replace("SUM(income)", what)) == "small_set"
        assert world.code(BUT_ONE.replace("SUM(income)", what)) == "small_set"
    for size, code in ((4, "small_set"), (5, "answered"), (35, "answered"), (36, "small_set"), (40, "answered")):
        assert world.code(f"SELECT COUNT(*) FROM register WHERE who < {size}") == code
    assert world.code(ALL) == "answered" and world.code(BUT_ONE) == "small_set"


def test_attack_01_noisy_answers_are_given_about_sets_of_any_size(world):
    """Noise of scale 10¹⁰ steps: the truth comes out with a chance below 10⁻⁹."""
    for sql in (ALONE, ALL, BUT_ONE):
        (figure,) = world.ask(sql.replace("register", "clinic"), "0.0001")[0]
        assert figure != learned(Unprotected(people(), "register"), (1, sql))


# --- 2: differencing


def test_attack_02_succeeds_against_answers_to_everything(stub):
    assert learned(stub, (1, SOME), (-1, SOME_BUT_ONE)) == pytest.approx(income())


def test_attack_02_the_second_of_two_sums_that_differ_by_one_person_is_refused(world):
    assert world.code(SOME) == "answered"
    assert world.code(SOME_BUT_ONE) in ("small_set", "would_disclose")
    assert world.code(SOME_BUT_ONE.replace("SUM", "AVG")) in ("small_set", "would_disclose")


def test_attack_02_noise_is_drawn_and_charged_for_each_of_the_two(world):
    """The difference has the noise of both, scale 10¹⁰ cents: nearer than a cent with a chance below 10⁻⁹."""
    sqls = [sql.replace("register", "clinic") for sql in (SOME, SOME_BUT_ONE)]
    first, second = (world.ask(sql, "0.0001")[0][0] for sql in sqls)
    assert abs(first - second - income()) > 0.011 and world.spent() == Fraction(2, 10**4)


# --- 3: sums that solve for one person


def determined(sets: list[frozenset[int]], count: int) -> set[int]:
    """Who follows from the sums over the sets: elimination in fractions, as a slow oracle."""
    rows: list[list[Fraction]] = []
    for one in sets:
        row = [Fraction(who in one) for who in range(count)]
        for other in rows:
            pivot = next(place for place, entry in enumerate(other) if entry)
            row = [a - row[pivot] * b for a, b in zip(row, other, strict=True)]
        if any(row):
            first = next(place for place, entry in enumerate(row) if entry)
            row = [entry / row[first] for entry in row]
            rows = [[a - other[first] * b for a, b in zip(other, row, strict=True)] for other in rows] + [row]
    return {row.index(1) for row in rows if sum(map(bool, row)) == 1}


def sum_over(one: frozenset[int]) -> str:
    return f"SELECT SUM(income) FROM register WHERE who IN ({', '.join(map(str, sorted(one)))})"


def test_attack_03_succeeds_against_answers_to_everything(stub):
    """x + A, x + B and A + B are none of them small, and none within another."""
    a, b = frozenset(range(10, 16)), frozenset(range(20, 26))
    sets = [a | {TARGET}, b | {TARGET}, a | b]
    assert determined(sets, 40) == {TARGET}
    (x, y, z) = (stub.ask(sum_over(one))[0][0] for one in sets)
    assert (x + y - z) / 2 == pytest.approx(income())


@settings(max_examples=8)
@given(
    st.lists(
        st.frozensets(st.integers(0, 11), min_size=2, max_size=12).filter(lambda one: len(one) in (2, 3, 4, 6, 9, 12)),
        min_size=6,
        max_size=18,
    )
)
def test_attack_03_after_any_accepted_sums_nobody_follows(tmp_path_factory, sets):
    """Twelve people, least = 2; the same sets unguarded often give somebody away."""
    folder = tmp_path_factory.mktemp("tracker")
    with World(folder, people(12), register=MODES["register"].replace("least = 5", "least = 2")) as world:
        accepted = [one for one in sets if world.code(sum_over(one)) == "answered"]
    assert not determined(accepted, 12)


def test_attack_03_random_sums_do_give_people_away():
    rng = np.random.default_rng(0)
    sets = [frozenset(np.flatnonzero(rng.random(12) < 0.5).tolist()) for _ in range(14)]
    assert determined(sets, 12)


# --- 4: refusals that tell

LEADING = [
    ALL,
    SOME,
    SOME_BUT_ONE,
    ALONE,
    "SELECT MAX(income) FROM register WHERE who <= 20",
    "SELECT MEDIAN(income) FROM register WHERE who <= 20",
    "SELECT sex, SUM(income) FROM register GROUP BY sex",
    "SELECT COUNT(*) FROM register WHERE income > 9000",
    "SELECT AVG(income) FROM register WHERE who BETWEEN 3 AND 30",
    "SELECT BIN(who, 5), SUM(income) FROM register GROUP BY BIN(who, 5)",
]


def others() -> pl.DataFrame:
    """The same public part; the target is very rich."""
    return people().with_columns(income=pl.when(pl.col("who") == TARGET).then(9999.99).otherwise(1000.0))


def naive_maxima(frame: pl.DataFrame) -> list[str]:
    """A service that answers a maximum unless it would show whose it is: its silence shows it."""
    heard = []
    for upto in range(1, 30):
        incomes = frame.filter(pl.col("who") < upto)["income"]
        alone = (incomes == incomes.max()).sum() == 1 and incomes.max() > 9000
        heard.append("refused" if alone else "answered")
    return heard


def test_attack_04_succeeds_against_refusals_that_look_at_the_answer():
    heard = naive_maxima(others())
    assert heard.index("refused") == TARGET and "refused" not in naive_maxima(people().with_columns(income=1000.0))


def test_attack_04_the_same_is_refused_in_the_same_words_whatever_the_values_are(tmp_path):
    heard = []
    for place, frame in enumerate((people(), others())):
        with World(tmp_path / str(place), frame, "register") as world:
            heard.append([str(world.refusal(sql)) for sql in LEADING])
            lines = [(one.kind, one.account, one.cost, one.charge) for one in world.desk.ledger.entries()]
            heard[-1].append(str(lines))
    assert heard[0] == heard[1] and "None" in heard[0] and len(set(heard[0])) > 4


# --- 5: two who compare


def test_attack_05_succeeds_when_every_account_is_audited_alone(tmp_path):
    with World(tmp_path, people(), register=MODES["register"] + "\nper_account = true") as world:
        told = world.ask(SOME, who="ana")[0][0] - world.ask(SOME_BUT_ONE, who="ben")[0][0]
    assert told == pytest.approx(income())


def test_attack_05_succeeds_when_answers_audited_alone_are_shared(tmp_path, monkeypatch):
    monkeypatch.setattr(DatasetConfig, "audited_alone", False)
    with World(tmp_path, people(), register=MODES["register"] + "\nper_account = true") as world:
        world.ask(SOME, who="ana")
        told = world.ask(SOME, who="ben")[0][0] - world.ask(SOME_BUT_ONE, who="ben")[0][0]
    assert told == pytest.approx(income()), "ben alone learns it"


def test_attack_05_what_one_was_told_counts_for_the_other(world):
    assert world.code(SOME, who="ana") == "answered"
    assert world.code(SOME_BUT_ONE, who="ben") in ("small_set", "would_disclose")
    assert world.code(SOME_BUT_ONE, who="olga") in ("small_set", "would_disclose")
    assert world.ask(SOME, who="ben") == world.ask(SOME, who="ana")


def test_attack_05_audited_alone_nobody_reads_what_another_was_told(tmp_path):
    """One account alone must not put both answers together: a stored answer of another's is decided anew."""
    with World(tmp_path, people(), register=MODES["register"] + "\nper_account = true") as world:
        assert world.code(SOME, who="ana") == "answered"
        assert world.code(SOME_BUT_ONE, who="ben") == "answered"
        assert world.code(SOME_BUT_ONE, who="ana") in ("small_set", "would_disclose")
        assert world.code(SOME, who="ben") in ("small_set", "would_disclose")
        assert world.reply(SOME, who="ana").repeated, "one's own can be read again"
