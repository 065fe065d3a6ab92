"""The parameters that all generators of synthetic records share: what is made anew, for whom, and what must hold.

``columns``
    None: a *full* synthesis, every column but identifiers, which are left out, of records that are nobody's. Names: a
    *partial* synthesis of these columns, given the others, which stay with the records that they belong to.
``rows``
    How many records a full synthesis makes; None: as many as there are.
``where``
    Column → values: a partial synthesis of the records that have them, learnt from these records alone (Reiter 2003:
    whoever is chosen may differ from the others), which leaves all other records as they are.
``totals``, ``bounds``
    As in other methods: totals are computed from their new parts, values beyond the bounds are cut off.
``fewest``
    What fewer people hold is not learnt: rare categories are merged, the ends of amounts and dates cut off
    (:mod:`tacit.protect._synthetic.assembly`). 1 learns everything, also the one highest value. Exact moments have no such parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...errors import TacitError, check_columns, check_int
from .._bounds import Bounds, check_bounds, checked_bounds
from .._checks import refuse_empty
from .._totals import check_totals, checked_totals
from ..parameters import column_names
from .row_selection import Where, checked_where, chosen_rows

if TYPE_CHECKING:
    from ...release.release import Release


KEYS = 20
"""A column of categories that all differ, and are so many, names the records."""


class Synthesis(Protocol):
    """A method with the shared parameters."""

    @property
    def columns(self) -> str | Sequence[str] | None:
        """What is made anew; None in a full synthesis."""

    @property
    def rows(self) -> int | None:
        """How many records a full synthesis makes."""

    @property
    def where(self) -> Where:
        """Which records get new values."""

    @property
    def totals(self) -> Mapping[str, Sequence[str]]:
        """Total → its parts."""

    @property
    def bounds(self) -> Bounds:
        """Column → lowest and highest value."""


@dataclass(frozen=True, eq=False)
class SynthesisTargets:
    """What is made anew in a release: ``targets`` of the records ``rows``, beside ``given``, columns that they keep."""

    full: bool
    targets: tuple[str, ...]
    given: tuple[str, ...]
    rows: np.ndarray
    count: int


def settle_params(method: Synthesis) -> None:
    """Check the shared parameters as typed, and keep them as values; for ``__post_init__``."""
    columns = None if method.columns is None else column_names(method.columns)
    where = checked_where(method.where, columns)
    if method.rows is not None:
        check_int("rows", method.rows, least=1)
        if columns is not None or where:
            raise TacitError(
                f"rows={method.rows} is for records that are nobody's, and the partial synthesis keeps those there are",
                code="conflicting_parameters",
                parameter="rows",
                fix="leave rows out, or columns and where",
            )
    if hasattr(method, "fewest"):
        check_int("fewest", method.fewest, least=1)
    free = _parts_of_totals(method.totals) if columns is None else columns
    totals = checked_totals(method.totals, free)
    for total, parts in totals.items():
        nested = next((part for part in parts if part in totals), None)
        if nested is not None:
            raise TacitError(
                "is a total, and a part of another",
                code="unsuitable_column",
                column=nested,
                fix=f"name its parts in {total!r} instead",
            )
    bounds = checked_bounds(method.bounds, tuple(method.bounds) if columns is None else columns)
    for column in bounds:
        if column in totals:
            raise TacitError(
                "is a total with bounds of its own",
                code="unsuitable_column",
                column=column,
                fix="bound its parts: it follows them",
            )
    made = {"columns": columns, "where": where, "totals": totals, "bounds": bounds}
    for name, value in made.items():
        object.__setattr__(method, name, value)


def _parts_of_totals(totals: object) -> tuple[str, ...]:
    """Without named columns every part of a total is made anew."""
    if not isinstance(totals, Mapping):
        return ()
    named = (part for parts in totals.values() if isinstance(parts, list | tuple) for part in parts)
    return tuple(part for part in named if part not in totals)


def resolve_targets(method: Synthesis, release: Release) -> SynthesisTargets:
    """What the method makes anew in this release; refuses what cannot be learnt or does not hold in the data. O(n)."""
    refuse_empty(release)
    full = method.columns is None and not method.where
    said = [*(method.columns or ()), *method.where, *method.totals, *method.bounds]
    check_columns(dict.fromkeys(said), release.columns)
    usable = [column for column in release.columns if column not in (*release.identifiers, release.household)]
    for column in said:
        if column not in usable:
            raise TacitError(
                f"is the {release.roles[column]}, which says who somebody is and has no distribution to learn",
                code="unsuitable_column",
                column=column,
                fix="leave it out: identifiers are dropped, households are kept together",
            )
    left = [column for column in usable if column not in (*method.totals, *method.where)]
    targets = tuple(left) if method.columns is None else tuple(method.columns)
    if not targets:
        raise TacitError("there is no column to make anew", code="no_usable_column", fix="name some in columns")
    for column in targets:
        _checked_target(release, column, named=method.columns is not None)
    check_totals(release, method.totals)
    for column in method.bounds:
        if release.types[column] in ("text", "boolean"):
            raise TacitError(
                f"holds {release.types[column]}, which has no bounds",
                code="wrong_kind",
                column=column,
                fix="leave it out of bounds",
            )
    check_bounds(release, method.bounds)
    rows = chosen_rows(release, method.where)
    if len(rows) < 2:
        raise TacitError(
            f"{len(rows)} record is to be learnt from: a distribution is of several",
            code="invalid_parameter",
            fix="choose more records with where" if method.where else "give a release with more records",
        )
    given = tuple(
        column for column in usable if column not in (*targets, *method.totals) and not _names_records(release, column)
    )
    return SynthesisTargets(full, targets, () if full else given, rows, method.rows or len(rows))


def _checked_target(release: Release, column: str, *, named: bool) -> None:
    distinct = release.distinct(column)
    if named and distinct < 2:
        raise TacitError(
            "has one value only, which would come back" if distinct else "has no value at all to learn from",
            code="missing_values",
            column=column,
            fix="leave it out of the columns",
        )
    if _names_records(release, column):
        raise TacitError(
            "has another category in every record: a new record would have somebody's",
            code="unsuitable_column",
            column=column,
            fix="declare it an identifier, generalise it first, or leave it out of the columns",
        )


def _names_records(release: Release, column: str) -> bool:
    """Whether the column has categories, and each of them once."""
    if release.types[column] not in ("text", "integer") or release.kinds.get(column) in (
        "continuous",
        "ordinal",
        "date",
    ):
        return False
    distinct = release.distinct(column)
    return distinct >= KEYS and distinct == int(release.valid(column).sum())
