"""Separation: how far sets of columns tell the records apart, for finding quasi-identifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..per_record import PerRecord
from ..progress import report_progress
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..release.suggest.column_set import ColumnSet, column_set
from ..release.suggest.search import SetSearch
from ..result import Result

if TYPE_CHECKING:
    from ..progress import Progress


MOST_SETS = 5000
"""So many column sets are counted unasked."""


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"largest": 2},
    upto=1_000_000,
)
def separation(release: Release | Masked, *, largest: int = 3, share: float = 0.95) -> Result:
    r"""The share of the pairs of records that the quasi-identifiers tell apart, and the few columns that do most of it.

    With :math:`f` the records that share a key, over the c different keys of n records,

    .. math:: \text{separation} = 1 - \frac{\sum f (f - 1)}{n (n - 1)}, \qquad \text{distinction} = \frac{c}{n}.

    ``value`` is the separation of all quasi-identifiers. ``facts`` name, for each size up to ``largest``, the set that
    separates most, and the smallest sets that reach ``share`` by themselves: where one column separates nearly as much
    as all, that one must be coarsened. ``per_record`` is the share of the others that a record is told apart from.
    Missing is a value of its own here, as it is for whoever looks at the file.

    Identity disclosure, measured. Time O(n) for each of C(m, 1) + … + C(m, largest) sets, memory O(n); one
    group-by for each on DuckDB and Spark.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> found = separation(Release(people, quasi=["sex", "born"]))
    >>> round(found.value, 4), found.facts["best set of 1"], round(found.facts["separation of it (1)"], 4)
    (0.8333, 'sex', 0.6667)

    References
    ----------
    Motwani and Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, SDM workshop on practical
    privacy-preserving data mining.
    """
    plain = release_of(release)
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 1:
        raise TacitError(
            f"share={format_value(share)} is not in (0, 1]",
            code="out_of_range",
            parameter="share",
            fix="e.g. share=0.95",
        )
    sets = separating_sets(plain, largest=largest)
    whole_set = column_set(plain, plain.quasi)
    facts: dict[str, object] = {"distinction": whole_set.distinction, "share of records alone": whole_set.unique_share}
    for size in range(1, max(len(one.columns) for one in sets) + 1):
        best = max((one for one in sets if len(one.columns) == size), key=lambda one: one.separation)
        facts[f"best set of {size}"] = ", ".join(best.columns)
        facts[f"separation of it ({size})"] = best.separation
    enough = [one for one in sets if one.separation >= share]
    smallest = [one for one in enough if len(one.columns) == len(enough[0].columns)]
    reached = "; ".join(", ".join(one.columns) for one in smallest) or f"none up to {largest} columns"
    facts[f"smallest sets that separate {100 * share:g} %"] = reached
    return Result(
        name="separation",
        value=whole_set.separation,
        worse="high",
        about="identity",
        facts=facts,
        per_record=_record_separation(plain),
    )


def separating_sets(
    release: Release | Masked, *, largest: int = 3, progress: Progress | None = None
) -> tuple[ColumnSet, ...]:
    """Every set of at most ``largest`` quasi-identifiers with its distinction and separation; small sets, then separating ones, first.

    >>> import polars as pl
    >>> people = Release(pl.DataFrame({"sex": ["f", "f", "m"], "born": [1962, 1975, 1962]}), quasi=["sex", "born"])
    >>> [(one.columns, round(one.separation, 4)) for one in separating_sets(people)]
    [(('sex',), 0.6667), (('born',), 0.6667), (('sex', 'born'), 1.0)]
    """
    plain = release_of(release)
    check_int("largest", largest, least=1)
    plain.classes()
    keys = plain.quasi
    sizes = range(1, min(largest, len(keys)) + 1)
    number = sum(comb(len(keys), size) for size in sizes)
    if number > MOST_SETS:
        raise TacitError(
            f"{len(keys)} quasi-identifiers make {number:,} sets of at most {largest}",
            code="out_of_range",
            fix=f"say largest={max(1, min(largest, 2))}, or declare fewer columns quasi",
        )
    count, found = column_set_counter(plain), list[ColumnSet]()
    for columns in (columns for size in sizes for columns in combinations(keys, size)):
        report_progress(progress, "combining columns", len(found) / number)
        found.append(count(columns))
    return tuple(sorted(found, key=lambda one: (len(one.columns), -one.separation)))


def column_set_counter(release: Release) -> Callable[[Sequence[str]], ColumnSet]:
    """How far sets of quasi-identifiers tell the records apart: each is counted once where the table is in memory."""
    if not isinstance(release.classes(), ArrayClasses):
        return lambda columns: column_set(release, columns)
    keys, search = release.quasi, SetSearch([release.codes(key) for key in release.quasi])

    def count(columns: Sequence[str]) -> ColumnSet:
        places = tuple(sorted(keys.index(column) for column in columns))
        return ColumnSet(
            columns=tuple(keys[place] for place in places), records=release.size, spread=search.spread_of(places)
        )

    return count


def _record_separation(release: Release) -> PerRecord | None:
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        return None
    others = max(1, release.size - 1)
    sizes = classes.sizes
    return PerRecord(array=lambda: ((release.size - sizes) / others)[classes.of_record])
