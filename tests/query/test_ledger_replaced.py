"""A ledger that is deleted, replaced, set back or full while a service runs: nothing is answered from then on.

catalogue: H-04, H-07
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from tacit.query.ledger import Ledger
from tacit.query.refusal import Refusal

from .asking import ANSWER, asked, caps, pay


def refused(ledger: Ledger) -> str:
    """The sentence of a charge that is refused as busy."""
    with pytest.raises(Refusal) as caught:
        pay(ledger, "0.1")
    assert caught.value.code == "busy"
    return caught.value.what


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "ledger.db") as found:
        pay(found, 1)
        yield found


def copied(path, to):
    """A copy of a ledger's present state."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)


def test_a_deleted_file_is_noticed(ledger, tmp_path):
    for part in tmp_path.glob("ledger.db*"):
        part.unlink()
    assert "replaced" in refused(ledger)
    with pytest.raises(Refusal):
        ledger.spent("d")
    assert not (tmp_path / "ledger.db").exists(), "and no empty one is made in its place"


def test_an_older_file_in_its_place_is_noticed(ledger, tmp_path):
    copied(tmp_path / "ledger.db", tmp_path / "old.db")
    pay(ledger, 2)
    shutil.copy(tmp_path / "old.db", tmp_path / "new.db")
    (tmp_path / "new.db").replace(tmp_path / "ledger.db")
    assert "replaced" in refused(ledger)


def test_an_older_state_in_the_same_file_is_noticed(ledger, tmp_path):
    copied(tmp_path / "ledger.db", tmp_path / "old.db")
    pay(ledger, 2)
    copied(tmp_path / "old.db", tmp_path / "ledger.db")
    assert "set back" in refused(ledger)
    pay(other := Ledger.open(tmp_path / "ledger.db"), 5)  # another process writes other lines of those numbers
    assert "set back" in refused(ledger)
    other.close()


def test_a_database_that_is_set_back_is_noticed(database):
    with Ledger.open(database) as ledger, psycopg.connect(database, autocommit=True) as direct:
        pay(ledger, 1)
        direct.execute("ALTER TABLE tacit_ledger DISABLE TRIGGER ALL; DELETE FROM tacit_ledger")
        assert "set back" in refused(ledger)


def test_lines_of_other_processes_are_no_reason_to_stop(ledger, tmp_path):
    with Ledger.open(tmp_path / "ledger.db") as other:
        for one in (other, ledger, other, other, ledger):
            pay(one, 1)
    assert ledger.spent("d").amount == 6 and ledger.verify().holds


def test_a_full_disk_refuses_before_the_charge_and_after_it(ledger):
    connection = ledger._store._writer
    with ledger.transaction() as turn:
        open_charge = turn.charge(asked(), ledger.spent("d"), caps(100))
    connection.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size: no page more
    large = ANSWER.__class__(keys=((),), figures=(("x" * 50_000,),), accuracy=((0.0,),))
    with pytest.raises(Refusal) as caught:
        ledger.settle(open_charge.number, large)
    assert caught.value.code == "busy"
    for number in range(200):
        try:
            pay(ledger, "0.001", digest="y" * 3000 + str(number))
        except Refusal as refusal:
            assert refusal.code == "busy"
            break
    else:
        pytest.fail("the disk is full")
    connection.execute("PRAGMA max_page_count = 1000000")
    ledger.settle(open_charge.number, ANSWER)
    assert ledger.verify().holds, "nothing was half written"


def edited(path, column, value, number):
    """Change a line in place, past the guards, and leave its hash as it was."""
    with closing(sqlite3.connect(path)) as direct, direct:
        for (name,) in direct.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            direct.execute(f"DROP TRIGGER {name}")
        direct.execute(f"UPDATE tacit_ledger SET {column} = ? WHERE number = ?", (value, number))


def test_a_total_edited_in_place_is_not_believed(ledger, tmp_path):  # review A16: ε = 0.1 left became 1.0
    charge = pay(ledger, 1)
    edited(tmp_path / "ledger.db", "totals", charge.totals.replace('"2"', '"1"'), charge.number)
    assert "changed" in refused(ledger)
    with pytest.raises(Refusal, match="changed"):
        ledger.spent("d")


def test_an_answer_edited_in_place_is_not_served(ledger, tmp_path):  # review A16
    answer = ledger.settle(pay(ledger, 1, settle=False, digest="a").number, ANSWER)
    with ledger.transaction() as turn:
        assert turn.find_answer(asked(digest="a")) is not None
    edited(tmp_path / "ledger.db", "answer", answer.answer.replace("42", "43"), answer.number)
    with pytest.raises(Refusal, match="changed"), ledger.transaction() as turn:
        turn.find_answer(asked(digest="a"))


def test_a_line_edited_with_its_hash_no_longer_fits_the_next(ledger, tmp_path):
    first = ledger.entries()[-1]
    pay(ledger, 1, account="ben")
    forged = replace(first, totals=first.totals.replace('"1"', '"0"'))
    edited(tmp_path / "ledger.db", "totals", forged.totals, 1)
    edited(tmp_path / "ledger.db", "hash", forged.compute_hash(), 1)
    with pytest.raises(Refusal, match="changed"):
        ledger.spent("d", "account", "ana")
