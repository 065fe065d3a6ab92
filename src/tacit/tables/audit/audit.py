"""The verdict on a pattern: is every unsafe cell hidden as well as its levels ask? Independent of all protection code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ...progress import Progress, sub_progress
from ...result import DisplayMixin, format_fact
from ..problem import Problem, Status, is_level_reached
from ..published import Published
from ..type_checks import require_type
from .consistency import consistent_system, explain_contradictions
from .insiders import Insider
from .insiders import insider_disclosures as learning
from .intervals import Intervals, intervals
from .outsider import Outsider
from .owners import sole_owners
from .propagate import propagate_bounds
from .shortfall import is_point, level_shortfall
from .simplex import Simplex
from .system import System


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointDisclosure:
    """The sum of one respondent's suppressed cells lies from low to high: exactly known, or short of the sum of their levels."""

    owner: int
    cells: np.ndarray
    low: float
    high: float
    exact: bool
    missing: float


def joint_disclosures(
    problem: Problem, hidden: np.ndarray, sums: SumIntervals, *, short: np.ndarray
) -> tuple[JointDisclosure, ...]:
    r"""Sole contributors to two or more suppressed cells whose sum is known too well.

    Each cell may be protected while their sum is not: a row of three cells with one published gives away the sum of the
    other two. The sum :math:`s = \sum a_i` asks for the sums of the levels, :math:`s - l \ge \sum lower_i` and
    :math:`h - s \ge \sum upper_i`: what the p % rule asks of a figure of size s. Respondents
    with a cell that is ``short`` by itself are left out, and so are totals of which a part is the same respondent's, so
    that nothing is counted twice. Two linear programs per respondent.
    """
    found = []
    for owner in sole_owners(problem, hidden):
        if owner.number < 0 or len(owner.cells) < 2 or np.isin(owner.cells, short).any():
            continue
        cells = _finest_cells(problem, owner.cells)
        if len(cells) < 2:
            continue
        low, high = sums.interval(cells)
        value = float(problem.table.values[cells].sum())
        lower, upper = float(problem.lower[cells].sum()), float(problem.upper[cells].sum())
        lacks = max(lower - (value - low), upper - (high - value), 0.0)
        known = bool(is_point(np.array([low]), np.array([high]))[0])
        if known or not is_level_reached(np.array([value - low, high - value]), np.array([lower, upper])).all():
            found.append(
                JointDisclosure(owner=owner.number, cells=cells, low=low, high=high, exact=known, missing=lacks)
            )
    return tuple(found)


