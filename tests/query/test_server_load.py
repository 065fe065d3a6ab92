"""Fifty at once, and killed at any moment: never over budget, nothing lost, the chain holds (catalogue: H-07; attack 18)."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import httpx
import psycopg

from tacit.query.client import Client
from tacit.query.ledger import Ledger

from .processes import Served, people, write_service

CLIENTS = 50


def asked(client: httpx.Client, number: int) -> httpx.Response | None:
    """A question that nobody asked before, for a hundredth; None when the server is gone."""
    sql = f"SELECT COUNT(*) AS n FROM people WHERE age BETWEEN {number % 50} AND {60 + number // 50}"
    try:
        return client.post("/query", json={"sql": sql, "spend": "0.01"})
    except httpx.HTTPError:
        return None


def crowd(url: str, each: int, first: int = 0) -> list[httpx.Response | None]:
    """What fifty clients hear, each with a connection of its own and some questions in a row."""
    gate = threading.Barrier(CLIENTS)

    def one(place: int) -> list[httpx.Response | None]:
        with httpx.Client(base_url=url, headers={"Authorization": "Bearer ana"}, timeout=120, verify=False) as client:
            gate.wait()
            return [asked(client, first + place * each + turn) for turn in range(each)]

    with ThreadPoolExecutor(CLIENTS) as clients:
        return [answer for answers in clients.map(one, range(CLIENTS)) for answer in answers]


def sound(ledger: Ledger, heard: list[httpx.Response | None], cap: Fraction) -> tuple[int, int]:
    """Never over budget, exactly the sum charged, and every answer that was heard is kept; charges, and those open."""
    entries = ledger.entries(limit=10**6)
    charges = {entry.number: entry for entry in entries if entry.kind == "charge"}
    answers = {entry.charge: json.loads(entry.answer) for entry in entries if entry.kind == "answer"}
    assert sum((entry.spent.amount for entry in charges.values()), Fraction(0)) == ledger.spent("people").amount <= cap
    for answer in heard:
        if answer is not None and answer.status_code == 200:
            said = answer.json()
            assert answers[said["number"]]["figures"] == said["rows"]
    assert ledger.verify().holds
    return len(charges), len(charges) - len(answers)


def test_fifty_clients_spend_the_budget_exactly(tmp_path):
    """150 questions at a hundredth with room for 100: exactly 100 are answered."""
    people().write_csv(tmp_path / "people.csv")
    file = write_service(tmp_path, ledger="ledger.db", source='path = "people.csv"', epsilon="1")
    service = Served(file)
    heard = crowd(service.url, 3)
    with Client(service.url, key="eva") as eva:
        assert eva.verify()["holds"] and eva.budget()[0]["caps"][0]["left"]["amount"] == "0"
    service.end()
    codes = [answer.status_code for answer in heard]
    assert codes.count(200) == 100 and codes.count(429) == 50
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert sound(ledger, heard, Fraction(1)) == (100, 0)
        assert ledger.spent("people").amount == 1


def test_killed_at_any_moment_under_fifty_clients(tmp_path):
    """Twice: SIGKILL while fifty clients ask, once early and once late; the next service goes on with what is left."""
    people().write_csv(tmp_path / "people.csv")
    file = write_service(tmp_path, ledger="ledger.db", source='path = "people.csv"', epsilon="2")
    heard: list[httpx.Response | None] = []
    for turn, lines in enumerate((10, 130)):
        service = Served(file)
        killer = threading.Thread(target=killed_after, args=(service, tmp_path / "ledger.db", lines))
        killer.start()
        heard += crowd(service.url, 3, first=turn * 150)
        killer.join()
        with Ledger.open(tmp_path / "ledger.db") as ledger:
            sound(ledger, heard, Fraction(2))
    assert None in heard, "the kill was felt"
    service = Served(file)
    heard += crowd(service.url, 5, first=300)
    service.end()
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        charges, lost = sound(ledger, heard, Fraction(2))
    assert charges == 200, "the budget was spent to the end, no more"
    assert lost <= 2 * CLIENTS


def written(ledger: Ledger) -> int:
    """How many lines there are: the number of the newest, because whoever watches may not slow down what is watched."""
    return next((entry.number for entry in ledger.entries(limit=1)), 0)


def killed_after(service: Served, place: Path, lines: int) -> None:
    """Kill a service as soon as it has written so many lines more."""
    with Ledger.open(place) as ledger:
        before = written(ledger)
        while written(ledger) < before + lines:
            time.sleep(0.005)
    service.kill()


def test_a_service_that_is_ended_when_it_has_just_begun_to_answer_ends_in_peace(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    service = Served(write_service(tmp_path, ledger="ledger.db", source='path = "people.csv"', epsilon="1"))
    service.end()
    assert "Warning" not in service.log.read_text()


FROZEN = """
CREATE FUNCTION gate() RETURNS boolean LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_advisory_lock_shared(77); PERFORM pg_advisory_unlock_shared(77); RETURN true; END $$;
CREATE TABLE people (age int, sex text);
CREATE VIEW seen AS SELECT * FROM people WHERE gate();
"""
"""A view that waits while somebody holds the lock 77: an engine that can be stopped between charge and answer."""


def test_killed_between_charge_and_answer_the_charge_stands(tmp_path, database):
    """Data and ledger in PostgreSQL; the engine is frozen by a lock of the database, the service killed meanwhile."""
    with psycopg.connect(database) as direct:
        direct.execute(FROZEN)
        with direct.cursor().copy("COPY people FROM STDIN") as copy:
            for row in people(50).iter_rows():
                copy.write_row(row)
    file = write_service(tmp_path, ledger=database, source=f'url = "{database}"\ntable = "seen"', epsilon="1")
    service = Served(file)
    with psycopg.connect(database) as gate, ThreadPoolExecutor(1) as asking, Ledger.open(database) as ledger:
        gate.execute("SELECT pg_advisory_lock(77)")
        client = httpx.Client(base_url=service.url, headers={"Authorization": "Bearer ana"}, timeout=60)
        waiting = asking.submit(asked, client, 7)
        while not ledger.entries() and not waiting.done():
            time.sleep(0.02)
        service.kill()
        assert waiting.result() is None, "nothing was answered"
        gate.execute("SELECT pg_advisory_unlock(77)")
        assert [entry.kind for entry in ledger.entries()] == ["charge"]
        assert ledger.spent("people").amount == Fraction(1, 100) and ledger.verify().holds
        again = Served(file)
        with Client(again.url, key="ana") as ana:
            sql = "SELECT COUNT(*) AS n FROM people WHERE age BETWEEN 7 AND 60"
            first, second = (ana.query(sql, spend="0.01") for _ in range(2))
            assert first.charged.amount == Fraction(1, 100), "asking again is charged again"
            assert second.charged.amount == 0 and second.rows() == first.rows()
            assert abs(first.rows()[0][0]) < 3000, "P(|noise| > 2950 at ε = 0.01) < 1e-12"
        again.end()
        assert [entry.kind for entry in ledger.entries()] == ["answer", "charge", "charge"]
        assert ledger.spent("people").amount == Fraction(1, 50) and ledger.verify().holds
        client.close()
