"""Attackers of a query service with noise, who have a key, the guide and a socket, and nothing else.

They were written from the documentation alone and share no code with the package. Each attack is a function of ``ask`` and has a power
test: on a toy service with a planted leak it must find it.
"""

from __future__ import annotations

import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.redteam.attacked import PEOPLE, ROOMS, salaries


def shape_of(reply: tuple[int, dict, int], dataset: str) -> object:
    """All of a reply that is not noise: of an error everything and its size, of an answer its form, price and gaps."""
    status, body, size = reply
    if status != 200:
        return status, json.dumps(body).replace(dataset, "_"), size
    keys = [kind == "key" for kind in body["kinds"]]
    rows = [
        [cell if key else cell is None for key, cell in zip(keys, row, strict=True)] for row in body.get("rows", [])
    ]
    exact = [body[field] for field in ("columns", "kinds", "cost", "cost_text", "notes", "repeated")]
    return status, sorted(body), rows, exact, body.get("charged"), [np.shape(body["accuracy"])]


EXTREME = [
    f"SELECT {figure} FROM {{}} WHERE {where}"
    for figure in ("MEDIAN(visits)", "QUANTILE(income, 0.99), AVG(income)", "VARIANCE(income), SUM(visits)")
    for where in ("1 = 1", "birth < DATE '1920-01-02'", "birth > DATE '2024-12-30' AND visits >= 20", "income >= 1e99")
] + [
    "SELECT BIN(birth, 1000), COUNT(*) FROM {} GROUP BY BIN(birth, 1000)",
    "SELECT BIN(visits, 3), sex, AVG(rent) FROM {} WHERE birth < DATE '9999-12-31' GROUP BY BIN(visits, 3), sex",
    "SELECT COUNT(DISTINCT household), AVG(income) FROM {} WHERE sex IS NULL OR income IS NULL",
    "SELECT MEDIAN(birth) FROM {}",
    "SELECT COUNT(*) FROM {} WHERE birth = DATE '10000-01-01'",
    "SELECT SUM(income) FROM {} WHERE zip = '7' AND income / 0 = 1",
    "SELECT AVG(nobody) FROM {}",
]
FAR = [
    f"SELECT {figure} FROM {{}} WHERE {where}"
    for figure in ("MEDIAN(big)", "QUANTILE(fine, 0)", "QUANTILE(big, 1)", "SUM(big), VARIANCE(fine)", "VARIANCE(big)")
    for where in ("1 = 1", "day > DATE '9999-12-30'", "big > 3999999999999999999", "fine < 0 AND room = 'r03'")
] + [
    "SELECT BIN(big, 99999999999999999), COUNT(*) FROM {} GROUP BY BIN(big, 99999999999999999)",
    "SELECT BIN(fine, 9999.9), SUM(fine) FROM {} WHERE big > 0 GROUP BY BIN(fine, 9999.9)",
    "SELECT BIN(day, 36500), AVG(big) FROM {} GROUP BY BIN(day, 36500)",
]


def told_apart(ask, questions: list[str], pair: tuple[str, str]) -> list[str]:
    """The questions whose reply, noise aside, differs between two data sets that are declared alike."""
    return [sql for sql in questions if len({repr(shape_of(ask(sql.format(name)), name)) for name in pair}) > 1]


def toy_reply(sql: str, fails: bool) -> tuple[int, dict, int]:
    """A toy service that fails where its data are extreme."""
    if fails and "QUANTILE" in sql:
        return 500, {"code": "failed"}, 18
    body = dict.fromkeys(("cost", "cost_text", "notes", "repeated"), 0)
    return 200, body | {"kinds": ["figure"], "columns": ["n"], "rows": [[1]], "accuracy": [[2]]}, 90


