"""The most seekers that any distance of a family finds: found, and proven."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .cover import Conflicts, Cover, Cut
from .local_search import climb_parameters
from .rows import Cone, Rows, found_by

if TYPE_CHECKING:
    from ...progress import Progress


PACKINGS = 10
"""So many times conflicts without a common seeker are collected before the first bound."""

TRIES = 30
"""So many conflicts are looked for in one round against the relaxation."""

SHARES = np.array([1e-6, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9])
"""Conflicts are looked for among the seekers who fail less than one of these."""

PATIENCE = 15
"""So many rounds without a higher bound end the work on the relaxation."""

ROUNDED, IDLE = 6, 3
"""So many covers are rounded from one relaxation; so many relaxations without a new conflict end the rounding."""

PACKED = 8
"""So often conflicts are collected among those whom a whole cover lets go."""

CLIMB = 0.5
"""CPU seconds for a search from where that led to."""

CHOICES = 16
"""A conflict is lifted to whole groups when no more choices of members must be checked."""


def prove_optimum(
    rows: Rows,
    cone: Cone,
    start: np.ndarray,
    *,
    rng: np.random.Generator,
    seconds: float,
    progress: Progress | None = None,
) -> Proof:
    r"""Parameters that find most seekers, with a proof, or a gap when the CPU seconds are over.

    .. math:: \min_p \sum_i K_i \quad \text{s.t.} \quad v \cdot p > 0 \ \text{for all rows } v \text{ of } i, \text{ or } K_i = 1

    Sets of seekers whom no allowed p finds together (:class:`.conflicts.Conflicts`) are cuts on K; the fewest failures
    that meet all cuts (:class:`.cover.Cover`) bound the answer from above, and suggest whom to give up. Cuts are collected
    against the linear relaxation first, then against whole solutions, until the bound meets what was found: an implicit
    hitting set. ``start`` are good parameters, they set the units, and nothing worse is returned. "Proven" is meant in
    floating point (see :class:`.conflicts.Conflicts`). In whatever time the bound holds: without any it counts the lost
    and those alike.

    Exponential in the worst case; seconds where few seekers must fail.

    >>> values = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 0.5]])
    >>> rows = Rows(values, np.array([0, 1, 2, 3]))
    >>> proof = prove_optimum(rows, Cone(2), np.ones(2), rng=np.random.default_rng(0), seconds=1.0)
    >>> proof.found, proof.bound
    (2, 2)

    References
    ----------
    Codato and Fischetti (2006), Combinatorial Benders' cuts for mixed-integer linear programming, Operations Research
    54(4), 756–766.
    Abril, Navarro-Arribas and Torra (2012), Improving record linkage with supervised learning for disclosure risk
    assessment, Information Fusion 13(4), 274–284.
    """
    search = HittingSet(rows, cone, start, rng=rng, seconds=seconds, progress=progress)
    if search.is_open():
        search.pack_all()
    if search.is_open():
        search.raise_relaxation()
    while search.is_open():
        search.separate_rounded()
        if search.is_open():
            search.solve_integer_cover()
    return search.current_proof()


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """Parameters, how many seekers they find, and how many any allowed ones can find at most.

    ``cuts`` counts the conflicts that were used, ``seconds`` the CPU time.
    """

    parameters: np.ndarray
    found: int
    bound: int
    cuts: int
    seconds: float

    @property
    def gap(self) -> int:
        """How many more some other parameters might find; 0: these are proven best."""
        return self.bound - self.found


class HittingSet:
    """The conflicts so far, the parameters that find most, and the fewest who must fail: an implicit hitting set.

    The work goes on by :meth:`pack_all`, :meth:`relax`, and then :meth:`round` and :meth:`whole` in turn, while it is
    :meth:`open`.

    References
    ----------
    Moreno-Centeno and Karp (2013), The implicit hitting set approach to solve combinatorial optimization problems with an
    application to multigenome alignment, Operations Research 61(2), 453–468.
    """

    def __init__(
        self,
        rows: Rows,
        cone: Cone,
        start: np.ndarray,
        *,
        rng: np.random.Generator,
        seconds: float,
        progress: Progress | None,
    ) -> None:
        self._clock, self._seconds = time.process_time(), seconds
        self._rows, self._cone, self._rng, self._progress = rows, cone, rng, progress
        self._conflicts = Conflicts(rows, cone, start)
        self._parameters, self._found = start, found_by(rows, start) & ~self._conflicts.lost
        self._cover = Cover(self._conflicts.lost, rows.alike)
        self._least = _min_failures(self._conflicts.lost, rows.alike)
        self._group_of = np.full(rows.seekers, -1)
        for number, group in enumerate(rows.alike):
            self._group_of[group] = number

    def is_open(self) -> bool:
        """Whether there is something left to prove, and time."""
        return self._upper_bound > self._found.sum() and not self._is_out_of_time()

    def current_proof(self) -> Proof:
        """What is known."""
        found = int(self._found.sum())
        bound = max(self._upper_bound, found)
        return Proof(self._parameters, found, bound, len(self._cover.cuts), time.process_time() - self._clock)

    def pack_all(self) -> None:
        """Collect conflicts from nobody's failure on."""
        for _ in range(PACKINGS):
            self._pack_conflicts(self._conflicts.lost.astype(float), single=False)

    def raise_relaxation(self) -> None:
        """Raise the bound of the linear relaxation as far as conflicts are found that it violates."""
        high, idle = -np.inf, 0
        while idle < PATIENCE:
            covered = self._cover.solve_relaxation()
            self._least = max(self._least, covered.lower_bound)
            idle = 0 if covered.bound > high + 1e-2 else idle + 1
            high = max(high, covered.bound)
            if not self.is_open():
                return
            if not sum(self._separate_fractional(covered.failing, together=bool(n % 2)) for n in range(TRIES)):
                idle += PATIENCE // 3

    def separate_rounded(self) -> None:
        """Look for conflicts among those whom covers near the relaxation let go, until those covers meet them all."""
        idle = 0
        while idle < IDLE and self.is_open():
            before = len(self._cover.cuts)
            covered = self._cover.solve_relaxation()
            self._least = max(self._least, covered.lower_bound)
            for n in range(ROUNDED):
                whole = self._cover.round_solution(covered.failing, self._rng)
                if whole.sum() < self._rows.seekers - self._found.sum():
                    self._pack_conflicts(whole.astype(float), single=bool(n % 2))
            idle = idle + 1 if len(self._cover.cuts) == before else 0

    def solve_integer_cover(self) -> None:
        """Solve the cover in whole numbers, and look for conflicts among those whom it gives up nobody of."""
        covered = self._cover.solve_integer(~self._found, enough=self._least, stop=self._is_out_of_time)
        self._least = max(self._least, covered.lower_bound)
        points = [self._pack_conflicts(covered.failing, single=bool(n % 2)) for n in range(PACKED) if self.is_open()]
        starts = [self._conflicts.point_parameters(point) for point in points if point is not None]
        if starts and self.is_open():
            self._climb_from(starts)

    @property
    def _upper_bound(self) -> int:
        return self._rows.seekers - self._least

    def _is_out_of_time(self) -> bool:
        spent = time.process_time() - self._clock
        report_progress(
            self._progress, "proving the optimum", min(1.0, spent / self._seconds) if self._seconds > 0 else 1.0
        )
        return spent >= self._seconds

    def _offer_point(self, point: np.ndarray) -> None:
        """Keep a point that finds more than the best so far."""
        if self._conflicts.linked_seekers(point).sum() > self._found.sum():
            parameters = self._conflicts.point_parameters(point)
            found = found_by(self._rows, parameters) & ~self._conflicts.lost
            if found.sum() > self._found.sum():
                self._parameters, self._found = parameters, found

    def _climb_from(self, starts: list[np.ndarray]) -> None:
        """See whether a search from points that covers led to finds more."""
        seconds = min(CLIMB, (self._seconds - (time.process_time() - self._clock)) / 10)
        climb = climb_parameters(self._rows, self._cone, starts, rng=self._rng, seconds=seconds)
        if (climb.found & ~self._conflicts.lost).sum() > self._found.sum():
            self._parameters, self._found = climb.parameters, climb.found & ~self._conflicts.lost

    def _pack_conflicts(self, failing: np.ndarray, *, single: bool) -> np.ndarray | None:
        """Give up whoever fails; while the rest exclude one another, note it and give up one of them, or all.

        The point at the end, which finds the rest.
        """
        active = failing < SHARES[0]
        bias = self._rng.uniform(0.3, 1.0, len(active))
        while not self._is_out_of_time():
            verdict = self._conflicts.check_seekers(active, bias)
            if not verdict.subset:
                if verdict.point is not None:
                    self._offer_point(verdict.point)
                return verdict.point
            least = self._conflicts.minimise_conflict(verdict.subset, self._rng.random(len(active)))
            self._cover.add(lift_cut(least, self._conflicts, self._group_of))
            active[self._rng.choice(least) if single else list(least)] = False
        return None

    def _separate_fractional(self, failing: np.ndarray, *, together: bool) -> bool:
        """Look for a conflict that a fractional solution violates; ``together``: as if groups failed as one."""
        if self._is_out_of_time():
            return False
        if together:
            failed = failing.copy()
            for group in self._rows.alike:
                failed[group] = failing[group].sum() - len(group) + 1
            failed[self._conflicts.lost] = 1.0
        else:
            failed = failing
        bias = (1.001 - np.clip(failed, 0.0, 1.0)) * self._rng.uniform(0.3, 1.0, len(failing))
        verdict = self._conflicts.check_seekers(failed < self._rng.choice(SHARES), bias)
        if verdict.point is not None:
            self._offer_point(verdict.point)
        if not verdict.subset:
            return False
        first = failed + self._rng.uniform(0.0, 0.01, len(failing))
        cut = lift_cut(self._conflicts.minimise_conflict(verdict.subset, first), self._conflicts, self._group_of)
        return self._cover.is_violated(cut, failing) and self._cover.add(cut)


