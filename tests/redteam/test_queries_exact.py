"""Attackers of a query service without noise, who add, subtract and intersect what it answers.

They were written from the documentation alone and share no code with the package; they know who is in which room, which is public. Each
attack has a power test.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.redteam.attacked import BAND, INTERVALS, LEAST, PEOPLE, ROOMS, salaries


def random_sets(count: int, seed: int) -> list[tuple[int, ...]]:
    """Windows, the three sums that give one of them twice, and sets by chance, of which answers can be added and subtracted."""
    rng = np.random.default_rng(seed)
    sets = [tuple(range(at, at + 5)) for at in range(8)] + [(0, 1, 2, 3), (0, 4, 5, 6), (1, 2, 3, 4, 5, 6)]
    return sets + [tuple(sorted(rng.choice(PEOPLE, rng.integers(4, 13), replace=False))) for _ in range(count)]


def small_sums(known: np.ndarray, parts: list[slice], least: int) -> list[tuple[int, ...]]:
    """The sets of fewer than ``least`` people whose sum, over the unknowns of any of ``parts``, is a combination of known sums."""
    _, sizes, axes = np.linalg.svd(known)
    hidden = axes[int((sizes > 1e-9).sum()) :]
    told = []
    for part, size in ((part, size) for part in parts for size in range(1, least)):
        for chosen in combinations(range(PEOPLE), size):
            wanted = np.zeros(known.shape[1])
            wanted[part][list(chosen)] = 1
            if np.abs(hidden @ wanted).max(initial=0) < 1e-7:
                told.append(chosen)
    return told


def in_rooms(chosen: tuple[int, ...]) -> str:
    return "room IN (" + ", ".join(f"'{ROOMS[at]}'" for at in chosen) + ")"


def membership(chosen: tuple[int, ...]) -> np.ndarray:
    return np.isin(np.arange(PEOPLE), chosen).astype(float)


def test_linear_combinations_of_exact_sums_tell_nobody(service):
    """Two accounts share what they get; the same questions are refused whatever the salaries are."""
    answered, codes = [], {"staff": [], "stuff": []}
    for at, chosen in enumerate(random_sets(14, 1)):
        for name, values in (("staff", salaries(1)), ("stuff", salaries(2))):
            figure = ("SUM", "AVG")[at % 3 == 0]
            sql = f"SELECT {figure}(salary) FROM {name} WHERE {in_rooms(chosen)}"
            status, body, _ = service.ask(sql, None, ("mal", "olga")[at % 2])
            codes[name].append((status, body.get("code")))
            if status == 200:
                truth = values[list(chosen)].sum() / (1 if figure == "SUM" else len(chosen))
                assert body["rows"][0][0] == pytest.approx(truth, abs=1e-6)
                answered.append(membership(chosen))
    assert codes["staff"] == codes["stuff"], "refusals depend on who is in a set, never on salaries"
    assert {status for status, _ in codes["staff"]} == {200, 409}, "something was answered, and something refused"
    assert small_sums(np.array(answered), [slice(0, PEOPLE)], LEAST) == []


def test_sums_over_an_identity_tell_nobody(service):
    """Gross pay is net pay plus tax: what is asked of one column is an equation in the others."""
    known = []
    for at, chosen in enumerate(random_sets(6, 2)):
        for column in ("net", "tax", "gross")[at % 3 :] + ("gross",):
            if service.ask(f"SELECT SUM({column}) FROM payroll WHERE {in_rooms(chosen)}", None)[0] == 200:
                row = membership(chosen)
                known.append(np.concatenate([row * (column != "tax"), row * (column != "net")]))
    assert len(known) > 3
    assert small_sums(np.array(known), [slice(0, PEOPLE), slice(PEOPLE, None)], LEAST) == []


def test_power_sets_large_enough_tell_somebody_without_an_audit():
    known = np.array([membership(chosen) for chosen in random_sets(14, 1)])
    assert len(small_sums(known, [slice(0, PEOPLE)], LEAST)) > 100
    assert small_sums(known[8:11], [slice(0, PEOPLE)], 2) == [(0,)], "x + y, x + z and y + z give x"


def ranges_left(asked: list[tuple[np.ndarray, float, float]]) -> list[tuple[float, float]]:
    """What intersecting all intervals leaves of each value: two linear programs a person."""
    rows = np.array([row for row, _, _ in asked])
    above, below = np.array([high for _, _, high in asked]), np.array([low for _, low, _ in asked])
    rules = {"A_ub": np.vstack([rows, -rows]), "b_ub": np.concatenate([above, -below]), "bounds": (0, 20000)}
    ends = [[linprog(sign * np.eye(PEOPLE)[at], **rules).fun for sign in (1, -1)] for at in range(PEOPLE)]
    return [(low, -high) for low, high in ends]


def pinned(asked: list[tuple[np.ndarray, float, float]], truth: np.ndarray) -> int:
    """The people of whose band something was excluded."""
    left = ranges_left(asked)
    return sum(
        low > value - BAND + 1e-6 or high < value + BAND - 1e-6 for (low, high), value in zip(left, truth, strict=True)
    )


def test_intersecting_intervals_leaves_every_band(service):
    asked, truth = [], salaries(INTERVALS["bands0"])
    for at, chosen in enumerate([(one,) for one in range(PEOPLE)] + random_sets(40, 3)):
        sql = f"SELECT SUM(salary) FROM bands0 WHERE {in_rooms(chosen)}"
        [[[low, high]]] = service.ask(sql, None)[1]["rows"]
        assert low <= truth[list(chosen)].sum() <= high
        if at % 4 == 0:
            again = service.ask(sql + " OR 1 = 0", None, "olga")[1]["rows"]
            [[[least, most]]] = service.ask(sql.replace("SUM", "AVG"), None)[1]["rows"]
            assert again == [[[low, high]]] and [least, most] == pytest.approx([low / len(chosen), high / len(chosen)])
        asked.append((membership(chosen), low, high))
    assert pinned(asked, truth) == 0


def test_power_intervals_drawn_anew_pin_everybody():
    rng, truth = np.random.default_rng(4), salaries(INTERVALS["bands0"])
    asked = []
    for chosen in [(one,) for one in range(PEOPLE)] * 9:
        value = truth[list(chosen)].sum()
        asked.append((membership(chosen), value - BAND * 4 * rng.random(), value + BAND * 4 * rng.random()))
    assert pinned(asked, truth) > PEOPLE // 2


def middles_right(asked: list[tuple[float, float]], truth: np.ndarray) -> bool:
    """Whether the middle of every interval is the value."""
    return all(abs((low + high) / 2 - value) < 1 for (low, high), value in zip(asked, truth, strict=True))


def test_the_middle_of_an_interval_is_not_the_value(service):
    """It is so in one of 25 secrets (the truth is one of 2·√150 + 1 lists, each as likely): in all seven with a chance of 2e-10."""
    right = []
    for name, seed in INTERVALS.items():
        rows = service.ask(f"SELECT room, SUM(salary) AS pay FROM {name} GROUP BY room ORDER BY pay", None)[1]["rows"]
        assert rows == sorted(rows, key=lambda row: row[1][0]), "the order is that of what is shown, not of the values"
        right.append(middles_right([row[1] for row in sorted(rows)], salaries(seed)))
    assert not all(right)


def test_power_symmetric_intervals_give_the_values():
    truth = salaries(9)
    assert middles_right([(value - BAND, value + BAND) for value in truth], truth)


@pytest.mark.parametrize("name", ["staff", "bands0"])
def test_no_condition_order_or_group_reads_a_confidential_column(service, name):
    for sql in (
        "SELECT COUNT(*) FROM {} WHERE salary > 6000",
        "SELECT COUNT(*) FROM {} WHERE NOT (salary IS NULL OR room = 'r00')",
        "SELECT COUNT(*) FROM {} GROUP BY salary",
        "SELECT BIN(salary, 1000), COUNT(*) FROM {} GROUP BY BIN(salary, 1000)",
        "SELECT room, COUNT(*) FROM {} GROUP BY room HAVING SUM(salary) > 6000",
        "SELECT room, COUNT(*) FROM {} GROUP BY room ORDER BY SUM(salary)",
        "SELECT MEDIAN(salary) FROM {}",
        "SELECT VARIANCE(salary) FROM {}",
        "SELECT MAX(salary) FROM {}",
    ):
        assert service.ask(sql.format(name), None)[0] == 422, sql
