"""Regression on columns with noise: the coefficients that the original would have given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, names
from .covariance import before, definite
from .estimates import Corrected

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release
    from ...release.trace import Trace
    from .undo import Second

__all__ = ["regression"]


def regression(
    release: Release | Masked,
    *,
    outcome: str,
    on: str | Iterable[str],
    trace: Sequence[Trace] | None = None,
    seed: int | bytes = 0,
) -> Corrected:
    r"""The coefficients of a linear regression, corrected for the noise in its columns (F-05).

    Noise in the columns :math:`X'` draws the coefficients towards 0, and sends what they lose to others. With the
    covariances before the noise (:func:`.covariance.covariance`) they are what they were:

    .. math:: \hat\beta = (S_{X'X'} - \Sigma_{\varepsilon\varepsilon})^{-1} (S_{X'y'} - \Sigma_{\varepsilon y}),
              \qquad \hat\alpha = \bar y - \hat\beta' \bar x

    Noise in the outcome alone leaves them unbiased. Noise of one variance, correlated like the data, leaves them too.
    The standard error is as in :func:`.covariance.covariance`. O(n · columns²) time, O(n · columns) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.protect import AddNoise
    >>> age = np.random.default_rng(1).normal(40, 10, 20000)
    >>> r = Release(pl.DataFrame({"age": age, "pay": 100 + 2 * age}))
    >>> m = r.protect(AddNoise(columns="age", variance=1), seed=7)
    >>> found = regression(m.release, trace=m.trace, outcome="pay", on="age")
    >>> found.names, found.naive.round(1).tolist()[1], found.corrected.round(1).tolist()[1]
    ((('intercept',), ('age',)), 1.0, 2.0)

    References
    ----------
    Fuller (1987), Measurement error models, Wiley.
    """
    chosen = names(on)
    if not chosen or outcome in chosen or not isinstance(outcome, str):
        raise TacitError(
            f"{outcome!r} cannot be explained by {', '.join(chosen) or 'no column'}",
            fix="name one outcome and other columns: outcome='pay', on=['age']",
        )
    found = before(release, trace, (*chosen, outcome), seed)

    value, error = found.estimated(_coefficients)
    return Corrected(
        names=(("intercept",), *((column,) for column in chosen)),
        naive=_coefficients(found.sums.second()),
        corrected=value,
        standard_error=error,
        records=found.sums.records,
        notes=found.notes,
    )


def _coefficients(second: Second) -> np.ndarray:
    """Intercept and slopes; the outcome is the last column."""
    inside = second.total[:-1, :-1]
    if not definite(inside):
        raise TacitError(
            "the covariance of the explaining columns is not positive definite: columns are sums of each other, "
            "or the noise is too large for so few records",
            fix="name fewer columns in on=…",
        )
    slopes = np.linalg.solve(inside, second.total[:-1, -1])
    return np.append(second.mean[-1] - slopes @ second.mean[:-1], slopes)
