"""How well scores tell who is in the release: membership disclosure."""

from __future__ import annotations

import numpy as np

from ..errors import TacitError
from ..result import Result
from .claims import MemberClaims
from .interval import wilson

__all__ = ["right_members"]

FALSE_ALARMS = 0.01


def right_members(claims: MemberClaims, inside: np.ndarray) -> Result:
    r"""The area under the ROC curve, the chance that a member scores higher than a non-member, a tie counting one half.

    ``advantage`` is the largest difference of the shares of members and of others above a threshold; beside it the share
    of members found when at most one other in a hundred is taken for one, which tells of the few who are surely found.
    The variance of the area is at most A(1 − A)/min(members, others) (Birnbaum and Klose), so the interval is Wilson's
    for that many trials. Time O(n log n).

    References
    ----------
    Birnbaum and Klose (1957), Bounds for the variance of the Mann–Whitney statistic, Annals of Math. Statistics 28, 933–945.
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """
    members, others = int(inside.sum()), int((~inside).sum())
    if not members or not others:
        raise TacitError(
            "membership cannot be judged with people of one sort only",
            fix="give a list with people who are in the release and people who are not",
        )
    found, false = _roc(claims.scores, inside)
    area = float(((false[1:] - false[:-1]) * (found[1:] + found[:-1]) / 2).sum())
    trials = min(members, others)
    return Result(
        name="membership inference",
        value=area,
        interval=wilson(area * trials, trials),
        worse="high",
        about="identity",
        facts={
            "baseline": 0.5,
            "advantage": float((found - false).max()),
            "found at 1 % false alarms": float(found[false <= FALSE_ALARMS].max()),
            "members": members,
            "others": others,
        },
    )


def _roc(scores: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The shares of members and of others at or above each threshold, from none to all."""
    order = np.argsort(-scores, kind="stable")
    last_of_tie = np.append(np.diff(scores[order]) != 0, True)
    shares = [np.cumsum(side[order])[last_of_tie] / side.sum() for side in (inside, ~inside)]
    return np.append(0.0, shares[0]), np.append(0.0, shares[1])
