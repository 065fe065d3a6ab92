"""From the search to the records: which cells of a release become blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..progress import report_progress
from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.codes import Codes
from ..release.households import household_level, one_per_household
from ._suppression.keys import LEAST, Combination, Keys, SuppressionAssignment, mask_bits, sets_by_cost
from ._suppression.lattice import SETS, VISITS, cheapest_sets
from ._suppression.wildcard import wildcard_blanks

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release


class SuppressionSearch:
    """Which cells are blank so far. ``wanted``: sets of columns with the k that must hold on each.

    Under ``missing="any"`` blanks only add matches, so one search is enough. Under ``"own"`` a blank takes a record out
    of its classes on other combinations, and a household's column is blank for all members: the search is repeated on
    what came out until every combination holds, and cells only ever become blank.
    """

    def __init__(
        self,
        release: Release,
        wanted: Sequence[tuple[tuple[str, ...], int]],
        cost: Mapping[str, float],
        *,
        rng: np.random.Generator | None = None,
    ) -> None:
        named = {name for names, _ in wanted for name in names}
        # Of equally dear columns those with most values come first: they are given up first.
        self._columns = sorted((name for name in release.quasi if name in named), key=lambda c: -release.distinct(c))
        self._release, self._rng = release, rng
        self._codes = [release.codes(column) for column in self._columns]
        self._cost = np.array([max(LEAST, float(cost.get(column, 1.0))) for column in self._columns])
        strictest: dict[int, int] = {}
        for names, k in wanted:
            columns = sum(1 << self._columns.index(name) for name in names)
            strictest[columns] = max(k, strictest.get(columns, 0))
        self._wanted = [Combination(columns, k) for columns, k in strictest.items()]
        self._lost = np.zeros(release.size, dtype=np.int64)
        shared = household_level(release, self._columns)
        self._shared = np.array([column in shared for column in self._columns])
        if shared:  # a blank in them is one for every member
            home = one_per_household(release)[1]
            self._cost[self._shared] *= np.bincount(home)[home].mean() if release.size else 1.0
        self.bound: float | None = None

    def until_enough(self, progress: Progress | None = None) -> dict[str, np.ndarray]:
        """Column → the rows to blank there, so that every record is matched by enough on every combination."""
        if self._release.missing == "any":
            self._suppress_once(progress)
        else:
            self._suppress_until_met(progress)
        if self._shared.any():
            self.bound = None
        found = {}
        for place, column in enumerate(self._columns):
            rows = (self._lost >> place & 1).astype(bool)
            if self._codes[place].has_missing:
                rows &= self._codes[place].codes != self._codes[place].missing
            if rows.any():
                found[column] = rows
        return found

    def _suppress_once(self, progress: Progress | None) -> None:
        of_record, keys = self._key_classes(self._wanted)
        rare = keys.weight < max(one.k for one in self._wanted)
        if len(self._wanted) > 1 or keys.free.any():
            rare = np.zeros(len(keys.weight), dtype=bool)
            for one in self._wanted:
                rare[of_record[self._failing_records(one)]] = True
        if rare.any():
            assigned, self.bound = wildcard_blanks(keys, np.flatnonzero(rare), fixed=self._shared, progress=progress)
            self._suppress_assigned(of_record, keys, assigned)

    def _suppress_until_met(self, progress: Progress | None) -> None:
        """One combination is searched until it holds; several one after the other, and all at once: the cheaper counts."""
        if len(self._wanted) == 1:
            self._while_failing(self._wanted, progress)
            return
        union = 0
        for one in self._wanted:
            union |= one.columns
        # k on all columns together is k on every part of them.
        together = Combination(union, max(one.k for one in self._wanted))
        self._while_failing([together], progress)
        joint, cost = self._lost, self._current_cost()
        self._lost, self.bound = np.zeros_like(joint), None
        self._while_failing(self._wanted, progress, turns=4 * len(self._wanted), most=cost)
        if any(self._failing_records(one).any() for one in self._wanted) or self._current_cost() >= cost:
            self._lost = joint

    def _current_cost(self) -> float:
        """What the blanks cost so far."""
        lost = [(self._lost >> place & 1).sum() for place in range(len(self._cost))]
        return float(np.array(lost) @ self._cost)

    def _while_failing(
        self,
        wanted: Sequence[Combination],
        progress: Progress | None,
        *,
        turns: int | None = None,
        most: float = np.inf,
    ) -> None:
        """Search the combinations in turn, on what came out, until all hold or it is no longer worth it."""
        turn, exact = 0, turns is None
        while (turns is None or turn < turns) and (price := self._current_cost()) < most:
            failing = next((one for one in wanted if self._failing_records(one).any()), None)
            if failing is None:
                return
            of_record, keys = self._key_classes([failing])
            assigned, bound = cluster_blanks(keys, exact=exact, progress=progress)
            self.bound = bound if turn == 0 else self.bound
            self._suppress_assigned(of_record, keys, assigned)
            # An answer of the solver that changes nothing would be given again for ever.
            exact = exact and self._current_cost() > price
            turn += 1

    def _current_codes(self, place: int) -> Codes:
        """A column with what is blank so far."""
        key = self._codes[place]
        if not self._lost.any():
            return key
        blank = (self._lost >> place & 1).astype(bool)
        codes = np.where(blank, len(key.dictionary), key.codes).astype(np.int32)
        return Codes(codes, key.dictionary, has_missing=True)

    def _failing_records(self, one: Combination) -> np.ndarray:
        """The records that fewer than k match on the combination."""
        keys = [self._current_codes(place) for place in range(len(self._columns)) if one.columns >> place & 1]
        wild = self._release.missing == "any" and any(key.has_missing for key in keys)
        matches = (Matches if wild else ArrayClasses)(keys, self._release.size, self._release.codes)
        few: np.ndarray = (matches.sizes < one.k)[matches.of_record]
        return few

    def _key_classes(self, wanted: Sequence[Combination]) -> tuple[np.ndarray, Keys]:
        """The classes of equal keys on the columns of the combinations, and the class of each record."""
        from ..kernels.groups import group_rows

        used = 0
        for one in wanted:
            used |= one.columns
        now = [self._current_codes(place) for place in range(len(self._columns))]
        alike = [key.codes if used >> place & 1 else np.zeros_like(key.codes) for place, key in enumerate(now)]
        spans = np.array([len(key.dictionary) + 1 for key in now], dtype=np.int64)
        of_record, count = group_rows(alike, [int(span) for span in spans])
        first = np.zeros(count, dtype=np.int64)
        first[of_record] = np.arange(len(of_record))
        codes = np.column_stack([column[first] for column in alike]).astype(np.int32)
        weight = np.bincount(of_record, minlength=count)
        return of_record, Keys(codes, codes == spans - 1, weight, spans, self._cost, tuple(wanted))

    def _suppress_assigned(self, of_record: np.ndarray, keys: Keys, assigned: SuppressionAssignment) -> None:
        """Blank the cells of the records; who of several equals is drawn, or follows the order of the rows."""
        whole = assigned.number == keys.weight[assigned.row]
        mask = np.zeros(len(keys.weight), dtype=np.int64)
        mask[assigned.row[whole]] = assigned.mask[whole]
        lost = mask[of_record]
        partly = np.zeros(len(keys.weight), dtype=bool)
        partly[assigned.row[~whole]] = True
        records = np.flatnonzero(partly[of_record])
        if self._rng is not None:
            records = self._rng.permutation(records)
        records = records[np.argsort(of_record[records], kind="stable")]
        start = np.searchsorted(of_record[records], np.arange(len(keys.weight)))
        for row, one, number in zip(*(part[~whole] for part in assigned), strict=True):
            lost[records[start[row] : start[row] + number]] = one
            start[row] += number
        self._lost |= lost
        self._extend_to_households()

    def _extend_to_households(self) -> None:
        """Blank a household's column for all its members."""
        if not self._shared.any():
            return
        home = one_per_household(self._release)[1]
        for place in np.flatnonzero(self._shared):
            homes = np.zeros(int(home.max()) + 1, dtype=bool)
            homes[home[self._lost >> place & 1 == 1]] = True
            self._lost[homes[home]] |= 1 << int(place)


