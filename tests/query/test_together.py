"""One question, one answer: asked at once by many it is charged once, and who reads it is written down (review A13, A20)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from tacit.query import views
from tacit.query.refusal import Refusal

from .desks import ask, desk, source
from .serving import http, served

SQL = "SELECT COUNT(*) AS n FROM people WHERE age > 30"


def who(found, name="ana"):
    return found.service.accounts[name]


class Slow:
    """A source that answers when it is let."""

    version = "1"

    def __init__(self, fails: bool = False) -> None:
        self.inner, self.fails, self.asked = source(), fails, 0
        self.begun, self.go = threading.Event(), threading.Event()

    def tally(self, *args, **named):
        self.asked += 1
        self.begun.set()
        assert self.go.wait(60)
        if self.fails:
            raise RuntimeError("no")
        return self.inner.tally(*args, **named)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("clients", [40])
def test_the_same_question_at_once_is_charged_once_over_sockets(tmp_path, clients):
    """More clients than the service has threads: those who wait hold none, or nobody could settle."""
    data = Slow()
    found = desk(tmp_path / "ledger.db", data)
    with served(found) as url, ThreadPoolExecutor(clients) as pool:

        def query(place):
            with http(url, ("ana", "olga")[place % 2]) as client:
                return client.post("/query", json={"sql": SQL, "spend": "0.1"})

        asked = [pool.submit(query, place) for place in range(clients)]
        assert data.begun.wait(60)
        data.go.set()
        replies = [one.result() for one in asked]
    assert {reply.status_code for reply in replies} == {200}
    assert len({str(reply.json()["rows"]) for reply in replies}) == 1
    assert sum(Fraction(reply.json()["charged"]["amount"]) for reply in replies) == Fraction(1, 10)
    assert data.asked == 1


def test_a_failure_of_the_one_is_that_of_all_who_waited_and_charged_once(tmp_path):
    data = Slow(fails=True)
    found = desk(tmp_path / "ledger.db", data)
    with ThreadPoolExecutor(8) as pool:

        def query(_):
            with pytest.raises(Refusal) as caught:
                found.query(who(found), ask(SQL, "0.1"))
            return caught.value.code

        asked = [pool.submit(query, place) for place in range(8)]
        assert data.begun.wait(60)
        while len(found._flights) != 1:
            pass
        data.go.set()
        assert {one.result() for one in asked} == {"failed"}
    charges = [entry for entry in found.ledger.entries() if entry.kind == "charge"]
    assert 1 <= len(charges) <= 8 and not found._flights
    found.close()


def test_a_preview_does_not_tell_that_another_asked_and_a_repeat_does_not_tell_when(tmp_path):
    found = desk(tmp_path / "ledger.db")
    first = found.query(who(found, "olga"), ask(SQL, "0.1"))
    preview = found.cost(who(found), ask(SQL, "0.1")).as_json()
    other = found.cost(who(found), ask(SQL.replace("30", "31"), "0.1")).as_json()
    assert not preview["repeated"] and preview["cost_text"] == other["cost_text"]
    again = found.query(who(found), ask(SQL, "0.1"))
    assert again.repeated and again.table == first.table and again.charged.amount == 0
    assert again.number != first.number and again.time >= first.time
    own = views.list_history(found, who(found))["entries"]
    assert [(line["kind"], line["charge"]) for line in own] == [("repeat", 0)]
    assert found.cost(who(found), ask(SQL, "0.1")).as_json()["repeated"], "now the account has it"
    assert found.query(who(found), ask(SQL, "0.1")).number == again.number
    everything = views.list_history(found, who(found, "eva"))["entries"]
    assert [(line["kind"], line["account"], line["charge"]) for line in everything] == [
        ("repeat", "ana", 1),
        ("answer", "olga", 1),
        ("charge", "olga", 0),
    ], "the auditor sees who holds which answer, once"
    assert found.ledger.verify().holds
    found.close()


def test_a_page_of_the_history_has_bounded_answers(tmp_path):
    """Forty answers of a megabyte made one GET /history of 37 MB (review A12)."""
    found = desk(tmp_path / "ledger.db")
    for place in range(40):
        found.query(
            who(found, "olga"),
            ask(f"SELECT age, sex, COUNT(*) FROM people WHERE age > {place} GROUP BY age, sex", f"0.0{place + 10}"),
        )
    size = max(len(entry.answer) for entry in found.ledger.entries())
    seen, before, pages = [], None, 0
    old, views.MOST_CHARACTERS = views.MOST_CHARACTERS, 3 * size
    try:
        while page := views.list_history(found, who(found, "eva"), before=before, limit=1000)["entries"]:
            assert sum(len(str(line["answer"])) for line in page) < 5 * size
            seen, before, pages = [*seen, *(line["number"] for line in page)], page[-1]["number"], pages + 1
    finally:
        views.MOST_CHARACTERS = old
    assert seen == list(range(80, 0, -1)) and pages > 5
    found.close()


def test_a_repeat_needs_no_budget(tmp_path):
    found = desk(tmp_path / "ledger.db")
    found.query(who(found, "olga"), ask(SQL, "3"))
    assert found.query(who(found), ask(SQL, "3")).charged.amount == 0  # ana has 2 in all
    found.close()
