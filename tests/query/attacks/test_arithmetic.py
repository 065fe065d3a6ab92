"""Numbers that give away or give way: floating point, overflow, NaN, rounded budgets (attacks 9, 10, 16, 19).

catalogue: H-01, H-04, H-07
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from tacit.errors import TacitError

from .stub import NoLock, Unprotected
from .world import MODES, World, people

# --- 9: floating point

SCALE = 1.0
GRAINS = 2.0**53


def float_laplace(rng: np.random.Generator) -> float:
    """The textbook sampler: sign · −b·ln(U), with U a multiple of 2⁻⁵³."""
    return float(rng.choice((-1, 1)) * -SCALE * np.log(rng.integers(1, 2**53) / GRAINS))


def reachable(answer: float, truth: float) -> bool:
    """Whether that sampler can give this answer when this is the truth: invert it and look at the neighbours."""
    noise = answer - truth
    sign, place = math.copysign(1, noise), int(math.exp(-abs(noise) / SCALE) * GRAINS)
    near = np.arange(max(1, place - 40), min(2**53, place + 41))
    return bool(np.any(truth + sign * -SCALE * np.log(near / GRAINS) == answer))


def test_attack_09_succeeds_against_floating_point_noise():
    """Mironov 2012: a good part of the answers to a count of 0 cannot come from a count of 1, whatever the noise."""
    rng = np.random.default_rng(2)
    answers = [0 + float_laplace(rng) for _ in range(300)]
    assert all(reachable(answer, 0) for answer in answers)
    assert sum(not reachable(answer, 1) for answer in answers) > 30


def test_attack_09_answers_are_whole_numbers_of_the_grid_and_all_can_come_from_neighbours(tmp_path):
    """Of 140 answers at ε = 1 a count of one more or less, whose chance is 0.17, is missing with one below 10⁻¹⁰."""
    heard = []
    for place, frame in enumerate((people(41), people(40))):
        with World(tmp_path / str(place), frame, "clinic") as world:
            counts = {
                world.ask(f"SELECT COUNT(*) FROM clinic WHERE age <> {age % 18} AND who <> {150 + age % 50}", "1")[0][0]
                for age in range(140)
            }
            (total,) = world.ask("SELECT SUM(income) FROM clinic", "1")[0]
        assert all(isinstance(count, int) for count in counts)
        assert math.isclose(total * 100, round(total * 100), rel_tol=1e-12)
        heard.append(counts)
    assert {40, 41} <= heard[0] & heard[1]


HEAPS = [1e16, 1.0, -1e16, 1.0] * 3


def test_attack_09_succeeds_against_sums_that_hang_on_the_order_of_the_rows():
    """Casacuberta et al. 2022: floating-point sums of one data set differ by much more than one person's bounds say."""
    one, other = (
        float(np.add.accumulate(np.array(values))[-1])
        for values in (
            HEAPS,
            sorted(HEAPS),
        )
    )
    assert one != other


def test_attack_09_the_order_of_the_rows_changes_no_sum(tmp_path):
    frame = people().with_columns(income=pl.col("who").cast(float) / 3 + 0.005)  # no cent is a binary fraction
    heard = []
    for place, given in enumerate((frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=4))):
        with World(tmp_path / str(place), given, "register") as world:
            heard.append(world.ask("SELECT SUM(income) AS s, COUNT(*) FROM register"))
    cents = sum(math.floor(Fraction(str(value)) * 100 + Fraction(1, 2)) for value in frame["income"])
    assert heard[0] == heard[1] == heard[2] == [(cents / 100, 40)]


# --- 10: overflow

FURTHEST = 2**62 - 1
WIDE = """
who = { kind = "integer", low = 0, high = 199 }
income = { kind = "integer", low = -4611686018427387903, high = 4611686018427387903, confidential = true }
"""


def test_attack_10_succeeds_against_sums_of_64_bits():
    """With one more person the sum falls from the top to the bottom: no noise hides that."""
    with np.errstate(over="ignore"):
        two, three = (int(np.full(count, FURTHEST).sum()) for count in (2, 3))
    assert two > 0 > three