def _finest_cells(problem: Problem, cells: np.ndarray) -> np.ndarray:
    """The cells without those that are totals of others among them."""
    matrix = problem.table.equations.matrix[:, cells].tocsr()
    both = np.flatnonzero(np.diff(matrix.indptr) > 1)
    totals = np.zeros(len(cells), dtype=bool)
    for row in both:
        start, end = matrix.indptr[row : row + 2]
        totals[matrix.indices[start:end][matrix.data[start:end] < 0]] = True
    return np.asarray(cells[~totals])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Audit(DisplayMixin):
    """What an outsider (and, if asked, each sole contributor) learns of the suppressed cells.

    ``short`` are the unsafe cells whose interval misses a level, ``lacks`` by how much; an unsafe cell that is known exactly
    is always among them, also when its levels are 0. ``exact`` are all suppressed cells that can be computed. ``bare``
    are cells that had to be hidden and are not, ``withheld`` those that had to be published and are not.
    """

    problem: Problem
    hidden: np.ndarray
    intervals: Intervals
    short: np.ndarray
    lacks: np.ndarray
    exact: np.ndarray
    bare: np.ndarray
    withheld: np.ndarray
    joint: tuple[JointDisclosure, ...] = ()
    insiders: tuple[Insider, ...] | None = None

    @property
    def holds(self) -> bool:
        """Whether the pattern may be called safe: no unsafe cell short, none bare, none withheld that must be published."""
        return not (len(self.short) or len(self.bare) or len(self.withheld))

    @property
    def holds_inside(self) -> bool:
        """Whether, besides, no sole contributor learns too much; an error when that was not asked."""
        if self.insiders is None:
            raise TacitError("the audit did not look at insiders", code="invalid_table", fix="audit with insiders=1")
        return self.holds and not self.insiders

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line; no figure of the table is among it."""
        unsafe = self.problem.primaries
        yield "verdict", "protected" if self.holds else "NOT protected"
        yield (
            "unsafe cells",
            f"{format_fact(len(unsafe))}, of which {format_fact(len(self.short))} short of their levels",
        )
        yield (
            "suppressed cells",
            f"{format_fact(int(self.hidden.sum()))}, of which {format_fact(len(self.exact))} can be computed exactly",
        )
        yield "short", self._cell_names(self.short)
        for name, cells in (("not suppressed", self.bare), ("must be published", self.withheld)):
            if len(cells):
                yield name, self._cell_names(cells)
        if self.joint:
            yield "sums of one respondent", f"{format_fact(len(self.joint))} known too well"
        if self.insiders is not None:
            learns = sum(bool(len(one.exact)) for one in self.insiders)
            yield (
                "sole contributors",
                f"{format_fact(len(self.insiders))} learn too much, {format_fact(learns)} of them a cell exactly",
            )
        proven = int(self.intervals.proven.sum())
        yield "intervals", f"{format_fact(len(self.intervals.cells))}, {format_fact(proven)} proven in exact arithmetic"

    def _cell_names(self, cells: np.ndarray) -> str:
        names = "; ".join(self.problem.table.name(int(cell)) for cell in cells[:5])
        return (names or "none") + (f"; … ({len(cells)} in all)" if len(cells) > 5 else "")

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json``: verdict and counts; cells are in :meth:`frame`."""
        plain: dict[str, Any] = {
            "holds": self.holds,
            "unsafe": len(self.problem.primaries),
            "suppressed": int(self.hidden.sum()),
            "short": len(self.short),
            "exact": len(self.exact),
            "bare": len(self.bare),
            "withheld": len(self.withheld),
            "joint": len(self.joint),
            "programs": self.intervals.programs,
            "proven": int(self.intervals.proven.sum()),
        }
        if self.insiders is not None:
            plain["insiders"] = len(self.insiders)
        return plain

    def frame(self, *, public: bool = False) -> pl.DataFrame:
        """A row per cell: codes, figure, status, interval, levels and verdict; for internal use.

        A cell that is suppressed to protect others has the status ``secondary``, as in the files that :func:`audit_file` reads.

        ``public=True`` keeps the codes, the published figures and whether a cell is suppressed. Statuses stay inside, for
        who knows which cells are unsafe knows more; so do intervals, for the bounds they rest on may be made from the figures.
        """
        table, hidden = self.problem.table, self.hidden
        figures = pl.Series("value", table.values)
        if public:
            kept = pl.DataFrame({"value": figures.set(pl.Series(hidden), None), "suppressed": hidden})
            return table.labels.hstack(kept)
        low, high = table.values.copy(), table.values.copy()
        low[self.intervals.cells], high[self.intervals.cells] = self.intervals.low, self.intervals.high
        verdict = np.where(hidden, "suppressed", "published").astype(object)
        verdict[self.problem.primaries] = "protected"
        verdict[self.exact] = "exactly known"
        verdict[np.setdiff1d(self.short, self.exact)] = "short"
        verdict[self.bare], verdict[self.withheld] = "not suppressed", "must be published"
        lacks = np.zeros(table.size)
        lacks[self.short] = self.lacks
        columns = {"low": low, "high": high, "width": high - low, "lower": self.problem.lower}
        columns |= {"upper": self.problem.upper, "sliding": self.problem.sliding, "lacks": lacks}
        second = hidden & (self.problem.status == Status.SAFE)
        status = [
            "secondary" if own else Status(int(one)).name.lower()
            for one, own in zip(self.problem.status, second, strict=True)
        ]
        shown_cells = pl.DataFrame({"value": figures, "status": status, "suppressed": hidden, **columns})
        return table.labels.hstack(shown_cells.with_columns(verdict=pl.Series(verdict.tolist(), dtype=pl.String)))

    def __repr__(self) -> str:
        return f"<Audit {'protected' if self.holds else 'NOT protected'}: {len(self.short)} of {len(self.problem.primaries)} unsafe cells short>"


def audit(
    problem: Problem,
    hidden: np.ndarray,
    *,
    knowing: Outsider | None = None,
    insiders: int = 0,
    progress: Progress | None = None,
) -> Audit:
    r"""The interval of every suppressed cell, and whether each unsafe one is protected.

    An unsafe cell of value a with interval [l, h] is protected when :math:`a - l \ge lower`, :math:`h - a \ge upper` and
    :math:`h - l \ge sliding`, and it is not known exactly. ``knowing`` describes the outsider when he knows more than
    the bounds of the problem; ``insiders=1`` also looks through the eyes of every sole contributor, ``insiders=2`` of
    every pair of them besides. Where the table knows whose each cell is, respondents whose cells' SUM is known too well are
    listed as ``joint``; neither these nor insiders change ``holds``, which is about single cells and outsiders.

    Time: see :func:`intervals`; 5 000 suppressed cells of a table of 200 × 200 take about 10 s.
    """
    pattern = _check_pattern(require_type(Problem, problem), hidden)
    reader = knowing or Outsider()
    published = reader.with_knowledge(Published.from_suppression(problem, pattern))
    _check_knowledge(problem, published)
    cells = np.flatnonzero(pattern)
    found = intervals(
        published,
        cells,
        tolerance=reader.tolerance,
        whole=reader.whole,
        progress=sub_progress(progress, 0.0, 0.8 if insiders else 1.0),
    )
    low, high = problem.table.values.copy(), problem.table.values.copy()
    low[cells], high[cells] = found.low, found.high
    unsafe = problem.primaries
    lacks = level_shortfall(problem, unsafe, low[unsafe], high[unsafe])
    short = (lacks > 0) | is_point(low[unsafe], high[unsafe])
    sums = SumIntervals(published, tolerance=reader.tolerance)
    learnt = None
    if insiders:
        listener = sub_progress(progress, 0.8, 1.0)
        plain = found if knowing is None else None
        learnt = learning(problem, pattern, size=insiders, outside=plain, tolerance=reader.tolerance, progress=listener)
    return Audit(
        problem=problem,
        hidden=pattern,
        intervals=found,
        short=unsafe[short],
        lacks=lacks[short],
        exact=found.exact,
        bare=np.flatnonzero(problem.must_suppress & ~pattern),
        withheld=np.flatnonzero((problem.status == Status.PUBLISHED) & pattern),
        joint=joint_disclosures(problem, pattern, sums, short=unsafe[short]),
        insiders=learnt,
    )


