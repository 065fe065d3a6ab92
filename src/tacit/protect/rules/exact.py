"""Hiding at the least damage, as an integer program: proven the fewest changes, or with a gap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative
from ...kernels.highs import INFINITE, pass_program, quiet_solver
from ..parameters import is_number
from .baskets import Cells
from .problem import Choice, FrequentPattern, Problem, SensitivePattern

Least = Literal["items", "transactions"]

Keep = Literal["none", "most", "all"]

MOST = 5_000
"""Sets to keep beyond which no program is built."""

COLUMNS_MOST = 200_000
"""Ways to take units out beyond which no program is built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    r"""The fewest removals that hide every sensitive pattern, by an integer program on HiGHS.

    Transactions that support the same patterns are alike. With :math:`x_{gp}` transactions of the like ones g that lose
    the items p (only such p in which every item ends a sensitive pattern that no other item of p ends),

    .. math:: \min \sum |p|\, x_{gp}, \quad \sum_p x_{gp} \le n_g, \quad
              \mathrm{sup}(S) - \sum_{p \cap S \ne \emptyset} x_{gp} \le \ell_S \text{ for each sensitive } S.

    A sensitive rule X → Y is hidden by either of two conditions, its support or its confidence, chosen by a binary
    variable; the support of X falls with what is taken from it. ``least="transactions"`` counts changed transactions
    (Menon et al.) instead of removed items.

    ``keep="most"`` first loses as few as possible of the other frequent sets, with a binary variable for each that can be
    lost, and then takes out the fewest items under that; ``"all"`` loses none or says that it cannot be; ``"none"``
    does not look at them, and is fast on files of any size, because the program has no row for single transactions.

    ``seconds`` bounds the search (of each of two programs under "most"); evidence has ``proven``, ``changes`` and
    ``bound``, under which no choice can come. Time exponential at worst in the number of sensitive patterns that share
    transactions.

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> found = hide(shop, "bread, milk", minsup=3, method=Exact())
    >>> found.evidence["changes"], found.evidence["lost"], found.evidence["proven"]
    (4, 0, True)

    References
    ----------
    Menon, Sarkar, Mukherjee (2005), Maximizing accuracy of shared databases when concealing sensitive patterns,
    Information Systems Research 16, 256–270.
    Gkoulalas-Divanis and Verykios (2006), An integer programming approach for frequent itemset hiding, CIKM, 748–757.
    """

    least: Least = "items"
    keep: Keep = "most"
    seconds: float = 60.0

    def __post_init__(self) -> None:
        for name, words in (("least", get_args(Least)), ("keep", get_args(Keep))):
            if getattr(self, name) not in words:
                given = getattr(self, name)
                raise TacitError(
                    f"{name}={format_value(given)} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=suggest_alternative(str(given), words),
                )
        if not is_number(self.seconds) or self.seconds <= 0:
            raise TacitError(
                f"seconds={format_value(self.seconds)} is no time",
                code="out_of_range",
                parameter="seconds",
                fix="e.g. seconds=60",
            )

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out, with the proof."""
        kept = self._patterns_to_keep(problem)
        columns = columns_of(problem, kept)
        program = Program(problem, columns, kept, hard=self.keep == "all", seconds=self.seconds)
        costs = columns.items if self.least == "items" else np.ones(len(columns.items))
        found: dict[str, object] = {}
        if self.keep == "most" and kept:
            lost = program.fewest_lost()
            found |= {"lost": round(lost.value), "lost_bound": lost.bound}
        solved = program.minimise_removals(costs)
        proven = solved.proven and ("lost" not in found or lost.proven)
        evidence = {**found, "changes": round(solved.value), "bound": solved.bound, "proven": proven}
        return Choice(_solution_cells(problem, columns, solved), evidence)

    def _patterns_to_keep(self, problem: Problem) -> list[FrequentPattern]:
        if self.keep == "none" or problem.kept is None:
            return []
        hit = np.zeros(problem.size, dtype=bool)
        for one in problem.sought:
            hit[one.rows] = True
        units = {unit for one in problem.sought for unit in one.units}
        found = [
            one
            for one in problem.kept(self.keep == "most")
            if units & set(one.units) and len(one.rows) - int(hit[one.rows].sum()) < problem.least
        ]
        if len(found) > MOST:
            raise TacitError(
                f"{len(found):,} other sets could be lost, more than {MOST:,} that a program can weigh",
                code="out_of_range",
                fix="use keep='none' (fewest removals), method border, or a higher minsup",
            )
        return found


def _solution_cells(problem: Problem, columns: RemovalColumns, solved: ProgramSolution) -> Cells:
    """The program's numbers as places: within like transactions the shortest come first."""
    rows: list[int] = []
    units: list[int] = []
    for group, members in enumerate(columns.members):
        order, used = members[np.argsort(problem.lengths[members], kind="stable")], 0
        for column in np.flatnonzero(columns.group == group):
            count = int(solved.counts[column])
            for row in order[used : used + count].tolist():
                rows += [row] * len(columns.taken[column])
                units += columns.taken[column]
            used += count
    return Cells.of(rows, units)


