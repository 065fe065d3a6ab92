"""The best single guess: what one value, said of everybody, can hit at most."""

from __future__ import annotations

import numpy as np


def single_guess(true: np.ndarray, *, within: float = 0.0) -> np.ndarray:
    r"""1 for each person whom the value hits that hits most of them, when it is said of everybody.

    .. math:: \hat v = \arg\max_v\ |\{i : |v_i - v| \le within\}|

    For categories (whole numbers, ``within`` 0) that is the most frequent one. For numbers it is not the mean: between two
    heaps, or among counts, nobody is near to it, and a model that says anything else would seem to know something. No guess
    that is the same for everybody is right more often, so that a model that knows nothing is not either. It is a
    yardstick of the judge and reads the truth; NaN is hit by nothing. Of guesses as good the lowest is taken. O(n log n).

    >>> single_guess(np.array([0.0, 1.0, 1.2, 5.0]), within=0.1).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    known = np.sort(true[~np.isnan(true)])
    if not len(known):
        return np.zeros(len(true))
    reach = within * (1 + 1e-12)
    past = np.searchsorted(known, known + 2 * reach, side="right")
    first = int(np.argmax(past - np.arange(len(known))))
    hit: np.ndarray = (true >= known[first]) & (true <= known[past[first] - 1])
    return hit.astype(float)
