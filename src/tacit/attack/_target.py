"""The confidential column that an attack on values is after, as the release shows it and as the judge knows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, unknown_column
from ..release.common_level import as_numbers, at_one_level, standard_deviation
from ..release.release import Release
from ._columns import engine_limit


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A column of the release: ``numbers`` (dates as days, NaN where missing) or ``codes`` (−1 where missing) in [0, count)."""

    column: str
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None
    count: int = 0

    def known_rows(self) -> np.ndarray:
        """Which released records have a value."""
        if self.codes is not None:
            return self.codes >= 0
        assert self.numbers is not None
        found: np.ndarray = ~np.isnan(self.numbers)
        return found


def no_target(release: Release, scenario: Scenario, column: str | None) -> str | None:
    """Why nothing can be learnt about the column; None when it can. Without a name it is the only confidential one."""
    if column is None and len(release.confidential) != 1:
        return "it is not said which column is to be learnt (column=…)"
    chosen = column or release.confidential[0]
    if chosen not in release.columns:
        return f"the release has no column {chosen!r}"
    if chosen in scenario.knows:
        return f"the intruder knows {chosen!r} already: it is among the columns that it compares"
    limit = engine_limit(release)
    if limit is not None:
        return limit
    if not release.valid(chosen).any():
        return f"all cells of {chosen!r} are missing in the release"
    return None


def without_target(release: Release, scenario: Scenario, column: str) -> Scenario:
    """What the intruder knows beside a column that is to be learnt and that others may know (quasi_confidential).

    Whoever knows it learns nothing; this is about those who do not. One who knows nothing else cannot attack.
    """
    knows = tuple(one for one in scenario.knows if one != column)
    if release.roles.get(column) != "quasi_confidential" or not knows or knows == scenario.knows:
        return scenario
    return replace(scenario, knows=knows)


def target_of(release: Release, column: str | None) -> Target:
    """The column in the release: numbers for amounts and dates, codes for all else."""
    chosen = column or release.confidential[0]
    if _is_number(release, chosen):
        return Target(chosen, numbers=as_numbers(release.series(chosen), chosen))
    coded = release.codes(chosen)
    codes = coded.codes.astype(np.int64)
    if coded.missing is not None:
        codes = np.where(codes == coded.missing, -1, codes)
    return Target(chosen, codes=codes, count=len(coded.dictionary))


def true_values(release: Release, people: Release, column: str) -> np.ndarray:
    """The values of the people in the form in which the release is claimed about; a value that it does not have, beyond.

    Numbers as numbers (NaN where unknown), all else as codes of the release (−1 where unknown). O(n log n).
    """
    for file, which in ((release, "release"), (people, "file of the people attacked")):
        if column not in file.columns:
            raise (
                unknown_column(column, file.columns)
                if which == "release"
                else TacitError(
                    f"is not in the {which}, so that nobody can say what is right",
                    code="unknown_column",
                    column=column,
                    fix="give a file that has it",
                )
            )
    theirs, mine = at_one_level(release, people, column)
    if _is_number(release, column):
        if not mine.dtype.is_numeric() and not mine.dtype.is_temporal():
            raise _no_shared_value_error(column)
        return as_numbers(mine, column)
    dictionary = release.codes(column).dictionary
    if dictionary.dtype != mine.dtype:
        numeric = dictionary.dtype.is_numeric() and mine.dtype.is_numeric()
        kind = pl.Float64 if numeric else pl.String  # 1 and 1.0 are one code
        dictionary, mine = dictionary.cast(kind), mine.cast(kind)
    codes = pl.Series(range(len(dictionary)), dtype=pl.Int64)
    coded = mine.replace_strict(dictionary, codes, default=len(dictionary) + 1, return_dtype=pl.Int64)
    found = np.where(mine.is_null().to_numpy(), -1, coded.fill_null(-1).to_numpy())
    if len(found) and (found >= 0).any() and not (found[found >= 0] < len(dictionary)).any():
        raise _no_shared_value_error(column)
    return found


def with_values(truth: Truth, release: Release, people: Release, column: str, *, percent: float) -> Truth:
    """The truth with the people's values; a number counts as right within ``percent`` % of their standard deviation."""
    values = true_values(release, people, column)
    within = 0.0
    if _is_number(release, column):
        within = percent * standard_deviation(values) / 100
    return replace(truth, values=values, within=within)


def _is_number(release: Release, column: str) -> bool:
    return (
        not release.levels.get(column)
        and release.kinds.get(column) in ("continuous", "date")
        and (release.types[column] in ("integer", "number", "date", "datetime"))
    )


def _no_shared_value_error(column: str) -> TacitError:
    return TacitError(
        "has no value in the release that any of the people has",
        code="missing_values",
        column=column,
        fix="give the hierarchy by which it was recoded, or the file from which the release was made",
    )


def single_guess(true: np.ndarray, *, within: float = 0.0) -> np.ndarray:
    r"""1 for each person whom the value hits that hits most of them, when it is said of everybody.

    .. math:: \hat v = \arg\max_v\ |\{i : |v_i - v| \le within\}|

    For categories (whole numbers, ``within`` 0) that is the most frequent one. For numbers it is not the mean: between two
    heaps, or among counts, nobody is near to it, and a model that says anything else would seem to know something. No guess
    that is the same for everybody is right more often, so that a model that knows nothing is not either. It is a
    yardstick of the judge and reads the truth; NaN is hit by nothing. Of guesses as good the lowest is taken. O(n log n).

    >>> single_guess(np.array([0.0, 1.0, 1.2, 5.0]), within=0.1).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    known = np.sort(true[~np.isnan(true)])
    if not len(known):
        return np.zeros(len(true))
    reach = within * (1 + 1e-12)
    past = np.searchsorted(known, known + 2 * reach, side="right")
    first = int(np.argmax(past - np.arange(len(known))))
    hit: np.ndarray = (true >= known[first]) & (true <= known[past[first] - 1])
    return hit.astype(float)
