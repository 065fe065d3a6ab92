"""Answers and sensitivities in whole steps of a declared grid, where noise is drawn exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral

from ...errors import TacitError
from ..cost import to_fraction


def steps_of_sensitivity(sensitivity: Fraction, step: Fraction) -> int:
    """⌈Δ/step⌉: rounding to the grid moves two answers at most so far apart, because it keeps order and whole shifts."""
    return math.ceil(sensitivity / step)


def in_steps(value: object, step: Fraction) -> int:
    """The place of an answer on the grid, halves going up."""
    if type(value) is int and step == 1:  # what counts and scores are, and there may be many
        return value
    try:
        found = to_fraction(value)
    except TacitError:
        raise TacitError(
            "the answer to protect is no finite number", fix="cut the data to declared bounds before adding up"
        ) from None
    return math.floor(found / step + Fraction(1, 2))


def whole_steps(values: Sequence[object]) -> list[int]:
    """Answers that are whole numbers of steps already: rounding several could move them further than one step."""
    if not all(isinstance(value, Integral) for value in values):
        raise TacitError("several answers are whole numbers of steps", fix="count in steps of the grid first")
    return [int(value) for value in values]  # type: ignore[call-overload]


def number_from_steps(steps: int | Fraction, step: Fraction) -> int | float:
    """Steps as a number: whole where the grid is.

    >>> number_from_steps(3, Fraction(1, 2)), number_from_steps(4, Fraction(1, 2))
    (1.5, 2)
    """
    value = steps * step
    return int(value) if value.denominator == 1 else float(value)
