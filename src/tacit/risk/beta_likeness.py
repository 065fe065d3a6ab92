"""β-likeness: by how much a confidential value becomes more likely when the class is known."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ..errors import TacitError, format_value, suggest_alternative
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results

Likeness: TypeAlias = Literal["basic", "enhanced"]


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    needs=("confidential",),
)
def beta_likeness(release: Release | Masked, *, form: Likeness = "basic") -> Results:
    r"""The largest relative gain of a confidential value's share in a class, for each confidential column.

    .. math:: \beta = \max_C \max_v \frac{p_C(v) - q(v)}{q(v)}

    With β = 1 some value is twice as frequent in a class as in the whole file. ``form="enhanced"`` also asks that no gain is
    above :math:`-\ln q(v)`; where one is, no β would do: the value is the same largest gain, which is finite, and
    ``facts`` count the classes and records that fail so. Missing values count as in :func:`l_diversity`. ``per_record`` is
    the largest gain in the record's class.

    Attribute disclosure, a Boolean model. Time O(n) per column after the classes; group-bys on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> beta_likeness(Release(table, quasi="zip", confidential="ill"))["ill"].value
    1.0

    References
    ----------
    Cao, Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 1388–1399.
    """
    checked_likeness(form)
    plain = release_of(release)
    return Results(tuple(_measure_column(plain, column, form) for column in plain.confidential))


def checked_likeness(form: object) -> None:
    """Refuse an unknown form."""
    if form not in get_args(Likeness):
        raise TacitError(
            f"form={format_value(form)} of beta-likeness is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), get_args(Likeness)),
        )


def _measure_column(release: Release, column: str, form: Likeness) -> Result:
    gain = release.matches_beside(column).spread(column, "gain")
    facts = {}
    if form == "enhanced":
        beyond = release.matches_beside(column).spread(column, "enhanced").above(1e300)
        facts = {"classes with a gain above -ln q": beyond.classes, "records in them": beyond.records}
    return Result(
        name=f"{form} beta-likeness",
        column=column,
        value=gain.largest,
        worse="high",
        about="attribute",
        kind="model",
        facts=facts,
        per_record=gain.per_record(),
    )
