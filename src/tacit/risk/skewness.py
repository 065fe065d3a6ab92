"""Skewness: how much more likely a record's confidential value is once its class is found."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..registry import Tags, describe
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result, Results
from .class_values import class_values


@describe(
    tags=Tags(about="attribute", kind="measure", shown="proven"),
    needs=("confidential",),
)
def skewness(release: Release | Masked) -> Results:
    r"""The largest gain of the posterior of a record's own value over its prior, for each confidential column.

    .. math:: \max_r \; p_{C_r}(v_r) - q(v_r)

    q is the share of a value in the whole file, the prior of whoever knows the table's totals; p its share in the class
    of the record, the posterior once the class is found. Where 48 of 49 in a class are positive and 1 of 949 in the
    other, being positive goes from 0.049 to 0.980, although both classes are 2-diverse. ``facts`` have the posterior, the
    prior and the ratio where the difference is largest, and the same where the ratio is largest (which is that of
    :func:`beta_likeness` plus one), with the records that each is true of. ``per_record`` is the difference of each
    record: negative where the class makes its value less likely, 0 where it has none. Missing values count as in
    :func:`l_diversity`.

    Attribute disclosure, measured. Time O(n log n) per column after the classes, memory O(n); not on lazy engines.

    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> skewness(Release(table, quasi="zip", confidential="ill"))["ill"].per_record.values()
    array([-0.25,  0.25,  0.25,  0.25])

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """
    release = release_of(release)
    return Results(tuple(_measure_column(release, column) for column in release.confidential))


def record_posteriors(release: Release, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each record the prior and the posterior of its own value, and whether it has one that counts. O(n log n)."""
    cells = class_values(release, column)
    codes = release.codes(column)
    counted = cells.own >= 0
    whole = np.bincount(codes.codes[counted], minlength=codes.count)
    prior = np.where(counted, whole[codes.codes] / max(1, int(counted.sum())), 0.0)
    return prior, cells.posterior(), counted


def _measure_column(release: Release, column: str) -> Result:
    prior, posterior, counted = record_posteriors(release, column)
    gain = np.where(counted, posterior - prior, 0.0)
    ratio = np.divide(posterior, prior, out=np.zeros(len(prior)), where=counted & (prior > 0))
    widest, steepest = (_facts_at_largest(posterior, prior, by, counted) for by in (gain, ratio))
    steepest = {f"{name} at the largest ratio": fact for name, fact in steepest.items() if name != "ratio"}
    return Result(
        name="skewness",
        column=column,
        value=float(gain.max()),
        worse="high",
        about="attribute",
        facts={**widest, "largest ratio": float(ratio.max()), **steepest},
        per_record=PerRecord(array=gain),
    )


def _facts_at_largest(
    posterior: np.ndarray, prior: np.ndarray, by: np.ndarray, counted: np.ndarray
) -> dict[str, float]:
    """What is true of the records with the largest number; of several sorts, of those with the highest posterior."""
    most = counted & (by >= by.max() - 1e-12)
    after = float(posterior[most].max()) if most.any() else 0.0
    most &= posterior >= after - 1e-12
    before = float(prior[most].max()) if most.any() else 0.0
    return {
        "posterior": after,
        "prior": before,
        "ratio": after / before if before else 0.0,
        "records": int(most.sum()),
    }
