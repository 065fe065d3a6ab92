"""Which columns single people out: the riskiest sets, what each column adds, and in which order they find most people."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from ..errors import TacitError
from ..progress import report_progress
from ..release.masked import Masked, release_of
from ..release.suggest.column_set import ColumnSet, SeparationCounts
from .separation import MOST_SETS, column_set_counter, separating_sets
from .special_uniques import special_uniques

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release


MOST_SCORED = 200_000
"""Up to so many records the columns' shares of the special unique scores are counted, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """A column: how many records are alone with it by itself, with all known columns, and with all but this one.

    ``score`` is the share of the special unique scores (SUDA2) to which it contributes; None where that takes too long.
    """

    column: str
    alone: int
    together: int
    without: int
    score: float | None = None


def riskiest_sets(
    release: Release | Masked, *, largest: int = 3, each: int = 5, progress: Progress | None = None
) -> tuple[ColumnSet, ...]:
    """Of every size up to ``largest``, the ``each`` sets of quasi-identifiers on which most records are alone.

    Of many columns only smaller sets are counted, so that there are at most 5,000. Missing is a value of its own. O(n)
    for each set.

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> [(one.columns, one.spread.alone) for one in riskiest_sets(Release(people, quasi=["sex", "born"]))]
    [(('born',), 1), (('sex', 'born'), 2)]
    """
    plain = release_of(release)
    keys = len(plain.quasi)
    fitting = [
        size for size in range(1, largest + 1) if sum(comb(keys, one) for one in range(1, size + 1)) <= MOST_SETS
    ]
    sets = separating_sets(plain, largest=max(fitting, default=1), progress=progress)
    found: list[ColumnSet] = []
    for size in sorted({len(one.columns) for one in sets}):
        alike = [one for one in sets if len(one.columns) == size and one.spread.alone]
        found += sorted(alike, key=lambda one: -one.spread.alone)[:each]
    return tuple(found)


def growing_knowledge(release: Release | Masked, *, progress: Progress | None = None) -> tuple[ColumnSet, ...]:
    """The quasi-identifiers one after the other, each time the one that leaves most records alone.

    The columns of every set are in the order in which they were taken; ties go to the one that separates more. O(n) for
    each of m (m + 1) / 2 sets of m columns.

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> [(one.columns, one.spread.alone) for one in growing_knowledge(Release(people, quasi=["sex", "born"]))]
    [(('born',), 1), (('born', 'sex'), 2)]
    """
    plain = release_of(release)
    count, taken, grown = column_set_counter(plain), list[str](), list[ColumnSet]()
    for place in range(len(plain.quasi)):
        report_progress(progress, "ordering columns", place / len(plain.quasi))
        tried = [count([*taken, column]) for column in plain.quasi if column not in taken]
        best = max(tried, key=lambda one: (one.spread.alone, one.separation))
        taken += [column for column in best.columns if column not in taken]
        grown.append(ColumnSet(columns=tuple(taken), records=best.records, spread=best.spread))
    return tuple(grown)


def column_contributions(release: Release | Masked, *, progress: Progress | None = None) -> tuple[Contribution, ...]:
    """What each quasi-identifier adds to singling people out; the one without which fewest are alone first.

    O(n) for each of 2 m + 1 sets of m columns, and the cost of the special uniques on small files.

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> [(one.column, one.alone, one.without) for one in column_contributions(Release(people, quasi=["sex", "born"]))]
    [('born', 1, 0), ('sex', 0, 1)]
    """
    plain = release_of(release)
    count, keys, scores = column_set_counter(plain), plain.quasi, _column_score_shares(plain)
    together = count(keys).spread.alone
    found: list[Contribution] = []
    for place, column in enumerate(keys):
        report_progress(progress, "leaving columns out", place / len(keys))
        others = [key for key in keys if key != column]
        without = count(others).spread if others else SeparationCounts(1, int(plain.size == 1), 0)
        found.append(
            Contribution(
                column=column,
                alone=count([column]).spread.alone,
                together=together,
                without=without.alone,
                score=scores.get(column),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.without, -one.alone)))


def _column_score_shares(release: Release) -> dict[str, float]:
    """The share of the special unique scores that each column has a part in; nothing where it would take too long."""
    if release.size > MOST_SCORED:
        return {}
    try:
        facts = special_uniques(release)[0].facts
    except TacitError:
        return {}
    shares = {column: facts.get(f"contribution of {column} in %") for column in release.quasi}
    return {column: share / 100 for column, share in shares.items() if isinstance(share, float)}
