"""Background knowledge: what an intruder learns of a class who can rule out some of its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import TacitError, check_int, format_value
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .class_values import ClassValues, class_values, codes_named, of_columns


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    example={"ruled_out": 1},
    needs=("confidential",),
)
def background(release: Release | Masked, *, ruled_out: int | Mapping[str, Any] = 1) -> Results:
    r"""The share of records whose value is known for sure once values are ruled out, for each confidential column.

    .. math:: \frac1n \, \bigl|\{r : V(C_r) \setminus B_r = \{v_r\}\}\bigr|

    :math:`V(C_r)` are the values in the class of record r, :math:`B_r` those that the intruder knows this person not to
    have. With a number b it can rule out any b values of each person, the worst case: then a class with up to b + 1
    values is open, so that ℓ-diversity stops b = ℓ − 2. With ``{column: value or values}`` it knows of everybody who does
    not have these that they do not ("does not like the Liberal Party"), and nothing more of the others.

    ``per_record`` is the posterior, :math:`n_{v_r} / \sum_{v \notin B_r} n_v` over the class: the chance of the record's
    own value; with a number, when the b most frequent other values are ruled out. ``facts`` have its mean before and
    after, and the records and classes that are open. With 0 this is the homogeneity attack, see :func:`inference`.
    Missing values count as in :func:`l_diversity`; a record without a value is open when its class is.

    Attribute disclosure, measured. Time O(n log n) per column after the classes, memory O(n); not on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["G0A"] * 3, "party": ["Liberal", "Liberal", "Conservative"]})
    >>> r = Release(table, quasi="zip", confidential="party")
    >>> print(background(r, ruled_out={"party": "Liberal"}))
    background of party                   0.3333
    records open                          1
    classes with open records             1
    records open without the knowledge    0
    records that the knowledge is about   1
    mean posterior without the knowledge  0.5556
    mean posterior                        0.7778

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), ℓ-diversity, ACM TKDD 1(1), 3.
    """
    plain = release_of(release)
    if isinstance(ruled_out, Mapping):
        of_columns(ruled_out, plain, option="ruled_out")
        if not ruled_out:
            raise TacitError(
                "ruled_out names no column",
                code="no_usable_column",
                fix="e.g. ruled_out={'disease': 'flu'}, or a number of values",
            )
        wanted = tuple(column for column in plain.confidential if column in ruled_out)
        return Results(tuple(_measure_known_values(plain, column, ruled_out[column]) for column in wanted))
    if not isinstance(ruled_out, int) or isinstance(ruled_out, bool):
        raise TacitError(
            f"ruled_out={format_value(ruled_out)} is neither a number of values nor values by column",
            code="invalid_parameter",
            parameter="ruled_out",
            fix="e.g. ruled_out=1, or ruled_out={'disease': 'flu'}",
        )
    check_int("ruled_out", ruled_out, least=0)
    return Results(tuple(_measure_worst_values(plain, column, ruled_out) for column in plain.confidential))


def _measure_known_values(release: Release, column: str, values: object) -> Result:
    """Of everybody who does not have the values the intruder knows so."""
    cells = class_values(release, column)
    left = ~np.isin(cells.code, codes_named(release, column, values))
    others, kinds = cells.sum_by_class(cells.count * left), cells.sum_by_class(left)
    holds = np.append(left, True)[cells.own]
    known = np.where(holds, others[cells.of_record], cells.known[cells.of_record])
    is_open = ((kinds == 1)[cells.of_record] & holds) | (cells.distinct_counts() == 1)[cells.of_record]
    return _build_result(column, cells, is_open, known, about=int(holds.sum()))


def _measure_worst_values(release: Release, column: str, b: int) -> Result:
    """The b most frequent values of the class beside the record's own are ruled out."""
    cells = class_values(release, column)
    order = np.lexsort((-cells.count, cells.of_class))
    first = np.append(0, np.cumsum(cells.distinct_counts()))[cells.of_class[order]]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - first
    top = cells.sum_by_class(cells.count * (rank < b))
    next_one = cells.sum_by_class(cells.count * (rank == b))
    within = np.append(rank < b, False)[cells.own]
    mine = np.append(cells.count, 0)[cells.own]
    gone = top[cells.of_record] + np.where(within, next_one[cells.of_record] - mine, 0)
    is_open = ((cells.distinct_counts() >= 1) & (cells.distinct_counts() <= b + 1))[cells.of_record]
    return _build_result(column, cells, is_open, cells.known[cells.of_record] - gone, about=len(is_open) if b else 0)


def _build_result(column: str, cells: ClassValues, is_open: np.ndarray, left: np.ndarray, *, about: int) -> Result:
    has = cells.own >= 0
    before = cells.posterior()
    mine = np.append(cells.count, 0)[cells.own]
    after = np.divide(mine, left, out=np.zeros(len(mine)), where=has & (left > 0))
    open_classes = np.unique(cells.of_record[is_open])
    without = int(cells.sizes[cells.distinct_counts() == 1].sum())
    return Result(
        name="background",
        column=column,
        value=float(is_open.mean()),
        worse="high",
        about="attribute",
        facts={
            "records open": int(is_open.sum()),
            "classes with open records": len(open_classes),
            "records open without the knowledge": without,
            "records that the knowledge is about": about,
            "mean posterior without the knowledge": _stable_mean(before[has]),
            "mean posterior": _stable_mean(after[has]),
        },
        per_record=PerRecord(array=after),
    )


def _stable_mean(shares: np.ndarray) -> float:
    """Summed from the smallest on, so that the order of the file does not show in the last digit."""
    return float(np.sort(shares).mean()) if len(shares) else 0.0
