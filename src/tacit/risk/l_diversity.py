"""ℓ-diversity: how many confidential values each class leaves open."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ..errors import TacitError, format_value, suggest_alternative
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results

Form: TypeAlias = Literal["distinct", "entropy", "grassberger", "recursive"]


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
)
def l_diversity(release: Release | Masked, *, form: Form = "distinct", c: float | None = None) -> Results:
    r"""The smallest number of well represented confidential values in a class, for each confidential column.

    .. math:: \ell_{distinct} = \min_C |\{s_j : j \in C\}|, \qquad \ell_{entropy} = \min_C e^{H(C)}, \quad
              H(C) = -\sum_v p_v \ln p_v

    With ℓ = 1 everybody in some class has the same value, which is then known without knowing who is who. Entropy counts
    a value less the rarer it is: ``"entropy"`` is from the shares as they are, ``"grassberger"`` from an estimate
    :math:`G(n) - \frac1n \sum_v n_v G(n_v)`, with :math:`G(n) = \psi(n) + \frac{(-1)^n}{2} (\psi(\frac{n+1}{2}) -
    \psi(\frac n2))` in place of the logarithm, that corrects for few records; it is never above the number of values.
    ``"recursive"`` is the largest ℓ with :math:`r_1 < c\,(r_\ell + r_{\ell+1} + \dots + r_m)` in every class, r being
    the counts from the most frequent value on; 0 where even ℓ = 1 fails. A missing value is a category under
    ``missing="own"`` and counts for none under ``"any"``. ``per_record`` is the ℓ of the record's class.

    Attribute disclosure, a Boolean model. Time O(n) per column after the classes; two group-bys on lazy engines,
    which do not give ``"grassberger"``.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> r = Release(table, quasi="zip", confidential="ill")
    >>> l_diversity(r)["ill"].value
    1
    >>> l_diversity(r, form="entropy")["ill"].per_record.values().round(3)
    array([2., 2., 1., 1.])

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), ℓ-diversity, ACM TKDD 1(1), 3.
    Grassberger (2003), Entropy estimates from insufficient samplings, arXiv physics/0307138.
    Stammler, Katzenbeisser, Hamacher (2016), Correcting finite sampling issues in entropy ℓ-diversity, PSD, LNCS 9867.
    """
    checked_form(form, c)
    plain = release_of(release)
    return Results(tuple(_measure_column(plain, column, form, c) for column in plain.confidential))


def checked_form(form: object, c: object) -> None:
    """Refuse an unknown form, and a c where none is needed or none is given."""
    if form not in get_args(Form):
        raise TacitError(
            f"form={format_value(form)} of l-diversity is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), get_args(Form)),
        )
    if form != "recursive":
        if c is not None:
            raise TacitError(
                f"c={format_value(c)} belongs to recursive l-diversity",
                code="conflicting_parameters",
                parameter="c",
                fix="leave it out, or use form='recursive'",
            )
        return
    if c is None:
        raise TacitError(
            "recursive l-diversity needs c",
            code="not_applicable",
            fix="e.g. c=3: the most frequent value below 3 times the rest",
        )
    if not isinstance(c, int | float) or isinstance(c, bool) or not 0 < c < float("inf"):
        raise TacitError(
            f"c={format_value(c)} is not a number above 0", code="wrong_kind", parameter="c", fix="e.g. c=3"
        )


def _measure_column(release: Release, column: str, form: Form, c: float | None) -> Result:
    classes = release.matches_beside(column)
    distinct = classes.spread(column, "distinct")
    numbers = distinct if form == "distinct" else classes.spread(column, form, float(c or 0.0))
    one = distinct.below(2)
    return Result(
        name=f"{form} l-diversity",
        column=column,
        value=numbers.smallest,
        worse="low",
        about="attribute",
        kind="model",
        facts={
            "classes with one value": one.classes,
            "records in them": one.records,
            "values": release.distinct(column),
            **({} if c is None else {"c": c}),
        },
        per_record=numbers.per_record(),
    )