def _check_pattern(problem: Problem, hidden: np.ndarray) -> np.ndarray:
    given = np.asarray(hidden)
    if given.shape != (problem.size,) or given.dtype != np.bool_:
        raise TacitError(
            f"a pattern is true or false for each of the {problem.size} cells, not {given.dtype} of shape {given.shape}",
            code="invalid_table",
            fix="give a boolean array with an entry per cell",
        )
    return given


def _check_knowledge(problem: Problem, published: Published) -> None:
    """What the outsider knows must be true: bounds that leave the figure out would make every interval wrong."""
    values = problem.table.values
    room = 1e-9 * (1.0 + np.abs(values))
    wrong = np.flatnonzero((values < published.low - room) | (values > published.high + room))
    if len(wrong):
        raise TacitError(
            f"the figure of the cell {problem.table.name(int(wrong[0]))} lies outside the bounds that everybody knows",
            code="out_of_range",
            fix="widen the bounds low and high of the problem, e.g. below 0 where figures may be negative",
        )


def sum_interval(published: Published, cells: np.ndarray, *, weights: np.ndarray | None = None) -> tuple[float, float]:
    """The smallest and largest value of the (weighted) sum of some cells, given the publication.

    Two suppressed cells of one row that both belong to one respondent may each be well hidden, while their sum is the row's
    total less the published rest: known to the last digit. Two linear programs.

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> seen = Published(
    ...     labels=pl.DataFrame({"cell": ["a", "b", "rest", "total"]}),
    ...     equations=Equations.of([[1, 1, 1, -1]]),
    ...     low=np.array([0.0, 0, 30, 100]),
    ...     high=np.array([500.0, 500, 30, 100]),
    ... )
    >>> sum_interval(seen, [0]), sum_interval(seen, [0, 1])
    ((0.0, 70.0), (70.0, 70.0))
    """
    return SumIntervals(published).interval(np.asarray(cells, dtype=np.int64), weights=weights)


class SumIntervals:
    """The unknown cells of a publication, split into parts, ready for many questions about sums of them."""

    def __init__(self, published: Published, *, tolerance: float = 0.0) -> None:
        self.published, self.tolerance, self.programs = published, tolerance, 0
        with explain_contradictions(published, tolerance):
            start = consistent_system(published, tolerance=tolerance)
            begun = propagate_bounds(start.without_known())
            self.low, self.high, self.per = start.low.copy(), start.high.copy(), start.per
            self.low[begun.cells], self.high[begun.cells] = begun.low, begun.high
            self.parts: list[System] = begun.without_known().components()
        self.part_of, self.place_of = np.full(len(self.low), -1), np.zeros(len(self.low), dtype=np.int64)
        for number, system in enumerate(self.parts):
            self.part_of[system.cells], self.place_of[system.cells] = number, np.arange(len(system.cells))
        self._solvers: dict[int, Simplex] = {}

    def interval(self, cells: np.ndarray, *, weights: np.ndarray | None = None) -> tuple[float, float]:
        """The smallest and largest value of the sum; sums of parts that share no equation add up."""
        given = np.ones(len(cells)) if weights is None else np.asarray(weights, dtype=np.float64)
        settled = self.part_of[cells] < 0
        ends = [float(given[settled] @ side[cells[settled]]) for side in (self.low, self.high)]
        for number in np.unique(self.part_of[cells][~settled]):
            here = self.part_of[cells] == number
            part = self.parts[number]
            asked = np.zeros(len(part.cells))
            np.add.at(asked, self.place_of[cells[here]], given[here])
            for side, way in enumerate((-1, 1)):
                ends[side] += self._extreme_value(int(number), asked, way)
        return ends[0] / self.per, ends[1] / self.per

    def _extreme_value(self, number: int, asked: np.ndarray, way: int) -> float:
        part = self.parts[number]
        if not len(part.rows):
            ends = np.stack([asked * part.low, asked * part.high])
            return float((ends.max(axis=0) if way > 0 else ends.min(axis=0)).sum())
        if number not in self._solvers:
            self._solvers[number] = Simplex(part)
        self.programs += 1
        with explain_contradictions(self.published, self.tolerance):
            return self._solvers[number].extreme(asked, way=way).value
