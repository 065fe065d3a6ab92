"""Laplace noise on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..cost import Cost, check_positive
from ..event import Event
from ..neighbours import Neighbours, check_neighbours
from ..noise import laplace_scale
from .noise_distribution import NoiseDistribution
from .on_grid import GridMechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(GridMechanism):
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
    def distribution(self) -> NoiseDistribution:
        """Discrete Laplace noise of scale b, in steps."""
        return NoiseDistribution("epsilon", laplace_scale(self.steps, self.epsilon))

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
