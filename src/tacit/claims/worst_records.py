"""The worst 1 % of the records: what an average over all people hides."""

from __future__ import annotations

from math import ceil

import numpy as np

from ..result import Result
from .claims import MemberClaims
from .interval import wilson

WORST = 0.01
"""The share of the members who are found most surely."""


def worst_members(claims: MemberClaims, inside: np.ndarray) -> Result:
    r"""How sure an intruder may be of the one member in a hundred who is found most easily.

    The lowest score of the highest :math:`\lceil n/100 \rceil` of n members is the threshold (whoever ties with it is in);
    a of the n members and b of the m others reach it. Were as many others as members asked about, one who reaches it is a
    member with the chance

    .. math:: \frac{a/n}{a/n + b/m},

    0.5 when the scores tell nothing: there as many others stand that high. The area under the ROC curve hides these
    people, because a few who are found for sure hardly move it. The interval is Wilson's for a of a + b, at that prior.
    Time O(n log n).

    >>> scores = np.array([9.0, 1.0, 2.0, 1.5])
    >>> worst_members(MemberClaims(scores=scores), np.array([True, True, False, False])).value
    1.0

    References
    ----------
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """
    ours, theirs = claims.scores[inside], claims.scores[~inside]
    reached = np.sort(ours)[-ceil(WORST * len(ours))]
    found, false = int((ours >= reached).sum()), int((theirs >= reached).sum())
    low, high = wilson(found, found + false)
    return Result(
        name="worst 1 % of the records",
        id="worst_records",
        value=_at_even_odds(found / (found + false), len(ours), len(theirs)),
        interval=(_at_even_odds(low, len(ours), len(theirs)), _at_even_odds(high, len(ours), len(theirs))),
        worse="high",
        about="identity",
        facts={"baseline": 0.5, "members that high": found, "others that high": false},
    )


def _at_even_odds(share: float, members: int, others: int) -> float:
    """The share of members among those found, were there as many members as others."""
    return (share / members) / (share / members + (1 - share) / others)
