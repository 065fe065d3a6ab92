"""Changed values: the share of categories and dates that are no longer those of the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import TacitError
from ...registry import Tags, describe
from ...release.pairs import Pairs, numeric_columns, pair_records
from ...result import Result, Results

if TYPE_CHECKING:
    import numpy as np

    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def changed(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""The share of a column's values that differ from those of the record they were made from.

    .. math:: \frac{|\{i : x'_i \ne x_i\}|}{n}

    over the n records that have both values, for every column that is no amount (of those the squared error tells
    more) and has not been given coarser labels (there generalisation does). The result without a column is the mean over
    these columns; those of which nothing was changed have no line of their own. What swapping, PRAM and shifted dates
    cost is seen here.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": sex})) for sex in (["f", "m", "m", "f"], ["f", "m", "f", "f"]))
    >>> changed(m, original=r)["sex"].value
    0.25

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    parts = changed_of(pair_records(release, original, lineage))
    if not parts:
        raise TacitError(
            "no column of categories or dates is in both files",
            code="conflicting_parameters",
            fix="measure squared_error instead",
        )
    return Results(parts)


def changed_of(pairs: Pairs) -> tuple[Result, ...]:
    """The results; none when no column can be compared."""
    amounts = numeric_columns(pairs.masked, pairs.original)
    skipped = {*amounts, *pairs.masked.levels, *pairs.masked.mixed}
    found = [
        _changed_share(pairs, column)
        for column, kind in pairs.original.types.items()
        if column not in skipped and pairs.masked.types.get(column) == kind and _is_compared(pairs, column)
    ]
    if not found:
        return ()
    mean = sum(one.value for one in found) / len(found)
    facts = {"columns": len(found)}
    whole = Result(name="changed values", value=mean, worse="high", about="utility", facts=facts)
    return (whole, *(one for one in found if one.value))


def _is_compared(pairs: Pairs, column: str) -> bool:
    return pairs.original.roles[column] not in ("identifier", "household")


def _changed_share(pairs: Pairs, column: str) -> Result:
    before = pairs.original.series(column).gather(pairs.of_original)
    after = pairs.masked.series(column).gather(pairs.of_masked)
    both = before.is_not_null() & after.is_not_null()
    moved = int((before != after).filter(both).sum())
    known = int(both.sum())
    return Result(
        name="changed values",
        column=column,
        value=moved / max(1, known),
        worse="high",
        about="utility",
        facts={"records compared": known},
    )
