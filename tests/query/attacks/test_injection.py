"""Texts that are more than questions (attack 24).

catalogue: H-07
"""

from __future__ import annotations

import pytest

from .stub import Unprotected
from .world import World, people


class Concatenated(Unprotected):
    """Only a value may be given; it is written into the text between quotes."""

    def sex(self, value: str) -> list[tuple]:
        """How many are of a sex, one would think."""
        return self.ask(f"SELECT COUNT(*) FROM clinic WHERE sex = '{value}'")


def test_attack_24_succeeds_where_texts_are_put_together(tmp_path):
    stub = Concatenated(people(), "clinic")
    assert stub.sex("x' OR 1=1 --") == [(40,)]
    incomes = stub.sex("x' UNION ALL SELECT income FROM clinic WHERE who = 7 --")
    assert people()["income"][7] in [row[0] for row in incomes]
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    assert stub.ask(f"SELECT * FROM read_csv('{tmp_path}/secret.csv')") == [("hunter2",)]
    stub.ask(f"COPY clinic TO '{tmp_path}/taken.csv'")
    stub.ask(f"ATTACH '{tmp_path}/new.db' AS other")
    assert (tmp_path / "taken.csv").exists() and (tmp_path / "new.db").exists()


TEXTS = [
    "SELECT COUNT(*) FROM clinic WHERE sex = 'x' OR 1=1 --'",
    "SELECT COUNT(*) FROM clinic WHERE sex = 'x' UNION ALL SELECT income FROM clinic WHERE who = 7",
    "SELECT COUNT(*) FROM clinic; DROP TABLE rows",
    "SELECT COUNT(*) FROM clinic /* a comment */",
    "SELECT COUNT(*) FROM clinic -- a comment",
    "SELECT COUNT(*) FROM rows",
    "SELECT COUNT(*) FROM units",
    "SELECT * FROM read_csv('{folder}/secret.csv')",
    "SELECT COUNT(*) FROM read_csv('{folder}/secret.csv')",
    "SELECT COUNT(*) FROM '{folder}/secret.csv'",
    "SELECT COUNT(*) FROM glob('*')",
    "COPY clinic TO '{folder}/taken.csv'",
    "COPY (SELECT 1) TO '{folder}/taken.csv'",
    "ATTACH '{folder}/new.db' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "EXPORT DATABASE '{folder}/taken.csv'",
    "CREATE TABLE x AS SELECT 1",
    "INSERT INTO rows VALUES (1)",
    "UPDATE rows SET c0 = 1",
    "DELETE FROM tacit_ledger",
    "CALL pragma_version()",
    "PREPARE p AS SELECT 1",
    "SELECT getenv('HOME')",
    "SELECT COUNT(*) FROM clinic WHERE sex = $1",
    "SELECT COUNT(*) FROM clinic WHERE sex = ?",
    "SELECT COUNT(*) FROM main.clinic",
    "SELECT COUNT(*) FROM clinic, clinic AS b",
    "SELECT COUNT(*) FROM (SELECT * FROM clinic) AS c",
    "WITH c AS (SELECT * FROM clinic) SELECT COUNT(*) FROM c",
    "SELECT COUNT(*) FROM сlinic",  # the first letter is Cyrillic
    "SELECT COUNT(*) FROM clinic WHERE sеx = 'f'",  # and so is this e
    "SELECT COUNT(*) FROM clinic WHERE sex = ＇f＇",  # wide quotes
    "SELECT COUNT(＊) FROM clinic",
    "SELECT COUNT(*)\u200b FROM clinic",
    "SELECT COUNT(*) FROM clinic WHERE age = ١٨",  # Arabic digits
    "SELECT COUNT(*) FROM clinic WHERE age = 0x12",
    "SELECT COUNT(*) FROM clinic WHERE sex = U&'\\0066'",
    "SELECT COUNT(*) FROM clinic WHERE sex = E'\\x66'",
    "SELECT COUNT(*) FROM clinic WHERE sex = $$f$$",
    "SELECT COUNT(*) FROM clinic WHERE sex = 'f\x00'",
    "SELECT \u202eCOUNT(*) FROM clinic",
]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("injection")
    (folder / "secret.csv").write_text("password\nhunter2\n")
    with World(folder, people(), "clinic", "register") as found:
        yield found


@pytest.mark.parametrize("text", TEXTS)
def test_attack_24_whatever_is_no_question_is_refused_and_nothing_happens(world, text):
    folder = world.file.parent
    before = {path.name for path in folder.iterdir()}
    refusal = world.refusal(text.replace("{folder}", str(folder)), "1")
    assert refusal is not None and refusal.code in (
        "unsupported_sql",
        "unknown_dataset",
        "unknown_column",
        "unknown_value",
    )
    assert "hunter2" not in str(refusal) and world.spent() == 0
    assert {path.name for path in folder.iterdir()} <= before | {"ledger.db-wal", "ledger.db-shm"}


def test_attack_24_a_value_is_compared_and_never_run(world):
    """Noise at ε = 50 is not 0 with a chance of 10⁻²¹."""
    for value in ("x'' OR 1=1 --", "''; DROP TABLE rows; --", "Big'' --", "%", "B_g", "big", "Big ", "$1", "ＢＩＧ"):
        assert world.ask(f"SELECT COUNT(*) FROM clinic WHERE town = '{value}'", "50") == [(0,)]
    assert world.ask("SELECT COUNT(*) FROM clinic WHERE town = 'Big'", "50") == [(40,)]


def test_attack_24_the_engine_itself_reads_and_writes_nothing_outside(world):
    """Were a text to get through, the engine would still not open a file or change a setting."""
    import duckdb

    connection = world.desk.rooms["clinic"].mode.source._connection
    folder = world.file.parent
    for text in (
        f"SELECT * FROM read_csv('{folder}/secret.csv')",
        f"COPY (SELECT 1) TO '{folder}/taken.csv'",
        f"ATTACH '{folder}/new.db' AS other",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.cursor().execute(text)
