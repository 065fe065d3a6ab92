"""Multiplicative noise of known law: on the scale of logarithms, with signs and zeros that stay."""

from __future__ import annotations

from math import erfc, log, log1p, sqrt
from typing import TYPE_CHECKING

import numpy as np

from .._columns import ColumnPair
from .covariances import weigh_by_rarity
from .knowledge import MaskingKnowledge, masked_columns, number_for, step_parameter
from .scales import NumericPair, ValueBounds, ends_of, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


NEGATIVE, ZERO, POSITIVE = 0, 1, 2
LEAST = 1e-300
"""A chance that is not taken for impossible is at least this."""


def multiplied_noise_model(
    step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    r"""Columns that were multiplied by random factors.

    With :math:`y = x \cdot e` and :math:`e = \exp(\sigma z - \sigma^2/2)` the noise is additive for logarithms,

    .. math:: -\log f(y \mid x) = \frac{(\ln|y| - \ln|x| + \sigma^2/2)^2}{2 \sigma^2} + const,
              \qquad \sigma^2 = \ln(1 + spread^2);

    a normal factor is taken for that lognormal one, which is near for small spreads. A bounded factor leaves
    y between :math:`x (1 - most)` and :math:`x (1 + most)`, all of it equally likely (the gap of ``least`` around x is not
    used). Zeros stay zero in any case, and signs stay under positive factors: hard, but that whole numbers may be
    rounded to 0 and bounds may cut there. O(n + m) time.
    """
    law = step_parameter(step, "distribution", "lognormal")
    spread, most = step_parameter(step, "spread"), step_parameter(step, "most")
    kept, compared, coordinates = list[str](), list[ColumnPair](), list[ColumnPair]()
    for column in masked_columns(step, columns):
        pair = numeric_pair(release, scenario.file, column)
        wide = number_for(most if law == "bounded" else spread, column)
        if pair is None or not wide:
            continue
        ends = ends_of(step_parameter(step, "bounds"), release, column)
        kept.append(column)
        if law == "bounded":
            both = np.sort([pair.mine * (1.0 - wide), pair.mine * (1.0 + wide)], axis=0)
            compared.append(window_pair(pair, ends.clip_values(both[0]), ends.clip_values(both[1])))
        else:
            coordinates.append(_compare_logarithms(pair, log1p(wide**2)))
            compared.append(_compare_signs(pair, 0.0 if law == "lognormal" else wide, ends))
    if coordinates:
        compared = [*weigh_by_rarity(coordinates, everybody=scenario.covers), *compared]
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True)


def _compare_logarithms(pair: NumericPair, variance: float) -> ColumnPair:
    """Logarithms of the sizes in units of the noise; of a whole number that became 0 that of one half."""
    half = 0.5 if pair.whole else 0.0
    with np.errstate(divide="ignore"):
        theirs = np.log(np.maximum(np.abs(pair.theirs), half)) / sqrt(variance)
        mine = np.log(np.abs(pair.mine)) / sqrt(variance) - sqrt(variance) / 2.0
    theirs, mine = (np.where(np.isfinite(side), side, np.nan) for side in (theirs, mine))
    known = theirs[~np.isnan(theirs)]
    usual = 1.0 + log(max(float(known.var()), 1.0)) if len(known) else 1.0
    return ColumnPair(theirs, mine, kind="number", usual=usual, weight=0.5)


def _compare_signs(pair: NumericPair, spread: float, ends: ValueBounds) -> ColumnPair:
    """Minus the log of the chance of the released sign given the intruder's, against its share in the release.

    A normal factor is negative with the chance Φ(−1/spread). Whether a value was rounded or cut to 0 depends on the
    value, so that its likelihood ratio is left at one.
    """
    theirs, mine = (np.where(np.isnan(side), np.nan, np.sign(side) + 1.0) for side in (pair.theirs, pair.mine))
    known = theirs[~np.isnan(theirs)].astype(np.int64)
    shares = np.maximum(np.bincount(known, minlength=3) / max(1, len(known)), LEAST)
    turned = erfc(1.0 / spread / sqrt(2.0)) / 2.0 if spread else 0.0
    chances = np.zeros((3, 3))
    chances[ZERO, ZERO] = 1.0
    for one, other in ((NEGATIVE, POSITIVE), (POSITIVE, NEGATIVE)):
        chances[one, one] = 1.0 - turned
        chances[one, other] = max(turned, LEAST) if spread else 0.0
    with np.errstate(divide="ignore"):
        table = np.log(shares) - np.log(chances)
    if pair.whole or ends.low == 0.0 or ends.high == 0.0:
        table[[NEGATIVE, POSITIVE], ZERO] = 0.0
    return ColumnPair(theirs, mine, kind="table", usual=1.0, share=0.0, weight=1.0, table=table)
