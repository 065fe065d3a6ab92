"""The way of a question: read, priced, charged, answered, kept (catalogue: H-04, H-07)."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tacit.query import views
from tacit.query.refusal import Refusal
from tacit.query.request import LONGEST, Request, parse_amount

from .desks import ask, desk, source


@pytest.fixture
def open_desk(tmp_path):
    found = desk(tmp_path / "ledger.db")
    yield found
    found.close()


def who(desk, name):
    return desk.service.accounts[name]


def kinds(desk):
    return [entry.kind for entry in reversed(desk.ledger.entries())]


def test_an_answer_is_charged_before_it_is_computed_and_kept_after(tmp_path):
    seen = []
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    tally = data.tally
    data.tally = lambda *a, **k: (seen.append(kinds(found)), tally(*a, **k))[1]
    reply = found.query(who(found, "ana"), ask("SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"))
    assert seen == [["charge"]], "the charge was committed when the data were touched"
    assert kinds(found) == ["charge", "answer"]
    assert reply.table.names == ("sex", "n") and {row[0] for row in reply.table.rows} == {"f", "m", None}
    assert reply.charged.amount == Fraction(1, 2) and reply.number == 1
    assert found.ledger.spent("people", "account", "ana").amount == Fraction(1, 2)


def test_the_same_question_again_is_the_same_answer_for_nothing_whoever_asks(open_desk):  # attack 6
    first = open_desk.query(who(open_desk, "ana"), ask("SELECT COUNT(*) AS n FROM people WHERE age > 17 AND sex = 'f'"))
    again = open_desk.query(
        who(open_desk, "ben"), ask("select count(*) as m from people where not (sex <> 'f') and age >= 18")
    )
    assert again.table.rows == first.table.rows and again.table.names == ("m",)
    assert again.repeated and again.charged.amount == 0
    assert kinds(open_desk) == ["charge", "answer", "repeat"]
    other = open_desk.query(
        who(open_desk, "ana"), ask("SELECT COUNT(*) AS n FROM people WHERE age > 17 AND sex = 'f'", "0.25")
    )
    assert not other.repeated, "another price is another question"


def test_a_preview_spends_nothing_reads_nothing_and_tells_all(tmp_path):
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    preview = found.cost(who(found, "ana"), ask()).as_json()
    assert data.asked == 0 and found.ledger.entries() == []
    assert preview["cost"] == {"unit": "epsilon", "amount": "1/2", "delta": "0"} and preview["refusal"] is None
    assert preview["accuracy"][0] > 0 and preview["columns"] == ["n"] and preview["kinds"] == ["figure"]
    assert [cap["left"]["amount"] for cap in preview["caps"]] == ["10", "2"]
    reply = found.query(who(found, "ana"), ask())
    assert list(reply.table.accuracy[0]) == preview["accuracy"], "the accuracy that was promised"
    assert found.cost(who(found, "ana"), ask()).as_json()["repeated"]
    broke = found.cost(who(found, "ana"), ask(spend="1.75")).as_json()
    assert broke["refusal"]["code"] == "budget" and not broke["repeated"]
    assert kinds(found) == ["charge", "answer"]


def test_budgets_of_data_set_project_and_account_all_hold(open_desk):
    def spend(name, amount, cells):
        return open_desk.query(who(open_desk, name), ask(f"SELECT COUNT(*) FROM people WHERE age < {cells}", amount))

    spend("ana", 2, 1)
    with pytest.raises(Refusal, match="this account"):
        spend("ana", "0.0001", 2)
    spend("ben", 4, 3)
    with pytest.raises(Refusal, match="project 'p'"):
        spend("ben", "0.0001", 4)
    spend("olga", 4, 5)
    with pytest.raises(Refusal, match="dataset 'people'"):
        spend("olga", "0.0001", 6)
    assert open_desk.ledger.spent("people").amount == 10
    assert open_desk.ledger.verify().holds


@pytest.mark.parametrize(
    ("sql", "spend", "code"),
    [
        ("SELECT COUNT(*) FROM nobody", "1", "unknown_dataset"),
        ("SELECT SUM(incme) FROM people", "1", "unknown_column"),
        ("DROP TABLE people", "1", "unsupported_sql"),
        ("SELECT income FROM people", "1", "unsupported_sql"),
        ("SELECT COUNT(*) FROM people", None, "bad_request"),
        ("SELECT COUNT(*) FROM people", "3", "budget"),
        ("\x00", "1", None),
        ("", "1", None),
    ],
)
def test_refusals_are_written_down_cost_nothing_and_touch_no_data(tmp_path, sql, spend, code):  # attack 12
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    with pytest.raises(Refusal) as caught:
        found.query(who(found, "ana"), ask(sql, spend))
    assert code is None or caught.value.code == code
    (entry,) = found.ledger.entries()
    assert entry.kind == "refusal" and json.loads(entry.answer)["code"] == caught.value.code
    assert data.asked == 0 and found.ledger.spent("people").amount == 0 and found.ledger.verify().holds


class Broken:
    """A source whose engine fails when asked, with a text that quotes the data."""

    version = "1"

    def __init__(self, problem):
        self.problem = problem

    def tally(self, *_, **__):
        raise self.problem

    def close(self):
        pass


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (RuntimeError("row 7 holds 'Anna Secret'"), "failed"),
        (Refusal("time_out", "it took longer than 10 s; charged", fix="ask a simpler question"), "time_out"),
        (Refusal("unknown_value", "Anna Secret", fix="nothing"), "failed"),
    ],
)
def test_a_failing_engine_is_charged_settled_and_quotes_nothing(tmp_path, caplog, problem, code):  # attacks 11, 12
    found = desk(tmp_path / "ledger.db", Broken(problem))
    with pytest.raises(Refusal) as caught:
        found.query(who(found, "ana"), ask())
    assert caught.value.code == code
    assert kinds(found) == ["charge", "failure"]
    assert found.ledger.spent("people").amount == Fraction(1, 2), "no refund"
    assert "Secret" not in str(caught.value) + caplog.text + str([entry.values() for entry in found.ledger.entries()])
    with pytest.raises(Refusal):
        found.query(who(found, "ana"), ask())
    assert found.ledger.spent("people").amount == 1, "asking again is charged again"


def test_a_rehearsal_leaves_no_trace_and_says_what_it_is(tmp_path):
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    reply = found.dummy(
        who(found, "ana"), ask("SELECT sex, AVG(income) AS i FROM people GROUP BY sex ORDER BY i LIMIT 1")
    )
    assert reply.dummy and reply.notes[0].startswith("DUMMY") and len(reply.table.rows) == 1
    assert reply.charged.amount == 0 and data.asked == 0 and found.ledger.entries() == []


@pytest.mark.parametrize("call", ["cost", "query", "dummy"])
def test_an_auditor_asks_nothing(open_desk, call):
    with pytest.raises(Refusal) as caught:
        getattr(open_desk, call)(who(open_desk, "eva"), ask())
    assert caught.value.code == "not_allowed"


def test_everybody_sees_the_own_part(open_desk):
    open_desk.query(who(open_desk, "ana"), ask())
    open_desk.query(who(open_desk, "ben"), ask("SELECT COUNT(*) FROM people WHERE age > 50"))
    lines = {
        name: views.list_history(open_desk, who(open_desk, name))["entries"] for name in ("ana", "ben", "olga", "eva")
    }
    assert {name: [line["account"] for line in found] for name, found in lines.items()} == {
        "ana": ["ana"] * 2, "ben": ["ben"] * 2, "olga": ["ben"] * 2 + ["ana"] * 2, "eva": ["ben"] * 2 + ["ana"] * 2,
    }  # fmt: skip
    caps = {
        name: views.list_budgets(open_desk, who(open_desk, name))["budgets"][0]["caps"]
        for name in ("ana", "ben", "eva")
    }
    assert {name: [(cap["scope"], cap["left"]["amount"]) for cap in found] for name, found in caps.items()} == {
        "ana": [("dataset", "9"), ("account", "3/2")],
        "ben": [("dataset", "9"), ("project", "7/2")],
        "eva": [("dataset", "9"), ("project", "7/2"), ("account", "3/2")],
    }
    assert views.verify_ledger(open_desk, who(open_desk, "eva"))["holds"]
    with pytest.raises(Refusal):
        views.verify_ledger(open_desk, who(open_desk, "ana"))


def test_the_data_sets_are_told_from_the_declaration_alone(tmp_path):  # attack 20
    data = source()
    found = desk(tmp_path / "ledger.db", data)
    (told,) = views.list_datasets(found, who(found, "ana"))["datasets"]
    assert data.asked == 0 and told["spends"] == "epsilon"
    assert told["columns"][0] == {"name": "age", "kind": "integer", "confidential": False, "low": 0, "high": 110}
    assert "path" not in json.dumps(told) and "people.csv" not in json.dumps(told)


@pytest.mark.parametrize(
    "given", [True, -1, "-1", "1e999999999", "nan", "inf", "1/0", "0x1", "1_0", "", [], 1e400, "9" * 99]
)
def test_amounts_that_are_none_are_refused_at_once(given):
    with pytest.raises(Refusal):
        parse_amount(given)


@pytest.mark.parametrize("bad", [{"sql": "x" * (LONGEST + 1)}, {"sql": "\ud800"}, {"sql": "x", "project": "\udfff"}])
def test_texts_that_are_none_are_refused_at_once(bad):
    with pytest.raises(Refusal):
        Request(**bad)


def test_an_answer_that_cannot_be_kept_is_not_given(open_desk):
    pending = open_desk.ask(who(open_desk, "ana"), ask())
    settle = open_desk.ledger.settle

    def busy(*_):
        raise Refusal("busy", "the ledger cannot be written now", fix="later")

    open_desk.ledger.settle = busy
    with pytest.raises(Refusal) as caught:
        open_desk.settle(pending)
    assert caught.value.code == "failed" and "charged" in caught.value.fix
    open_desk.ledger.settle = settle
    assert kinds(open_desk) == ["charge"]
