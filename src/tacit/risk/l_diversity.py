"""ℓ-diversity: how many confidential values each class leaves open."""

from __future__ import annotations

from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results

__all__ = ["l_diversity"]


def l_diversity(release: Release | Masked) -> Results:
    r"""The smallest number of different confidential values in a class, for each confidential column.

    .. math:: \ell = \min_C |\{s_j : j \in C\}|

    With ℓ = 1 everybody in some class has the same value, which is then known without knowing who is who. A missing
    value is a category under ``missing="own"`` and counts for none under ``"any"``. ``per_record`` is the ℓ of the
    record's class.

    Attribute disclosure, a Boolean model (D-03). Time O(n) per column after the classes; two group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> l_diversity(Release(table, quasi="zip", confidential="ill"))["ill"].value
    1

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), ℓ-diversity, ACM TKDD 1(1), 3.
    """
    plain = release_of(release)
    return Results(tuple(_of(plain, column) for column in plain.confidential))


def _of(release: Release, column: str) -> Result:
    distinct = release.matches().distinct(column)
    one = distinct.below(2)
    return Result(
        name="distinct l-diversity",
        column=column,
        value=distinct.smallest,
        worse="low",
        about="attribute",
        kind="model",
        facts={
            "classes with one value": one.classes,
            "records in them": one.records,
            "values": release.distinct(column),
        },
        per_record=distinct.per_record(),
    )