class ProgramSolution(NamedTuple):
    """The best numbers found, their cost, a bound that no numbers undercut, and whether the two meet."""

    counts: np.ndarray
    value: float
    bound: float
    proven: bool


class Program:
    """Variables: rows taken by each column; for each sensitive rule by which condition it is hidden; for each pattern to
    keep whether it is lost."""

    def __init__(
        self, problem: Problem, columns: RemovalColumns, kept: Sequence[FrequentPattern], *, hard: bool, seconds: float
    ) -> None:
        self._seconds, self._kept, self._hard = seconds, len(kept), hard
        self._columns, self._rules = columns, [one for one in problem.sought if one.limit.conf is not None]
        self._rows: list[dict[int, float]] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._width = len(columns.taken) + len(self._rules) + len(kept)
        ends = np.searchsorted(columns.group, np.arange(len(columns.members) + 1))
        for group, members in enumerate(columns.members):
            self._add_constraint(dict.fromkeys(range(ends[group], ends[group + 1]), 1.0), high=len(members))
        for place, one in enumerate(problem.sought):
            self._add_hiding(place, one, len(problem.sought))
        for i, one_kept in enumerate(kept):
            self._add_keeping(2 * len(problem.sought) + i, i, one_kept, problem.least)

    def _add_constraint(self, factors: dict[int, float], *, low: float = -INFINITE, high: float = INFINITE) -> None:
        """A condition: the sum of factor · variable lies from ``low`` to ``high``."""
        self._rows.append(factors)
        self._low.append(low)
        self._high.append(high)

    def _removal_terms(self, pattern: int, units: Sequence[int], factor: float = 1.0) -> dict[int, float]:
        return dict.fromkeys(self._columns.columns_ending(pattern, units).tolist(), factor)

    def _add_hiding(self, place: int, one: SensitivePattern, patterns: int) -> None:
        ended, limit, count = self._removal_terms(place, one.units), one.limit, len(one.rows)
        if limit.conf is None or limit.fixed is not None or one.body_rows is None:
            self._add_constraint(ended, low=count - limit.most_left(0))
            return
        choice = len(self._columns.taken) + self._rules.index(one)
        self._add_constraint({**ended, choice: float(count)}, low=count - max(0, limit.least - 1 - limit.margin))
        # sup(XY) + margin ≤ c·sup(X) − 1/q, both supports after the removals; void while the choice is 0.
        c, body = float(limit.conf), self._removal_terms(patterns + place, one.body_units, -float(limit.conf))
        strict = 1 / limit.conf.denominator + limit.margin
        both = {at: ended.get(at, 0.0) + body.get(at, 0.0) for at in {*ended, *body}}
        void = count + strict
        self._add_constraint({**both, choice: -void}, low=count - c * len(one.body_rows) + strict - void)

    def _add_keeping(self, pattern: int, number: int, one: FrequentPattern, least: int) -> None:
        lost = len(self._columns.taken) + len(self._rules) + number
        self._add_constraint(
            {**self._removal_terms(pattern, one.units), lost: -float(least)}, high=len(one.rows) - least
        )

    def fewest_lost(self) -> ProgramSolution:
        """The fewest patterns lost; from now on no more may be."""
        costs = np.zeros(self._width)
        costs[self._width - self._kept :] = 1.0
        found = self._solve_program(costs)
        self._add_constraint(dict.fromkeys(np.flatnonzero(costs).tolist(), 1.0), high=round(found.value))
        return found

    def minimise_removals(self, costs: np.ndarray) -> ProgramSolution:
        """The cheapest removals, a price for each column."""
        return self._solve_program(np.append(costs, np.zeros(self._width - len(costs))))

    def _solve_program(self, costs: np.ndarray) -> ProgramSolution:
        from scipy.sparse import csr_matrix

        upper = np.ones(self._width)
        sizes = np.array([len(members) for members in self._columns.members], dtype=float)
        upper[: len(self._columns.group)] = sizes[self._columns.group] if len(sizes) else 0
        if self._hard:
            upper[self._width - self._kept :] = 0.0
        rows = np.repeat(np.arange(len(self._rows)), [len(row) for row in self._rows])
        places = np.array([place for row in self._rows for place in row], dtype=np.int64)
        factors = np.array([factor for row in self._rows for factor in row.values()], dtype=float)
        solver = quiet_solver(
            mip_rel_gap=0.0, mip_abs_gap=1e-6, mip_feasibility_tolerance=1e-9, time_limit=self._seconds
        )
        pass_program(
            solver,
            csr_matrix((factors, (rows, places)), shape=(len(self._rows), self._width)),
            columns=(np.zeros(self._width), upper),
            rows=(np.array(self._low), np.array(self._high)),
            costs=costs,
            whole=np.ones(self._width),
        )
        solver.run()
        return self._read_solution(solver)

    def _read_solution(self, solver: object) -> ProgramSolution:
        from highspy import HighsModelStatus

        status, info = solver.getModelStatus(), solver.getInfo()  # type: ignore[attr-defined]
        if status == HighsModelStatus.kInfeasible:
            raise TacitError(
                "the sensitive patterns cannot be hidden while every other frequent set stays",
                code="cannot_be_met",
                fix="use keep='most', which loses as few as possible",
            )
        if info.primal_solution_status != 2:
            raise TacitError(
                f"no solution was found in {self._seconds:g} seconds",
                code="cannot_be_met",
                fix="allow more seconds, or use method border",
            )
        counts = np.round(np.array(solver.getSolution().col_value)).astype(np.int64)  # type: ignore[attr-defined]
        value = float(info.objective_function_value)
        proven = status == HighsModelStatus.kOptimal
        bound = round(value) if proven else float(np.ceil(info.mip_dual_bound - 1e-6))
        return ProgramSolution(counts, value, bound, proven)


