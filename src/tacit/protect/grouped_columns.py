"""Columns in groups, each group microaggregated with a k of its own: the set-ups of published experiments, for any file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..release.masked import release_of
from .mdav import Mdav
from .pipeline import Pipeline

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


SETUPS = {
    "M4-33": ((2, 3), (2, 3)),
    "M4-28": ((2, 2), (2, 8)),
    "M4-82": ((2, 8), (2, 2)),
    "M5-38": ((3, 3), (2, 8)),
    "M6-385": ((2, 3), (2, 8), (2, 5)),
    "M6-853": ((2, 8), (2, 5), (2, 3)),
}
"""Name → how many columns each group has, and its k."""
APART = ("identifier", "weight", "household")
"""Roles of columns that are no amounts of a person, numbers though they may be."""


def grouped_columns(groups: Sequence[tuple[str | Sequence[str], int]], *, standardise: bool = True) -> Pipeline:
    """Microaggregate each group of columns by itself, at least k records alike in it: one :class:`Mdav` a group.

    Columns of different groups are not grouped together, so that k records alike in each group need not be alike in all:
    who knows columns of several groups finds people. That is what these set-ups are studied for; to protect,
    take all quasi-identifiers in one group. Cost: that of :class:`Mdav` for each group.

    >>> two = grouped_columns([(["pay", "tax"], 3), ("age", 5)])
    >>> [(step.columns, step.k) for step in two.steps]
    [(('pay', 'tax'), 3), (('age',), 5)]
    """
    if not isinstance(groups, list | tuple) or not all(
        isinstance(one, list | tuple) and len(one) == 2 for one in groups
    ):
        raise TacitError(
            f"groups={format_value(groups)} are no groups of columns, each with its k",
            code="wrong_type",
            parameter="groups",
            fix="e.g. groups=[(['income', 'tax'], 3), (['age', 'rent'], 8)]",
        )
    steps = [Mdav(columns=columns, k=k, standardise=standardise) for columns, k in groups]
    check_columns([column for step in steps for column in step.columns])
    return Pipeline(steps=steps)


def published_setup(
    release: Release | Masked, *, name: str, columns: Sequence[str] | None = None, standardise: bool = False
) -> Pipeline:
    """The masking of a published experiment with learned distances, for the columns of any file.

    The six files of the experiment are called M4-33, M4-28, M4-82, M5-38, M6-385 and M6-853: so many columns in groups
    of two (M5: three and two), microaggregated by MDAV with the k of each group after the dash, in that order. M5-38 has
    three columns with k = 3 and two with k = 8. ``columns`` are taken in the order given; without them, the first
    amounts of the file in its own order are. Distances are those of the raw values unless ``standardise``: so the
    published levels of re-identification come out (see the study of learned distances), and not otherwise.

    It is made to measure attacks, not to protect: see :func:`grouped_columns`. The file needs 2k records for the largest
    k, or a group would be the whole file. Cost O(columns); masking is O(n²/k) for each group.

    >>> import numpy as np
    >>> import polars as pl
    >>> from tacit import Release
    >>> draws = np.random.default_rng(7).lognormal(size=(40, 4))
    >>> r = Release(pl.DataFrame(draws, schema=["pay", "tax", "rent", "debt"]))
    >>> setup = published_setup(r, name="M4-28")
    >>> [(step.columns, step.k) for step in setup.steps]
    [(('pay', 'tax'), 2), (('rent', 'debt'), 8)]
    >>> r.protect(setup).to_native()["debt"].n_unique()
    5

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), Improving record linkage with supervised learning for disclosure risk
    assessment, Information Fusion 13, 274–284.
    """
    release = release_of(release)
    if name not in SETUPS:
        raise TacitError(
            f"name={format_value(name)} is no published set-up",
            code="wrong_type",
            parameter="name",
            fix=suggest_alternative(str(name), SETUPS),
        )
    groups = SETUPS[name]
    chosen = _setup_columns(release, name, columns)
    most = max(k for _, k in groups)
    if release.size < 2 * most:
        raise TacitError(
            f"{name} has groups of {most} records, and the file has {release.size} records in all",
            code="invalid_parameter",
            fix=f"use a file of {2 * most} records at least",
        )
    ends = list(accumulate(size for size, _ in groups))
    taken = [(chosen[end - size : end], k) for end, (size, k) in zip(ends, groups, strict=True)]
    return grouped_columns(taken, standardise=standardise)


def _setup_columns(release: Release, name: str, columns: Sequence[str] | None) -> tuple[str, ...]:
    """As many as the set-up has: as given, else the first amounts of the file."""
    wanted = sum(size for size, _ in SETUPS[name])
    if columns is not None:
        found = check_columns(columns, release.columns)
        if len(found) != wanted:
            raise TacitError(
                f"{name} has {wanted} columns, and {len(found)} are named",
                code="invalid_parameter",
                fix=f"name {wanted} numeric columns",
            )
        return found
    amounts = [column for column, kind in release.kinds.items() if kind == "continuous"]
    found = tuple(column for column in amounts if release.roles.get(column) not in APART)
    if len(found) < wanted:
        raise TacitError(
            f"{name} has {wanted} numeric columns, and the file has {len(found)}",
            code="invalid_parameter",
            fix="take a set-up with fewer columns, or say of whole numbers with few values that they are amounts: "
            "kinds={'visits': 'continuous'}",
        )
    return found[:wanted]
