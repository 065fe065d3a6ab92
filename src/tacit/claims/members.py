"""How well scores tell who is in the release: membership disclosure."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..result import Result
from .claims import MemberClaims
from .interval import wilson
from .roc import steps
from .worst import worst_members

__all__ = ["right_members"]

FALSE_ALARMS = 0.01, 0.001


def right_members(claims: MemberClaims, inside: np.ndarray) -> Result:
    r"""The area under the ROC curve, the chance that a member scores higher than a non-member, a tie counting one half.

    .. math:: A = \Pr[s_1 > s_0] + \tfrac12 \Pr[s_1 = s_0]

    The average hides the few who are surely found, so the facts have more (B-06):

    - ``found at 1 % false alarms`` (and at 0.1 %): the share of members found at the lowest threshold at which at most
      that share of the others is taken for members, with Wilson's interval for the members at that threshold. With fewer
      than 1/rate others such a rate cannot be seen; a note says so in the place of a number.
    - ``worst 1 %``: how sure an intruder may be of the one member in a hundred who is found most easily
      (:func:`.worst.worst_members`).
    - ``advantage``: the largest difference of the shares of members and others above a threshold; ``best balanced
      accuracy`` is (1 + advantage)/2. Both choose the threshold knowing the truth. ``balanced accuracy`` is that at the
      threshold that the attack itself named.

    ``per_record`` is for each member the share of the others whom it outscores, which is one minus the false alarms at
    which it is found; its mean over the members is the area. People who are not in the release have 0.

    The variance of the area is at most A(1 − A)/min(members, others) (Birnbaum and Klose), so the interval is Wilson's
    for that many trials. Time O(n log n).

    References
    ----------
    Birnbaum and Klose (1957), Bounds for the variance of the Mann–Whitney statistic, Annals of Math. Statistics 28, 933–945.
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """
    found, false = steps(claims.scores, inside)
    area = float(((false[1:] - false[:-1]) * (found[1:] + found[:-1]) / 2).sum())
    members, others = int(inside.sum()), int((~inside).sum())
    advantage = float((found - false).max())
    facts: dict[str, object] = {"baseline": 0.5, "advantage": advantage, "best balanced accuracy": (1 + advantage) / 2}
    if claims.threshold is not None:
        facts["balanced accuracy"] = _balanced(claims.scores >= claims.threshold, inside)
    notes = list(claims.notes)
    for rate in FALSE_ALARMS:
        if rate * others < 1 - 1e-9:
            notes.append(
                f"{rate * 100:g} % false alarms cannot be seen with {others:,} others: {1 / rate:,.0f} are needed"
            )
            continue
        share = float(found[false <= rate].max())
        facts[f"found at {rate * 100:g} % false alarms"] = share
        facts[f"found at {rate * 100:g} % false alarms, interval"] = wilson(share * members, members)
    worst = worst_members(claims, inside)
    facts |= {"worst 1 %": worst.value, "worst 1 %, 95 % interval": worst.interval}
    facts |= {"members": members, "others": others, **claims.facts}
    facts |= {"notes": notes} if notes else {}
    trials = min(members, others)
    return Result(
        name="membership inference",
        value=area,
        interval=wilson(area * trials, trials),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=_outscored(claims.scores, inside), rows_of="intruder"),
    )


def _balanced(taken: np.ndarray, inside: np.ndarray) -> float:
    return float(taken[inside].mean() + 1 - taken[~inside].mean()) / 2


def _outscored(scores: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """For each member the share of the others who score lower, ties counting one half; 0 for the others."""
    ladder = np.sort(scores[~inside])
    below, upto = (np.searchsorted(ladder, scores[inside], side=side) for side in ("left", "right"))
    shares = np.zeros(len(scores))
    shares[inside] = (below + upto) / (2 * len(ladder))
    return shares
