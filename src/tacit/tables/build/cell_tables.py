"""Tables that somebody has made already: cells in long form, with their totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns, nearest_name
from ...release.release import Release
from ..dimension import TOTAL, Dimension
from ..table import Contributions, Table
from .additivity import check_additive, nearest_additive
from .codes import codes_text, kept_as
from .cross import added_up, cross_dimensions
from .hierarchies import dimension, total_of
from .largest import merged_up


def from_cells(
    frame: Any,
    *,
    by: str | Iterable[str],
    value: str,
    contributors: str | None = None,
    top: str | Iterable[str] = (),
    more: str | Iterable[str] = (),
    hierarchies: Mapping[str, Any] | None = None,
    total: str | Mapping[str, str] = TOTAL,
    tolerance: float | None = None,
    missing_cells: Literal["zero", "error"] = "zero",
    add_totals: bool = False,
    folder: Path | None = None,
) -> Table:
    """The table whose cells are the rows of a frame: a column of codes per dimension, a column of figures.

    ``value`` names the figures; when it is also the column of ``contributors`` the table is one of counts. ``top`` names the
    columns of the largest contributions, largest first (another order is refused: rules would judge the wrong one); whose they are is not known. ``total`` is the code of the totals, for
    all dimensions or for each; ``hierarchies`` as in :func:`~tacit.tables.build.records.tabulate`: codes of a tree that occur
    nowhere in the frame are left out of the table, with all that lies below them.

    A finest cell without a row is 0 (``missing_cells="error"`` refuses that), and so is a sum of such cells. A sum of others
    that has no row is refused, or with ``add_totals`` worked out. Figures must add up: see
    :func:`~tacit.tables.build.additivity.allowed_residuals` for how exactly. Where rounding leaves a difference, the nearest table
    that adds up takes their place; of counts, the sums of the finest cells. O(cells × dimensions).

    >>> cells = pl.DataFrame({"sex": ["f", "m", "Total"], "n": [3, 4, 7]})
    >>> from_cells(cells, by="sex", value="n", contributors="n")
    <Table of counts by sex (3): 3 cells, 1 equations>
    >>> from_cells(cells.with_columns(n=pl.Series([3, 4, 8])), by="sex", value="n")
    Traceback (most recent call last):
    ...
    tacit.errors.TacitError: the table does not add up in 1 of 1 equations; the worst is sex: 'f' + 'm' = 'Total': parts and total differ by more than the rounding of the figures allows
      fix: correct the figures or the hierarchy; if the figures were rounded, state by how much: tolerance=…
    """
    source = frame if isinstance(frame, Release) else Release(frame)
    spanned, largest, others = (
        check_columns(by, source.columns),
        check_columns(top, source.columns),
        check_columns(more, source.columns),
    )
    check_columns(dict.fromkeys(one for one in (value, contributors) if one is not None), source.columns)
    given = pl.DataFrame([codes_text(name, source.series(name)).alias(name) for name in spanned])
    _check_unique_cells(given)
    trees = hierarchies or {}
    dimensions = [
        _occurring_dimension(given[name], trees.get(name), total_of(total, name), add_totals=add_totals, folder=folder)
        for name in spanned
    ]
    rows = _Rows.of(given, dimensions)
    labels, equations = cross_dimensions(dimensions)
    figures = rows.fill_figures(_cell_figures(source, value, counts=value == contributors), add_totals=add_totals)
    _all_there(rows, figures, labels, missing_cells=missing_cells)
    counted = None if contributors is None else _cell_figures(source, contributors, counts=True)
    table = Table(
        labels=labels,
        values=np.nan_to_num(figures),
        equations=equations,
        dimensions=tuple(dimensions),
        response=None if value == contributors else value,
        contributors=None if counted is None else np.nan_to_num(rows.fill_figures(counted, add_totals=add_totals)),
        contributions=rows.largest_contributions(_contribution_columns(source, largest), add_totals=add_totals),
        more={
            one: np.nan_to_num(rows.fill_figures(_cell_figures(source, one), add_totals=add_totals)) for one in others
        },
    )
    check_additive(table, tolerance)
    if not table.is_frequency:
        _check_contributors(table)
    # Counts stay whole: their sums are worked out anew. Other figures move together, each by less.
    return replace(table, values=rows.sum_finest(table.values)) if table.is_frequency else nearest_additive(table)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Where each row of the frame stands in the full cross."""

    dimensions: Sequence[Dimension]
    cells: np.ndarray

    @classmethod
    def of(cls, given: pl.DataFrame, dimensions: Sequence[Dimension]) -> _Rows:
        places = [
            given[one.name].replace_strict(list(one.codes), np.arange(len(one.codes)), return_dtype=pl.Int64).to_numpy()
            for one in dimensions
        ]
        return cls(dimensions, np.ravel_multi_index(places, tuple(len(one.codes) for one in dimensions)))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(one.codes) for one in self.dimensions)

    @property
    def finest_cells(self) -> np.ndarray:
        """Which cells are a sum in no dimension."""
        found = np.zeros(self.shape, dtype=bool)
        found[np.ix_(*(one.leaves for one in self.dimensions))] = True
        return found.ravel()

    def fill_figures(self, figures: np.ndarray, *, add_totals: bool) -> np.ndarray:
        """The figures of all cells, NaN where there is no row; sums without one are worked out when that was asked for."""
        found = np.full(int(np.prod(self.shape)), np.nan)
        found[self.cells] = figures
        if not add_totals:
            return found
        sums = self.sum_finest(np.nan_to_num(found))
        return np.where(np.isnan(found) & ~self.finest_cells, sums, found)

    def sum_finest(self, figures: np.ndarray) -> np.ndarray:
        """What the finest cells add up to."""
        inner = np.where(self.finest_cells, figures, 0.0).reshape(self.shape)
        return added_up(self.dimensions, inner).ravel()

    def largest_contributions(self, columns: Sequence[np.ndarray], *, add_totals: bool) -> Contributions | None:
        """The largest contributions as the columns give them, those of added totals from the cells below."""
        if not columns:
            return None
        values = np.zeros((int(np.prod(self.shape)), len(columns)))
        values[self.cells] = np.stack(columns, axis=1)
        if add_totals:
            inner = np.where(self.finest_cells[:, None], values, 0.0)
            unknown = np.full(values.shape, -1)
            weights = (inner != 0).astype(float)
            merged = merged_up(self.dimensions, Contributions(values=inner, owners=unknown, weights=weights)).values
            absent = np.ones(len(values), dtype=bool)
            absent[self.cells] = False
            values = np.where((absent & ~self.finest_cells)[:, None], merged, values)
        return Contributions(values=values, owners=np.full(values.shape, -1), weights=(values != 0).astype(float))


