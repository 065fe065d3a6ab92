import sqlite3

import pytest

from tacit import TacitError
from tacit.study import Candidate, Evaluation, Figure
from tacit.study.store import Store

SWAP = Candidate(strategy="swap", steps=({"method": "rank_swap", "columns": ["x"], "percent": 5},))
FOUND = Evaluation(
    state="done", figures=(Figure("loss", "moments", 0.25), Figure("risk", "reidentification", 0.5, "distance"))
)


def test_what_is_kept_comes_back_as_it_was(tmp_path):
    store = Store(tmp_path / "new folder" / "study.sqlite", task="a")
    assert store.get(SWAP) is None
    store.put(SWAP, FOUND)
    store.close()
    again = Store(tmp_path / "new folder" / "study.sqlite", task="a")
    assert again.get(SWAP) == FOUND
    assert Store(tmp_path / "new folder" / "study.sqlite", task="b").get(SWAP) is None
    again.close()


def test_only_the_owner_reads_it(tmp_path):
    Store(tmp_path / "study.sqlite", task="a").close()
    assert (tmp_path / "study.sqlite").stat().st_mode & 0o077 == 0


def test_a_full_disk_is_said_and_costs_nothing_that_was_kept(tmp_path):
    file = tmp_path / "study.sqlite"
    store = Store(file, task="a")
    store.put(SWAP, FOUND)
    store._base.execute("PRAGMA max_page_count = 1")  # SQLite's own way to run out of room
    large = Evaluation(state="failed", why="x" * 100_000)
    with pytest.raises(TacitError, match="the disk is full") as problem:
        store.put(Candidate(strategy="other", steps=()), large)
    assert "what was found so far is kept" in problem.value.fix
    store.close()
    assert Store(file, task="a").get(SWAP) == FOUND


def test_the_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "other.sqlite") as base:
        base.execute("CREATE TABLE diary (day TEXT)")
    with pytest.raises(TacitError, match="a database of something else"):
        Store(tmp_path / "other.sqlite", task="a")


@pytest.mark.parametrize("content", [b"age,pay\n1,2\n", b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_file_that_is_no_database(tmp_path, content):
    (tmp_path / "study.sqlite").write_bytes(content)
    with pytest.raises(TacitError, match="cannot be written or read"):
        Store(tmp_path / "study.sqlite", task="a")
    assert (tmp_path / "study.sqlite").read_bytes() == content


def test_a_place_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(TacitError, match="cannot be written"):
        Store(tmp_path / "file" / "study.sqlite", task="a")


def test_a_stopped_evaluation_takes_the_place_of_none_that_was_made_to_the_end(tmp_path):
    """Two studies that share a file: one with other weights stops a candidate that the other evaluated in full."""
    store = Store(tmp_path / "study.sqlite", task="a")
    short = Evaluation(state="stopped", figures=FOUND.figures[:1])
    for before, after, kept in [(short, FOUND, FOUND), (FOUND, short, FOUND)]:
        store.put(SWAP, before)
        store.put(SWAP, after)
        assert store.get(SWAP) == kept
    store.close()


def test_what_may_have_been_the_machines_fault_is_not_kept(tmp_path):
    store = Store(tmp_path / "study.sqlite", task="a")
    store.put(SWAP, Evaluation(state="failed", why="an error inside: MemoryError"))
    assert store.get(SWAP) is None
    store.put(SWAP, Evaluation(state="failed", why="the column is too short"))
    assert store.get(SWAP) is not None
    store.close()
