"""δ-disclosure: how far the shares of confidential values in a class are from those of the file, either way."""

from __future__ import annotations

from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    needs=("confidential",),
)
def delta_disclosure(release: Release | Masked) -> Results:
    r"""The largest ratio, in bits, between a value's share in a class and in the file, for each confidential column.

    .. math:: \delta = \max_C \max_{v \in C} \Bigl|\log_2 \frac{p_C(v)}{q(v)}\Bigr|

    Over the values that the class has, which is what ARX bounds. By the definition a class that lacks a value of the file
    has an infinite δ, because it tells that nobody in it has that value: ``facts`` count these classes and their records.
    Missing values count as in :func:`l_diversity`. ``per_record`` is the δ of the record's class.

    Attribute disclosure, a Boolean model. Time O(n) per column after the classes; group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> print(delta_disclosure(Release(table, quasi="zip", confidential="ill")))
    delta-disclosure of ill           1
    classes that lack a value         1
    records in them                   2

    References
    ----------
    Brickell, Shmatikov (2008), The cost of privacy: destruction of data-mining utility in anonymized data publishing, KDD, 70–78.
    """
    release = release_of(release)
    return Results(tuple(_measure_column(release, column) for column in release.confidential))


def _measure_column(release: Release, column: str) -> Result:
    classes = release.matches_beside(column)
    ratio = classes.spread(column, "ratio")
    lacking = classes.spread(column, "ratio", 1.0).above(1e300)
    return Result(
        name="delta-disclosure",
        column=column,
        value=ratio.largest,
        worse="high",
        about="attribute",
        kind="model",
        facts={"classes that lack a value": lacking.classes, "records in them": lacking.records},
        per_record=ratio.per_record(),
    )