def _min_failures(lost: np.ndarray, alike: tuple[np.ndarray, ...]) -> int:
    """How many must fail: the lost, and all but one of those alike."""
    left, least = np.ones(len(lost), dtype=bool), 0
    for group in alike:
        mine = group[left[group]]
        least += max(len(mine) - 1, int(lost[mine].sum()), 0)
        left[mine] = False
    return least + int(lost[left].sum())


def lift_cut(subset: tuple[int, ...], conflicts: Conflicts, group_of: np.ndarray) -> Cut:
    """The cut of a conflict; where any other of its group would do as well as a seeker, the group stands for it.

    Of a group of seekers who are alike at most one is found. A conflict of S and i that is one of S and j, too, for all j
    of the group of i says that one of S fails or the whole group does, which is more than the conflicts say one by one.
    ``group_of`` has the number of each seeker's group, −1 for none. At most 16 decisions for each seeker in a group.
    """
    alike = conflicts.rows.alike
    single, groups = set(subset), list[int]()
    numbers = [int(group_of[i]) for i in subset]
    for seeker, number in zip(subset, numbers, strict=True):
        if number < 0 or numbers.count(number) > 1:
            continue
        others = [int(i) for i in alike[number] if i != seeker]
        standing = [alike[g].tolist() for g in groups]
        if len(others) * prod(map(len, standing)) > CHOICES:
            continue
        rest = tuple(single - {seeker})
        if all(conflicts.find_conflict((*rest, *choice)) for choice in product(others, *standing)):
            single.remove(seeker)
            groups.append(number)
    return Cut(tuple(sorted(single)), tuple(sorted(groups)))
