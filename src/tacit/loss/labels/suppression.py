"""Suppressed cells and removed records: what a masked file no longer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...registry import Tags, describe
from ...release.pairs import Pairs, pair_records
from ...result import Result, Results

if TYPE_CHECKING:
    import numpy as np

    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"))
def suppressed(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:
    r"""The cells that had a value and are missing now, for each column, and the records that were removed.

    .. math:: |\{i : x_i \text{ known}, x'_i \text{ missing}\}|, \qquad n - |\{i : i \text{ has a masked record}\}|

    Counted by comparing the two files, so a file that was written and read again gives the same numbers. Columns other
    than quasi-identifiers are listed when they lost cells; the share is of the records that are left.

    Utility, measured. O(n) time per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"zip": zips}), quasi="zip") for zips in (["N1", "N2"], ["N1", None]))
    >>> suppressed(m, original=r)["zip"].value
    1

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    return Results(suppressed_of(pair_records(release, original, lineage)))


def suppressed_of(pairs: Pairs) -> tuple[Result, ...]:
    """The removed records first, then one result per column."""
    removed = pairs.removed
    share = removed / max(1, pairs.original.size)
    records = Result(name="removed records", value=removed, worse="high", about="utility", facts={"share": share})
    common = [column for column in pairs.original.columns if column in pairs.masked.columns]
    counts = {column: _count_suppressed(pairs, column) for column in common}
    listed = {column: count for column, count in counts.items() if count or column in pairs.original.quasi}
    left = max(1, len(pairs.of_masked))
    cells = (
        Result(name="suppressed cells", column=c, value=n, worse="high", about="utility", facts={"share": n / left})
        for c, n in listed.items()
    )
    return (records, *cells)


def _count_suppressed(pairs: Pairs, column: str) -> int:
    had, has = pairs.original.valid(column)[pairs.of_original], pairs.masked.valid(column)[pairs.of_masked]
    return int((had & ~has).sum())
