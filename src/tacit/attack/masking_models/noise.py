"""Additive noise of known law: how likely the noise is that would have made a record of mine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...release.step_effects import published_outcome
from .._columns import ColumnPair
from .covariances import covariance_of, released_covariance, weigh_by_rarity, whiten_columns
from .knowledge import MaskingKnowledge, masked_columns, number_for, step_parameter
from .scales import NumericPair, ValueBounds, ends_of, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


ROUNDED = 1.0 / 12.0
"""Variance that rounding to whole numbers adds."""


def added_noise_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Columns with added noise of published covariance, compared by its likelihood.

    The released record is :math:`y = x + \varepsilon`, or after ``form="transformed"``
    :math:`y = c + S(x + \varepsilon - c)`: the intruder brings its own x forward to :math:`\hat y` and asks how likely the
    noise is that is left,

    .. math:: -\log f(y \mid x) = \tfrac12 (y - \hat y)' \Sigma^{-1} (y - \hat y) + const,

    :math:`\Sigma` the covariance of the noise, with which all is whitened: a column with little noise tells much, and
    noise that goes together in two columns cancels in their difference. It is weighed against how likely the record is
    whoever it belongs to (:func:`~tacit.attack.masking_models.covariances.weigh_by_rarity`). ``form="nonlinear"`` is the same on normal
    scores. Whole numbers have the variance 1/12 of rounding besides. Laplace noise is compared by its variances.

    Uniform noise ends: :math:`|\varepsilon_j| \le \sqrt{3 r}\,\sigma_j` for a sum of r independent draws, a hard window.
    It is kept only where the covariance was published and is the same for all records (no strata). Without a published
    covariance it is estimated from the release, :math:`\Sigma_{ij} = \frac{q}{1 + q} Cov(Y)_{ij}` with
    :math:`q = \sqrt{k_i k_j}`, within the strata where there are any.

    O((n + m) · columns²) time.

    References
    ----------
    Fuller (1993), Masking procedures for microdata disclosure limitation, Journal of Official Statistics 9, 383–406.
    """
    pairs = {
        column: pair
        for column in masked_columns(step, columns)
        if (pair := numeric_pair(release, scenario.file, column)) is not None
    }
    form = step_parameter(step, "form", "correlated")
    variance = {column: number_for(step_parameter(step, "variance"), column) for column in pairs}
    pairs = {column: pair for column, pair in pairs.items() if variance[column] and not np.isnan(pair.theirs).all()}
    if not pairs:
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    names = tuple(pairs)
    asked = np.array([variance[column] or 0.0 for column in names])
    frame = _NoiseScale.of(step, names, list(pairs.values()), asked)
    published = covariance_of(published_outcome(step, "noise_covariance"), names)
    notes: tuple[str, ...] = ()
    if published is None:
        notes = ("the covariance of the noise was not published: it is estimated from the release",)
        strata = step_parameter(step, "strata", ())
        published = _estimate_covariance(asked, form, released_covariance(release, frame.theirs, strata))
    scaled = published * np.outer(frame.shrink, frame.shrink)
    scaled = scaled + np.diag([ROUNDED * pair.whole * (form != "nonlinear") for pair in pairs.values()])
    coordinates = whiten_columns(frame.theirs, frame.noiseless_records(), scaled)
    compared = list(weigh_by_rarity(coordinates, everybody=scenario.covers))
    if (
        step_parameter(step, "distribution", "normal") == "uniform"
        and not notes
        and form in ("uncorrelated", "correlated")
    ):
        ends = [ends_of(step_parameter(step, "bounds"), release, column) for column in names]
        compared += _noise_windows(step, list(pairs.values()), np.sqrt(np.diag(published)), ends)
    return MaskingKnowledge(columns=names, compared=tuple(compared), certain=True, notes=notes)


@dataclass(frozen=True, slots=True, eq=False)
class _NoiseScale:
    """Both sides as matrices on the scale on which noise was added, and the map x → centre + (x − centre) · shrink."""

    theirs: np.ndarray
    mine: np.ndarray
    centre: np.ndarray
    shrink: np.ndarray

    @staticmethod
    def of(step: Trace, names: Sequence[str], pairs: Sequence[NumericPair], asked: np.ndarray) -> _NoiseScale:
        form = step_parameter(step, "form", "correlated")
        if form == "nonlinear":
            both = [_normal_scores(pair) for pair in pairs]
            theirs, mine = (np.column_stack(list(side)) for side in zip(*both, strict=True))
            return _NoiseScale(theirs, mine, np.zeros(len(names)), 1.0 / np.sqrt(1.0 + asked))
        theirs = np.column_stack([pair.theirs for pair in pairs])
        mine = np.column_stack([pair.mine for pair in pairs])
        shrink = np.ones(len(names))
        if form == "transformed":
            wide = [number_for(published_outcome(step, "mean_square_of_widening"), column) or 1.0 for column in names]
            shrink = 1.0 / np.sqrt(1.0 + np.array(wide) * asked)
        return _NoiseScale(theirs, mine, np.nanmean(theirs, axis=0), shrink)

    def noiseless_records(self) -> np.ndarray:
        """What the intruder's records would be without noise."""
        found: np.ndarray = self.centre + (self.mine - self.centre) * self.shrink
        return found


def _estimate_covariance(asked: np.ndarray, form: str, released: np.ndarray) -> np.ndarray:
    """The covariance of the noise from that of the release, which has both (or was shrunk to that of the data)."""
    ratio = np.sqrt(np.outer(asked, asked))
    kept = ratio if form in ("transformed", "nonlinear") else ratio / (1.0 + ratio)
    found: np.ndarray = kept * released
    return np.diag(np.diag(found)) if form == "uncorrelated" else found


def _noise_windows(
    step: Trace, pairs: Sequence[NumericPair], spread: np.ndarray, ends: Sequence[ValueBounds]
) -> list[ColumnPair]:
    """Uniform draws are bounded, and so are their sums; an outlier's noise is at most ``outliers`` times as wide."""
    columns = step_parameter(step, "columns", ())
    streams = 1 if step_parameter(step, "form", "correlated") == "uncorrelated" else max(len(columns), len(pairs))
    reach = np.sqrt(3.0 * streams) * float(step_parameter(step, "outliers", 1.0)) * (1.0 + 1e-9) * spread
    return [
        window_pair(pair, end.clip_values(pair.mine - far), end.clip_values(pair.mine + far))
        for pair, far, end in zip(pairs, reach, ends, strict=True)
    ]


def _normal_scores(pair: NumericPair) -> tuple[np.ndarray, np.ndarray]:
    """Normal scores of both sides by the distribution of the release, whose margins are about those of the data."""
    from scipy.special import ndtri

    known = np.sort(pair.theirs[~np.isnan(pair.theirs)])
    values, first, counts = np.unique(known, return_index=True, return_counts=True)
    middle = ndtri((first + counts / 2.0) / len(known))

    def score(side: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.where(np.isnan(side), np.nan, np.interp(side, values, middle))
        return found

    return score(pair.theirs), score(pair.mine)
