"""Hierarchies by table: each value listed with its labels, as in ARX's CSV files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ..engines.table import Type
from .base import TOP

QUOTED = frozenset(';,\t"\r\n')
"""Characters because of which a cell is written in quotes."""


@dataclass(frozen=True, slots=True)
class TableHierarchy:
    """Value → its labels from level 1 up; the last one is ``*`` (added when the table leaves it out)."""

    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows}
        if not self.rows or len(widths) != 1:
            raise TacitError(
                "the hierarchy has rows of different lengths",
                code="invalid_data",
                fix="give every value the same number of levels",
            )
        _check_tree(self.rows)

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.rows[0]) - 1

    def check_type(self, column: str, type: Type) -> None:
        """Any type: values are compared as they are written."""

    def expression(self, column: str, level: int) -> nw.Expr:
        """The label from the table; a value that the table lacks becomes missing, which the caller must notice."""
        written = nw.col(column).cast(nw.String)
        old, new = [row[0] for row in self.rows], [row[level] for row in self.rows]
        return written.replace_strict(old, new, default=None, return_dtype=nw.String)

    def domain(self, present: pl.Series) -> pl.Series:  # noqa: ARG002 - the rules need it
        """All values of the table, also those absent from the data, as ARX counts them."""
        return pl.Series([row[0] for row in self.rows])

    def spec(self) -> Mapping[str, Any]:
        """``{"table": {value: labels}}``."""
        return {"table": {row[0]: list(row[1:]) for row in self.rows}}


def _check_tree(rows: Sequence[tuple[str, ...]]) -> None:
    """Each label has one parent, and each value stands once: otherwise a level would split what the one below merges."""
    for level in range(len(rows[0]) - 1):
        parent: dict[str, str] = {}
        for row in rows:
            if level == 0 and row[0] in parent:
                raise TacitError(
                    f"the hierarchy lists the value {row[0]!r} twice",
                    code="duplicate",
                    fix="keep one row for each value",
                )
            if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise TacitError(
                    f"the hierarchy is not a tree: {row[level]!r} at level {level} lies under "
                    f"{parent[row[level]]!r} and under {row[level + 1]!r}",
                    code="wrong_type",
                    fix="give each label one parent, e.g. by making the labels of the lower level different",
                )


def from_table(table: Mapping[Any, Sequence[Any] | str]) -> TableHierarchy:
    """From value → labels (one or several levels)."""
    rows = [
        (str(value), *((labels,) if isinstance(labels, str) else map(str, labels))) for value, labels in table.items()
    ]
    return TableHierarchy(_add_top(rows))


def from_groups(groups: Mapping[str, Iterable[Any]]) -> TableHierarchy:
    """From label → the values under it: one level above the values."""
    return TableHierarchy(_add_top([(str(value), label) for label, values in groups.items() for value in values]))


def from_file(path: str | Path) -> TableHierarchy:
    """From a CSV without header, one row per value, levels from left to right (``;``, ``,`` or tab; ARX's files are read)."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as problem:
        raise TacitError(
            f"the hierarchy file {file.name!r} is not there",
            code="wrong_type",
            fix="check the path; it is relative to the plan file",
        ) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise TacitError(
            f"the hierarchy file {file.name!r} cannot be read as UTF-8 text",
            code="cannot_read",
            fix="save it as UTF-8 CSV",
        ) from problem
    first = re.sub(r'(^|[;,\t])"(?:[^"]|"")*"', r"\1", text).split("\n", 1)[0]  # a separator in quotes is none
    separator = max(";,\t", key=first.count)
    rows = [tuple(row) for row in csv.reader(StringIO(text, newline=""), delimiter=separator) if row]
    if not rows or len(rows[0]) < 2:
        raise TacitError(
            f"the hierarchy file {file.name!r} has no levels",
            code="invalid_data",
            fix="write one row per value: value;level 1;level 2;*",
        )
    try:
        return TableHierarchy(_add_top(rows))
    except TacitError as problem:
        raise problem.with_location(file.name) from None


def as_file(rows: Iterable[Sequence[str]]) -> str:
    """Rows of a hierarchy as the text of a file that :func:`from_file` reads.

    >>> as_file([("43", "[40, 45)", "*")])
    '43;"[40, 45)";*\\n'
    """
    text = StringIO()
    for row in rows:
        cells = (f'"{cell.replace(chr(34), chr(34) * 2)}"' if set(cell) & QUOTED else cell for cell in row)
        text.write(";".join(cells) + "\n")
    return text.getvalue()


def _add_top(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    if rows and len({row[-1] for row in rows}) == 1 and len(rows[0]) > 1:
        return tuple((*row[:-1], TOP) for row in rows)
    return tuple((*row, TOP) for row in rows)
