"""The table of losses: columns that lost nothing share a row, the overall number never does."""

from __future__ import annotations

from dataclasses import replace

from tacit import Result
from tacit.report.sections.loss import losses_table


def loss(column: str | None, value: float) -> Result:
    return Result(name="squared error", column=column, value=value, worse="high", about="utility")


def test_unchanged_columns_share_a_row(held):
    parts = (loss(None, 0.2), loss("a", 0.0), loss("b", 0.6), loss("c", 0.0))
    table = losses_table(replace(held, losses=parts), "internal")
    assert [row[1:] for row in table.rows] == [("all", "0.2"), ("a, c", "0"), ("b", "0.6")]


def test_an_overall_zero_stands_alone(held):
    table = losses_table(replace(held, losses=(loss(None, 0.0), loss("a", 0.0))), "internal")
    assert [row[1:] for row in table.rows] == [("all", "0"), ("a", "0")]
