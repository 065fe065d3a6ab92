"""Tables of counts and of sums from records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns, check_int
from ...release.release import Release
from ..dimension import TOTAL, Dimension
from ..table import Contributions, Table
from .codes import codes_text, in_order, kept_as
from .cross import added_up, cross_dimensions
from .hierarchies import dimension, levels_of, total_of
from .largest import first_of_each, merged_up


def tabulate(
    release: Release | Any,
    *,
    by: str | Iterable[str],
    response: str | None = None,
    weight: str | None = None,
    holding: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    total: str | Mapping[str, str] = TOTAL,
    top: int = 3,
    more: str | Iterable[str] = (),
    missing: str | None = None,
    unanswered: Literal["zero", "out"] | None = None,
    folder: Path | None = None,
) -> Table:
    r"""The table of the records by some dimensions, with all its margins and with who stands behind each cell.

    Without a ``response`` the figures are counts, :math:`\sum w_i`; with one they are its sums, :math:`\sum w_i x_i`. The
    weights w are 1 unless ``weight`` names a column (or the release has one); they may be decimal. Beside the figures:

    - ``contributors``: the records of the cell, never weighted; with ``holding``, the different holdings in it (a holding
      in two cells counts once in their sum; a record without one stands alone);
    - ``contributions``: the ``top`` largest by absolute value with their weights and owners (row numbers; for holdings that
      of their first record);
    - ``shadow``: :math:`\sum w_i |x_i|`, over holdings where there are such;
    - ``more``: weighted sums of other columns.

    ``hierarchies`` says for each dimension what :func:`~tacit.tables.build.hierarchies.dimension` can read; codes without one
    lie directly under the total. Every combination of codes is a cell; one without records is 0, with 0 contributors.
    ``total`` names the code of all together, for all dimensions or for each. Records whose code is missing are refused
    unless ``missing`` gives them one, and records without the figure unless ``unanswered`` says what they are: respondents
    who contributed nothing (``"zero"``), or none (``"out"``: they are left out).

    Any frame or release will do; of one that is not in memory only the columns needed are read. Time O(n log n + cells), with
    holdings O(n × combinations of levels); memory O(n + cells × top).

    >>> firms = pl.DataFrame({"region": ["N", "N", "S"], "sales": [5.0, 7.0, 100.0]})
    >>> table = tabulate(firms, by="region", response="sales")
    >>> table.labels["region"].to_list(), table.values.tolist(), table.contributors.tolist()
    (['Total', 'N', 'S'], [112.0, 12.0, 100.0], [3.0, 2.0, 1.0])
    >>> table.contributions.values[0].tolist()
    [100.0, 7.0, 5.0]
    """
    source = release if isinstance(release, Release) else Release(release)
    weight = weight or source.weight
    check_columns(dict.fromkeys(one for one in (response, weight, holding) if one is not None), source.columns)
    others = check_columns(more, source.columns)
    check_int("top", top, least=1)
    everybody, rows = source, _answering_rows(source, response, unanswered)
    source = source if len(rows) == source.size else source.take(rows)
    asked = _CodeOptions(trees=hierarchies or {}, total=total, missing=missing, folder=folder)
    with _note_left_out(everybody.size - len(rows)):
        axes = _dimension_places(source, check_columns(by), asked)
        placed = _RecordPlaces(
            dimensions=[one for one, _ in axes],
            places=[at for _, at in axes],
            values=np.ones(source.size)
            if response is None
            else _response_figures(source, response, zero=unanswered == "zero"),
            weights=np.ones(source.size) if weight is None else _weight_column(source, weight),
            rows=rows,
        )
        further = {one: placed.sum_by_cell(placed.weights * _number_column(source, one)) for one in others}
    labels, equations = cross_dimensions(placed.dimensions)
    return Table(
        labels=labels,
        values=placed.sum_by_cell(placed.weights * placed.values),
        equations=equations,
        dimensions=tuple(placed.dimensions),
        response=response,
        more=further,
        **_cell_background(
            placed,
            None if holding is None else _owner_numbers(everybody.series(holding))[rows],
            top,
            counts=response is None,
        ),
    )


def _answering_rows(source: Release, response: str | None, unanswered: str | None) -> np.ndarray:
    """The rows that are counted: all, or those with an answer; at least one."""
    if unanswered not in (None, "zero", "out"):
        raise TacitError(
            f"unanswered={unanswered!r} is unknown",
            code="unknown_name",
            parameter="unanswered",
            fix="use 'zero' or 'out', or leave it out",
        )
    rows = np.arange(source.size)
    if unanswered == "out" and response is not None:
        rows = np.flatnonzero(source.valid(response))
    if not len(rows):
        raise TacitError(
            "there are no records to count", code="too_few_records", fix="check the file or the filter that made it"
        )
    return rows


@contextmanager
def _note_left_out(left_out: int) -> Iterator[None]:
    """An error that names a row says that some records were left out before it was counted."""
    try:
        yield
    except TacitError as problem:
        if not left_out or " row " not in problem.what:
            raise
        what = f"{problem.what}, counted without the {left_out} that are left out"
        raise problem.restate(what=what) from None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _CodeOptions:
    """How codes are to be read."""

    trees: Mapping[str, Any]
    total: str | Mapping[str, str]
    missing: str | None
    folder: Path | None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _RecordPlaces:
    """The records with their places in each dimension, and which of the file's they are: so linked tables know an owner."""

    dimensions: Sequence[Dimension]
    places: Sequence[np.ndarray]
    values: np.ndarray
    weights: np.ndarray
    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(one.codes) for one in self.dimensions)

    @property
    def cells(self) -> np.ndarray:
        return np.ravel_multi_index(tuple(self.places), self.shape)

    def sum_by_cell(self, each: np.ndarray) -> np.ndarray:
        """Sums of something over the records of every cell."""
        finest = np.bincount(self.cells, weights=each, minlength=int(np.prod(self.shape)))
        return added_up(self.dimensions, finest.reshape(self.shape)).ravel()


