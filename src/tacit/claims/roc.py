"""The ROC curve of claims about membership: who is found at which cost in false alarms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..errors import TacitError
from ..interval import wilson
from ..result import DisplayMixin, Result, format_fact
from .claims import MemberClaims

POINTS = 200
RATES = 0.001, 0.01, 0.1
"""The shares of false alarms that a reader is told of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roc(DisplayMixin):
    """The share of members found for the share of others who are taken for members, from (0, 0) to (1, 1).

    At most 200 points, dense where false alarms are few, so that the curve can be drawn in log scale; neither scores nor
    records are kept. ``area`` is that of the whole curve.

    >>> print(roc(MemberClaims(scores=np.array([3.0, 2.0, 1.0])), np.array([True, False, True])))
    area under the curve                    0.5
    found at no false alarm among 1 others  0.5 (95 % interval 0.09453 to 0.9055)
    """

    false: tuple[float, ...]
    found: tuple[float, ...]
    members: int
    others: int
    area: float

    def found_at(self, rate: float) -> float:
        """The largest share of members found while at most this share of the others is taken for one."""
        return max(found for false, found in zip(self.false, self.found, strict=True) if false <= rate)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The area, and the members found at few false alarms; rates below 1/others cannot be resolved."""
        yield "area under the curve", format_fact(self.area)
        resolved = [rate for rate in RATES if rate * self.others >= 1 - 1e-9]
        if len(resolved) < len(RATES):
            yield f"found at no false alarm among {self.others:,} others", self._format_rate(0.0)
        for rate in resolved:
            yield f"found at {rate * 100:g} % false alarms", self._format_rate(rate)

    def as_json(self) -> dict[str, Any]:
        """Plain lists, for a chart."""
        return {
            "false": list(self.false),
            "found": list(self.found),
            "members": self.members,
            "others": self.others,
            "area": self.area,
        }

    def _format_rate(self, rate: float) -> str:
        share = self.found_at(rate)
        return f"{format_fact(share)} (95 % interval {format_fact(wilson(share * self.members, self.members))})"


def roc(claims: MemberClaims, inside: np.ndarray) -> Roc:
    """The curve of scores against who is inside, thinned out to what a plot needs.

    Each point kept is one of the curve: for each rate of a ladder the last that has no more false alarms. Time O(n log n).

    >>> curve = roc(MemberClaims(scores=np.arange(4.0)), np.array([False, False, True, True]))
    >>> curve.area, curve.found_at(0.0)
    (1.0, 1.0)
    """
    found, false = roc_steps(claims.scores, inside)
    kept = _thin_points(false, int((~inside).sum()))
    return Roc(
        false=tuple(false[kept].tolist()),
        found=tuple(found[kept].tolist()),
        members=int(inside.sum()),
        others=int((~inside).sum()),
        area=float(((false[1:] - false[:-1]) * (found[1:] + found[:-1]) / 2).sum()),
    )


def roc_steps(scores: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The shares of members and of others at or above each threshold, from none to all. O(n log n)."""
    if inside.all() or not inside.any():
        raise TacitError(
            "membership cannot be judged with people of one sort only",
            code="not_applicable",
            fix="give a list with people who are in the release and people who are not",
        )
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last_of_tie = np.append(ranked[1:] != ranked[:-1], True)
    shares = [np.cumsum(side[order])[last_of_tie] / side.sum() for side in (inside, ~inside)]
    return np.append(0.0, shares[0]), np.append(0.0, shares[1])


def _thin_points(false: np.ndarray, others: int) -> np.ndarray:
    """The first point, and for each of a ladder of rates the last point that has no more false alarms."""
    fine = np.geomspace(1 / others, 1.0, POINTS - 50) if others > 1 else np.ones(1)
    ladder = np.concatenate([[0.0], RATES, fine * (1 + 1e-12), np.linspace(0.0, 1.0, 42)])
    last = np.searchsorted(false, np.unique(ladder), side="right") - 1
    kept: np.ndarray = np.unique(np.concatenate([[0], last]))
    return kept


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
