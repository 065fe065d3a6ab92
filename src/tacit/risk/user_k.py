"""How many people share the same terms: k-anonymity of people in a list of events."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..per_record import PerRecord
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result

Form: TypeAlias = Literal["multiset", "set", "sequence"]
"""As what the terms of a person are compared: with their numbers, without, or in their order."""


def user_k(
    release: Release | Masked, *, person: str, column: str, form: Form = "multiset", order: str | None = None
) -> Result:
    r"""The smallest number of people whose terms are the same, in a list of events (search logs, baskets, documents).

    .. math:: k = \min_u |\{w : T_w = T_u\}|

    with the terms :math:`T_u` of person u as a ``multiset``, a ``set``, or a ``sequence`` in the order of the column
    ``order``. An intruder who knows all terms of a person singles that one out with chance 1/f in a group of f; who
    knows some of them does no better when k is large, but much better than guessing when it is 1 (see
    :func:`~tacit.risk.unicity` with ``points``). A missing term is a term of its own. ``per_record`` is the number of
    people with the same terms, for each event.

    It speaks of people in events, which no role names; so it is called by name and is in no audit. Identity disclosure,
    a Boolean model. O(n log n) time, O(n) memory.

    >>> import polars as pl
    >>> log = pl.DataFrame({"who": [1, 1, 2, 2, 3], "term": ["flu", "bus", "bus", "flu", "flu"]})
    >>> print(user_k(Release(log), person="who", column="term"))
    user k of term  1
    people          3
    different       2
    unique people   1
    """
    release = release_of(release)
    if form not in get_args(Form):
        raise TacitError(
            f"form={format_value(form)} is unknown",
            code="unknown_name",
            parameter="form",
            fix=suggest_alternative(str(form), get_args(Form)),
        )
    if (form == "sequence") != (order is not None):
        raise TacitError(
            "a sequence needs the column of its order, and only a sequence has one",
            code="missing_parameter",
            fix="e.g. form='sequence', order='time'",
        )
    check_columns([person, column, *filter(None, [order])], release.columns)
    who = release.codes(person)
    if not release.size or who.has_missing:
        raise TacitError(
            "is missing in some rows" if release.size else "has no rows",
            code="missing_values",
            column=person,
            fix="remove the rows without a person; each event belongs to one",
        )
    within = release.codes(order or column).codes
    table = pl.DataFrame({"who": who.codes, "term": release.codes(column).codes, "at": within})
    if form == "set":
        table = table.unique()
    # a text of the codes is the same for the same terms and for no others
    lists = (
        table.sort("who", "at", "term")
        .group_by("who", maintain_order=True)
        .agg(pl.col("term").cast(pl.String).str.join(","))
    )
    _, of_person, sizes = np.unique(lists["term"].to_numpy(), return_inverse=True, return_counts=True)
    people = np.zeros(who.count, dtype=np.int64)
    people[lists["who"].to_numpy()] = sizes[of_person]
    return Result(
        name="user k",
        value=int(sizes.min()),
        worse="low",
        about="identity",
        kind="model",
        column=column,
        facts={"people": lists.height, "different": len(sizes), "unique people": int((sizes == 1).sum())},
        per_record=PerRecord(array=people[who.codes]),
    )
