"""Shares on a public page from which a count below the threshold would follow.

A public page does not count fewer than ten records, and a share of a known number of records is a count: 0.001965 of 4,580 is 9.
Numbers in the tables of a public page that lie between 0 and ten records are therefore replaced by the bound, whatever they measure:
nobody who adds a table need think of it. What is required is not found in the data and stays; so do the ends of confidence intervals,
which bound what an attack may reach and are not shares of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import ceil, floor, log10

from .audience import THRESHOLD
from .blocks import Block, Figures, Section, Table

__all__ = ["hide_small_shares", "veil_share"]

NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)( %)?")
STATED = frozenset({"Required", "Margin", "95 % interval", "Guessing", "By chance", "Guessed"})
"""Columns that hold what was asked for or what chance does, not what was counted."""


def hide_small_shares(sections: Iterable[Section], records: int) -> list[Section]:
    """The sections with every number of a table that is a share of fewer than ten of so many records replaced by the bound."""
    return [replace(section, blocks=tuple(_veiled(block, records) for block in section.blocks)) for section in sections]


def _veiled(block: Block, records: int) -> Block:
    if isinstance(block, Table):
        return _veiled_table(block, records)
    if isinstance(block, Figures):
        figures = (replace(one, table=_veiled_table(one.table, records)) for one in block.figures)
        return replace(block, figures=tuple(figures))
    return block


def _veiled_table(table: Table, records: int) -> Table:
    counted = {place for place in table.numeric if table.head[place] not in STATED}
    rows = tuple(
        tuple(veil_share(cell, records) if place in counted else cell for place, cell in enumerate(row))
        for row in table.rows
    )
    return replace(table, rows=rows)


def veil_share(cell: str, records: int) -> str:
    """A cell as the public sees it: a number between 0 and ten of so many records becomes "below" that bound.

    >>> veil_share("0.001965", 4580), veil_share("0.2 %", 4580), veil_share("0.3 %", 4580), veil_share("0", 4580)
    ('below 0.0022', 'below 0.22 %', '0.3 %', '0')
    """
    found = NUMBER.fullmatch(cell)
    if found is None:
        return cell
    unit = 100 if found[2] else 1
    value = float(found[1].replace(",", ""))
    if not 0 < value / unit * records < THRESHOLD:
        return cell
    return f"below {_rounded_up(unit * THRESHOLD / records)}{found[2] or ''}"


def _rounded_up(value: float) -> str:
    """Two significant digits, never less than the value."""
    places = max(0, 1 - floor(log10(value)))
    return f"{ceil(value * 10**places - 1e-9) / 10**places:.{places}f}"
