"""A table as heat maps: its two longest dimensions across, one map for each combination of codes of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import prod

import numpy as np

from ..plan.table.outcome import TableOutcome
from ..tables.dimension import Dimension
from ..tables.number_format import format_amount
from ..tables.problem import Status
from ..tables.table import Table
from .audience import Audience
from .blocks import Block, Cell, Heat, Text
from .words import count_phrase

WIDEST, LONGEST, MOST = 40, 120, 12
"""So many columns and rows of a map, and so many maps, are drawn; the files of cells have all."""

NOTHING = Dimension(name="", codes=("",), parents=(-1,))
"""The second dimension of a table that has one."""

SHADES = 8

LEGENDS = {
    ("suppressed", "internal"): (
        ("unsafe", "unsafe by a rule, suppressed"),
        ("secondary", "suppressed to protect others"),
        ("shade-6", "published; stronger is larger"),
    ),
    ("suppressed", "public"): (("suppressed", "not published"), ("shade-6", "published; stronger is larger")),
    ("changed", "internal"): (("unsafe", "unsafe by a rule"), ("moved", "changed"), ("shade-6", "as it was")),
    ("as it is", "internal"): (("unsafe", "unsafe by a rule"), ("shade-6", "stronger is larger")),
    ("changed", "public"): (("shade-6", "stronger is larger"),),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """Which cells a map shows: two dimensions in full, one code of each of the others."""

    title: str
    rows: Dimension
    columns: Dimension
    fixed: Mapping[str, str]


def heat_maps(outcome: TableOutcome, audience: Audience) -> Iterator[Block]:
    """The maps of every table of the outcome; a problem without dimensions (of a JJ file) has none."""
    table = outcome.problem.table
    if not table.dimensions:
        yield Text("The cells of this problem have numbers and no codes: there is no table to draw.")
        return
    places = {codes: place for place, codes in enumerate(table.labels.iter_rows())}
    painter = Painter.of(outcome, audience)
    for number, sheet in enumerate(islice(_table_sheets(table), MOST)):
        yield _heat_map(sheet, table, places, painter, first=number == 0)
    left = sum(prod(len(one.codes) for one in others) for _, _, _, others in _spanning_dimensions(table)) - MOST
    if left > 0:
        yield Text(
            f"{count_phrase(left, 'more map')} would not be readable here; the files of cells have every figure."
        )


def _spanning_dimensions(table: Table) -> Iterator[tuple[str, Dimension, Dimension, list[Dimension]]]:
    """For each table of a linked set its name, its two longest dimensions, and the others."""
    for name, cells in (table.parts or {"": np.arange(table.size)}).items():
        seen = table.labels[cells]
        spanned = sorted(
            (one for one in table.dimensions if seen[one.name].n_unique() > 1), key=lambda one: -len(one.codes)
        )
        rows, columns, *others = [*spanned, NOTHING, NOTHING][: max(2, len(spanned))]
        yield name, rows, columns, others


def _table_sheets(table: Table) -> Iterator[Sheet]:
    for name, rows, columns, others in _spanning_dimensions(table):
        for codes in product(*(one.codes for one in others)):
            yield Sheet(name, rows, columns, dict(zip((one.name for one in others), codes, strict=True)))


def _heat_map(
    sheet: Sheet, table: Table, places: Mapping[tuple[str, ...], int], painter: Painter, *, first: bool
) -> Heat:
    around = {one.name: one.total for one in table.dimensions} | dict(sheet.fixed)
    down, across = _as_read(sheet.rows)[:LONGEST], [sheet.columns.codes[at] for at in _as_read(sheet.columns)[:WIDEST]]

    def cell(row: str, column: str) -> Cell:
        codes = around | {sheet.rows.name: row, sheet.columns.name: column}
        place = places.get(tuple(codes.get(name, "") for name in table.labels.columns))
        return Cell("") if place is None else painter.cell(place)

    return Heat(
        caption=_sheet_caption(sheet, len(down), len(across)),
        corner=sheet.rows.name,
        head=tuple(across),
        rows=tuple(
            (sheet.rows.codes[at], sheet.rows.depths[at], tuple(cell(sheet.rows.codes[at], code) for code in across))
            for at in down
        ),
        legend=painter.legend if first else (),
        folded=not first,
    )


def _sheet_caption(sheet: Sheet, down: int, across: int) -> str:
    axes = f"{sheet.rows.name} by {sheet.columns.name}" if sheet.columns.name else sheet.rows.name
    where = ", ".join(f"{name} = {code}" for name, code in sheet.fixed.items())
    rows, columns = len(sheet.rows.codes), len(sheet.columns.codes)
    cut = (
        f"the first {down} of {rows} rows and {across} of {columns} columns" if down < rows or across < columns else ""
    )
    return " · ".join(filter(None, [sheet.title, axes, where, cut]))


def _as_read(dimension: Dimension) -> list[int]:
    """Codes as a tree is read: each one, then those below it."""
    found, stack = [], [0]
    while stack:
        at = stack.pop()
        found.append(at)
        stack += reversed(dimension.children[at])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Painter:
    """Draws cells for one audience.

    The public sees published figures and that others are not: which of these were unsafe, and what the audit computed, would
    help an intruder. The review board sees every figure with its interval, levels and reason.
    """

    outcome: TableOutcome
    audience: Audience
    shades: np.ndarray
    intervals: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, outcome: TableOutcome, audience: Audience) -> Painter:
        """A painter with what it needs looked up once. O(cells)."""
        audit = getattr(outcome.protected, "audit", None)
        found = None if audit is None or audience == "public" else audit.intervals
        known = (
            {}
            if found is None
            else dict(zip(found.cells.tolist(), zip(found.low.tolist(), found.high.tolist(), strict=True), strict=True))
        )
        return cls(outcome, audience, _cell_shades(outcome.figures, outcome.hidden), known)

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """What the colours mean."""
        if self.outcome.protected is None:
            return LEGENDS["as it is", "internal"]
        return LEGENDS["changed" if self.outcome.hidden is None else "suppressed", self.audience]

    def cell(self, place: int) -> Cell:
        """The cell of a number."""
        hidden = self.outcome.hidden
        if hidden is not None and hidden[place]:
            return Cell("×", 0, "suppressed") if self.audience == "public" else self._suppressed_cell(place)
        figure = format_amount(float(self.outcome.figures[place]))
        if hidden is None and self.audience == "internal":
            return self._changed_cell(place, figure)
        return Cell(figure, int(self.shades[place]))

    def _suppressed_cell(self, place: int) -> Cell:
        problem = self.outcome.problem
        unsafe = problem.status[place] == Status.UNSAFE
        said = [f"{problem.table.name(place)}: {format_amount(float(problem.table.values[place]))}"]
        if place in self.intervals:
            said.append(f"everybody can compute {format_amount(self.intervals[place])}")
        if unsafe:
            said += [f"must reach {format_amount(self._required_interval(place))}", problem.why.get(place, "")]
        text = format_amount(float(problem.table.values[place]))
        return Cell(
            f"{'●' if unsafe else '○'} {text}", 0, "unsafe" if unsafe else "secondary", "; ".join(filter(None, said))
        )

    def _changed_cell(self, place: int, figure: str) -> Cell:
        problem = self.outcome.problem
        true, place_name = float(problem.table.values[place]), problem.table.name(place)
        unsafe, same = problem.status[place] == Status.UNSAFE, float(self.outcome.figures[place]) == true
        if same and not unsafe:
            return Cell(figure, int(self.shades[place]))
        said = f"{place_name}: {figure} as it was" if same else f"{place_name}: {format_amount(true)} became {figure}"
        if unsafe:
            said = "; ".join(
                filter(
                    None,
                    [said, f"must reach {format_amount(self._required_interval(place))}", problem.why.get(place, "")],
                )
            )
        return Cell(figure, int(self.shades[place]), "unsafe" if unsafe else "moved", said)

    def _required_interval(self, place: int) -> tuple[float, float]:
        """The interval that an unsafe cell must be uncertain over."""
        problem, value = self.outcome.problem, float(self.outcome.problem.table.values[place])
        return value - float(problem.lower[place]), value + float(problem.upper[place])


def _cell_shades(figures: np.ndarray, hidden: np.ndarray | None) -> np.ndarray:
    """Darkness by the logarithm of the figure, 0 for zero; suppressed ones have no part in it, or shades would bound them."""
    size = np.log1p(np.abs(np.nan_to_num(figures)))
    if hidden is not None:
        size[hidden] = 0.0
    largest = size.max(initial=0.0)
    return np.ceil(SHADES * size / largest).astype(int) if largest else np.zeros(len(figures), dtype=int)
