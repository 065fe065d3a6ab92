"""Singling out: stating what is true of exactly one person, without knowing who it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import PredicateClaims
from ..claims.isolation import ColumnIndex, index_column, is_interval_column, match_predicates
from ..claims.judge import judge
from ..claims.truth import Truth
from ..errors import TacitError, check_columns, check_int, format_value
from ..progress import report_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..seed import make_generator, seed_or_default
from ._columns import engine_limit

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..progress import Progress
    from ..result import Result
    from ..seed import Seed


TRIES = 10
"""How many candidates are tried for each predicate that is asked for."""
WIDEST = 0.5
"""An interval holds at most this share of the released numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglingOut:
    r"""State predicates that hold for exactly one released record, hoping that one person satisfies them.

    A predicate is a conjunction over ``columns`` columns of a released record: a category as it is, a number or date
    within an interval around it. Without a release anybody can isolate a person with a predicate of weight w, the chance
    that it holds for a random person, in :math:`n w (1-w)^{n-1}` of all tries, up to 37 % at w = 1/n; what counts is to
    isolate with a weight far below 1/n. So the intervals are as wide as to make

    .. math:: n w = n \prod_j w_j = chance,

    :math:`w_j` being the share of released records that satisfy condition j, as far as the values allow: a condition on a
    column of few values holds for all who share the value, so that n w may lie above ``chance`` (or below, where a value is
    rare). Every predicate is judged by its own weight. One released record satisfies it. Records, columns and so the predicates are drawn; those that hold
    for several released records are dropped, and after ten times ``attempts`` candidates the attack makes do with what it
    has. Weights are those of independent columns: where columns depend on each other the control says what is chance.
    ``among`` names the columns to draw from: all but identifiers, weights and households when absent. The intruder needs
    to know nothing about anybody.

    Time O(n log n) for each column and, for each candidate, the rows of its rarest condition; memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "job": ["cook", "judge", "cook", "cook"]})
    >>> claims = SinglingOut(attempts=10, columns=2).find_predicates(Release(table, quasi="zip"), seed=1)
    >>> claims.predicate_count, sorted(claims.weights.tolist())
    (2, [0.125, 0.375])

    References
    ----------
    Cohen and Nissim (2020), Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 8344–8352.
    """

    makes: ClassVar = PredicateClaims
    linkage: ClassVar = "generic"
    example: ClassVar = {"attempts": 100}
    attempts: int = 1000
    columns: int = 3
    chance: float = 0.1
    among: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_int("attempts", self.attempts, least=1)
        check_int("columns", self.columns, least=1)
        if isinstance(self.chance, bool) or not isinstance(self.chance, int | float) or not 0 < self.chance <= 1:
            raise TacitError(
                f"chance={format_value(self.chance)} is not a number of people up to 1",
                code="wrong_kind",
                parameter="chance",
                fix="e.g. chance=0.1",
            )
        object.__setattr__(self, "among", check_columns(self.among) or None)

    def applies(self, release: Release, scenario: Scenario) -> str | None:  # noqa: ARG002 - no knowledge is needed
        """None when the attack can be made, else why not."""
        return self._why_not(release)

    def claims(
        self,
        release: Release,
        scenario: Scenario,  # noqa: ARG002 - no knowledge is needed
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,
    ) -> PredicateClaims:
        """The predicates; what the intruder knows beside the release is of no use here."""
        return self.find_predicates(release, seed=seed, progress=progress)

    def find_predicates(
        self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> PredicateClaims:
        """The predicates that hold for exactly one record of the release."""
        why_not = self._why_not(release)
        if why_not:
            raise TacitError(
                f"nobody can be singled out: {why_not}",
                code="not_applicable",
                fix="name columns of the release, among=…",
            )
        drawn = _Candidates(release, self._chosen_columns(release), self)
        kept: dict[tuple[int, ...], tuple[list[tuple[int, tuple[int, int]]], float]] = {}
        for batch, (keys, predicates) in enumerate(drawn.batches(make_generator(seed_or_default(seed)))):
            counts, _ = match_predicates(drawn.index, predicates)
            for place in np.flatnonzero(counts == 1):
                if len(kept) < self.attempts:
                    kept[keys[place]] = (predicates[place], drawn.expected_weight(predicates[place]))
            report_progress(progress, "stating predicates", max(len(kept) / self.attempts, (batch + 1) / TRIES))
            if len(kept) == self.attempts:
                break
        flat = [condition for predicate, _ in kept.values() for condition in predicate]
        ends = np.array([allowed for _, allowed in flat], dtype=np.int64).reshape(-1, 2)
        return PredicateClaims(
            release=release,
            columns=drawn.names,
            start=np.append(0, np.cumsum([len(predicate) for predicate, _ in kept.values()], dtype=np.int64)),
            column=np.array([column for column, _ in flat], dtype=np.int64),
            first=ends[:, 0],
            last=ends[:, 1] - 1,
            weights=np.array([weight for _, weight in kept.values()]),
            asked=self.attempts,
        )

    def _chosen_columns(self, release: Release) -> tuple[str, ...]:
        chosen = check_columns(self.among) or tuple(
            column for column in release.columns if release.roles[column] not in ("identifier", "weight", "household")
        )
        return tuple(column for column in check_columns(chosen, release.columns) if release.valid(column).any())

    def _why_not(self, release: Release) -> str | None:
        limit = engine_limit(release)
        if limit is not None:
            return limit
        if release.size == 0:
            return "the release has no rows"
        return None if self._chosen_columns(release) else "the release has no column to state anything about"


class _Candidates:
    """Conjunctions of conditions that a drawn released record satisfies."""

    def __init__(self, release: Release, columns: tuple[str, ...], attack: SinglingOut) -> None:
        coded = [release.codes(column) for column in columns]
        self.names, self._attack, self._size = columns, attack, release.size
        self.index: list[ColumnIndex] = [index_column(one.codes, len(one.dictionary)) for one in coded]
        self._known = np.column_stack(
            [one.codes < len(values.dictionary) for one, values in zip(self.index, coded, strict=True)]
        )
        self._intervals = [is_interval_column(release, column) for column in columns]

    def batches(
        self, rng: np.random.Generator
    ) -> Iterator[tuple[list[tuple[int, ...]], list[list[tuple[int, tuple[int, int]]]]]]:
        """Some candidates at a time: a record and its columns as a key, and the conditions; none comes twice."""
        seen: set[tuple[int, ...]] = set()
        for _ in range(TRIES):
            rows = rng.integers(self._size, size=self._attack.attempts)
            order = rng.random((len(rows), len(self.names)))
            order[~self._known[rows]] = 2.0
            chosen = np.argsort(order, axis=1)[:, : self._attack.columns]
            keys, predicates = [], []
            for row, some in zip(rows.tolist(), chosen, strict=True):
                has = sorted(int(column) for column in some if self._known[row, column])
                key = (row, *has)
                if has and key not in seen:
                    seen.add(key)
                    keys.append(key)
                    predicates.append(self._row_conditions(row, has))
            yield keys, predicates

    def expected_weight(self, predicate: list[tuple[int, tuple[int, int]]]) -> float:
        """The chance of a random person, were the columns independent."""
        return float(np.prod([self.index[column].count(allowed) / self._size for column, allowed in predicate]))

    def _row_conditions(self, row: int, columns: list[int]) -> list[tuple[int, tuple[int, int]]]:
        measured = [column for column in columns if self._intervals[column]]
        own = {column: int(self.index[column].codes[row]) for column in columns}
        found = {column: (own[column], own[column] + 1) for column in columns}
        rest = self.expected_weight([(column, found[column]) for column in columns if column not in measured])
        share = (self._attack.chance / (self._size * rest)) ** (1 / max(1, len(measured)))
        for column in measured:
            found[column] = self._code_interval(column, own[column], min(WIDEST, share))
        return list(found.items())

    def _code_interval(self, column: int, code: int, share: float) -> tuple[int, int]:
        """The codes next to a number that hold up to about a share of the records, as many on either side."""
        start = self.index[column].start
        middle, reach = (start[code] + start[code + 1]) / 2, share * start[-1] / 2
        low = int(np.searchsorted(start, middle - reach, side="left"))
        high = int(np.searchsorted(start, middle + reach, side="right")) - 1
        return min(low, code), max(high, code + 1)


def singling_out(
    masked: Masked | Release,
    *,
    original: Release,
    columns: int = 3,
    attempts: int = 1000,
    among: str | tuple[str, ...] | None = None,
    control: Release | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """The share of stated predicates that hold for exactly one of the original people, see :class:`SinglingOut`.

    ``original`` are the people of whom the release tells, one row each; ``control`` others, who are not in it, best as
    many; ``columns``, ``attempts`` and ``among`` are those of the attack. The facts have the baseline, what is above it and
    above the control with intervals, and how many predicates were asked for and made. Costs as the attack.

    >>> import polars as pl
    >>> rng = np.random.default_rng(1)
    >>> draw = {name: rng.normal(size=500) for name in ("height", "weight", "income")}
    >>> r = Release(pl.DataFrame(draw), quasi="height")
    >>> found = singling_out(r, original=r, attempts=200, seed=1)
    >>> found.value, round(found.facts["baseline"], 2)
    (1.0, 0.08)
    """
    release, people = release_of(masked), release_of(original)
    claims = SinglingOut(columns=columns, attempts=attempts, among=among).find_predicates(release, seed=seed)
    nobody = np.zeros(0, dtype=np.int64)
    others = None if control is None else release_of(control)
    return judge(claims, Truth(released=nobody, intruder=nobody, people=people, others=others))
