"""Swapped values: most records keep theirs, and the share of those that do not is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.step_effects import published_outcome
from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, masked_columns, step_parameter
from .scales import as_is

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


LEAST = 1e-6
"""A share that is written as 0 or 1 was rounded."""
MOST_TABLED = 500
"""Up to so many joint values the cost follows their shares; beyond that it is one number."""


def data_swap_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns that a share s of the records exchanged, all together.

    A released value is the person's own with probability 1 − s, and else that of some other record: with :math:`\pi` the
    shares in the release the likelihood ratios are

    .. math:: \frac{P(y \mid x)}{P(y)} = \frac{1 - s}{\pi_x} \text{ for } y = x, \qquad
              \frac{s}{1 - \pi_x} \text{ for } y \ne x.

    The columns changed places together, so that they are one joint value; columns of the household moved apart from
    those of persons, and are then compared one by one. Records at risk move more often than others: the mean share is
    used. Nothing is ruled out. O(n + m + values²) time.
    """
    names = tuple(column for column in masked_columns(step, columns) if as_is(release, scenario.file, column))
    swapped = published_outcome(step, "swapped")
    shares = [float(one) for one in swapped.values()] if isinstance(swapped, Mapping) else []
    share = float(np.mean(shares)) if shares else float(step_parameter(step, "share", 0.0))
    together = len(shares) == 1
    return _kept_or_not(names, share, release, scenario, together=together)


def record_swap_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    """The place, in the columns of the geography and those that go along, which a share of the households changed.

    As :func:`data_swap_model`: the columns of the place are one joint value. O(n + m + values²) time.
    """
    names = tuple(
        column
        for column in dict.fromkeys(
            [*masked_columns(step, columns, "geography"), *masked_columns(step, columns, "along")]
        )
        if as_is(release, scenario.file, column)
    )
    swapped = published_outcome(step, "swapped")
    share = float(swapped) if isinstance(swapped, int | float) else float(step_parameter(step, "share", 0.0))
    return _kept_or_not(names, share, release, scenario, together=True)


def _kept_or_not(
    names: Sequence[str], share: float, release: Release, scenario: Scenario, *, together: bool
) -> MaskingKnowledge:
    groups = [tuple(names)] if together and names else [(name,) for name in names]
    compared = tuple(
        _compare_jointly(group, min(max(share, LEAST), 1.0 - LEAST), release, scenario) for group in groups
    )
    return MaskingKnowledge(columns=tuple(names), compared=compared, certain=True)


def _compare_jointly(names: Sequence[str], share: float, release: Release, scenario: Scenario) -> ColumnPair:
    theirs, mine = (_text_frame(side, names) for side in (release, scenario.file))
    both = pl.concat([theirs, mine])
    rank = both.select(pl.struct(pl.all()).rank("dense")).to_series().cast(pl.Float64) - 1.0
    gaps = both.select(pl.any_horizontal(pl.all().is_null())).to_series()
    codes = pl.select(pl.when(gaps).then(float("nan")).otherwise(rank)).to_series().to_numpy()
    released, own = codes[: len(theirs)], codes[len(theirs) :]
    known = released[~np.isnan(released)].astype(np.int64)
    count = int(np.nanmax(codes, initial=0.0)) + 1
    shares = np.clip(np.bincount(known, minlength=count) / max(1, len(known)), 1e-9, 1.0 - 1e-9)
    if count > MOST_TABLED:
        weight = max(0.0, log((1.0 - share) / share) - float(np.log(shares[known]).mean() if len(known) else 0.0))
        return ColumnPair(released, own, kind="code", usual=1.0, share=1.0 - share, weight=weight)
    table = np.repeat(-np.log(share / (1.0 - shares))[:, None], count, axis=1)
    np.fill_diagonal(table, -np.log((1.0 - share) / shares))
    return ColumnPair(released, own, kind="table", usual=1.0, share=0.0, weight=1.0, table=table)


def _text_frame(side: Release, names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame([side.series(name).cast(pl.String) for name in names])
