"""p-sensitivity: the fewest different values of any confidential column in a class."""

from __future__ import annotations

from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results


@describe(
    tags=Tags(about="identity and attribute", kind="measure", shown="proven"),
    needs=("confidential",),
)
def p_sensitivity(release: Release | Masked) -> Result:
    r"""The smallest number of different values in a class, over all confidential columns, beside k.

    .. math:: p = \min_s \min_C |\{s_j : j \in C\}|

    A release with this p and the k of ``facts`` is p-sensitive k-anonymous. ``facts`` name the column that decides, and
    ``per_record`` is its number in the record's class. Missing values count as in :func:`l_diversity`.

    Attribute disclosure, a Boolean model. Time O(n) per column after the classes; group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N1"], "ill": ["flu", "acne", "flu"]})
    >>> print(p_sensitivity(Release(table, quasi="zip", confidential="ill")))
    p-sensitivity    2
    k                3
    deciding column  ill

    References
    ----------
    Truta, Vinay (2006), Privacy protection: p-sensitive k-anonymity property, ICDE Workshops.
    """
    release = release_of(release)
    found = Results(
        tuple(
            Result(
                name="p-sensitivity",
                column=column,
                value=numbers.smallest,
                worse="low",
                about="attribute",
                kind="model",
                per_record=numbers.per_record(),
            )
            for column in release.confidential
            for numbers in (release.matches_beside(column).spread(column, "distinct"),)
        )
    ).worst
    return Result(
        name=found.name,
        value=found.value,
        worse="low",
        about="attribute",
        kind="model",
        facts={"k": release.matches().size().smallest, "deciding column": found.column},
        per_record=found.per_record,
    )
