"""What is learnt above something else: the difference of two shares, with its interval."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..interval import Z, wilson
from ..result import Result


def above_own(right: np.ndarray, without: np.ndarray) -> tuple[float, tuple[float, float]]:
    r"""How much more is right of the same people when their own records are in the release.

    .. math:: \bar d \pm z \sqrt{\frac{s_d^2 + 1/n}{n}}, \qquad d_i = right_i - without_i

    The pairs are of the same person, so their differences :math:`d_i` are averaged; 1/n keeps the interval open where all
    of them are 0. Time O(n).

    >>> above_own(np.array([1.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0]))[0]
    0.5
    """
    difference = right - without
    count = len(difference)
    if not count:
        return 0.0, (-1.0, 1.0)
    middle = float(difference.mean())
    reach = Z * sqrt((float(difference.var()) + 1 / count) / count)
    return middle, (max(-1.0, middle - reach), min(1.0, middle + reach))


def above_others(members: Result, others: Result) -> tuple[float, tuple[float, float]]:
    r"""The gain on members minus the gain on people who are not in the release, each above its own baseline.

    .. math:: (p_1 - g_1) - (p_0 - g_0)

    with Newcombe's interval for the difference of two shares, which is made of Wilson's two. Time O(1).

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in Medicine 17,
    873–890, method 10.
    """
    p, q = members.value, others.value
    guesses = float(str(members.facts["baseline"])) - float(str(others.facts["baseline"]))
    ends = [
        wilson(part.value * trials, trials)
        for part, trials in ((members, _trial_count(members)), (others, _trial_count(others)))
    ]
    low = p - q - sqrt((p - ends[0][0]) ** 2 + (ends[1][1] - q) ** 2)
    high = p - q + sqrt((ends[0][1] - p) ** 2 + (q - ends[1][0]) ** 2)
    return p - q - guesses, (low - guesses, high - guesses)


def _trial_count(result: Result) -> int:
    return int(str(result.facts["records attacked"]))
