"""Interval disclosure: how many original numbers lie in a narrow interval around the masked ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result, Results
from .intervals import By, checked_by, checked_percent, make_intervals
from .numeric_pairs import Columns, NumericColumnPair, both_files, numeric_column_pairs

if TYPE_CHECKING:
    import numpy as np


@describe(
    tags=Tags(about="attribute", kind="measure"),
    example={"percent": 10},
    needs=("original",),
)
def interval_disclosure(
    release: Release | Masked,
    *,
    original: Release | Masked | None = None,
    lineage: np.ndarray | None = None,
    percent: float,
    by: By = "rank",
    columns: Columns = None,
) -> Results:
    r"""The share of records whose original number lies in an interval around the masked one, for each numeric column.

    By ``rank``, with the masked values in order, :math:`R_0 \le \dots \le R_{n-1}`, and i the position of V'(x):

    .. math:: V(x) \in [R_{\max(i-w, 0)},\; R_{\min(i+w, n-1)}], \quad w = \lfloor p\,n/200 \rfloor

    By ``deviation``:

    .. math:: |V(x) - V'(x)| \le p \cdot sd(V) / 100

    The source has min and max the other way round in the first formula, which would give the whole range for everybody.
    Positions are whole numbers, so those at most p·n/200 away from i are those at most its whole part away. Equal masked
    values have no order that an intruder could see: the interval runs from w below the lowest to w above the highest of
    their positions, the union of what any order would give, so that the risk is never understated and no file order
    matters. n counts the masked values that are there, invented records among them, as the intruder sees them. sd(V) is
    that of all known values of the original, divided by their number.

    ``baseline`` is what the same intervals get when they are dealt out to the people at random: wide intervals, and
    narrow ones where everybody's values lie, are no disclosure. A record whose original value is missing has nothing to
    disclose and is left out, and so is an invented one; a value that is hidden in the release counts as not disclosed.
    The columns are the quasi-identifiers and the confidential ones (all where no roles are given) that hold numbers or
    dates in both files; one with a single value in the original discloses nothing about anybody and is passed over, or
    refused when it is named. ``lineage`` is the original row of each masked one, −1 for an invented one; a Masked brings
    its own. ``per_record`` is 1 where the value is disclosed.

    Attribute disclosure, measured. O(n log n) time per column, O(n) memory.

    >>> import polars as pl
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([10, 20, 30, 40, 50], [12, 35, 31, 39, 80]))
    >>> print(interval_disclosure(m, original=r, percent=40))
    interval disclosure of pay  0.6
    percent                     40
    by                          rank
    baseline                    0.32
    records compared            5
    >>> interval_disclosure(m, original=r, percent=40, by="deviation")["pay"].value
    0.6

    References
    ----------
    Torra (2022), Guide to Data Privacy, Springer.
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata, in
    Confidentiality, Disclosure and Data Access, North-Holland, 111–133.
    """
    checked_percent(percent)
    checked_by(by)
    pairs = both_files(release, original, lineage)
    return Results(tuple(_measure_column(one, percent, by) for one in numeric_column_pairs(pairs, columns)))


def _measure_column(one: NumericColumnPair, percent: float, by: By) -> Result:
    disclosed, baseline = make_intervals(one, by).at(percent)
    facts: dict[str, object] = {"percent": percent, "by": by, "baseline": baseline}
    return Result(
        name="interval disclosure",
        id="interval_disclosure",
        column=one.column,
        value=float(disclosed.sum()) / one.compared_count,
        worse="high",
        about="attribute",
        facts=facts | one.facts(),
        per_record=PerRecord(array=disclosed.astype(float), rows_of="release"),
    )
