"""The published methods: groups of records by their numbers, and means that are not rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns
from ...progress import report_progress
from ...release.kinds import ORDERED
from ...release.masked import Masked
from ...release.trace import Finding, Trace, method_name
from .._numbers import numeric_matrix
from .._units import masking_units
from ..parameters import drop_metadata, make_rng
from .centres import group_means
from .group_values import size_findings
from .grouping import too_few

if TYPE_CHECKING:
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed
    from .._units import Units


Divide: TypeAlias = Callable[[np.ndarray], np.ndarray]
"""Values, a row for each record, in their units → the group of each."""


def mask_by_means(
    method: object, release: Release, divide: Divide, *, k: int, seed: Seed | None, progress: Progress | None
) -> Masked:
    """The release with means of groups in the method's columns, and the trace of it.

    Records with a missing value are left as they are, and columns that are equal within every household are grouped by
    household. Records are put in the order of their values first.
    """
    columns = check_columns(method.columns, release.columns)  # type: ignore[attr-defined]
    for column in columns:
        _check_numeric(release, column)
    step = method_name(method)
    report_progress(progress, step, 0.0)
    rng = None if seed is None else make_rng(method, seed)
    changes: dict[str, pl.Series] = {}
    sizes: list[np.ndarray] = []
    shared: list[str] = []
    left_out = np.zeros(release.size, dtype=bool)
    for of in masking_units(release, columns):
        values, group, lacks = _average_units(release, of, divide, k, rng)
        changes |= {
            column: pl.Series(column, new[of.of_row]).fill_nan(None)
            for column, new in zip(of.columns, values.T, strict=True)
        }
        sizes.append(np.bincount(group))
        left_out |= lacks[of.of_row]
        shared += of.columns if of.by_household else ()
    report_progress(progress, step, 1.0)
    outcome = size_findings(np.concatenate(sizes), left_out)
    if shared:
        outcome["by_household"] = Finding(list(shared), publishable=True)
    made = drop_metadata(release.with_columns(changes), columns, hierarchies=False)
    return Masked(made, (Trace.of(method, **outcome),))


def _average_units(
    release: Release, of: Units, divide: Divide, k: int, rng: np.random.Generator | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The new values of the units (NaN where missing), the groups, and which units are left out."""
    values = numeric_matrix(release, of.columns)[of.first]
    lacks = np.isnan(values).any(axis=1)
    known = np.flatnonzero(~lacks)
    if len(known) < k:
        raise too_few(len(known), k, of.columns, by_household=of.by_household)
    known = known if rng is None else rng.permutation(known)
    known = known[np.lexsort(values[known].T[::-1])]
    group = divide(values[known])
    for place in range(len(of.columns)):
        values[known, place] = group_means(values[known, place], group)[group]
    return values, group, lacks


def _check_numeric(release: Release, column: str) -> None:
    if release.types[column] not in ("integer", "number"):
        raise TacitError(
            f"holds {release.types[column]}, which has no mean",
            code="wrong_kind",
            column=column,
            fix="leave it out of the columns, or use microaggregate, which takes columns of any kind",
        )
    if release.kind(column) not in ORDERED:
        raise TacitError(
            f"is {release.kind(column)}: the mean of codes means nothing",
            code="conflicting_parameters",
            column=column,
            fix="leave it out of the columns, or use microaggregate, which shows the mode",
        )
