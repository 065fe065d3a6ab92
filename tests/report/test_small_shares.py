"""No number of a public page is a share from which a count below its threshold follows (A8)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tacit.plan.outcome import Outcome
from tacit.report import render
from tacit.report.audience import THRESHOLD
from tacit.report.blocks import Section, Table
from tacit.report.page import STATED, hide_small_shares, veil_share
from tacit.result import Result


def small_counts(tables: list[Any], records: int) -> list[str]:
    """Cells that are k/n for a whole k below the threshold, as precisely as they are printed."""
    found = []
    for head, *rows in tables:
        for row in rows:
            for name, cell in zip(head[1:], row[1:], strict=False):
                number = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?)( %)?", cell.replace("\u00a0", " "))
                if number is None or name in STATED or name in ("Records", "Better is"):
                    continue
                value = float(number[1].replace(",", "")) / (100 if number[2] else 1)
                digits = len(number[1].partition(".")[2]) + (2 if number[2] else 0)
                near = round(value * records)
                if 0 < near < THRESHOLD and abs(near / records - value) <= 0.51 * 10**-digits and "." in cell:
                    found.append(f"{head[0]}, {name}: {cell}")
    return found


@pytest.fixture(scope="module")
def telling(held: Outcome) -> Outcome:
    """An outcome with a loss and a measure that count seven and nine records."""
    records = held.original.size
    loss = Result(name="generalisation", value=7 / records, column="sex", about="utility", worse="high")
    measure = Result(name="special share", value=9 / records, about="identity", worse="high")
    return replace(held, losses=(loss,), before=(measure,), after=(measure,))


def test_a_public_page_gives_no_share_of_fewer_than_ten(telling: Outcome, parsed: Any) -> None:
    records = min(telling.original.size, telling.masked.release.size)  # type: ignore[union-attr]
    public, internal = (parsed(render(telling, audience=audience)).tables for audience in ("public", "internal"))
    assert len(small_counts(internal, records)) >= 2, "the test would pass without anything to hide"
    assert small_counts(public, records) == []
    assert any("below" in cell for table in public for row in table for cell in row)


def test_what_is_required_stays_and_sections_keep_their_other_blocks() -> None:
    table = Table(
        caption="c",
        head=("Requirement", "Required", "Found"),
        rows=(("r", "0.1 %", "0.1 %"),),
        numeric=frozenset({1, 2}),
    )
    (section,) = hide_small_shares([Section(id="a", title="A", blocks=(table,))], 4580)
    assert section.blocks[0].rows == (("r", "0.1 %", "below 0.22 %"),)  # type: ignore[union-attr]


@pytest.mark.parametrize("records", [11, 40, 977, 4580, 100_000])
def test_every_count_below_the_threshold_is_hidden_and_none_above(records: int) -> None:
    for count in range(THRESHOLD):
        assert veil_share(f"{count / records:.6f}", records).startswith("below") == (round(count / records, 6) > 0)
    assert not veil_share(f"{(THRESHOLD + 0.01) / records:.8f}", records).startswith("below")
    bound = float(veil_share(f"{1 / records:.8f}", records).removeprefix("below "))
    assert bound >= THRESHOLD / records
