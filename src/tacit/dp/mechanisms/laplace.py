"""Laplace noise on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..cost import Cost, check_positive
from ..event import Event
from ..neighbours import Neighbours, check_neighbours
from ..noise import laplace_scale, with_laplace
from .discrete_laplace import half_width
from .on_grid import in_steps, number_from_steps, steps_of_sensitivity, whole_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace:
    r"""The answer plus discrete Laplace noise: pure ε-differential privacy.

    On the grid of ``step``, the noise is :math:`z` steps with chance
    :math:`P(z) = \tanh(1/2b)\, e^{-|z|/b}`, :math:`b = \Delta/\varepsilon` in steps. Two answers that are at most
    :math:`\Delta` steps apart give every outcome with chances that differ by a factor of at most
    :math:`e^{\Delta/b} = e^{\varepsilon}`. ``sensitivity`` is how far one person can move the answer (of several answers:
    all together, in L1); it is declared, and rounded up to whole steps.

    Examples
    --------
    >>> mechanism = Laplace(sensitivity=1, epsilon="0.5", neighbours="add_remove")
    >>> mechanism.scale, str(mechanism.cost), mechanism.half_width()
    (2.0, 'ε = 0.5', 6)

    References
    ----------
    Dwork, McSherry, Nissim, Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC.
    Ghosh, Roughgarden, Sundararajan (2012), Universally utility-maximizing privacy mechanisms, SIAM J. Comput. 41.
    Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS (the sampler).
    """

    sensitivity: Fraction
    epsilon: Fraction
    neighbours: Neighbours
    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        for name in ("sensitivity", "epsilon", "step"):
            object.__setattr__(self, name, check_positive(getattr(self, name), name))
        check_neighbours(self.neighbours)

    @property
    def steps(self) -> int:
        """The sensitivity in steps."""
        return steps_of_sensitivity(self.sensitivity, self.step)

    @property
    def scale(self) -> float:
        """b, in steps."""
        return laplace_scale(self.steps, self.epsilon)

    @property
    def cost(self) -> Cost:
        """ε."""
        return Cost(self.epsilon)

    @property
    def event(self) -> Event:
        """What an accountant is told."""
        return Event(
            law="laplace",
            neighbours=self.neighbours,
            cost=self.cost,
            rho=self.epsilon**2 / 2,
            scale=self.scale,
            sensitivity=self.steps,
        )

    def release(self, answer: object) -> int | float:
        """The answer on the grid plus noise."""
        return number_from_steps(with_laplace([in_steps(answer, self.step)], self.scale)[0], self.step)

    def release_steps(self, answers: Sequence[object]) -> list[int]:
        """Several answers, each a whole number of steps, plus independent noise. O(n)."""
        return with_laplace(whole_steps(answers), self.scale)

    def half_width(self, confidence: float = 0.95) -> int | float:
        """How far the noise stays from 0 with this chance."""
        return number_from_steps(half_width(self.scale, 1 - confidence), self.step)
