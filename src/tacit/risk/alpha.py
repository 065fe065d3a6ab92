"""α: how sure an intruder can be of a confidential value who finds the class."""

from __future__ import annotations

from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    needs=("confidential",),
)
def alpha(release: Release | Masked) -> Results:
    r"""The largest share that one confidential value has in a class, for each confidential column.

    .. math:: \alpha = \max_C \max_v p_C(v)

    Whoever finds the class of a person and guesses its most frequent value is right with this chance in the worst class.
    Missing values count as in :func:`l_diversity`. ``per_record`` is the largest share in the record's class. Beside k it
    is what (α, k)-anonymity bounds.

    Attribute disclosure, a Boolean model. Time O(n) per column after the classes; group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N1", "N1"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> alpha(Release(table, quasi="zip", confidential="ill"))["ill"].value
    0.75

    References
    ----------
    Wong, Li, Fu, Wang (2006), (α, k)-anonymity, KDD, 754–759.
    """
    release = release_of(release)
    return Results(tuple(_measure_column(release, column) for column in release.confidential))


def _measure_column(release: Release, column: str) -> Result:
    largest = release.matches_beside(column).spread(column, "largest")
    sure = largest.above(1.0 - 1e-9)
    return Result(
        name="alpha",
        column=column,
        value=largest.largest,
        worse="high",
        about="attribute",
        kind="model",
        facts={"classes with one value": sure.classes, "records in them": sure.records},
        per_record=largest.per_record(),
    )
