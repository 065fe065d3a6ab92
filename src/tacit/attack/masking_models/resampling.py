"""Resampled columns: the order of the records is kept, and whoever has all of them knows everybody's place in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...release.step_effects import adds_records, drops_records
from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, masked_columns, step_parameter
from .scales import NumericPair, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


def resample_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns whose values were replaced by those at the same rank of samples.

    The map is monotone: :math:`x_a < x_b \Rightarrow y_a \le y_b`. With L records below x in the intruder's file and U at
    or below it, :math:`y_{(L+1)} \le y \le y_{(U)}` in the order of the released values: hard, when the file and the
    release hold the same people (both ways) and there are no strata. Else the ranks are not known and the column is left
    unexplained: a comparison by distance, to which the samples are as near as they are. O((n + m) log n) time.
    """
    same = scenario.inside and scenario.covers and release.size == scenario.file.size
    if not same or step_parameter(step, "strata") or drops_records(scenario.told) or adds_records(scenario.told):
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    kept, compared = list[str](), list[ColumnPair]()
    for column in masked_columns(step, columns):
        pair = numeric_pair(release, scenario.file, column)
        made = None if pair is None else _compare_ranks(pair)
        if made is not None:
            kept.append(column)
            compared.append(made)
    return MaskingKnowledge(columns=tuple(kept), compared=tuple(compared), certain=True)


def _compare_ranks(pair: NumericPair) -> ColumnPair | None:
    """None where the two sides do not have as many values."""
    theirs, mine = (np.sort(side[~np.isnan(side)]) for side in (pair.theirs, pair.mine))
    if not len(mine) or len(theirs) != len(mine):
        return None
    below = np.searchsorted(mine, pair.mine, side="left")
    upto = np.searchsorted(mine, pair.mine, side="right") - 1
    last = len(mine) - 1
    exact = NumericPair(pair.theirs, pair.mine, whole=False)
    return window_pair(exact, theirs[np.minimum(below, last)], theirs[np.minimum(upto, last)])
