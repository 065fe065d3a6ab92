"""Same values: how many categories stand in the masked file as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError
from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.common_level import at_one_level
from ..release.masked import Masked
from ..release.release import Release
from ..result import Result, Results
from .numeric_pairs import Columns, both_files, choose_columns, is_category

if TYPE_CHECKING:
    from ..release.pairs import Pairs


@describe(
    tags=Tags(about="attribute", kind="measure"),
    needs=("original",),
)
def same_values(
    release: Release | Masked,
    *,
    original: Release | Masked | None = None,
    lineage: np.ndarray | None = None,
    columns: Columns = None,
) -> Results:
    r"""The share of records whose category is the same in the masked file, for each column: the SADR.

    .. math:: SADR(X, X') = \frac{|\{x \in X : V(x) = V'(x)\}|}{|X|}

    A column that was generalised is compared at its level: the original value is brought there by the hierarchy, which
    is public, so that a true but coarse label counts as the same, and ``level`` says how coarse. The baseline is what the
    masked values get when they are dealt out to the people at random: a value that nearly everybody has is no
    disclosure. A record whose original value is missing has nothing to disclose and is left out, and so is an invented
    one; a value that is hidden in the release counts as changed. The columns are the quasi-identifiers and the
    confidential ones (all where no roles are given) that hold categories; numbers and dates are of
    :func:`interval_disclosure`. One that was recoded locally, or into text of which no hierarchy tells, is passed over. ``lineage`` is
    as there. ``per_record`` is 1 where the value is the same.

    Attribute disclosure, measured. O(n) time and memory per column.

    >>> r, m = (Release(pl.DataFrame({"ill": ill})) for ill in (["flu", "flu", "acne", "gout"], ["flu", "acne", "acne", "flu"]))
    >>> print(same_values(m, original=r))
    same values of ill  0.5
    baseline            0.375
    records compared    4

    References
    ----------
    Torra (2022), Guide to Data Privacy, Springer.
    """
    pairs = both_files(release, original, lineage)
    wanted = choose_columns(pairs, columns, is_category)
    found = (_measure_column(pairs, column, named=columns is not None) for column in wanted)
    kept = tuple(one for one in found if one is not None)
    if not kept:
        raise TacitError(
            "no column holds categories in both files",
            code="no_usable_column",
            fix="measure interval_disclosure, which compares numbers",
        )
    return Results(kept)


def _measure_column(pairs: Pairs, column: str, *, named: bool) -> Result | None:
    if column in pairs.masked.mixed or column in pairs.original.mixed:
        raise TacitError(
            "was recoded locally: its labels stand for sets of values, which equal no value",
            code="already_masked",
            column=column,
            fix="leave it out, or recode the whole column to one level",
        )
    theirs, mine = at_one_level(pairs.masked, pairs.original, column)
    unlike = (theirs.dtype == pl.String) != (mine.dtype == pl.String)
    theirs, mine = _cast_alike(theirs, mine)
    after, before = theirs.gather(pairs.of_masked), mine.gather(pairs.of_original)
    known = before.is_not_null()
    compared = int(known.sum())
    chance = _by_chance(before.filter(known), after.filter(known)) if compared else 0.0
    if not compared or (unlike and not chance):
        if named:
            raise _nothing_compared_error(column, compared)
        return None
    same = (before == after).fill_null(value=False).to_numpy()
    per_record = np.zeros(pairs.masked.size)
    per_record[pairs.of_masked] = same
    return Result(
        name="same values",
        id="same_values",
        column=column,
        value=float(same.sum()) / compared,
        worse="high",
        about="attribute",
        facts={"baseline": chance} | _comparison_facts(pairs, column, known=known, shown=after.is_not_null()),
        per_record=PerRecord(array=per_record, rows_of="release"),
    )


def _comparison_facts(pairs: Pairs, column: str, *, known: pl.Series, shown: pl.Series) -> dict[str, object]:
    """At which level, and who was compared and who was not; a value hidden in the release counts as changed."""
    level = max(pairs.masked.levels.get(column, 0), pairs.original.levels.get(column, 0))
    compared, hidden = int(known.sum()), int((known & ~shown).sum())
    invented = pairs.masked.size - len(pairs.of_masked)
    facts: dict[str, object] = {"level": level} if level else {}
    facts["records compared"] = compared
    facts |= {"of them hidden in the release": hidden} if hidden else {}
    facts |= {"left out, original value missing": len(known) - compared} if compared < len(known) else {}
    return facts | ({"left out, invented records": invented} if invented else {})


def _nothing_compared_error(column: str, compared: int) -> TacitError:
    if not compared:
        return TacitError(
            "has no value in any record of the original",
            code="missing_values",
            column=column,
            fix="name another column",
        )
    return TacitError(
        "holds text in one file and something else in the other, and no value of one is in the other",
        code="wrong_kind",
        column=column,
        fix="give the hierarchy by which it was recoded",
    )


def _cast_alike(theirs: pl.Series, mine: pl.Series) -> tuple[pl.Series, pl.Series]:
    if theirs.dtype == mine.dtype:
        return theirs, mine
    kind = pl.Float64 if theirs.dtype.is_numeric() and mine.dtype.is_numeric() else pl.String
    return theirs.cast(kind), mine.cast(kind)


def _by_chance(before: pl.Series, after: pl.Series) -> float:
    """The chance that the masked value of one random record is the original value of another."""
    counts = [side.alias("value").to_frame().group_by("value").len() for side in (before, after.drop_nulls())]
    both = counts[0].join(counts[1], on="value")
    products = both.select(pl.col("len").cast(pl.Float64) * pl.col("len_right").cast(pl.Float64)).to_series()
    return float(np.sort(products.to_numpy()).sum()) / len(before) ** 2
