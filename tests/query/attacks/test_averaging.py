"""The same question again in other words: averaging and cloning (attacks 6 and 8), and reconstruction (7).

catalogue: H-05, H-07
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from .stub import FloatNoise, Unprotected
from .world import World, people

PLAIN = "SELECT COUNT(*) AS n FROM clinic WHERE age >= 30 AND sex = 'f' AND ill = TRUE"
AGES = [
    "age >= 30",
    "age > 29",
    "NOT age < 30",
    "30 <= age",
    "age BETWEEN 30 AND 110",
    "age > 29.5",
    "NOT NOT age >= 30",
]
SEXES = ["sex = 'f'", "'f' = sex", "sex IN ('f')", "NOT (sex <> 'f')", "sex <> 'm'"]
ILLS = ["ill = TRUE", "ill", "NOT (ill = FALSE)", "ill <> FALSE"]
NOTHING = ["", " AND 1 = 1", " OR 1 = 0", " AND age <= 110", " AND NOT age > 200", " AND age <> 1.5"]
"""What changes no row of any data within the declared bounds."""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with World(tmp_path_factory.mktemp("averaging"), people(), "clinic") as found:
        yield found


def truth() -> int:
    return people().filter((pl.col("age") >= 30) & (pl.col("sex") == "f") & pl.col("ill")).height


@st.composite
def paraphrases(draw) -> str:
    parts = draw(st.permutations([draw(st.sampled_from(one)) for one in (AGES, SEXES, ILLS)]))
    inner = f"({parts[0]} AND {parts[1]}) AND {parts[2]}{draw(st.sampled_from(NOTHING))}"
    if draw(st.booleans()):
        inner = f"NOT (NOT ({inner}))"
    name, space = draw(st.sampled_from(["n", "m"])), draw(st.sampled_from([" ", "  ", "\n", "\t"]))
    return f"select count(*){space}as {name} from clinic where {inner}"


# --- 6: averaging


def test_attack_06_succeeds_when_answers_are_kept_by_their_text():
    """A thousand texts: the mean is off by more than half with a chance of 10⁻²⁸ and a single answer mostly is."""
    stub = FloatNoise(people(), "clinic")
    every = itertools.product(AGES, SEXES, ILLS, NOTHING, ("n", "m"))
    texts = [f"SELECT COUNT(*) AS {n} FROM clinic WHERE {a} AND {s} AND {i}{e}" for a, s, i, e, n in every]
    figures = [stub.ask(text, "0.5")[0][0] for text in texts]
    assert len(figures) > 1000 and round(np.mean(figures)) == truth() and abs(figures[0] - truth()) > 0.01


@settings(max_examples=60)
@given(paraphrases())
def test_attack_06_every_paraphrase_has_the_same_answer_and_is_charged_once(world, text):
    first = world.ask(PLAIN, "0.5")
    before = world.spent()
    again = world.reply(text, "0.5", who="ben")
    assert list(again.table.rows) == first and again.repeated and world.spent() == before


# --- 8: cloning


def test_attack_08_succeeds_against_noise_that_hangs_on_the_conditions():
    """Each clone has a condition that is true of everybody in the data: fresh noise for nothing."""
    stub = FloatNoise(people(), "clinic")
    figures = [stub.ask(f"{PLAIN} AND age <> {200 + clone}", "0.5")[0][0] for clone in range(2000)]
    assert round(np.mean(figures)) == truth()


def test_attack_08_a_clone_is_the_stored_answer_or_is_paid_for(world):
    """True of everybody by declaration: the same answer. True in these data only: another question at its full price."""
    first = world.ask(PLAIN, "0.5")
    for clone in range(100):
        assert world.ask(f"{PLAIN} AND age <> {200 + clone}", "0.5") == first
    before = world.spent()
    fresh = [world.reply(f"{PLAIN} AND who <> {100 + clone}", "0.5") for clone in range(10)]  # of forty people
    assert not any(one.repeated for one in fresh) and world.spent() == before + Fraction(1, 2) * len(fresh)


# --- 7: reconstruction


def reconstructed(subsets: np.ndarray, counts: list[float]) -> np.ndarray:
    """Dinur and Nissim's attack: the bits in [0, 1] whose counts are nearest to the answers in L1, rounded."""
    asked, number = subsets.shape
    one, slack = subsets.astype(float), np.eye(asked)
    found = linprog(
        np.r_[np.zeros(number), np.ones(asked)],
        A_ub=np.block([[one, -slack], [-one, -slack]]),
        b_ub=np.r_[counts, -np.asarray(counts)],
        bounds=[(0, 1)] * number + [(0, None)] * asked,
        method="highs",
    )
    return found.x[:number] > 0.5


def ill_among(subset: np.ndarray) -> str:
    chosen = ", ".join(map(str, np.flatnonzero(subset)))
    return f"SELECT COUNT(*) FROM clinic WHERE ill AND who IN ({chosen})"


def attacked(asked, frame: pl.DataFrame, seed: int, spend: object = None, questions: int = 105) -> float:
    """The share of the people whose illness comes out right."""
    subsets = np.random.default_rng(seed).random((questions, frame.height)) < 0.5
    counts = [asked.ask(ill_among(one), spend)[0][0] for one in subsets]
    return float(np.mean(reconstructed(subsets, counts) == frame["ill"].to_numpy()))


def test_attack_07_succeeds_against_exact_counts():
    frame = people(100, seed=3)
    assert attacked(Unprotected(frame, "clinic"), frame, seed=3) == 1


def test_attack_07_any_secret_under_a_normal_budget_stays_a_guess(tmp_path_factory):
    """105 counts of 100 people for ε = 0.42 in all: at most 70 % of 600 bits, 9 standard errors above a guess."""
    right = []

    @settings(max_examples=6)
    @given(st.integers(0, 2**32))
    def any_secret(seed):
        frame = people(100, seed)
        with World(tmp_path_factory.mktemp("bits"), frame, "clinic") as world:
            right.append(attacked(world, frame, seed + 1, "0.004"))
            assert world.spent() == Fraction(42, 100)

    any_secret()
    assert len(right) == 6 and np.mean(right) <= 0.7
