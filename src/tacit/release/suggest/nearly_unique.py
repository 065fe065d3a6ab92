r"""Columns whose values are nearly all different: direct identifiers until somebody says otherwise.

A column of whole numbers (also where they are stored as decimals) or of texts is nearly unique when it has at least 20 values
and at least 90 % as many different values as values:

.. math:: \frac{\text{different values}}{\text{values that are not missing}} \ge 0.9.

Decimals, days and flags never count: continuous measurements are nearly unique without naming anybody. Whole numbers may be
amounts, too. They are taken for amounts when some are negative, when three in ten or more are multiples of ten (people round;
numbers of records do not), or when their mean lies in the lowest fifth of their range (amounts are skewed), unless they are
unique beyond chance: n values over a range of R whole numbers have at least :math:`\lambda = n (n - 1) / 2R` equal pairs on
average, whatever their distribution (the uniform one has the fewest), so that none at all where :math:`\lambda \ge 5` has a
chance of about :math:`e^{-5}`: such numbers were given out so that no two are alike.
"""

from __future__ import annotations

import narwhals as nw

from ..engines.table import Type
from .profile import VALUE, Profile

NEARLY_UNIQUE = 0.9
FEWEST = 20
EQUAL_PAIRS = 5.0
ROUNDED, SKEWED = 0.3, 0.2
WHOLE, TENS = "whole numbers", "multiples of ten"


def number_tests(type: Type) -> dict[str, nw.Expr]:
    """Which numbers are whole, and which are multiples of ten."""
    value = nw.col(VALUE)
    if type == "number":
        return {WHOLE: value % 1 == 0, TENS: value % 10 == 0}
    return {TENS: value % 10 == 0} if type == "integer" else {}


def is_nearly_unique(profile: Profile) -> bool:
    """Whether the values are whole numbers or texts, nearly all different."""
    whole = profile.type in ("integer", "text") or (profile.type == "number" and profile.share(WHOLE) == 1.0)
    return whole and profile.known >= FEWEST and profile.distinct_share >= NEARLY_UNIQUE


def unique_beyond_chance(profile: Profile) -> bool:
    """Whether amounts in the same range would have had equal values: no two records share one although they had to."""
    if profile.type == "text" or profile.once < profile.known or profile.low is None or profile.high is None:
        return False
    reach = profile.high - profile.low + 1
    return profile.known * (profile.known - 1) / 2 / reach >= EQUAL_PAIRS


def looks_like_amounts(profile: Profile) -> bool:
    """Whether whole numbers are more likely amounts than numbers of people or records."""
    if profile.type == "text" or profile.low is None or profile.high is None or profile.mean is None:
        return False
    if profile.low < 0:
        return True
    skewed = profile.mean - profile.low < SKEWED * (profile.high - profile.low)
    return (skewed or profile.share(TENS) >= ROUNDED) and not unique_beyond_chance(profile)
