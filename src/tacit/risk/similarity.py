"""Similarity: classes whose confidential values differ but mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from ..errors import TacitError, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.hierarchy.nodes import label_values
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .class_values import ClassValues, class_values, codes_named, of_columns

WIDTH = 0.1


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    example={"width": 0.1},
    needs=("confidential", "hierarchy"),
)
def similarity(
    release: Release | Masked,
    *,
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    level: int | None = None,
    width: float | None = None,
) -> Results:
    r"""The share of records in classes whose values differ but are of one group, for each confidential column.

    .. math:: \frac1n \sum_{C:\, |V(C)| > 1,\; |g(V(C))| = 1} |C|

    :math:`V(C)` are the values in the class, g the group of a value. ``groups`` names them,
    ``{"disease": {"stomach": ["gastritis", "stomach cancer"]}}``; a value in no group stands alone. Otherwise the groups
    are the labels of the column's hierarchy at ``level`` (1 when absent). Numbers and dates without either are alike when
    those of the class lie within ``width`` (0.1 when absent) of the range of the whole column: all salaries are low.

    ℓ-diversity counts different values and t-closeness with equal distances cannot tell a near value from a far one, so
    neither stops this; t-closeness along the hierarchy does. ``facts`` count such classes and records, and those in
    classes with one value, which :func:`inference` counts. ``per_record`` is 1 where the record's class is open so, 0
    elsewhere. Missing values count as in :func:`l_diversity`, and are alike to none.

    Attribute disclosure, measured. Time O(n log n) per column after the classes, memory O(n); not on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N3P", "N3P", "H1A", "H1A"], "ill": ["gastritis", "ulcer", "flu", "gastritis"]})
    >>> r = Release(table, quasi="zip", confidential="ill")
    >>> similarity(r, groups={"ill": {"stomach": ["gastritis", "ulcer"]}})["ill"].value
    0.5

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """
    plain = release_of(release)
    named = {} if groups is None else groups
    if not isinstance(named, Mapping) or not all(isinstance(one, Mapping) for one in named.values()):
        raise TacitError(
            "groups are not given as column → group → values",
            code="missing_parameter",
            fix="e.g. groups={'ill': {'stomach': ['gastritis']}}",
        )
    of_columns(named, plain, option="groups")
    if width is not None and (isinstance(width, bool) or not isinstance(width, int | float) or not 0 < width < 1):
        raise TacitError(
            f"width={format_value(width)} is not a share between 0 and 1",
            code="out_of_range",
            parameter="width",
            fix="e.g. width=0.1",
        )
    return Results(
        tuple(_measure_column(plain, column, named.get(column), level, width) for column in plain.confidential)
    )


def _measure_column(
    release: Release, column: str, groups: Mapping[str, Any] | None, level: int | None, width: float | None
) -> Result:
    cells = class_values(release, column)
    by_hierarchy = column in release.hierarchies and (
        level is not None or width is None or not _is_numeric(release, column)
    )
    facts: dict[str, object]
    if groups is not None:
        group = _group_codes(release, column, groups)
        alike, facts = _one_group(cells, group), {"groups": len(groups)}
    elif by_hierarchy:
        group = _level_labels(release, column, 1 if level is None else level)
        alike, facts = _one_group(cells, group), {"groups": len(np.unique(group)), "level": level or 1}
    elif _is_numeric(release, column):
        share = WIDTH if width is None else float(width)
        alike, facts = _is_within_width(cells, release, column, share), {"width": share}
    else:
        raise TacitError(
            "has no groups of values that mean the same",
            code="no_value_groups",
            column=column,
            fix=f"say groups={{{column!r}: {{'name': [values]}}}}, or give the column a hierarchy",
        )
    one = cells.distinct_counts() == 1
    found = alike & (cells.distinct_counts() > 1)
    return Result(
        name="similarity",
        column=column,
        value=float(cells.sizes[found].sum() / release.size),
        worse="high",
        about="attribute",
        facts={
            **facts,
            "classes with values of one group": int(found.sum()),
            "records in them": int(cells.sizes[found].sum()),
            "records in classes with one value": int(cells.sizes[one].sum()),
        },
        per_record=PerRecord(array=found[cells.of_record].astype(float)),
    )


def _one_group(cells: ClassValues, group: np.ndarray) -> np.ndarray:
    """Which classes have values of one group only."""
    size = int(group.max(initial=0)) + 1
    pairs = np.unique(cells.of_class * size + group[cells.code])
    found: np.ndarray = np.bincount(pairs // size, minlength=len(cells.sizes)) == 1
    return found


def _group_codes(release: Release, column: str, groups: Mapping[str, Any]) -> np.ndarray:
    """The group of each code; a value in no group, and missing, has one of its own."""
    count = release.codes(column).count
    found = np.arange(count)
    for number, (name, values) in enumerate(groups.items()):
        codes = codes_named(release, column, values)
        if (found[codes] >= count).any():
            raise TacitError(
                f"has a value of the group {format_value(name)} in another group too",
                code="unsuitable_column",
                column=column,
                fix="put it in one of them",
            )
        found[codes] = count + number
    return found


def _level_labels(release: Release, column: str, level: int) -> np.ndarray:
    """The label of each code at a level of the hierarchy; a value that it does not know, and missing, stands alone."""
    hierarchy, coded = release.hierarchies[column], release.codes(column)
    if column in release.levels or column in release.mixed:
        raise TacitError(
            "was generalised, so that its values are no longer those that its hierarchy starts from",
            code="already_generalised",
            column=column,
            fix=f"say groups={{{column!r}: {{'name': [values]}}}}",
        )
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level < hierarchy.height:
        raise TacitError(
            f"has no groups at level {format_value(level)} of its hierarchy",
            code="unsuitable_column",
            column=column,
            fix=f"its groups are at levels 1 to {hierarchy.height - 1}"
            if hierarchy.height > 1
            else f"its hierarchy has no level between the values and *; say groups={{{column!r}: …}}",
        )
    shown = label_values(hierarchy, column, level, coded.dictionary)
    number = shown.rank("dense").cast(pl.Int64).to_list()
    alone = len(number)
    return np.array([*(alone + code + 1 if at is None else at for code, at in enumerate(number)), 0][: coded.count])


def _is_numeric(release: Release, column: str) -> bool:
    """Whether differences of the values mean something."""
    if column in release.levels or release.types[column] not in ("integer", "number", "date", "datetime"):
        return False
    try:
        return release.kind(column) in ("continuous", "date")
    except TacitError:  # whole numbers of which nobody said whether they are a code
        return False


def _is_within_width(cells: ClassValues, release: Release, column: str, width: float) -> np.ndarray:
    """Which classes have all their values within a share of the range of the column."""
    coded = release.codes(column)
    numbers = coded.dictionary.to_physical().cast(pl.Float64).to_numpy() / 2  # so that no difference overflows
    alike = np.zeros(len(cells.sizes), dtype=bool)
    if not len(numbers):
        return alike
    # cells stand in the order of their codes, which is that of the values, so the ends of a class are its first and last
    last = np.cumsum(cells.distinct_counts())
    has = cells.distinct_counts() > 0
    low, high = (cells.code[end[has]] for end in (last - cells.distinct_counts(), last - 1))
    known = high < len(numbers)
    span = numbers[np.minimum(high, len(numbers) - 1)] - numbers[np.minimum(low, len(numbers) - 1)]
    alike[has] = known & (span <= width * (numbers[-1] - numbers[0]) * (1 + 1e-12))
    return alike
