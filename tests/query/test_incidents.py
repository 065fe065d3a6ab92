"""Failures of an engine: logged, counted, and the end of new answers until the owner reopens the data set (review A1, A14)."""

from __future__ import annotations

import logging

import pytest

from tacit.cli.serve import serve
from tacit.query.ledger import Ledger
from tacit.query.ledger.ledger import MOST_FAILURES
from tacit.query.refusal import Refusal

from .desks import ask, desk, source
from .processes import people, write_service


def who(found, name="ana"):
    return found.service.accounts[name]


class Sometimes:
    """A source that fails while it is told to, with a text that quotes the data."""

    version = "1"

    def __init__(self) -> None:
        self.inner, self.fails = source(), False

    def tally(self, *args, **named):
        if self.fails:
            raise RuntimeError("row 7 holds 'Anna Secret'")
        return self.inner.tally(*args, **named)

    def close(self) -> None:
        pass


def fail(found, data, times, start=0):
    data.fails = True
    for place in range(start, start + times):
        with pytest.raises(Refusal) as caught:
            found.query(who(found), ask(f"SELECT COUNT(*) FROM people WHERE age > {place}", "0.001"))
        assert caught.value.code == "failed"
    data.fails = False


def code(found, sql, spend="0.001", name="ana"):
    try:
        found.query(who(found, name), ask(sql, spend))
    except Refusal as refusal:
        return refusal.code
    return "answered"


def test_a_data_set_closes_after_failures_and_its_owner_reopens_it(tmp_path, caplog):
    data = Sometimes()
    found = desk(tmp_path / "ledger.db", data)
    earlier = "SELECT COUNT(*) FROM people WHERE age > 90"
    assert code(found, earlier) == "answered"
    with caplog.at_level(logging.ERROR):
        fail(found, data, MOST_FAILURES)
    said = [record.getMessage() for record in caplog.records]
    assert sum(text.startswith("incident: data set people, charge") for text in said) == MOST_FAILURES
    assert not any("Secret" in text or "SELECT" in text for text in said)
    spent = found.ledger.spent("people")
    fresh = "SELECT COUNT(*) FROM people WHERE age > 91"
    for name in ("ana", "olga"):
        assert code(found, fresh, name=name) == "closed"
    assert found.cost(who(found), ask(fresh, "0.001")).refusal.code == "closed"
    assert code(found, earlier) == "answered", "what was answered before can still be read"
    assert found.ledger.spent("people") == spent, "a closed data set charges nothing"
    with Ledger.open(tmp_path / "ledger.db") as beside:  # the owner's way, beside a running service
        beside.reopen("people")
    assert code(found, fresh) == "answered"
    fail(found, data, MOST_FAILURES - 1, start=20)
    assert code(found, "SELECT COUNT(*) FROM people WHERE age > 92") == "answered", "failures are counted anew"
    assert found.ledger.verify().holds
    found.close()


def test_time_outs_do_not_close_a_data_set(tmp_path):
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    real = data.tally

    def slow(*_, **__):
        raise Refusal("time_out", "it took longer than 10 s; charged", fix="ask a simpler question")

    data.tally = slow
    for place in range(MOST_FAILURES + 1):
        assert code(found, f"SELECT COUNT(*) FROM people WHERE age > {place}") == "time_out"
    data.tally = real
    assert code(found, "SELECT COUNT(*) FROM people") == "answered"
    found.close()


def test_the_owner_reopens_on_the_command_line(tmp_path, capsys):
    people(50).write_csv(tmp_path / "people.csv")
    file = write_service(tmp_path, ledger="ledger.db", source='path = "people.csv"', epsilon="1")
    serve(file, reopen="people")
    assert "people answers again" in capsys.readouterr().out
    with pytest.raises(Refusal, match="peple") as caught:
        serve(file, reopen="peple")
    assert "people" in caught.value.fix
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert [entry.kind for entry in ledger.entries()] == ["reopening"] and ledger.verify().holds
