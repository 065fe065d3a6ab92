"""Rotated records: what is left of a record in its place, and the covariance of what was mixed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .covariances import released_covariance, weigh_by_rarity, whiten_columns
from .knowledge import MaskingKnowledge, masked_columns, number_for, step_parameter
from .scales import numeric_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


STRENGTHS = np.arange(11) / 10.0
LEFT = np.array([1.0, 0.9942, 0.9711, 0.9172, 0.8097, 0.6279, 0.4468, 0.3036, 0.1921, 0.1032, 0.0313])
"""Mean diagonal of the rotation of a block of 32 at these strengths, by simulation (a test repeats it); 1/32 at the end."""


def rotation_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns whose records were mixed by random rotations of known strength.

    A rotation keeps the mean :math:`\mu` and the covariance :math:`\Sigma`, which the release shows. A record has the share
    a of its own deviation left, a the mean diagonal of the rotation, and the rest is mixed in from others:

    .. math:: E[y \mid x] = \mu + a (x - \mu), \qquad \mathrm{Cov}(y \mid x) \approx (1 - a^2) \Sigma,

    about normal, being a sum over a block. At full strength a is 1/32 and next to nothing is found. Nothing is ruled
    out. O((n + m) · columns²) time.
    """
    strength = number_for(step_parameter(step, "strength"), "")
    pairs = {
        column: pair
        for column in masked_columns(step, columns)
        if (pair := numeric_pair(release, scenario.file, column))
    }
    pairs = {
        column: pair
        for column, pair in pairs.items()
        if np.fmax.reduce(pair.theirs, initial=-np.inf) > np.fmin.reduce(pair.theirs, initial=np.inf)
    }
    if strength is None or not pairs:
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    left = float(np.interp(strength, STRENGTHS, LEFT))
    theirs = np.column_stack([pair.theirs for pair in pairs.values()])
    mine = np.column_stack([pair.mine for pair in pairs.values()])
    centre = np.nanmean(theirs, axis=0)
    covariance = (1.0 - left**2) * released_covariance(release, theirs, step_parameter(step, "strata", ()))
    if not (np.diag(covariance) > 0).all():
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    coordinates = whiten_columns(theirs, centre + left * (mine - centre), covariance)
    compared = weigh_by_rarity(coordinates, everybody=scenario.covers)
    return MaskingKnowledge(columns=tuple(pairs), compared=compared, certain=True)
