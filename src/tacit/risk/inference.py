"""Inference from a class: what an outsider, or members of the class who put their knowledge together, learn for sure."""

from __future__ import annotations

from ..errors import check_int
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    example={"coalition": 1},
    needs=("confidential",),
)
def inference(release: Release | Masked, *, coalition: int = 1) -> Results:
    r"""The share of records in classes whose members can be made out by a coalition, for each confidential column.

    .. math:: \frac1n \sum_{C:\, |C| - r_1(C) \le c} |C|

    :math:`r_1` is how often the most frequent value of the class occurs. The external attack (c = 0), homogeneity:
    everybody in the class shares the value, so that whoever finds the class knows it. The internal attack: members
    subtract their own values; if those who do not have the most frequent value, :math:`|C| - r_1` of them, are in the
    coalition, they know the value of all others. ``coalition`` is how many may collude: with 1, any single member.
    ``facts`` count the classes and records that are open to an outsider, and to the coalition, and (where missing values
    are a category) the values that it learns. Missing values count as in :func:`l_diversity`; under ``missing="any"`` a class
    without any known value discloses none and is not open. ``per_record`` is how many members of the record's class must
    collude, 0 where the class is homogeneous or has no known value.

    Attribute disclosure, measured. Time O(n) per column after the classes; group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2", "N2"], "ill": ["flu", "flu", "flu", "flu", "acne"]})
    >>> print(inference(Release(table, quasi="zip", confidential="ill")))
    inference of ill                  1
    classes open to an outsider       1
    records open to an outsider       2
    classes open to a coalition of 1  2
    records open to a coalition of 1  5
    values that it learns             4

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley.
    """
    check_int("coalition", coalition, least=0)
    plain = release_of(release)
    return Results(tuple(_measure_column(plain, column, coalition) for column in plain.confidential))


def _measure_column(release: Release, column: str, coalition: int) -> Result:
    classes = release.matches_beside(column)
    others = classes.spread(column, "others")
    silent = classes.spread(column, "distinct").below(1)  # no value is known of them: none is learnt
    outside, inside = others.below(1), others.below(coalition + 1)
    facts = {
        "classes open to an outsider": outside.classes - silent.classes,
        "records open to an outsider": outside.records - silent.records,
        f"classes open to a coalition of {coalition}": inside.classes - silent.classes,
        f"records open to a coalition of {coalition}": inside.records - silent.records,
    }
    if release.missing != "any":
        learnt = (part.records - need * part.classes for need, part in others.tally().items() if need <= coalition)
        facts["values that it learns"] = int(sum(learnt))
    return Result(
        name="inference",
        column=column,
        value=(inside.records - silent.records) / release.size,
        worse="high",
        about="attribute",
        facts=facts,
        per_record=others.per_record(),
    )
