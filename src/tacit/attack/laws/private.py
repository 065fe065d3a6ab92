"""Differentially private columns: noise of a published scale on every value, or rows that were dealt out anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...release.steps import told
from .known import Known
from .parameters import masked, number_for
from .rarity import weighed
from .scales import sides
from .whitened import whitened

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


def noisy_values(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:
    r"""Values with Laplace noise of published scale b, compared by its variance :math:`2b^2` (M-05, E-07).

    The noise of one column is independent of that of another. The cut at the bounds and the rest of the law are left out:
    of noise as wide as the column there is little to gain. O(n + m) time for each column.
    """
    pairs = {
        column: (pair, scale)
        for column in masked(step, columns)
        if (pair := sides(release, scenario.file, column)) is not None
        and (scale := number_for(told(step, "scale"), column))
        and not np.isnan(pair.theirs).all()
    }
    if not pairs:
        return Known(columns=(), compared=(), certain=True)
    theirs = np.column_stack([pair.theirs for pair, _ in pairs.values()])
    mine = np.column_stack([pair.mine for pair, _ in pairs.values()])
    coordinates = whitened(theirs, mine, np.diag([2 * scale**2 for _, scale in pairs.values()]))
    return Known(columns=tuple(pairs), compared=weighed(coordinates, everybody=scenario.covers), certain=True)


def dealt_anew(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:  # noqa: ARG001 - a law's signature
    """Columns whose values were dealt out to the rows by lot: the value in a row says nothing of whose row it is."""
    return Known(columns=masked(step, columns), compared=(), certain=True)
