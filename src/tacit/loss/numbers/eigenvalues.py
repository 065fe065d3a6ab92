"""Eigen-structure: what a masked file still says about the few directions in which the numbers vary together."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, degrees
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...registry import Tags, describe
from ...result import Result, Results
from .standardised import drop_rounding, numbers_apart, pairwise_covariance

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


LEADING = 0.8
"""The share of the variance that the leading components hold."""
ZERO = 1e-9
"""An eigenvalue below this, of a correlation matrix, is 0 but for rounding: a column is a sum of others."""


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def eigenvalues(release: Release | Masked, *, original: Release, lineage: np.ndarray | None = None) -> Results:  # noqa: ARG001
    r"""The change of the correlation matrix's eigenvalues and of the directions of its leading components.

    .. math:: \frac12 \left(\frac{\sum_i |\lambda'_i - \lambda_i|}{\sum_i |\lambda'_i| + |\lambda_i|}
              + 1 - \frac{\operatorname{tr} V_q'^T R V'_q}{\lambda_1 + \dots + \lambda_q}\right)

    The first half says how differently the variance is spread over the components. The second is the share of the
    variance held by the original's q leading components (the fewest with 80 % of it, not all) that those of the masked
    file miss when they are used on the original: 0 when they span the same space. Both are in [0, 1]. Facts: the halves,
    and the largest angle between the two spaces in degrees; where :math:`\lambda_q` and :math:`\lambda_{q+1}` are close,
    the angle is large after the slightest change, and the share, which counts, is not.

    The fact *relative changes* is :math:`\sum_i |\lambda'_i - \lambda_i| / \lambda_i` over the eigenvalues that are not
    0, for comparison with the figure that sdcMicro calls eigen, whose manual says no more than that eigenvalues are
    compared. It is told to be 0.263, −1.113 and 4.177 for Census in groups of 3, 5 and 10, and these digits cannot be
    met: a column that is the sum of others (in Census, PTOTVAL) has a last eigenvalue of 0, and its relative change is
    rounding error divided by rounding error, of any size and sign; the other twelve sum to 2.388, 3.275 and 4.360. Even
    so mended, an eigenvalue of 0.01 counts as much as one of 10, and there is no upper bound.

    Each file is summed up by itself, so no records are paired; each correlation over the records that have both values.
    A column that is constant in the original is left out; one that is constant only in the masked file, or of which it
    has no numbers, has no variance.

    Utility, measured. O(n · m² + m³) time, O(n · m) memory for m columns.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0], "tax": [1.0, 2.0, 3.0, 4.0]}))
    >>> m = Release(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0], "tax": [4.0, 3.0, 2.0, 1.0]}))
    >>> print(eigenvalues(m, original=r)[0])
    eigen-structure   0.5
    eigenvalues       0
    directions        1
    largest angle     90
    components        1
    columns           2
    relative changes  0

    References
    ----------
    Templ and Meindl (2008), Robust statistics meets SDC: new disclosure risk measures for continuous microdata masking,
    PSD, LNCS 5262, 113–126.
    """
    numbers = numbers_apart(release, original)
    if len(numbers.columns) < 2:
        raise TacitError(
            "only one column holds varying numbers",
            code="no_usable_column",
            fix="measure covariances or moments instead",
        )
    before, after = _Components.of(numbers.before), _Components.of(numbers.after)
    total = float(np.abs(before.values).sum() + np.abs(after.values).sum())
    spread = drop_rounding(float(np.abs(after.values - before.values).sum()) / total)
    leading = before.leading_count()
    missed, angle = _rotation_loss(before, after, leading)
    facts = {
        "eigenvalues": spread,
        "directions": missed,
        "largest angle": angle,
        "components": leading,
        "columns": len(numbers.columns),
        "relative changes": _relative_change(before.values, after.values),
    }
    value = (spread + missed) / 2
    return Results((Result(name="eigen-structure", value=value, worse="high", about="utility", facts=facts),))


@dataclass(frozen=True, slots=True, eq=False)
class _Components:
    """Eigenvalues, largest first, and their vectors as columns."""

    values: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, numbers: np.ndarray) -> _Components:
        covariance = pairwise_covariance(numbers)
        deviations = np.sqrt(np.diag(covariance))
        scale = np.where(deviations > 0, deviations, np.inf)
        values, vectors = np.linalg.eigh(covariance / scale / scale[:, None])
        return cls(values[::-1], vectors[:, ::-1])

    def leading_count(self) -> int:
        """The fewest components that hold most of the variance, but never all."""
        enough = np.cumsum(self.values) >= LEADING * self.values.sum() - ZERO
        return min(int(enough.argmax()) + 1, len(self.values) - 1)


def _rotation_loss(before: _Components, after: _Components, leading: int) -> tuple[float, float]:
    """The share of the variance that the new leading components miss, and the largest angle between old and new."""
    if not after.values.any():
        return 1.0, 90.0
    turn = before.vectors.T @ after.vectors[:, :leading]
    caught = float((before.values[:, None] * turn**2).sum() / before.values[:leading].sum())
    sine = float(np.linalg.norm(turn[leading:], 2))
    return min(1.0, drop_rounding(1.0 - caught)), degrees(asin(min(1.0, drop_rounding(sine))))


def _relative_change(before: np.ndarray, after: np.ndarray) -> float:
    varied = before > ZERO
    return drop_rounding(float((np.abs(after[varied] - before[varied]) / before[varied]).sum()))
