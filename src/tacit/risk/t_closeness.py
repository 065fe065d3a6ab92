"""t-closeness: how much the class of a person tells about its confidential value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ..errors import TacitError, format_value, suggest_alternative
from ..registry import Tags, describe
from ..release.kinds import ORDERED
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .tree import tree_of

if TYPE_CHECKING:
    import numpy as np


Distance: TypeAlias = Literal["variational", "ordered", "hierarchical"]


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
)
def t_closeness(release: Release | Masked, *, form: Distance | None = None) -> Results:
    r"""The largest distance between a class's distribution p and that of the whole file q, for each confidential column.

    .. math:: t_{variational} = \max_C \tfrac12 \sum_v |p_v - q_v|, \qquad
              t_{ordered} = \max_C \tfrac{1}{m-1} \sum_{i=1}^{m-1} \Bigl|\sum_{v \le i} (p_v - q_v)\Bigr|

    The first is the earth mover's distance with equal distances between the m values, the second with distances by
    order. Unless ``form`` says otherwise, columns whose values have an order (continuous, ordinal, date) get the second.
    ``form="hierarchical"`` measures distances along the hierarchy of the column: two values whose lowest common node is
    h of H levels up are h/H apart, so that a class of nothing but stomach diseases is far away even if it has many of
    them. Closeness is to the OVERALL distribution, not to the uniform one; the largest difference on one value, which
    some lectures take instead, equals the variational distance only up to three values. Equal distance does not
    stop similarity attacks. ``per_record`` is the distance of the record's class.

    Under ``missing="any"`` p and q are over the known values. Under ``"own"`` missing is one more value, at distance 1 from
    every other in all three forms: it has no place in an order (m counts the known values), and in a hierarchy only the
    root is above both. The ordered form then is the earth mover's distance of that ground distance, computed exactly:
    with :math:`e = p_? - q_?` the difference of the missing shares,

    .. math:: t_{ordered} = \max_C \; |e| + \tfrac{1}{m-1} \min_{0 \le S_1 \le \dots \le S_{m-1} \le |e|}
              \sum_{i=1}^{m-1} \Bigl|S_i + \mathrm{sign}(e) \sum_{v \le i} (p_v - q_v)\Bigr|

    where S is the part of the mass that comes from, or goes to, missing. *It does not depend on the direction of the order*:
    the ground distance does not. *It is never less than with missing put elsewhere*: distances of t-closeness lie
    between 0 and 1, so no ground distance with the same distances between known values is larger for any pair, and a
    cheaper ground distance cannot make the cheapest transport dearer. It is at most the variational distance.

    Attribute disclosure, a Boolean model. Time O(n) per column (ordered: O(n log² n), hierarchical: and O(values ·
    levels) per class) after the classes. Lazy engines give the first only.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> t_closeness(Release(table, quasi="zip", confidential="ill"))["ill"].value
    0.25

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """
    checked_distance(form)
    plain = release_of(release)
    return Results(tuple(_measure_column(plain, column, form) for column in plain.confidential))


def checked_distance(form: object) -> None:
    """Refuse an unknown form."""
    if form is not None and form not in get_args(Distance):
        raise TacitError(
            f"form={format_value(form)} of t-closeness is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), get_args(Distance)),
        )


def distance_and_tree(release: Release, column: str, form: Distance | None) -> tuple[Distance, np.ndarray | None]:
    """The form that is meant for a column, and the tree of its values where distances are along one."""
    if form == "hierarchical":
        return form, tree_of(release, column)
    return form or ("ordered" if release.kind(column) in ORDERED else "variational"), None


def _measure_column(release: Release, column: str, form: Distance | None) -> Result:
    chosen, tree = distance_and_tree(release, column, form)
    distance = release.matches_beside(column).spread(column, chosen, tree=tree)
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
