"""The ledger charges exactly, keeps everything, and tells when anything was changed (catalogue: H-04, H-07)."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from dataclasses import replace
from fractions import Fraction

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.dp.cost import Cost
from tacit.errors import TacitError
from tacit.query.ledger import Cap, Ledger
from tacit.query.ledger.caps import GRID
from tacit.query.ledger.entry import COLUMNS
from tacit.query.refusal import Refusal

from .asking import ANSWER, asked, caps, pay, question


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    return tmp_path / "ledger.db" if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture
def ledger(place):
    with Ledger.open(place) as opened:
        yield opened


def test_ten_times_a_tenth_is_one_and_the_eleventh_is_refused(ledger):  # catalogue: H-04; attack 19
    for _ in range(10):
        pay(ledger, "0.1", 1)
    assert ledger.spent("d").amount == 1
    with pytest.raises(Refusal) as caught:
        pay(ledger, "0.0000000000000000000001", 1)
    assert caught.value.code == "budget"
    assert ledger.verify().lines == 20


def test_delta_has_a_cap_of_its_own(ledger):
    few = (Cap("dataset", "d", Cost.of(10, "1e-6")),)
    with ledger.transaction() as turn:
        turn.charge(asked(), Cost.of(1, "1e-6"), few)
    with pytest.raises(Refusal, match="δ"), ledger.transaction() as turn:
        turn.charge(asked(), Cost.of(1, "1e-30"), few)


def test_each_cap_counts_its_own_spending(ledger):
    def charge(account: str, project: str) -> None:
        with ledger.transaction() as turn:
            limits = (
                Cap("dataset", "d", Cost.of(3)),
                Cap("project", project, Cost.of(2)),
                Cap("account", account, Cost.of(1)),
            )
            turn.charge(asked(account, project), Cost.of(1), limits)

    charge("ana", "p")
    for account, project, whose in (
        ("ana", "q", "this account"),
        ("ben", "p", None),
        ("eva", "p", "project 'p'"),
        ("eva", "q", None),
    ):
        if whose is None:
            charge(account, project)
        else:
            with pytest.raises(Refusal, match=whose):
                charge(account, project)
    with pytest.raises(Refusal, match="dataset 'd'"):
        charge("kim", "r")
    assert [ledger.spent("d", "project", name).amount for name in "pq"] == [2, 1]
    assert ledger.spent("other").amount == 0


def test_a_stored_answer_is_found_by_digest_version_and_mode_only(ledger):
    pay(ledger, 1, digest="a")
    pay(ledger, 1, digest="open", settle=False)
    with ledger.transaction() as turn:
        entry, answer = turn.find_answer(asked("somebody else", digest="a"))
        assert (answer, entry.account, entry.charge) == (ANSWER, "ana", 1)
        assert turn.find_answer(asked(digest="open")) is None, "a charge without answer is no answer"
        assert turn.find_answer(asked(digest="b")) is None


def test_the_past_tells_every_charge_answered_or_not(ledger):
    first = pay(ledger, 1)
    second = pay(ledger, 1, account="ben", settle=False)
    with ledger.transaction() as turn:
        assert list(turn.past_queries("d", "ana").since(0)) == [
            (first.number, "ana", question()),
            (second.number, "ben", question()),
        ]
        assert [number for number, *_ in turn.past_queries("d", "ana").since(first.number)] == [second.number]


def test_an_error_inside_a_turn_leaves_nothing_behind(ledger):
    with pytest.raises(RuntimeError), ledger.transaction() as turn:
        turn.charge(asked(), Cost.of(1), caps(9))
        raise RuntimeError
    assert ledger.entries() == [] and ledger.spent("d").amount == 0
    pay(ledger, 1)


def test_a_charge_is_settled_once_and_a_failure_is_no_refund(ledger):
    charge = pay(ledger, 1, settle=False)
    ledger.settle(charge.number, Refusal("failed", "the engine failed", fix="ask again"))
    for number in (charge.number, charge.number + 1, 77):
        with pytest.raises(TacitError, match="open charge"):
            ledger.settle(number, ANSWER)
    assert ledger.spent("d").amount == 1
    assert [entry.kind for entry in ledger.entries()] == ["failure", "charge"]
    assert ledger.verify().holds


def test_refusals_are_kept_and_cost_nothing(ledger):
    with ledger.transaction() as turn:
        turn.record_refusal(asked(), Refusal("budget", "nothing is left", fix="ask the owner"))
    (entry,) = ledger.entries(account="ana")
    assert entry.as_json()["answer"]["code"] == "budget" and entry.spent.amount == 0
    assert ledger.entries(account="ben") == []


def test_the_history_is_paged_newest_first(ledger):
    for _ in range(3):
        pay(ledger, 1, settle=False)
    assert [entry.number for entry in ledger.entries(limit=2)] == [3, 2]
    assert [entry.number for entry in ledger.entries(before=2)] == [1]


def test_lines_cannot_be_changed_or_deleted_through_the_database(place, ledger):
    pay(ledger, 1)
    if isinstance(place, str):
        for sql in ("UPDATE tacit_ledger SET account = 'x'", "DELETE FROM tacit_ledger", "TRUNCATE tacit_ledger"):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"), psycopg.connect(place) as direct:
                direct.execute(sql)
    else:
        direct = sqlite3.connect(place)
        marks = ", ".join("?" * len(COLUMNS))
        line = direct.execute("SELECT * FROM tacit_ledger WHERE number = 1").fetchone()
        for sql, values in (
            ("UPDATE tacit_ledger SET account = 'x'", ()),
            ("DELETE FROM tacit_ledger", ()),
            (f"INSERT OR REPLACE INTO tacit_ledger VALUES ({marks})", line),
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                direct.execute(sql, values)
        direct.close()


def unguarded(place):
    """The database of whoever owns the file: without the triggers."""
    direct = sqlite3.connect(place, isolation_level=None)
    for name in ("no_update", "no_delete", "in_order"):
        direct.execute(f"DROP TRIGGER tacit_ledger_{name}")
    return direct


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A file with charges, answers, a failure and a refusal."""
    path = tmp_path_factory.mktemp("long") / "ledger.db"
    with Ledger.open(path) as ledger:
        for number in range(4):
            pay(ledger, f"0.{number + 1}", digest=str(number))
        ledger.settle(pay(ledger, 1, settle=False).number, Refusal("time_out", "too slow", fix="ask less"))
        with ledger.transaction() as turn:
            turn.record_refusal(asked(), Refusal("budget", "nothing is left", fix="ask the owner"))
    return path


