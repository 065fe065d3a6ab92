"""Linked, for a clerk to look at, or not linked: two thresholds on the weight, from the errors that are allowed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .model import Model, log_ratios, posterior
from .patterns import Patterns


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Pairs of weight ``upper`` or more are links, below ``lower`` they are none, between them a clerk decides.

    ``false_links`` is the share of the links that are wrong, ``missed_links`` the share of the common people whose pair
    is no link and not shown to the clerk, both by the model; ``mu`` is the share of the pairs of two persons that are
    linked, which is the error that Fellegi and Sunter bound.
    """

    upper: float
    lower: float
    false_links: float
    missed_links: float
    mu: float

    def classes(self, weight: np.ndarray) -> np.ndarray:
        """2 for a link, 1 for the clerk, 0 for no link."""
        found: np.ndarray = (weight >= self.lower).astype(np.int8) + (weight >= self.upper)
        return found


def thresholds(patterns: Patterns, model: Model, *, false_links: float, missed_links: float) -> Thresholds:
    r"""The lowest upper and the highest lower threshold that keep the errors within what is allowed.

    With the patterns in falling weight and :math:`g_i` the chance that a pair of pattern i is of one person, the upper
    threshold is the lowest with :math:`\sum_{w_i \ge t} (1 - g_i) C_i \le f \sum_{w_i \ge t} C_i`, the lower one the
    highest with :math:`\sum_{w_i < t} g_i C_i \le q \sum_i g_i C_i`. For the bounds that it keeps no rule leaves less
    to the clerk. Fellegi and Sunter bound the share :math:`\mu` of the pairs of two persons that are linked; of a
    hundred million pairs nobody knows which share is small, so ``false_links`` is of the links. When both thresholds
    can be met by one, there is nothing left for the clerk. Time O(patterns log patterns).

    References
    ----------
    Fellegi and Sunter (1969), A theory for record linkage, J. American Statistical Association 64, 1183–1210.
    """
    weight, group = np.unique(log_ratios(patterns, model), return_inverse=True)
    chance = posterior(weight, model.prior)
    counts = np.bincount(group, weights=patterns.counts.astype(float))
    same, other = chance * counts, (1.0 - chance) * counts
    wrong, linked = np.cumsum(other[::-1])[::-1], np.cumsum(counts[::-1])[::-1]
    within = np.flatnonzero(wrong <= false_links * linked)
    upper = float(weight[within[0]]) if len(within) else np.inf
    missed = np.append(0.0, np.cumsum(same)) / max(float(same.sum()), 1e-300)
    place = int(np.flatnonzero(missed <= missed_links)[-1])
    lower = min(float(np.append(weight, np.inf)[place]), upper)
    above = weight >= upper
    links = max(float(counts[above].sum()), 1e-300)
    return Thresholds(
        upper=upper,
        lower=lower,
        false_links=float(other[above].sum()) / links,
        missed_links=float(same[weight < lower].sum()) / max(float(same.sum()), 1e-300),
        mu=float(other[above].sum()) / max(float(other.sum()), 1e-300),
    )
