"""Groups: rare keys, people with many rows, and what HAVING, ORDER BY and LIMIT see (attacks 14, 15, 21).

catalogue: H-03, H-07
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import polars as pl
import pytest

from .stub import Unprotected
from .world import MODES, World, people

# --- 14: rare keys

TOWNS = people(200).with_columns(
    town=pl.Series([f"Hamlet {place}" if place < 120 else "Big" for place in range(200)]),
    sex=pl.lit("f"),
    age=pl.lit(50),
)
BY_TOWN = "SELECT town, COUNT(*) AS n FROM clinic GROUP BY town"


def test_attack_14_succeeds_against_groups_that_are_shown_as_they_occur():
    found = dict(Unprotected(TOWNS, "clinic").ask(BY_TOWN))
    assert found["Hamlet 7"] == 1 and len(found) == 121


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_attack_14_a_key_of_one_person_is_not_shown(tmp_path, unit):
    """120 people alone in a town show up with a chance of 120·δ = 1.2·10⁻¹²; the big town stays."""
    mode = MODES["clinic"].replace("epsilon", unit).replace("threshold_delta = 1e-8", "threshold_delta = 1e-14")
    with World(tmp_path, TOWNS, clinic=mode) as world:
        assert [town for town, _ in world.ask(BY_TOWN, "2")] == ["Big"]
        sums = "SELECT town, sex, SUM(income) AS s, MEDIAN(income) AS m FROM clinic GROUP BY town, sex"
        assert [row[:2] for row in world.ask(sums, "20")] == [("Big", "f")]
        assert world.desk.ledger.spent("clinic").delta == Fraction(2, 10**14)


def test_attack_14_declared_keys_are_all_there_whoever_occurs(tmp_path):
    with World(tmp_path, TOWNS, "clinic") as world:
        assert [row[0] for row in world.ask("SELECT sex, COUNT(*) FROM clinic GROUP BY sex", "1")] == [None, "f", "m"]
        ages = world.ask("SELECT BIN(age, 10) AS a, sex, COUNT(*) FROM clinic GROUP BY BIN(age, 10), sex", "1")
        assert len(ages) == (12 + 1) * 3
        some = world.ask("SELECT sex, COUNT(*) FROM clinic WHERE sex = 'm' GROUP BY sex", "1")
        assert [row[0] for row in some] == ["m"], "nobody is one"


# --- 15: one person with very many rows

VISITS = """
mode = "dp"
neighbours = "add_remove"
budget = { epsilon = 1000, delta = 1e-4 }
threshold_delta = 1e-8
unit = "name"
rows_per_unit = 3
[dataset.visits.columns]
name = { kind = "text" }
ward = { kind = "category", values = ["A", "B", "C"] }
cost = { kind = "integer", low = 0, high = 100 }
[dataset.visits.joins.wards]
path = "wards.csv"
key = "ward"
columns = { beds = { kind = "integer", low = 0, high = 50 } }
"""
JOINED = "SELECT COUNT(*) AS n, SUM(cost) AS c FROM visits JOIN wards USING (ward) WHERE beds >= 10"


def visits(heavy: int) -> pl.DataFrame:
    """Fifty people with two visits each, and one with very many."""
    names = [f"n{place % 50}" for place in range(100)] + ["many"] * heavy
    wards = ["ABC"[place % 3] for place in range(len(names))]
    return pl.DataFrame({"name": names, "ward": wards, "cost": [100] * len(names)})


WARDS = pl.DataFrame({"ward": ["A", "B", "C"], "beds": [10, 20, 30]})


def test_attack_15_succeeds_against_joins_that_count_every_row():
    found = []
    for heavy in (0, 20_000):
        stub = Unprotected(visits(heavy), "visits")
        stub.connection.register("wards", WARDS.to_arrow())
        found.append(stub.ask(JOINED)[0])
    assert found[1][0] - found[0][0] == 20_000 and found[1][1] - found[0][1] == 2_000_000


def test_attack_15_a_unit_counts_with_the_declared_number_of_rows(tmp_path):
    """At ε = 100 a part has noise of scale 3·Δ·parts/100 on counts: more than 5 off with a chance of 10⁻³⁶."""
    heard = {}
    for heavy in (0, 20_000):
        folder = tmp_path / str(heavy)
        folder.mkdir()
        WARDS.write_csv(folder / "wards.csv")
        with World(folder, visits(heavy), visits=VISITS) as world:
            count, cost = world.ask(JOINED, "100")[0]
            by_ward = "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT name) AS u FROM visits GROUP BY ward"
            wards = world.ask(by_ward, "100")
            heard[heavy] = count, cost, sum(row[1] for row in wards), sum(row[2] for row in wards)
    assert abs(heard[20_000][0] - heard[0][0]) <= 3 + 5 and abs(heard[20_000][1] - heard[0][1]) <= 300 + 500
    assert abs(heard[20_000][2] - heard[0][2]) <= 3 + 20 and abs(heard[20_000][3] - heard[0][3]) <= 3 + 20


# --- 21: HAVING, ORDER BY, LIMIT

GROUPED = "SELECT BIN(age, 10) AS decade, COUNT(*) AS n FROM clinic GROUP BY BIN(age, 10)"


def noise_after_having(frame: pl.DataFrame, bound: int) -> list[int]:
    """A service that filters before it adds noise: which groups are there tells their exact size."""
    text = f"SELECT age // 10 * 10 AS decade FROM clinic GROUP BY age // 10 HAVING COUNT(*) = {bound} ORDER BY decade"
    return [row[0] for row in Unprotected(frame, "clinic").ask(text)]


def test_attack_21_succeeds_where_groups_are_filtered_before_the_noise():
    exact = Counter(age // 10 * 10 for age in people()["age"])
    learned = {decade: size for size in range(40) for decade in noise_after_having(people(), size)}
    assert learned == dict(exact)


def test_attack_21_groups_are_filtered_sorted_and_cut_by_their_noisy_figures(tmp_path):
    """All is done with one and the same noisy answer, which is paid for once."""
    with World(tmp_path, people(), "clinic") as world:
        table = world.ask(GROUPED, "0.5")
        for bound in range(-6, 16):
            kept = world.ask(f"{GROUPED} HAVING COUNT(*) > {bound}", "0.5")
            assert kept == [row for row in table if row[1] > bound]
            assert world.ask(f"{GROUPED} HAVING n = {bound}", "0.5") == [row for row in table if row[1] == bound]
        down = world.ask(f"{GROUPED} ORDER BY n DESC LIMIT 3", "0.5")
        assert down == sorted(table, key=lambda row: -row[1])[:3], "ties stay in the order of the keys"
        assert world.ask(f"{GROUPED} ORDER BY n DESC, decade DESC", "0.5")[0][1] == max(row[1] for row in table)
        assert float(world.spent()) == 0.5
