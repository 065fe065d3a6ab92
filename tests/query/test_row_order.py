"""Which rows of a unit count depends on its own rows alone: no two different rows are alike in the order.

catalogue: H-07; attack 15
"""

from __future__ import annotations

import duckdb
import psycopg
import pytest

from tacit.query.column import Column, Schema
from tacit.query.engines.layout import Layout

TEXTS = ("one", "two")
SCHEMA = Schema(name="d", version="1", columns={name: Column(name=name, kind="text") for name in TEXTS}, joins={})
ROWS = [("a,+b", "c"), ("a", "b,+c"), ("a,+3:b", "c"), ("a", None), (None, "a"), ("-", "-"), (None, None), ("", None),
        ("1:a", ""), ("", "1:a"), ("é", "e"), ("e", "é")]  # fmt: skip


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_different_rows_have_different_texts(engine, postgres):
    marks = ", ".join(["(CAST(%s AS text), CAST(%s AS text))"] * len(ROWS))
    sql = f"SELECT {Layout(SCHEMA).row_text()} FROM (VALUES {marks}) AS rows (c0, c1)"
    values = [value for row in ROWS for value in row]
    if engine == "duckdb":
        found = duckdb.connect().execute(sql.replace("%s", "?"), values).fetchall()
    else:
        with psycopg.connect(postgres) as connection:
            found = connection.execute(sql, values).fetchall()
    assert len(set(found)) == len(ROWS) and (None,) not in found


def test_texts_simply_put_together_would_be_alike():
    """What a unit could enter to be counted by chance: two rows of one text."""
    plain = [",".join("-" if value is None else f"+{value}" for value in row) for row in ROWS]
    assert len(set(plain)) < len(ROWS)