def _occurring_dimension(
    codes: pl.Series, given: Any, total: str, *, add_totals: bool, folder: Path | None
) -> Dimension:
    name, occurring = codes.name, codes.unique(maintain_order=True).to_list()
    if total not in occurring and not add_totals and not isinstance(given, Dimension):
        near = nearest_name(total, occurring)
        raise TacitError(
            f"has no total: the code {total!r} does not occur",
            code="missing_parameter",
            column=name,
            fix=f"name its code (total){f', perhaps {near!r}' if near else ''}, or have totals worked out (add_totals)",
        )
    if given is None:
        return Dimension.flat(name, [code for code in occurring if code != total], total=total)
    tree = dimension(name, given, occurring, total=total, folder=folder)
    return tree if isinstance(given, Dimension) else _prune_tree(tree, set(occurring))


def _prune_tree(tree: Dimension, occurring: set[str]) -> Dimension:
    """The tree without the codes that neither occur nor have one below them that does."""
    wanted = [code in occurring for code in tree.codes]
    for place in range(len(wanted) - 1, 0, -1):
        wanted[tree.parents[place]] |= wanted[place]
    links = {code: tree.codes[tree.parents[place]] for place, code in enumerate(tree.codes) if place and wanted[place]}
    return Dimension.tree(tree.name, links, total=tree.total)