def _cell_background(placed: _RecordPlaces, owners: np.ndarray | None, top: int, *, counts: bool) -> dict[str, Any]:
    """Contributors, the largest contributions, and for sums the shadow.

    Also of counts it is kept whose the contributions are: whoever stands alone in several cells knows all of them.
    """
    if owners is not None:
        figures = np.stack([placed.values, placed.weights])
        held = by_holding(placed.dimensions, placed.places, owners, figures, top=top)
        shadow = {} if counts else {"shadow": held.shadow}
        return {"contributors": held.contributors, "contributions": held.contributions, **shadow}
    shadow = {} if counts else {"shadow": placed.sum_by_cell(placed.weights * np.abs(placed.values))}
    return {
        "contributors": placed.sum_by_cell(np.ones(len(placed.values))),
        "contributions": merged_up(placed.dimensions, _finest_contributions(placed, top)),
        **shadow,
    }


def _finest_contributions(placed: _RecordPlaces, top: int) -> Contributions:
    """The largest contributions to the cells that have none below them."""
    cells, size = placed.cells, int(np.prod(placed.shape))
    kept, rank = first_of_each(cells, placed.values, np.arange(len(cells)), top=top)
    values, owners, weights = np.zeros((size, top)), np.full((size, top), -1), np.zeros((size, top))
    values[cells[kept], rank] = placed.values[kept]
    owners[cells[kept], rank] = placed.rows[kept]
    weights[cells[kept], rank] = placed.weights[kept]
    return Contributions(values=values, owners=owners, weights=weights)


def _dimension_places(source: Release, by: Sequence[str], asked: _CodeOptions) -> list[tuple[Dimension, np.ndarray]]:
    """Each dimension, and the place of every record in it."""
    stray = next((name for name in asked.trees if name not in by), None)
    if stray is not None:
        raise TacitError(
            "has a hierarchy but is no dimension", code="wrong_type", column=stray, fix=f"use one of {', '.join(by)}"
        )
    found = []
    for name in by:
        given = asked.trees.get(name)
        columns = check_columns(levels_of(name, given, source.columns), source.columns)
        if len(columns) > 1:
            built, finest = _from_levels(name, [source.series(one) for one in columns], asked)
        else:
            values = source.series(columns[0])
            finest = codes_text(name, values, missing=asked.missing)
            # Ladders such as intervals read values; codes of other columns are listed as text.
            plain = asked.missing is None and not values.dtype.is_(pl.String)
            codes = values.unique().sort() if plain else in_order(finest.to_frame()).to_series()
            built = dimension(name, given, codes, total=total_of(asked.total, name), folder=asked.folder)
        found.append((built, _placed_in(built, finest)))
    return found