@pytest.mark.parametrize(("questions", "pair"), [(EXTREME, ("patients", "twinning")), (FAR, ("near", "away"))])
def test_error_oracle_reads_nothing(service, questions, pair):
    """By error and by size: far values, extreme dates and empty sets at the smallest spend look alike, priced or answered."""
    assert told_apart(service.ask, questions, pair) == []
    answered = [service.ask(sql.format(pair[0]))[0] for sql in questions]
    assert answered.count(200) > len(answered) // 2 and not any(status >= 500 for status in answered)


@pytest.mark.parametrize(("questions", "pair"), [(EXTREME, ("patients", "twinning")), (FAR, ("near", "away"))])
def test_price_depends_on_no_data(service, questions, pair):
    def cost(sql: str, name: str) -> tuple[int, str]:
        status, body, _ = service.send("/cost", {"sql": sql.format(name), "spend": "0.25"})
        told = {field: value for field, value in body.items() if field not in ("version", "caps")}
        return status, json.dumps(told).replace(name, "_")

    for sql in questions:
        assert len({cost(sql, name) for name in pair}) == 1, sql


def test_power_failures_that_follow_the_data_are_seen():
    assert told_apart(lambda sql: toy_reply(sql, "away" in sql), FAR, ("near", "away"))
    assert not told_apart(lambda sql: toy_reply(sql, False), FAR, ("near", "away"))


def bisected(ask, people: list[str], low: int, high: int) -> list[int | None]:
    """Each one's value, by halving: whether a question about those at or above the middle ends otherwise than one about nobody."""
    nobody = ask(f"room = '{people[0]}' AND big > {high - 1} AND big < {low + 1}")
    values: list[int | None] = []
    for one in people:
        if all(ask(f"room = '{one}' AND big >= {at}") == nobody for at in (low, (low + high) // 2, high)):
            values.append(None)
            continue
        least, most = low, high
        while least < most:
            middle = (least + most + 1) // 2
            above = ask(f"room = '{one}' AND big >= {middle}") != nobody
            least, most = (middle, most) if above else (least, middle - 1)
        values.append(least)
    return values


def test_bisection_over_conditions_reads_no_value(service):
    def ask(where: str) -> int:
        return service.ask(f"SELECT MEDIAN(big), BIN(day, 3000000) FROM away WHERE {where} GROUP BY BIN(day, 3000000)")[
            0
        ]

    assert bisected(ask, ROOMS, -(4 * 10**18), 4 * 10**18) == [None] * PEOPLE


def test_power_bisection_reads_all_values_of_a_service_that_overflows():
    truth = {room: int(value) for room, value in zip(ROOMS, salaries(6), strict=True)}

    def ask(where: str) -> int:
        room, bounds = where.split("'")[1], where.split("'")[2]
        return 500 if "<" not in bounds and truth[room] >= int(bounds.split(">=")[1]) else 200

    assert bisected(ask, ROOMS, 0, 20000) == list(truth.values())


def new_for_nothing(replies: list[dict]) -> float:
    """How many different answers there were for each that was paid."""
    return len({json.dumps(one["rows"]) for one in replies}) / max(
        1, sum(one["charged"]["amount"] != "0" for one in replies)
    )


def test_averaging_repeats_gains_nothing(service):
    """The same question, in other words, by others and by many at once, has one answer and one price."""
    texts = ["visits >= 3", "NOT visits < 3", "3 <= visits OR 1 = 0", "visits >= 3 AND (1 = 1 OR visits IS NULL)"]
    asked = [f"SELECT COUNT(*) AS n, SUM(rent) AS r FROM patients WHERE {text}" for text in texts] * 4
    before = service.spent("patients")
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda at: service.ask(asked[at], "0.01", ("mal", "olga")[at % 2]), range(len(asked))))
    assert {status for status, _, _ in replies} == {200}
    assert new_for_nothing([body for _, body, _ in replies]) == 1
    assert service.spent("patients") - before == Fraction("0.01")


def test_power_fresh_noise_for_nothing_is_seen():
    replies = [{"rows": [[i]], "charged": {"amount": "0" if i else "1/100"}} for i in range(9)]
    assert new_for_nothing(replies) == 9