def _check_unique_cells(given: pl.DataFrame) -> None:
    double = given.is_duplicated()
    if double.any():
        row = int(double.arg_max() or 0)
        cell = ", ".join(f"{name} = {code!r}" for name, code in zip(given.columns, given.row(row), strict=True))
        again = given.with_row_index().filter(double & (given.hash_rows() == given.hash_rows()[row]))["index"]
        raise TacitError(
            f"the cell {cell} stands in rows {again[0] + 1} and {again[1] + 1}",
            code="invalid_table",
            fix="keep one row for each cell",
        )


def _cell_figures(source: Release, column: str, *, counts: bool = False) -> np.ndarray:
    if source.types[column] not in ("integer", "number"):
        raise TacitError(
            f"holds {kept_as(source, column)} where figures are needed",
            code="wrong_kind",
            column=column,
            fix="make it numbers; a table with suppressed figures is one to audit, not to protect",
        )
    found = source.floats(column)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise TacitError(
            f"has no finite figure in {len(bad)} rows, the first is row {bad[0] + 1}",
            code="not_finite",
            column=column,
            fix="fill it, or leave the row out where the cell is 0; a table with suppressed figures is one to audit",
        )
    if counts and (found < 0).any():
        raise TacitError(
            f"holds counts and is negative in row {int(np.argmax(found < 0)) + 1}",
            code="out_of_range",
            column=column,
            fix="correct it",
        )
    return found


def _contribution_columns(source: Release, columns: Sequence[str]) -> list[np.ndarray]:
    """The largest contributions as columns that fall from one to the next, by absolute value."""
    found = [_cell_figures(source, one) for one in columns]
    for place, (before, after) in enumerate(pairwise(found), 1):
        wrong = np.flatnonzero(np.abs(after) > np.abs(before))
        if len(wrong):
            raise TacitError(
                f"is larger than {columns[place - 1]!r} in {len(wrong)} rows, the first is row {wrong[0] + 1}",
                code="out_of_range",
                column=columns[place],
                fix="name the columns of largest contributions in their order, largest first",
            )
    return found


def _check_contributors(table: Table) -> None:
    """Refuse a sum with more respondents than its parts together, or fewer than one of them (holdings may be shared)."""
    if table.contributors is None:
        return
    matrix, counted = table.equations.matrix, table.contributors
    parts = matrix.maximum(0)
    whole = counted[matrix.indices[matrix.data < 0]]
    most = np.asarray(parts.multiply(counted).max(axis=1).todense()).ravel()
    wrong = np.flatnonzero((whole > parts @ counted + 0.5 * np.diff(matrix.indptr)) | (whole < most - 0.5))
    if len(wrong):
        raise TacitError(
            f"the numbers of contributors contradict one another in {len(wrong)} equations, first "
            f"{table.equations.format_equation(int(wrong[0]), table.labels)}: the sum has more than its parts together, or fewer than one",
            code="out_of_range",
            fix="correct the column of contributors, or leave it out",
        )


def _all_there(rows: _Rows, figures: np.ndarray, labels: pl.DataFrame, *, missing_cells: str) -> None:
    """Refuse sums that have no row though something adds up to them, and where asked for also missing finest cells."""
    if missing_cells not in ("zero", "error"):
        raise TacitError(
            f"missing_cells={missing_cells!r} is unknown",
            code="unknown_name",
            parameter="missing_cells",
            fix="use 'zero' or 'error'",
        )
    absent = np.isnan(figures)
    if not absent.any():
        return
    behind = rows.sum_finest(np.abs(np.nan_to_num(figures)))
    lacking = np.flatnonzero(absent & ~rows.finest_cells & (behind > 0))
    kind, fix = "total", "add its row, or have totals worked out (add_totals)"
    if not len(lacking) and missing_cells == "error":
        lacking, kind = np.flatnonzero(absent), "cell"
        fix = "add its row, or take cells without one for 0 with missing_cells='zero'"
    if len(lacking):
        cell = ", ".join(f"{name} = {code!r}" for name, code in labels.row(int(lacking[0]), named=True).items())
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        raise TacitError(f"the {kind} {cell} has no row{more}", code="invalid_table", fix=fix)
