"""Whether hidden patterns give themselves away by lying just under the threshold."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...result import Result
from .baskets import Baskets
from .measures import Mined, mined
from .patterns import patterns
from .thresholds import least_count, share_of

__all__ = ["pile_up"]


def pile_up(
    baskets: Baskets,
    sensitive: Any,
    *,
    minsup: float,
    minconf: float | None = None,
    width: float = 0.05,
    now: Mined | None = None,
) -> Result:
    r"""The share of the sensitive patterns that lie in a band just under the threshold (D-08).

    Whoever guesses the threshold mines the file twice, at it and ``width`` of it below (at least one transaction), and
    suspects what appears: hiding that stops as soon as a pattern is under the threshold piles all of them up there.
    Facts have how many patterns the band holds, and the share of them that is sensitive, which is the chance that a
    suspicion is right, beside that share among all patterns found at the lower threshold. A ``margin`` of more than
    ``width`` empties the band of them; a ``spread`` leaves some of them there and hides them among others.

    Two runs of :func:`.remined.remined`, one if ``now`` has what is mined at the threshold.

    >>> b = Baskets.of([["bread", "milk"]] * 9 + [["bread", "tea"]] * 6 + [["milk"]])
    >>> print(pile_up(b, ["bread, milk"], minsup=10))
    pile-up                    1
    band                       9 to 10
    patterns in the band       1
    of them sensitive          1
    chance that a guess holds  1
    chance without the band    0.3333
    """
    share_of(width, "width", zero=False)
    least = least_count(minsup, baskets.size)
    lower = max(1, least - max(1, round(width * least)))
    if lower == least:
        raise TacitError("there is nothing below a support of 1", fix="use a higher minsup")
    low = mined(baskets, minsup=lower, minconf=None if minconf is None else minconf * (1 - width))
    now = now or mined(baskets, minsup=least, minconf=minconf)
    found = {*low.found, *low.counts}
    band, named = found - {*now.found, *now.counts}, set(patterns(sensitive))
    inside = named & band
    facts = {
        "band": f"{lower:,} to {least:,}",
        "patterns in the band": len(band),
        "of them sensitive": len(inside),
        "chance that a guess holds": len(inside) / len(band) if band else 0.0,
        "chance without the band": len(named & found) / len(found) if found else 0.0,
    }
    value = len(inside) / len(named)
    return Result(name="pile-up", value=value, worse="high", about="attribute", facts=facts)
