"""Data that change between questions (attack 22), and intervals that are intersected (attack 23).

catalogue: H-06, H-07
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from .world import MODES, World, people

# --- 22: who joined?

ALL = "SELECT SUM(income) FROM register"
AFTER = people(41)
BEFORE = AFTER.head(40)
JOINED = AFTER["income"][40]


def test_attack_22_succeeds_where_the_audit_starts_anew_with_every_version(tmp_path):
    """The sum before, the sum after; each has a ledger of its own."""
    told = []
    for place, frame in enumerate((BEFORE, AFTER)):
        with World(tmp_path / str(place), frame, "register") as world:
            told.append(world.ask(ALL)[0][0])
    assert told[1] - told[0] == pytest.approx(JOINED)


@pytest.mark.parametrize("known", [True, False])
def test_attack_22_the_audit_goes_on_over_versions(tmp_path, known):
    """With the earlier version at hand as little is refused as can be; without it the column stays closed."""
    with World(tmp_path, BEFORE, "register") as world:
        assert world.code(ALL) == "answered"
    BEFORE.write_parquet(tmp_path / "before.parquet")
    mode = MODES["register"] + ('\nearlier = { "1" = "before.parquet" }' if known else "")
    with World(tmp_path, AFTER, register=mode) as world:
        assert world.code(ALL) in ("small_set", "would_disclose")
        assert world.code(f"{ALL} WHERE who >= 20") == ("answered" if known else "would_disclose")
        if known:
            assert world.code(f"{ALL} WHERE who < 20") in ("small_set", "would_disclose"), "the rest is who joined"
        assert world.code("SELECT COUNT(*) FROM register") == "answered"


def test_attack_22_the_budget_goes_on_over_versions(tmp_path):
    mode = MODES["clinic"].replace("epsilon = 1000", "epsilon = 1")
    for frame, code in ((BEFORE, "answered"), (AFTER, "answered"), (people(42), "budget")):
        with World(tmp_path, frame, clinic=mode) as world:
            assert world.code("SELECT COUNT(*) FROM clinic", "0.5") == code
            assert world.desk.ledger.verify().holds


# --- 23: intersecting intervals


def feasible(sets: np.ndarray, answers: np.ndarray, who: int) -> tuple[float, float]:
    """The least and the largest value of somebody that agree with all answers: two linear programs."""
    lows, highs = answers.T
    found = []
    for sign in (1, -1):
        aim = np.zeros(sets.shape[1])
        aim[who] = sign
        matrix, limits = np.vstack([sets, -sets]), np.r_[highs, -lows]
        solved = linprog(aim, A_ub=matrix, b_ub=limits, bounds=(0, 10_000), method="highs")
        assert solved.status == 0
        found.append(sign * solved.fun)
    return found[0], found[1]


SETS = np.array([one for one in product((0, 1), repeat=6) if any(one)])


def test_attack_23_succeeds_against_an_interval_drawn_for_every_question():
    """Each contains the truth and is a band wide; all together leave next to nothing."""
    rng = np.random.default_rng(1)
    values = people(6)["income"].to_numpy()
    truth = np.repeat(SETS @ values, 20)
    left = rng.uniform(0, 200, len(truth))
    answers = np.column_stack([truth - left, truth - left + 200])
    least, most = feasible(np.repeat(SETS, 20, axis=0), answers, 0)
    assert least <= values[0] <= most and most - least < 30


@settings(max_examples=4)
@given(st.lists(st.integers(0, 10_000), min_size=6, max_size=6))
def test_attack_23_after_all_questions_everybody_has_the_whole_band(tmp_path_factory, incomes):
    frame = people(6).with_columns(income=pl.Series(incomes, dtype=pl.Float64))
    with World(tmp_path_factory.mktemp("band"), frame, "payroll") as world:
        answers = []
        for one in SETS:
            chosen = ", ".join(map(str, np.flatnonzero(one)))
            answers.append(world.ask(f"SELECT SUM(income) FROM payroll WHERE who IN ({chosen})")[0][0])
    told = np.array(answers)
    assert (told[:, 0] <= SETS @ incomes).all() and (SETS @ incomes <= told[:, 1]).all()
    for who, income in enumerate(incomes):
        least, most = feasible(SETS, told, who)
        low, high = max(0, min(income - 100, 9_800)), min(10_000, max(income + 100, 200))
        assert least <= low + 1e-6 and most >= high - 1e-6 and math.isclose(high - low, 200)
