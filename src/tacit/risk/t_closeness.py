"""t-closeness: how much the class of a person tells about its confidential value."""

from __future__ import annotations

from typing import Literal

from ..errors import TacitError
from ..release.kinds import ORDERED
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results

__all__ = ["t_closeness"]


def t_closeness(release: Release | Masked, *, form: Literal["variational", "ordered"] | None = None) -> Results:
    r"""The largest distance between a class's distribution p and that of the whole file q, for each confidential column.

    .. math:: t_{variational} = \max_C \tfrac12 \sum_v |p_v - q_v|, \qquad
              t_{ordered} = \max_C \tfrac{1}{m-1} \sum_{i=1}^{m-1} \Bigl|\sum_{v \le i} (p_v - q_v)\Bigr|

    The first is the earth mover's distance with equal distances between the m values, the second with distances by
    order. Unless ``form`` says otherwise, columns whose values have an order (continuous, ordinal, date) get the second.
    Closeness is to the OVERALL distribution, not to the uniform one; the largest difference on one value, which some
    lectures take instead, equals the variational distance only up to three values (D-04). Equal distance does not stop similarity attacks. Under
    ``missing="any"`` p and q are over the known values. ``per_record`` is the distance of the record's class.

    Attribute disclosure, a Boolean model (D-04). Time O(n) per column (ordered: O(n log n)) after the classes.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> t_closeness(Release(table, quasi="zip", confidential="ill"))["ill"].value
    0.25

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """
    if form not in ("variational", "ordered", None):
        raise TacitError(f"form={form!r} of t-closeness is unknown", fix="use form='variational' or form='ordered'")
    plain = release_of(release)
    return Results(tuple(_of(plain, column, form) for column in plain.confidential))


def _of(release: Release, column: str, form: Literal["variational", "ordered"] | None) -> Result:
    chosen = form or ("ordered" if release.kind(column) in ORDERED else "variational")
    distance = release.matches().distance(column, chosen)
    return Result(
        name=f"{chosen} t-closeness",
        column=column,
        value=distance.largest,
        worse="high",
        about="attribute",
        kind="model",
        facts={"distance": chosen, "values": release.distinct(column)},
        per_record=distance.per_record(),
    )