@given(line=st.integers(1, 11), column=st.sampled_from(COLUMNS), at=st.integers(0, 10**6), shift=st.integers(1, 255))
def test_a_change_of_any_byte_of_any_line_is_found_at_that_line(long, tmp_path_factory, line, column, at, shift):
    path = tmp_path_factory.mktemp("tampered") / "ledger.db"
    shutil.copy(long, path)
    direct = unguarded(path)
    (before,) = direct.execute(f"SELECT {column} FROM tacit_ledger WHERE number = ?", (line,)).fetchone()
    if isinstance(before, int):
        after = before + shift * 100
    else:
        place = at % (len(before) or 1)
        after = before[:place] + chr((ord((before or "a")[place]) + shift) % 0x110) + before[place + 1 :]
    direct.execute(f"UPDATE tacit_ledger SET {column} = ? WHERE number = ?", (after, line))
    direct.close()
    with Ledger.open(path) as ledger:
        found = ledger.verify()
    assert not found.holds and found.broken == line


def test_a_line_that_is_forged_with_its_hash_breaks_the_next(long, tmp_path):
    path = tmp_path / "ledger.db"
    shutil.copy(long, path)
    with Ledger.open(path) as ledger:
        noted = ledger.verify().head
        entries = {entry.number: entry for entry in ledger.entries()}
    direct = unguarded(path)
    forged = replace(entries[2], time="2020-01-01T00:00:00.000Z")
    direct.execute(
        "UPDATE tacit_ledger SET account = ?, time = ?, hash = ? WHERE number = 2",
        (forged.account, forged.time, forged.compute_hash()),
    )
    with Ledger.open(path) as ledger:
        found = ledger.verify(noted)
    direct.close()
    assert found.broken == 3 and "continue" in found.problem


@pytest.mark.parametrize(
    ("sql", "broken"),
    [("DELETE FROM tacit_ledger WHERE number = 1", 1), ("DELETE FROM tacit_ledger WHERE number IN (5, 6)", 5)],
)
def test_a_line_that_is_gone_is_found(long, tmp_path, sql, broken):
    path = tmp_path / "ledger.db"
    shutil.copy(long, path)
    direct = unguarded(path)
    direct.execute(sql)
    direct.close()
    with Ledger.open(path) as ledger:
        assert ledger.verify().broken == broken


