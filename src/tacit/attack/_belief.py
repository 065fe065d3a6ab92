"""How strongly an intruder believes that the nearest record is the right one."""

from __future__ import annotations

import numpy as np


def link_belief(
    start: np.ndarray,
    candidates: np.ndarray,
    *,
    distance: np.ndarray,
    following: np.ndarray,
    people: np.ndarray,
    records: np.ndarray,
) -> np.ndarray:
    r"""A number from 0 to 1 for each claim: its candidates are near, the next record and the next claimant are far.

    .. math:: \frac{1}{\max(m, p)} \cdot \frac{1}{2}\Big(1 + \frac{d_2 - d_1}{\max(d_1, d_2) + d_0}\Big)

    where :math:`d_1` is the distance of the claim, :math:`d_2` the smaller of the next record's distance
    (``following``) and the smallest distance at which another claim names one of the same candidates, m the number of
    records named, p that of the people who make the claim, and :math:`d_0` the lower quartile of all :math:`d_1`: what
    lies nearer than that does so by chance. So a person whose record lies at distance 0 and apart from all others is
    believed with 1, one of m that look alike with 1/m. ``people`` and ``records`` count the people of each claim and the
    records of each candidate group. O(candidates) time.

    On rank-swapped Census data (p = 10 %, all 13 columns) the area under the ROC curve of right links against wrong ones is
    0.84; it is 0.60 for the distance alone and 0.77 for the ratio of the two smallest distances.
    """
    sizes = np.diff(start)
    claim = np.repeat(np.arange(len(sizes)), sizes)
    # At distance 0 whoever is as near is among the candidates: no other record speaks against them.
    following = np.where(distance > 0, following, np.inf)
    rival = np.minimum(following, _rival_distances(claim, candidates, distance, len(records)))
    named = np.bincount(claim, weights=records[candidates], minlength=len(sizes))
    share = 0.5 * (1.0 + relative_margins(distance, rival)) / np.maximum(np.maximum(named, people), 1)
    return np.where(sizes > 0, share, 0.0)


def relative_margins(distance: np.ndarray, rival: np.ndarray) -> np.ndarray:
    """How much nearer a link is than its rival, from −1 to 1, beside the larger of both and the usual distance.

    The usual distance is the lower quartile of all: the masking moved most records at least so far, so that one which
    lies nearer by chance is no surer. 0 when all of these are 0.
    """
    usual = float(np.quantile(distance, 0.25)) if len(distance) else 0.0
    scale = np.maximum(distance, rival) + usual
    apart = (scale > 0) & np.isfinite(scale)
    margin: np.ndarray = np.divide(rival - distance, scale, out=np.isinf(rival).astype(float), where=apart)
    return margin


def _rival_distances(claim: np.ndarray, candidates: np.ndarray, distance: np.ndarray, groups: int) -> np.ndarray:
    """For each claim the smallest distance of another claim that names one of its candidates; infinite without any."""
    apart = distance[claim]
    order = np.lexsort((apart, candidates))
    group = candidates[order]
    first = np.searchsorted(group, np.arange(groups), side="left")
    many = np.bincount(candidates, minlength=groups)
    padded = np.append(apart[order], [np.inf, np.inf])
    nearest = np.where(many > 0, padded[first], np.inf)
    second = np.where(many > 1, padded[first + 1], np.inf)
    winner = np.append(claim[order], -1)[first]
    other = np.where(winner[candidates] == claim, second[candidates], nearest[candidates])
    found = np.full(len(distance), np.inf)
    np.minimum.at(found, claim, other)
    return found
