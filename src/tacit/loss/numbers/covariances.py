"""Covariances: what a masked file still says about how the numbers vary, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...registry import Tags, describe
from ...result import Result, Results
from .standardised import drop_rounding, numbers_apart, pairwise_covariance

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def covariances(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:  # noqa: ARG001
    r"""The relative change of the covariance matrix, and of each column's row of it.

    .. math:: \frac{\lVert \Sigma' - \Sigma \rVert_F}{\lVert \Sigma \rVert_F}

    Both matrices are of the columns divided by the *original's* standard deviations, so that no unit of measurement
    counts and a lost variance shows. 0 when nothing is changed, 1 when every column is constant; noise can take it
    above 1. The result of a column is the same ratio of its row alone, with its variance ratio as a fact.

    Each file is summed up by itself, so no records are paired; each entry over the records that have both values.
    A column that is constant in the original is left out; one that the masked file has no numbers of counts as constant.

    Utility, measured. O(n · m²) time, O(n · m) memory for m columns.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 3.0], [1.5, 2.0, 2.5]))
    >>> covariances(m, original=r)["pay"].value
    0.75

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata, in Doyle et al.,
    Confidentiality, Disclosure and Data Access, 91–110.
    """
    numbers = numbers_apart(release, original)
    before, after = pairwise_covariance(numbers.before), pairwise_covariance(numbers.after)
    size = len(numbers.columns)
    facts = {"columns": size, "entries": size * (size + 1) // 2}
    whole = Result(
        name="covariances", value=_norm_ratio(after - before, before), worse="high", about="utility", facts=facts
    )
    return Results((whole, *(_column_result(column, at, before, after) for at, column in enumerate(numbers.columns))))


def _column_result(column: str, at: int, before: np.ndarray, after: np.ndarray) -> Result:
    return Result(
        name="covariances",
        column=column,
        value=_norm_ratio(after[at] - before[at], before[at]),
        worse="high",
        about="utility",
        facts={"variance ratio": float(after[at, at] / before[at, at])},
    )


def _norm_ratio(change: np.ndarray, of: np.ndarray) -> float:
    return drop_rounding(float(np.linalg.norm(change) / np.linalg.norm(of)))