def test_lines_cut_off_at_the_end_are_found_by_whoever_noted_the_head(long, tmp_path):
    path = tmp_path / "ledger.db"
    shutil.copy(long, path)
    with Ledger.open(path) as ledger:
        noted = ledger.verify().head
    direct = unguarded(path)
    direct.execute("DELETE FROM tacit_ledger WHERE number > 7")
    direct.close()
    with Ledger.open(path) as ledger:
        assert ledger.verify().holds, "the chain alone cannot tell"
        assert "noted head" in ledger.verify(noted).problem
        assert ledger.verify(ledger.entries()[-2].hash).holds


def test_a_total_that_is_no_sum_is_found_although_the_hash_is_right(tmp_path):
    """The running totals are part of the lines, and the walk does not believe them."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        pay(ledger, 1, settle=False)
        entry = pay(ledger, 1, settle=False)
    forged = replace(entry, totals=entry.totals.replace('"amount":"2"', '"amount":"1"'))
    direct = unguarded(tmp_path / "ledger.db")
    direct.execute(
        "UPDATE tacit_ledger SET totals = ?, hash = ? WHERE number = 2", (forged.totals, forged.compute_hash())
    )
    direct.close()
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        found = ledger.verify()
    assert found.broken == 2 and "sum of the charges" in found.problem


@given(
    st.lists(st.fractions(min_value=0, max_value=2, max_denominator=1000), max_size=12),
    st.fractions(min_value=0, max_value=5),
)
def test_charges_are_those_that_an_exact_sum_allows(tmp_path_factory, amounts, limit):
    """The oracle is a loop over fractions, each rounded up to the grid."""
    total = Fraction(0)
    amounts = [Fraction(-(-amount * GRID // 1), GRID) for amount in amounts]
    with Ledger.open(tmp_path_factory.mktemp("sum") / "ledger.db") as ledger:
        for amount in amounts:
            allowed = total + amount <= limit
            try:
                pay(ledger, amount, limit, settle=False)
                assert allowed
                total += amount
            except Refusal:
                assert not allowed
        assert ledger.spent("d").amount == total
        assert ledger.verify().holds


def test_a_charge_looks_into_indexes_only(tmp_path):
    """So that it does not grow with the ledger; how long it takes is measured in the bench."""
    with Ledger.open(tmp_path / "ledger.db") as ledger, ledger.transaction() as turn:
        said = []
        turn.rows._connection.set_trace_callback(said.append)
        assert turn.find_answer(asked()) is None
        turn.charge(asked(), Cost.of("0.001"), caps(100))
        turn.rows._connection.set_trace_callback(None)
        looked = [sql for sql in said if sql.startswith("SELECT")]
        steps = [(row[3], sql) for sql in looked for row in turn.rows.all(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(looked) >= 6
    for step, sql in steps:  # the last line of all is the first in the order of the key
        assert step.startswith("SEARCH") or sql.endswith("FROM tacit_ledger ORDER BY number DESC LIMIT 1"), step


def test_the_file_is_readable_by_its_owner_only(tmp_path):
    with Ledger.open(tmp_path / "ledger.db"):
        assert stat.S_IMODE((tmp_path / "ledger.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["no/such/folder/ledger.db", "text.db"])
def test_a_place_that_is_no_ledger_is_refused(tmp_path, place):
    (tmp_path / "text.db").write_text("no database at all, but long enough to be taken for one " * 20)
    with pytest.raises(TacitError, match="ledger"):
        Ledger.open(tmp_path / place)


def test_an_address_that_does_not_answer_is_refused_without_its_password():
    with pytest.raises(TacitError) as caught:
        Ledger.open("postgresql://me:hunter2@127.0.0.1:1/none")
    assert "hunter2" not in str(caught.value)


def test_fingerprints_are_keyed_by_a_secret_of_the_ledger(tmp_path):
    """Whoever knows all rows but one could test guesses against a plain hash."""
    with Ledger.open(tmp_path / "a.db") as one, Ledger.open(tmp_path / "b.db") as other:
        assert one.fingerprint("data") == one.fingerprint("data") != one.fingerprint("date")
        assert one.fingerprint("data") != other.fingerprint("data")
    with Ledger.open(tmp_path / "a.db") as again:
        assert again.verify().holds and len(again.fingerprint("data")) == 12


def test_a_read_cannot_write(ledger):
    pay(ledger, 1)
    with (
        pytest.raises((sqlite3.OperationalError, psycopg.errors.ReadOnlySqlTransaction)),
        ledger._store.read_transaction() as rows,
    ):
        rows.run("DROP TABLE tacit_ledger")
    assert ledger.verify().lines == 2
