"""Answers and sensitivities in whole steps of a declared grid, where noise is drawn exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral

from ...errors import TacitError
from ..cost import to_fraction
from .noise_distribution import NoiseDistribution


def steps_of_sensitivity(sensitivity: Fraction, step: Fraction) -> int:
    """⌈Δ/step⌉: rounding to the grid moves two answers at most so far apart, because it keeps order and whole shifts.

    >>> steps_of_sensitivity(Fraction(1, 3), Fraction(1, 10))
    4
    """
    return math.ceil(sensitivity / step)


def in_steps(value: object, step: Fraction) -> int:
    """The place of an answer on the grid, halves going up."""
    if type(value) is int and step == 1:  # what counts and scores are, and there may be many
        return value
    try:
        found = to_fraction(value)
    except TacitError:
        raise TacitError(
            "the answer to protect is no finite number",
            code="not_finite",
            fix="cut the data to declared bounds before adding up",
        ) from None
    return math.floor(found / step + Fraction(1, 2))


def whole_steps(values: Sequence[object]) -> list[int]:
    """Answers that are whole numbers of steps already: rounding several could move them further than one step."""
    if not all(isinstance(value, Integral) for value in values):
        raise TacitError(
            "several answers are whole numbers of steps",
            code="not_whole_number",
            fix="count in steps of the grid first",
        )
    return [int(value) for value in values]  # type: ignore[call-overload]


def number_from_steps(steps: int | Fraction, step: Fraction) -> int | float:
    """Steps as a number: whole where the grid is.

    >>> number_from_steps(3, Fraction(1, 2)), number_from_steps(4, Fraction(1, 2))
    (1.5, 2)
    """
    value = steps * step
    return int(value) if value.denominator == 1 else float(value)


class GridMechanism:
    """Answers on the grid of ``step`` plus noise: what the Laplace and the Gaussian mechanism have in common."""

    __slots__ = ()
    sensitivity: Fraction
    step: Fraction

    @property
    def steps(self) -> int:
        """The sensitivity in steps."""
        return steps_of_sensitivity(self.sensitivity, self.step)

    @property
    def distribution(self) -> NoiseDistribution:
        """The noise that is drawn, in steps."""
        raise NotImplementedError

    @property
    def scale(self) -> float:
        """B or σ, in steps."""
        return self.distribution.scale

    def release(self, answer: object) -> int | float:
        """The answer on the grid plus noise."""
        return number_from_steps(self.distribution.add_noise([in_steps(answer, self.step)])[0], self.step)

    def release_steps(self, answers: Sequence[object]) -> list[int]:
        """Several answers, each a whole number of steps, plus independent noise. O(n)."""
        return self.distribution.add_noise(whole_steps(answers))

    def half_width(self, confidence: float = 0.95) -> int | float:
        """How far the noise stays from 0 with this chance."""
        return number_from_steps(self.distribution.half_width(1 - confidence), self.step)
