"""Differentially private columns: noise of a published scale on every value, or rows that were dealt out anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...release.step_effects import published_outcome
from .covariances import weigh_by_rarity, whiten_columns
from .knowledge import MaskingKnowledge, masked_columns, number_for
from .scales import numeric_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


def dp_identity_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Values with Laplace noise of published scale b, compared by its variance :math:`2b^2`.

    The noise of one column is independent of that of another. The cut at the bounds and the rest of the law are left out:
    of noise as wide as the column there is little to gain. O(n + m) time for each column.
    """
    pairs = {
        column: (pair, scale)
        for column in masked_columns(step, columns)
        if (pair := numeric_pair(release, scenario.file, column)) is not None
        and (scale := number_for(published_outcome(step, "scale"), column))
        and not np.isnan(pair.theirs).all()
    }
    if not pairs:
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    theirs = np.column_stack([pair.theirs for pair, _ in pairs.values()])
    mine = np.column_stack([pair.mine for pair, _ in pairs.values()])
    coordinates = whiten_columns(theirs, mine, np.diag([2 * scale**2 for _, scale in pairs.values()]))
    return MaskingKnowledge(
        columns=tuple(pairs), compared=weigh_by_rarity(coordinates, everybody=scenario.covers), certain=True
    )


def dp_microaggregation_model(
    step: Trace,
    columns: tuple[str, ...],
    release: Release,  # noqa: ARG001 - the signature of a masking model
    scenario: Scenario,  # noqa: ARG001
) -> MaskingKnowledge:
    """Columns whose values were dealt out to the rows by lot: the value in a row says nothing of whose row it is."""
    return MaskingKnowledge(columns=masked_columns(step, columns), compared=(), certain=True)