def _from_levels(name: str, levels: Sequence[pl.Series], asked: _CodeOptions) -> tuple[Dimension, pl.Series]:
    """The tree in several columns of the records, coarse to fine; a record ends at its last code that is not missing."""
    coarse = codes_text(levels[0].name, levels[0], missing=asked.missing)
    rest = [
        codes_text(one.name, one, missing="").replace("", None) if one.null_count() else codes_text(one.name, one)
        for one in levels[1:]
    ]
    frame = pl.DataFrame([coarse, *rest])
    built = dimension(name, None, in_order(frame), total=total_of(asked.total, name))
    return built, frame.select(pl.coalesce(frame.columns[::-1])).to_series()


def _placed_in(dimension: Dimension, codes: pl.Series) -> np.ndarray:
    """The place of each record's code; a code with others below it tells too little."""
    places = codes.replace_strict(
        list(dimension.codes), np.arange(len(dimension.codes)), return_dtype=pl.Int64
    ).to_numpy()
    inner = np.array([bool(below) for below in dimension.children])[places]
    if inner.any():
        row = int(np.flatnonzero(inner)[0])
        code = dimension.codes[places[row]]
        raise TacitError(
            f"has {int(inner.sum())} records whose code has others below it, the first in row {row + 1} ({code!r})",
            code="unsuitable_column",
            column=dimension.name,
            fix=f"give these records a finest code, e.g. one more under {code!r}: {code + ' (rest)'!r}",
        )
    return places


def _response_figures(source: Release, column: str, *, zero: bool) -> np.ndarray:
    """The figures that are summed; missing ones are nothing when ``zero`` says so."""
    lacking = ~source.valid(column)
    if lacking.any() and not zero and source.types[column] in ("integer", "number"):
        raise TacitError(
            f"has no figure in {int(lacking.sum())} records, the first in row {int(np.argmax(lacking)) + 1}",
            code="response_missing",
            column=column,
            fix="say unanswered = 'zero' when nothing was contributed, or 'out' to leave these records out",
        )
    return _number_column(source, column, zero=zero)


def _number_column(source: Release, column: str, *, zero: bool = False) -> np.ndarray:
    """A column of numbers, each of them finite and there, or ``zero`` where it is missing."""
    if source.types[column] not in ("integer", "number"):
        raise TacitError(
            f"holds {kept_as(source, column)} where numbers are summed",
            code="response_not_numeric",
            column=column,
            fix="name a column of numbers, or correct what is none",
        )
    found = source.floats(column)
    found = np.where(source.valid(column), found, 0.0) if zero else found
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise TacitError(
            f"is missing or infinite in {len(bad)} records, the first in row {bad[0] + 1}",
            code="missing_values",
            column=column,
            fix="correct these records, or leave them out of the file",
        )
    return found


def _weight_column(source: Release, column: str) -> np.ndarray:
    found = _number_column(source, column)
    if (found <= 0).any():
        raise TacitError(
            f"is the weight and is not positive in row {int(np.argmax(found <= 0)) + 1}",
            code="out_of_range",
            column=column,
            fix="weights count respondents: leave these records out or correct their weights",
        )
    return found


def _owner_numbers(holdings: pl.Series) -> np.ndarray:
    """A number per holding, that of its first record; a record without a holding stands alone."""
    rows = pl.DataFrame({"holding": holdings, "row": np.arange(len(holdings))})
    first = pl.when(pl.col("holding").is_null()).then("row").otherwise(pl.col("row").first().over("holding"))
    return rows.select(first).to_series().to_numpy()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HoldingTotals:
    """Per cell: how many holdings, the sum of their absolute contributions, and the largest of these."""

    contributors: np.ndarray
    shadow: np.ndarray
    contributions: Contributions


