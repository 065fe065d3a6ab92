"""Risky cells: rare combinations in all small tables of the quasi-identifiers, as μ-ARGUS looks for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from ..errors import TacitError, check_int, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.classes.matches import Matches
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

MOST_SETS = 5000
"""So many tables are counted."""


@describe(
    tags=Tags(about="identity", kind="measure"),
    example={"upto": [20, 10, 5]},
    upto=200_000,
)
def risky_cells(release: Release | Masked, *, upto: int | Sequence[int] = 2, largest: int | None = None) -> Result:
    r"""How many combinations of values are rare, over all tables of a few quasi-identifiers.

    In the table of each set S of at most ``largest`` columns a cell is unsafe when few records are in it:

    .. math:: U = \sum_{1 \le |S| \le d} |\{\text{cells } c \text{ of } S : 1 \le n_c \le t_{|S|}\}|

    ``upto`` is the threshold t for all sizes, or one for each size (then ``largest`` is their number, otherwise 3):
    thresholds 20, 10, 5 call a single value rare below 21 records, a pair below 11. ``facts`` count by size
    and name the column that occurs in most unsafe cells. ``per_record`` is the number of unsafe cells that a record is
    in. Under ``missing="any"`` a cell with missing values holds all that match it, and counts when it has a known value.

    Identity disclosure, measured. Time O(n) for each of C(m, 1) + … + C(m, largest) tables; in memory.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "f", "m", "m"], "born": [1962, 1975, 1962, 1962]})
    >>> found = risky_cells(Release(people, quasi=["sex", "born"]), upto=1)
    >>> found.value, found.per_record.values().tolist()
    (3, [1, 2, 0, 0])

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley (the approach of μ-ARGUS).
    """
    plain = release_of(release)
    wildcards = isinstance(plain.matches(), Matches)
    keys = plain.quasi
    thresholds = _table_thresholds(upto, largest, len(keys))
    by_size, by_column = dict.fromkeys(range(1, len(thresholds) + 1), 0), dict.fromkeys(keys, 0)
    inside = np.zeros(plain.size, dtype=np.int64)
    for size, threshold in enumerate(thresholds, 1):
        for columns in combinations(keys, size):
            number, rare = _unsafe_cells(plain, columns, threshold, wildcards=wildcards)
            by_size[size] += number
            inside += rare
            for column in columns:
                by_column[column] += number
    total = sum(by_size.values())
    facts: dict[str, object] = {f"of {size} column{'s' if size > 1 else ''}": by_size[size] for size in by_size}
    facts |= {f"at most ({size})": threshold for size, threshold in enumerate(thresholds, 1)}
    facts["records in one"] = int((inside > 0).sum())
    if total:
        facts["column in most of them"] = max(keys, key=lambda column: by_column[column])
    return Result(
        name="risky cells",
        value=total,
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=inside),
    )


def _table_thresholds(upto: int | Sequence[int], largest: int | None, columns: int) -> tuple[int, ...]:
    """One threshold for each table size that the columns allow."""
    if largest is not None:
        check_int("largest", largest, least=1)
    if isinstance(upto, Sequence) and not isinstance(upto, str):
        given = tuple(upto)
        if not given or (largest is not None and len(given) != largest):
            raise TacitError(
                f"upto has {len(given)} thresholds for tables of at most {largest or 'no'} columns",
                code="out_of_range",
                fix="give one threshold for each size, e.g. upto=[20, 10, 5]",
            )
    elif isinstance(upto, int):
        given = (upto,) * (largest or 3)
    else:
        raise TacitError(
            f"upto={format_value(upto)} is no threshold",
            code="wrong_type",
            parameter="upto",
            fix="e.g. upto=2 or upto=[20, 10, 5]",
        )
    for threshold in given:
        check_int("upto", threshold, least=1)
    number = sum(comb(columns, size) for size in range(1, min(len(given), columns) + 1))
    if number > MOST_SETS:
        raise TacitError(
            f"{columns} quasi-identifiers make {number:,} tables of at most {len(given)} columns",
            code="out_of_range",
            fix="say largest=2, or declare fewer columns quasi",
        )
    return given[:columns]


def _unsafe_cells(
    release: Release, columns: tuple[str, ...], threshold: int, *, wildcards: bool
) -> tuple[int, np.ndarray]:
    """The number of unsafe cells of one table, and which records are in one."""
    codes = [release.codes(column) for column in columns]
    table = (Matches if wildcards else ArrayClasses)(codes, release.size, release.codes)
    rare = table.sizes <= threshold
    if wildcards:
        known = np.zeros(table.count, dtype=bool)
        for one in codes:
            known[table.of_record[one.codes < len(one.dictionary)]] = True
        rare &= known
    return int(rare.sum()), rare[table.of_record]