def cluster_blanks(
    keys: Keys, *, exact: bool = True, progress: Progress | None = None
) -> tuple[SuppressionAssignment, float | None]:
    """Blanks after which every record is one of k with the same keys, for one combination; and a lower bound, if any.

    Sets of columns by rising cost: the rare records that become equal when they lose them, with those that look so
    already, stay together if they are k; where they are fewer, records that larger classes can spare join them if that
    is cheaper than losing one more column. Those who are left at the end lose all, and others must join
    (:func:`merge_keyless`). On small files, and if ``exact``, an integer programme then chooses among these groups and every cheapest one
    (:func:`optimal_assignment`). Where no key was missing before, each rare record at its cheapest set is the bound.
    """
    rare = np.flatnonzero(keys.weight < keys.wanted[0].k)
    greedy = merge_keyless(keys, _Grouping(keys).assign_records(progress))
    if not exact:
        return greedy, None
    sets = cheapest_sets(keys, rare, wild=False, ties=len(keys.weight) <= CLASSES, progress=progress)
    least = np.full(len(rare), np.inf)
    for places, mask in sets:
        least[places] = np.minimum(least[places], keys.mask_cost(mask))
    bound = None if keys.free.any() else float((least * keys.weight[rare]).sum())
    return optimal_assignment(keys, rare, sets, greedy) or greedy, bound