@dataclass(frozen=True, slots=True, eq=False)
class _CellHoldingPairs:
    """Pairs of cell and holding, sorted by both; ``sums`` has rows Σx, Σ|x|, Σw|x|, Σ1, Σw over the records of a pair."""

    cells: np.ndarray
    owners: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, cells: np.ndarray, owners: np.ndarray, sums: np.ndarray) -> _CellHoldingPairs:
        """What may stand more than once, added up."""
        if not len(cells):
            return cls(cells, owners, sums)
        keys = cells * (int(owners.max()) + 1) + owners
        order = np.argsort(keys, kind="stable")
        starts = _run_starts(keys[order])
        first = order[starts]
        return cls(cells[first], owners[first], np.add.reduceat(sums[:, order], starts, axis=1))

    def select_pairs(self, which: np.ndarray) -> _CellHoldingPairs:
        return _CellHoldingPairs(self.cells[which], self.owners[which], self.sums[:, which])


def by_holding(
    dimensions: Sequence[Dimension], places: Sequence[np.ndarray], owners: np.ndarray, figures: np.ndarray, *, top: int
) -> HoldingTotals:
    r"""Contributions by holding in every cell; ``figures`` has the rows x and w over the records.

    A holding h gives a cell :math:`x_h = \sum_{i \in h} x_i` over its records there, with the mean weight
    :math:`w_h = \sum w_i |x_i| / \sum |x_i|`. Such sums do not follow from the largest ones below, so all pairs of
    cell and holding are added up along one dimension after the other, level by level: the pairs get fewer on the way. Time
    O(n log n × Π (levels of the dimension + 1)) at most, memory O(n × dimensions).
    """
    shape = tuple(len(one.codes) for one in dimensions)
    size = int(np.prod(shape))
    found = HoldingTotals(
        contributors=np.zeros(size),
        shadow=np.zeros(size),
        contributions=Contributions(
            values=np.zeros((size, top)), owners=np.full((size, top), -1), weights=np.zeros((size, top))
        ),
    )
    values, weights = figures
    sums = np.stack([values, np.abs(values), weights * np.abs(values), np.ones(len(values)), weights])
    pairs = _CellHoldingPairs.of(np.ravel_multi_index(tuple(places), shape), owners, sums)
    for level in _pairs_by_level(dimensions, pairs, 0):
        _record_pairs(found, level, top)
    return found


def _pairs_by_level(
    dimensions: Sequence[Dimension], pairs: _CellHoldingPairs, axis: int
) -> Iterator[_CellHoldingPairs]:
    """The pairs at every combination of levels; each cell is in exactly one of them."""
    if axis == len(dimensions):
        yield pairs
        return
    parents, depths = np.array(dimensions[axis].parents), np.array(dimensions[axis].depths)
    stride = int(np.prod([len(one.codes) for one in dimensions[axis + 1 :]], dtype=np.int64))
    for level in range(int(depths.max()), -1, -1):
        at = pairs.cells // stride % len(parents)
        here = depths[at] == level
        yield from _pairs_by_level(dimensions, pairs if here.all() else pairs.select_pairs(here), axis + 1)
        if level:
            raised = pairs.cells + np.where(here, parents[at] - at, 0) * stride
            pairs = _CellHoldingPairs.of(raised, pairs.owners, pairs.sums)


def _record_pairs(found: HoldingTotals, pairs: _CellHoldingPairs, top: int) -> None:
    """Write down what the pairs tell of their cells, a run of pairs for each."""
    if not len(pairs.cells):
        return
    starts = _run_starts(pairs.cells)
    lengths = np.diff(np.r_[starts, len(pairs.cells)])
    cells, run = pairs.cells[starts], np.repeat(np.arange(len(starts)), lengths)
    value, size, weighted, members, weight = pairs.sums
    mean = np.where(size > 0, weighted / np.where(size > 0, size, 1.0), weight / members)
    left = np.abs(value)
    found.contributors[cells] = lengths
    found.shadow[cells] = np.add.reduceat(mean * left, starts)
    for rank in range(top):
        largest = np.maximum.reduceat(left, starts)
        reached = np.flatnonzero((left == largest[run]) & (left >= 0))
        taken = reached[_run_starts(run[reached])] if len(reached) else reached
        into = pairs.cells[taken]
        found.contributions.values[into, rank] = value[taken]
        found.contributions.owners[into, rank] = pairs.owners[taken]
        found.contributions.weights[into, rank] = mean[taken]
        left[taken] = -1.0


def _run_starts(ordered: np.ndarray) -> np.ndarray:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