@dataclass(frozen=True, slots=True, eq=False)
class RemovalColumns:
    """Column c takes the units ``taken[c]`` out of rows of group ``group[c]``, whose rows are ``members``."""

    members: tuple[np.ndarray, ...]
    group: np.ndarray
    taken: tuple[tuple[int, ...], ...]
    taking: Mapping[int, Sequence[int]]
    """Unit → the columns that take it."""
    supported: np.ndarray
    """Group × pattern: whether its rows support it; sensitive patterns first, then bodies, then those to keep."""

    @property
    def items(self) -> np.ndarray:
        """How many units each column takes."""
        return np.array([len(units) for units in self.taken], dtype=float)

    def columns_ending(self, pattern: int, units: Sequence[int]) -> np.ndarray:
        """The columns that end a pattern in their rows."""
        hits = np.zeros(len(self.taken), dtype=bool)
        for unit in units:
            hits[self.taking.get(unit, [])] = True
        return np.flatnonzero(hits & self.supported[self.group, pattern]) if len(hits) else np.zeros(0, np.int64)


def columns_of(problem: Problem, kept: Sequence[FrequentPattern]) -> RemovalColumns:
    """Like rows support the same sensitive patterns, bodies and patterns to keep; O(rows · patterns)."""
    bodies = [np.zeros(0, np.int64) if one.body_rows is None else one.body_rows for one in problem.sought]
    held = [*(one.rows for one in problem.sought), *bodies, *(one.rows for one in kept)]
    rows = np.flatnonzero(problem.conflict_degrees())
    supports = np.array([np.isin(rows, one) for one in held], dtype=bool).reshape(len(held), len(rows)).T
    packed = np.packbits(supports, axis=1)
    _, first, of_row = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    by_group = np.argsort(of_row.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(of_row.ravel(), minlength=len(first)))
    members = tuple(np.split(rows[by_group], ends[:-1])) if len(first) else ()
    supported = supports[first]
    group: list[int] = []
    taken: list[tuple[int, ...]] = []
    for place in range(len(first)):
        here = [one for one, inside in zip(problem.sought, supported[place], strict=False) if inside]
        for units in _minimal_removals(here):
            group.append(place)
            taken.append(units)
        if len(taken) > COLUMNS_MOST:
            raise TacitError(
                f"the sensitive patterns overlap in more than {COLUMNS_MOST:,} ways",
                code="out_of_range",
                fix="use method border or sliding_window",
            )
    taking: dict[int, list[int]] = {}
    for column, units in enumerate(taken):
        for unit in units:
            taking.setdefault(unit, []).append(column)
    return RemovalColumns(members, np.array(group, dtype=np.int64), tuple(taken), taking, supported)


def _minimal_removals(here: Sequence[SensitivePattern]) -> Iterator[tuple[int, ...]]:
    """Sets of units in which each ends a pattern that no other of them ends: less would do as much otherwise."""
    units = sorted({unit for one in here for unit in one.units})
    sets = [frozenset(one.units) for one in here]

    def deeper(chosen: tuple[int, ...], place: int) -> Iterator[tuple[int, ...]]:
        for at in range(place, len(units)):
            more = (*chosen, units[at])
            ended = [one & set(more) for one in sets]
            if all(any(hit == {unit} for hit in ended) for unit in more):
                yield more
                yield from deeper(more, at + 1)

    yield from deeper((), 0)