class _Grouping:
    """The rare records not placed yet, what the other classes can spare, and the groups made so far."""

    def __init__(self, keys: Keys) -> None:
        self._keys, self._k = keys, keys.wanted[0].k
        self._left = np.where(keys.weight < self._k, keys.weight, 0)
        self._spare = np.where(keys.weight < self._k, 0, keys.weight - self._k)
        self._placed: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._step = float(keys.cost[keys.required_columns].min())

    def assign_records(self, progress: Progress | None) -> SuppressionAssignment:
        """Every rare record with the columns that it loses, and those who join; the last may still be fewer than k."""
        keys, full = self._keys, 0
        most = min(SETS, max(2 * len(keys.cost), VISITS // (4 * max(1, len(keys.weight)))))
        for turn, mask in enumerate(sets_by_cost(keys.required_columns, keys.cost)):
            if turn >= most or not self._left.any():
                break
            report_progress(progress, "suppress_cells", 0.5 * turn / most)
            self._try_columns(mask)
        for place in keys.required_columns:
            full |= 1 << place
            if self._left.any():
                self._try_columns(full)
        self._assign_rows(np.flatnonzero(self._left), full, self._left[self._left > 0])
        parts = zip(*self._placed, strict=True) if self._placed else ((), (), ())
        return SuppressionAssignment(*(np.concatenate([np.zeros(0, dtype=np.int64), *part]) for part in parts))

    def _try_columns(self, mask: int) -> None:
        """Place the rare records that this set of columns brings together."""
        rows, group, have = self._joinable_classes(mask)
        rare = np.bincount(group, weights=self._left[rows], minlength=len(have))
        spare = np.bincount(group, weights=self._spare[rows], minlength=len(have))
        need = np.maximum(0, self._k - have - rare)
        cost = self._keys.mask_cost(mask)
        good = (rare > 0) & ((need == 0) | ((need <= spare) & (cost * (rare + need) <= (cost + self._step) * rare)))
        mine = rows[good[group] & (self._left[rows] > 0)]
        self._assign_rows(mine, mask, self._left[mine])
        self._left[mine] = 0
        donors = np.flatnonzero(good[group] & (need[group] > 0) & (self._spare[rows] > 0))
        donors = donors[np.lexsort([*self._keys.codes[rows[donors]].T, group[donors]])]
        reached = np.cumsum(self._spare[rows[donors]])
        first = np.concatenate(([True], np.diff(group[donors]) != 0))[: len(donors)]
        before = reached - self._spare[rows[donors]]
        start = np.maximum.accumulate(np.where(first, before, 0)) if len(donors) else before
        take = np.clip(need[group[donors]] - (before - start), 0, self._spare[rows[donors]]).astype(np.int64)
        some = take > 0
        self._assign_rows(rows[donors[some]], mask, take[some])
        self._spare[rows[donors[some]]] -= take[some]

    def _joinable_classes(self, mask: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Classes that can take part, their group when they lose the columns, and how many look so already."""
        from ..kernels.groups import group_rows

        keys, columns = self._keys, mask_bits(mask, len(self._keys.cost))
        rows = np.flatnonzero((self._left > 0) | (self._spare > 0))
        codes, number = [keys.codes[rows]], [np.zeros(len(rows), dtype=np.int64)]
        codes[0][:, columns] = keys.spans[columns] - 1
        if keys.free.any():
            there = np.flatnonzero(keys.free[:, columns].all(axis=1) & (keys.weight >= self._k))
            codes.append(keys.codes[there])
            number.append(np.full(len(there), self._k))
            for row, lost, many in self._placed:
                free = keys.free[row] | (lost[:, None] >> np.arange(len(columns)) & 1 == 1)
                looks = free[:, columns].all(axis=1)
                codes.append(np.where(free, keys.spans - 1, keys.codes[row])[looks])
                number.append(many[looks])
        together = np.concatenate(codes)
        group, count = group_rows(list(together.T), [int(span) for span in keys.spans])
        have = np.bincount(group, weights=np.concatenate(number), minlength=count)
        return rows, group[: len(rows)], have

    def _assign_rows(self, rows: np.ndarray, mask: int, number: np.ndarray) -> None:
        if len(rows):
            self._placed.append((rows, np.full(len(rows), mask, dtype=np.int64), number.astype(np.int64)))


def merge_keyless(keys: Keys, assigned: SuppressionAssignment) -> SuppressionAssignment:
    """The assignment in which those without any key are none or at least k.

    What other groups have above k joins them, cheapest first; where that is too little, the whole group for which
    least is lost. Who looks the same after the blanks is one group. O(classes log classes).
    """
    k, full = keys.wanted[0].k, 0
    for place in keys.required_columns:
        full |= 1 << place
    if not keys.free.any() and not (assigned.mask == full).any():
        return assigned
    while True:
        row, mask, number = _all_units(keys, assigned)
        group, size, cost, bare = _suppressed_groups(keys, row, mask, number)
        short = k - int(number[bare].sum())
        if short <= 0 or short == k or bare.all():
            return assigned
        spare = np.maximum(size - k, 0)
        spare[group[bare]] = 0
        if spare.sum() >= short:
            take = _apportion_joiners(short, spare, cost, group, number * ~bare)
        else:
            price = np.bincount(group, weights=cost * number)
            price[group[bare]] = np.inf
            take = np.where(group == np.argmin(price), number, 0)
        left, moved = number - take, take > 0
        row = np.concatenate([row[left > 0], row[moved]])
        mask = np.concatenate([mask[left > 0], np.full(moved.sum(), full, dtype=np.int64)])
        number = np.concatenate([left[left > 0], take[moved]])
        some = mask > 0
        assigned = SuppressionAssignment(row[some], mask[some], number[some])


def _all_units(keys: Keys, assigned: SuppressionAssignment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The assigned records and the rest of every class, which loses nothing; in the order of their values."""
    rest = keys.weight.copy()
    np.subtract.at(rest, assigned.row, assigned.number)
    kept = np.flatnonzero(rest)
    row = np.concatenate([kept, assigned.row])
    mask = np.concatenate([np.zeros(len(kept), dtype=np.int64), assigned.mask])
    number = np.concatenate([rest[kept], assigned.number])
    order = np.lexsort([mask, *keys.codes[row].T])
    return row[order], mask[order], number[order]


def _suppressed_groups(
    keys: Keys, row: np.ndarray, mask: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each unit: its group after the blanks; the group's size; what a record still has to lose; whether nothing."""
    from ..kernels.groups import group_rows

    free = keys.free[row] | (mask[:, None] >> np.arange(len(keys.cost)) & 1 == 1)
    codes = np.where(free, keys.spans - 1, keys.codes[row])
    group, count = group_rows(list(codes.T), [int(span) for span in keys.spans])
    size = np.bincount(group, weights=number, minlength=count).astype(np.int64)
    used = np.zeros(len(keys.cost), dtype=bool)
    used[keys.required_columns] = True
    return group, size, (~free * keys.cost)[:, used].sum(axis=1), free[:, used].all(axis=1)


def _apportion_joiners(
    short: int, spare: np.ndarray, cost: np.ndarray, group: np.ndarray, number: np.ndarray
) -> np.ndarray:
    """How many records of each unit join: ``short`` in all, none from below k, the cheapest first."""
    take = np.zeros_like(number)
    for unit in np.argsort(cost, kind="stable"):
        taken = min(short, int(spare[group[unit]]), int(number[unit]))
        take[unit] = taken
        spare[group[unit]] -= taken
        short -= taken
        if short == 0:
            break
    return take


CLASSES, CHOICES = 2_000, 2_500


"""Classes, and pairs of a class and a group, up to which the best assignment is sought."""


NODES, GAP = 100, 0.01


"""Branches of the search, and the share of the cost that is not worth more of them."""


class _Choice(NamedTuple):
    """Records of a class that lose the columns of the mask, and so look like the pattern with this number."""

    row: int
    mask: int
    pattern: int


def optimal_assignment(
    keys: Keys, rare: np.ndarray, sets: list[tuple[np.ndarray, int]], greedy: SuppressionAssignment
) -> SuppressionAssignment | None:
    r"""The cheapest way to put every rare record into a group of at least k, or None where that is too large a question.

    The groups offered are the patterns (values left, and blanks) of a first solution and those in which a rare class
    loses one of its cheapest sets of columns. With :math:`x_{ip}` records of class i in group p, :math:`y_p` whether
    p exists, :math:`w_i` records in a rare class and :math:`w_i - k` to spare in another:

    .. math:: \min \sum x_{ip} cost_{ip}, \quad \sum_p x_{ip} = w_i \;(\text{or} \le w_i - k), \quad
              \sum_i x_{ip} \ge k\, y_p, \quad x_{ip} \le w_i\, y_p

    A group that a large class already looks like needs nobody else. Solved by HiGHS within ``NODES`` branches.
    """
    if len(keys.weight) > CLASSES:
        return None
    choices, patterns = _possible_choices(keys, rare, sets, greedy)
    if not choices or len(choices) > CHOICES:
        return None
    return _solve_choices(keys, choices, patterns)


def _suppressed_pattern(keys: Keys, row: int, mask: int) -> bytes:
    lost = keys.free[row] | (mask >> np.arange(len(keys.cost)) & 1 == 1)
    return bytes(np.where(lost, keys.spans - 1, keys.codes[row]).astype(np.int64))


def _possible_choices(
    keys: Keys, rare: np.ndarray, sets: list[tuple[np.ndarray, int]], greedy: SuppressionAssignment
) -> tuple[list[_Choice], dict[bytes, bool]]:
    """Every way to take part in a group on offer; and the groups, with whether they exist anyway."""
    k = keys.wanted[0].k
    offered = {_suppressed_pattern(keys, int(rare[place]), mask) for places, mask in sets for place in places}
    offered |= {
        _suppressed_pattern(keys, int(row), int(mask)) for row, mask in zip(greedy.row, greedy.mask, strict=True)
    }
    masks = sorted({0, *(mask for _, mask in sets), *(int(mask) for mask in greedy.mask)})
    own = {_suppressed_pattern(keys, int(row), 0): bool(keys.weight[row] >= k) for row in range(len(keys.weight))}
    patterns = {pattern: own.get(pattern, False) for pattern in sorted(offered)}
    numbers = {pattern: place for place, pattern in enumerate(patterns)}
    found: dict[tuple[int, int], _Choice] = {}
    for row in np.flatnonzero(keys.weight != k):
        for mask in masks if keys.weight[row] < k else masks[1:]:
            number = numbers.get(_suppressed_pattern(keys, int(row), mask))
            if number is not None and (int(row), number) not in found:
                found[int(row), number] = _Choice(int(row), mask, number)
    return list(found.values()), patterns


def _solve_choices(keys: Keys, choices: list[_Choice], patterns: dict[bytes, bool]) -> SuppressionAssignment | None:
    row, mask, group = (np.array(part) for part in zip(*choices, strict=True))
    lost = (mask[:, None] >> np.arange(len(keys.cost)) & 1 == 1) & ~keys.free[row]
    programme = _Programme(
        tuple(keys.weight.tolist()),
        keys.wanted[0].k,
        tuple(row.tolist()),
        tuple(group.tolist()),
        tuple((lost @ keys.cost).tolist()),
        tuple(patterns.values()),
    )
    found = _solve_programme(programme)
    if found is None:
        return None
    number = np.array(found, dtype=np.int64)
    some = (number > 0) & (mask > 0)
    return SuppressionAssignment(row[some], mask[some], number[some])


class _Programme(NamedTuple):
    """Records of each class, k; of each choice the class, the group and the cost; of each group whether it exists anyway."""

    weight: tuple[int, ...]
    k: int
    row: tuple[int, ...]
    group: tuple[int, ...]
    price: tuple[float, ...]
    there: tuple[bool, ...]


@lru_cache(maxsize=16)  # a file is suppressed again whenever a later step of its plan changes
def _solve_programme(programme: _Programme) -> tuple[int, ...] | None:
    """How many records take each choice."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_array, csr_matrix, eye_array

    k, groups, many = programme.k, len(programme.there), np.arange(len(programme.row))
    weight, row, group = (np.array(part) for part in (programme.weight, programme.row, programme.group))
    rare = weight < k
    room = np.where(rare, weight, weight - k)
    of_row = csr_matrix((np.ones(len(row)), (row, many)), shape=(len(weight), len(row)))
    of_group = csr_matrix((np.ones(len(row)), (group, many)), shape=(groups, len(row)))
    needs = np.where(programme.there, 0, k).astype(float)
    most = csr_matrix((-room[row].astype(float), (many, group)), shape=(len(row), groups))
    blocks = [[of_row, None], [of_group, csr_matrix(np.diag(-needs))], [eye_array(len(row)), most]]
    low = np.concatenate([np.where(rare, weight, 0), np.zeros(groups), np.full(len(row), -np.inf)])
    high = np.concatenate([room, np.full(groups, np.inf), np.zeros(len(row))])
    found = milp(
        np.concatenate([programme.price, np.zeros(groups)]),
        constraints=LinearConstraint(csr_matrix(block_array(blocks)), low, high),
        integrality=np.ones(len(row) + groups),
        bounds=Bounds(0, np.concatenate([room[row], np.ones(groups)])),
        options={"node_limit": NODES, "mip_rel_gap": GAP},
    )
    return None if found.x is None else tuple(np.round(found.x[: len(row)]).astype(np.int64).tolist())