def guessed_right(ask, days: list[tuple[str, bool]]) -> int:
    """Whether somebody was born on a day, from all but that day subtracted from all, both asked as cheaply as can be."""
    right = 0
    for day, there in days:
        one = ask(f"SELECT COUNT(*) AS n FROM patients WHERE birth >= DATE '{day}'")
        two = ask(f"SELECT COUNT(*) AS n FROM patients WHERE birth > DATE '{day}'")
        right += (one - two > 0.5) == there
    return right


def test_differencing_is_charged_in_total_and_guesses_no_better_than_chance(service):
    """40 days at ε = 0.02 each: a guess is right with a chance below 0.51 + 1e-3; 39 of 40 happen with a chance below 1e-10."""
    days, charged = [(f"19{40 + i}-0{1 + i % 9}-1{i % 9}", i % 2 == 0) for i in range(40)], []

    def ask(sql: str) -> float:
        status, body, _ = service.ask(sql, "0.01")
        assert status == 200
        charged.append(Fraction(body["charged"]["amount"]))
        return body["rows"][0][0]

    before = service.spent("patients")
    assert guessed_right(ask, days) < 39
    assert charged == [Fraction("0.01")] * 80 and service.spent("patients") - before == Fraction("0.8")


def test_power_differencing_guesses_exact_counts():
    days = [(f"19{40 + i}-01-10", i % 2 == 0) for i in range(40)]
    there = {day for day, yes in days if yes}
    assert (
        guessed_right(lambda sql: sum(d > sql[-11:-1] or (">=" in sql and d == sql[-11:-1]) for d in there), days) == 40
    )


def test_awkward_spends_leave_the_service_usable(service):
    """Fractions without a common denominator are charged on a grid, never below what was asked, and add up exactly."""
    before, total = service.spent("twinning"), Fraction(0)
    for i in range(60):
        spend = Fraction(7, 5003 + 2 * i)
        status, body, _ = service.ask(f"SELECT COUNT(*) FROM twinning WHERE rent > {i}", str(spend))
        charged = Fraction(body["charged"]["amount"])
        assert status == 200 and spend <= charged < spend + Fraction(1, 10**9) and 10**9 % charged.denominator == 0
        total += charged
    assert service.spent("twinning") - before == total
    for spend in ("1e-9", "0", "-1", "nan", "1/0", "1e999999999", "inf", "0.00009"):
        assert service.ask("SELECT COUNT(*) FROM twinning WHERE rent > 2990", spend)[0] in (400, 422), spend
    assert service.ask("SELECT COUNT(*) FROM twinning WHERE rent > 2990", "0.1")[0] == 200
    assert service.send("/verify", account="olga")[0] == 200


def test_time_of_an_answer_is_reported(service, record_property):
    """Time is not promised; what is measured here is written down, and only a difference of seconds fails."""
    took: dict[str, list[float]] = {"1 = 1": [], "income > 99998": []}
    for i in range(10):
        for where, times in took.items():
            start = time.perf_counter()
            service.ask(f"SELECT SUM(rent), COUNT(*) FROM patients WHERE {where} AND visits <> {i}")
            times.append(time.perf_counter() - start)
    gap = abs(min(took["1 = 1"]) - min(took["income > 99998"]))
    record_property("seconds between all and none", gap)
    assert gap < 5


def test_fingerprint_of_a_version_cannot_be_recomputed(service):
    """Whoever knows all rows but one could try them all against a plain digest of the file."""
    shown = {one["name"]: one["version"] for one in service.send("/datasets")[1]["datasets"]}
    assert shown["staff"].startswith("1+"), "there is a fingerprint to attack"
    csv = pl.DataFrame({"person": ROOMS, "room": ROOMS, "salary": salaries(1)}).write_csv().encode()
    for digest in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
        assert not any(part in hashlib.new(digest, csv).hexdigest() for part in shown["staff"].split("+")[1:])