def test_attack_10_sums_of_values_at_the_bounds_are_right(tmp_path):
    frame = people().with_columns(income=pl.lit(2**63 - 1))
    with pytest.raises(TacitError, match="values at its bound"):
        World(tmp_path / "exact", frame, "register", columns=WIDE)
    with World(tmp_path, frame, "clinic", columns=WIDE) as world:
        (noisy,) = world.ask("SELECT SUM(income) FROM clinic", "100")[0]
    # noise of scale Δ/100: off by more than half a person with a chance of e⁻⁵⁰; the sum is cut at 64 bits, not wrapped
    assert noisy > 0.4 * 2**64


# --- 16: NULL, NaN, infinities, texts where numbers are due

POISON = ["NaN", "inf", "-inf", "1e999", "abc", "", None, "0x10", "１２", "1,5", "7.25 ", "12.5"]


def poisoned() -> pl.DataFrame:
    return people(len(POISON)).with_columns(income=pl.Series(POISON))


def test_attack_16_succeeds_against_plain_sums():
    """Whoever has a NaN in the file shows in every sum over a set with them, through any noise."""
    frame = people().with_columns(income=pl.when(pl.col("who") == 7).then(float("nan")).otherwise(pl.col("income")))
    stub = Unprotected(frame, "clinic")
    sums = [stub.ask(f"SELECT SUM(income) FROM clinic WHERE who <> {who}")[0][0] for who in range(40)]
    assert [who for who, total in enumerate(sums) if not math.isnan(total)] == [7]


def test_attack_16_what_is_no_number_is_missing_and_poisons_nothing(tmp_path):
    """7.25 and 12.5 are numbers; 1e999 is one far above the bound. At ε = 100 the noise is 100·ln(10⁹) at the most."""
    with World(tmp_path, poisoned(), "clinic") as world:
        total, mean, number = world.ask("SELECT SUM(income) AS s, AVG(income) AS m, COUNT(*) AS n FROM clinic", "100")[
            0
        ]
        assert number == pytest.approx(len(POISON), abs=3)
        assert total == pytest.approx(10_000 + 7.25 + 12.5, abs=4 * 100 * 25) and 0 <= mean <= 10_000
        (known,) = world.ask("SELECT COUNT(*) FROM clinic WHERE income IS NOT NULL", "100")[0]
        assert known == 3, "P(noise at ε = 100) = 10⁻⁴³"
        assert world.ask("SELECT COUNT(*) FROM clinic WHERE income >= 10000", "100") == [(1,)]
        for sql in (
            "SELECT SUM(income) FROM clinic WHERE who < 7",
            "SELECT VARIANCE(income) FROM clinic WHERE who = 0",
        ):
            assert all(math.isfinite(figure) for figure in world.ask(sql, "1")[0])


def test_attack_16_confidential_values_that_are_missing_are_refused_at_the_start(tmp_path):
    with pytest.raises(ValueError, match="missing values") as caught:
        World(tmp_path, poisoned(), "register")
    assert "NaN" not in str(caught.value) and "abc" not in str(caught.value)


# --- 19: rounded budgets


def test_attack_19_succeeds_against_budgets_in_binary_fractions():
    """Ten tenths are less than one, so an eleventh question fits; three tenths are more than 0.3, so one does not."""
    loose, tight = NoLock(1.0), NoLock(0.3)
    assert all(loose.ask(0.1) for _ in range(10)) and loose.ask(1e-16)
    assert [tight.ask(0.1) for _ in range(3)] == [True, True, False]


def test_attack_19_budgets_are_exact_fractions(tmp_path):
    mode = MODES["clinic"].replace("epsilon = 1000", "epsilon = 1")
    with World(tmp_path, people(), clinic=mode) as world:
        codes = [world.code(f"SELECT COUNT(*) FROM clinic WHERE age > {age}", "0.1") for age in range(10)]
        assert codes == ["answered"] * 10 and world.spent() == 1
        assert world.code("SELECT COUNT(*) FROM clinic", "0.0001") == "budget"
        assert world.spent() == 1
    with World(tmp_path / "thirds", people(), clinic=mode) as world:
        codes = [world.code(f"SELECT COUNT(*) FROM clinic WHERE age > {age}", "1/3") for age in range(4)]
        # thirds are charged on the grid of 10⁻⁹, rounded up: three of them are more than one
        assert codes == ["answered"] * 2 + ["budget"] * 2 and world.spent() == 2 * Fraction(333333334, 10**9)
