"""The JJ format: a ready-made suppression problem, cells and equations without codes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

from ...errors import TacitError
from ...files import atomic_write
from ..build.additivity import check_additive
from ..equations import Equations
from ..problem import Problem, Status
from ..rules.bounds import check_bounds
from ..table import Table
from .text import parse_figure, text_of

STATUS = {"s": Status.SAFE, "u": Status.UNSAFE, "z": Status.PUBLISHED, "m": Status.HIDDEN}
"""The letters of the format: safe, unsafe (primary), protected against suppression, and suppressed already."""
LETTERS = {Status.SAFE: "s", Status.UNSAFE: "u", Status.HIDDEN: "m", Status.PUBLISHED: "z", Status.EMPTY: "z"}
EQUATION = re.compile(r"\s*(\S+)\s+(\d+)\s*:(.*)")
TERM = re.compile(r"\s*(\d+)\s*\(\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*\)")
FAR = 10.0
"""A bound that is not finite is written as so many times the largest figure away: the format has no infinity."""


@dataclass
class _Lines:
    """The lines that are not blank, read one after the other; errors say where."""

    path: Path
    lines: Iterator[tuple[int, str]]
    number: int = 0

    def next_line(self, wanted: str) -> str:
        self.number, line = next(self.lines, (self.number, ""))
        if not line:
            raise self.line_error(f"the file ends where {wanted} should stand")
        return line

    def next_count(self, wanted: str) -> int:
        line = self.next_line(wanted)
        if not line.isdigit():
            raise self.line_error(f"{wanted} should stand here, a whole number")
        return int(line)

    def line_error(self, what: str) -> TacitError:
        fix = "a JJ file has a 0, the number of cells, the cells, the number of equations, the equations"
        return TacitError(what, code="invalid_table", where=f"{self.path}:{self.number}", fix=fix)


def read_jj(path: str | os.PathLike[str]) -> Problem:
    """The problem in a JJ file: a 0, the number of cells, a line for each, the number of equations, a line for each.

    A cell is: number, value, cost, status (s safe, u unsafe, z published whatever happens, m suppressed already), the
    attacker's two bounds, lower, upper and sliding protection level. An equation is: constant, how many cells, a colon,
    then ``cell (sign)`` for each; one with a single positive sign among negative ones is turned round, so that −1 is the sign
    of a total. A table that does not add up, bounds that leave a figure out, and levels below 0 are errors. O(bytes) time and
    memory.
    """
    text = text_of(path)
    numbered = ((number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
    lines = _Lines(Path(path), numbered)
    lines.next_count("the number 0")
    size = lines.next_count("the number of cells")
    names, figures, status = _read_cells(lines, size)
    equations = _read_equations(
        lines, {name: place for place, name in enumerate(names)}, lines.next_count("the number of equations")
    )
    if next(lines.lines, None) is not None:
        raise lines.line_error("more lines follow than equations were announced")
    values, cost, low, high, lower, upper, sliding = figures.T.copy()
    table = Table(labels=pl.DataFrame({"cell": names}), values=values, equations=equations, response="value")
    _check_figures(table, figures, Path(path))
    return Problem(table=table, status=status, lower=lower, upper=upper, sliding=sliding, low=low, high=high, cost=cost)


def _read_cells(lines: _Lines, size: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    names: dict[str, int] = {}
    figures, status = np.zeros((size, 7)), np.zeros(size, dtype=np.uint8)
    for place in range(size):
        parts = lines.next_line(f"cell {place + 1} of {size}").split()
        if len(parts) != 9:
            raise lines.line_error(f"a cell has 9 fields, this line has {len(parts)}")
        if not parts[0].isdigit():
            raise lines.line_error("a cell begins with its number")
        if parts[0] in names:
            raise lines.line_error(f"cell {parts[0]} stands here a second time")
        names[parts[0]] = place
        if parts[3] not in STATUS:
            raise lines.line_error(f"the status {parts[3]!r} is unknown (known are {', '.join(STATUS)})")
        status[place] = STATUS[parts[3]]
        for column, field in enumerate((1, 2, 4, 5, 6, 7, 8)):
            value = parse_figure(parts[field])
            if value is None:
                raise lines.line_error(f"field {field + 1} of a cell is a number")
            figures[place, column] = value
    return list(names), figures, status


def _read_equations(lines: _Lines, places: dict[str, int], count: int) -> Equations:
    row: list[int] = []
    column: list[int] = []
    sign: list[float] = []
    constants = np.zeros(count)
    for number in range(count):
        match = EQUATION.fullmatch(lines.next_line(f"equation {number + 1} of {count}"))
        constant = parse_figure(match[1]) if match else None
        terms = TERM.findall(match[3]) if match else []
        if match is None or constant is None or TERM.sub("", match[3]).strip():
            raise lines.line_error("an equation reads: constant, number of cells, a colon, then cell (sign) for each")
        if len(terms) != int(match[2]):
            raise lines.line_error(f"{match[2]} cells are announced, {len(terms)} stand there")
        unknown = next((cell for cell, _ in terms if cell not in places), None)
        if unknown is not None:
            raise lines.line_error(f"cell {unknown} is in no line above")
        constants[number] = constant
        row += [number] * len(terms)
        column += [places[cell] for cell, _ in terms]
        sign += [float(value) for _, value in terms]
    found = sp.csr_matrix((sign, (row, column)), shape=(count, len(places)))
    over = np.asarray((found > 0).sum(axis=1)).ravel()
    turned = np.where((over == 1) & (np.diff(found.indptr) > 2), -1.0, 1.0)
    return Equations.of(sp.diags_array(turned) @ found, turned * constants)


def _check_figures(table: Table, figures: np.ndarray, path: Path) -> None:
    """Refuse what no table can be: of that an audit would say anything."""
    try:
        check_additive(table)
        check_bounds(table, figures[:, 2], figures[:, 3])
    except TacitError as problem:
        raise problem.with_location(str(path)) from None
    below = np.flatnonzero((figures[:, [1, 4, 5, 6]] < 0).any(axis=1))
    if len(below):
        raise TacitError(
            f"the cost or a level of the cell {table.name(below[0])} is below 0",
            code="out_of_range",
            where=str(path),
            fix="levels and costs are amounts from 0 on",
        )


def write_jj(
    problem: Problem,
    path: str | os.PathLike[str],
    *,
    hidden: np.ndarray | None = None,
    replace: bool = False,
    keep: Iterable[Path] = (),
) -> None:
    """Write a problem in the JJ format. The file holds every true figure: it is not for publication.

    Without ``hidden`` it is the problem to be solved; with a pattern, the further cells of it have the status ``m``, so that
    the file can be audited.

    The codes of the cells and who stands behind them have no place in the format. Bounds that are not finite are written
    as 10 times the largest figure away from the cell's own.
    """
    table = problem.table
    far = FAR * max(1.0, float(np.abs(table.values).max(initial=0.0)))
    low = np.where(np.isfinite(problem.low), problem.low, table.values - far)
    high = np.where(np.isfinite(problem.high), problem.high, table.values + far)
    columns = (table.values, problem.cost, low, high, problem.lower, problem.upper, problem.sliding)
    if not all(np.isfinite(one).all() for one in columns):
        raise TacitError(
            "some figures are not known",
            code="wrong_type",
            fix="JJ holds complete tables only: write the published one as CSV",
        )
    with (
        atomic_write(path, replace=replace, keep=keep) as place,
        place.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(f"0\n{table.size}\n")
        for cell, (value, cost, *rest) in enumerate(np.column_stack(columns).tolist()):
            status = Status(int(problem.status[cell]))
            second = hidden is not None and bool(hidden[cell]) and status == Status.SAFE
            letter = LETTERS[Status.HIDDEN if second else status]
            file.write(f"{cell} {value!r} {cost!r} {letter} {' '.join(map(repr, rest))}\n")
        matrix = table.equations.matrix
        file.write(f"{len(table.equations)}\n")
        for number, constant in enumerate(table.equations.constants.tolist()):
            start, end = matrix.indptr[number : number + 2]
            terms = zip(matrix.indices[start:end].tolist(), matrix.data[start:end].tolist(), strict=True)
            written = " ".join(f"{cell} ({sign:g})" for cell, sign in terms)
            file.write(f"{constant!r} {end - start} : {written}\n")
