"""Gaussian noise on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import TacitError
from ..cost import Cost, check_positive
from ..event import Event
from ..neighbours import Neighbours, check_neighbours
from ..noise import gaussian_scale
from .discrete_gaussian import delta_of, scale_for
from .noise_distribution import NoiseDistribution
from .on_grid import GridMechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(GridMechanism):
    r"""The answer plus discrete Gaussian noise, :math:`P(z) \propto e^{-z^2/2\sigma^2}` in steps of the grid.

    Give ``rho`` for zero-concentrated differential privacy, :math:`\sigma = \Delta/\sqrt{2\rho}`, of one answer or of several
    (then ``sensitivity`` is all of them together, in L2); or ``epsilon`` and ``delta`` for one answer: σ is then the
    smallest for which the noise that is drawn is (ε, δ)-differentially private (:mod:`.discrete_gaussian`).

    Examples
    --------
    >>> Gaussian(sensitivity=1, rho="0.5", neighbours="add_remove").scale
    1.0
    >>> round(Gaussian(sensitivity=100, epsilon=1, delta="1e-5", neighbours="add_remove").scale / 100, 4)
    3.7306

    References
    ----------
    Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, NeurIPS.
    Balle, Wang (2018), Improving the Gaussian mechanism for differential privacy, ICML.
    Bun, Steinke (2016), Concentrated differential privacy, TCC.
    """

    sensitivity: Fraction
    neighbours: Neighbours
    rho: Fraction | None = None
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        given = tuple(name for name in ("rho", "epsilon", "delta") if getattr(self, name) is not None)
        if given not in (("rho",), ("epsilon", "delta")):
            raise TacitError(
                f"Gaussian noise is declared by rho, or by epsilon and delta, not by {' and '.join(given) or 'neither'}",
                code="privacy_budget",
                fix="e.g. rho=0.1, or epsilon=1, delta=1e-6",
            )
        for name in ("sensitivity", "step", *given):
            object.__setattr__(self, name, check_positive(getattr(self, name), name))
        if self.delta is not None and self.delta >= 1:
            raise TacitError(f"delta {float(self.delta):g} is not below 1", code="out_of_range", fix="e.g. delta=1e-6")
        check_neighbours(self.neighbours)

    @property
    def distribution(self) -> NoiseDistribution:
        """Discrete Gaussian noise of scale σ, in steps."""
        if self.rho is not None:
            return NoiseDistribution("rho", gaussian_scale(self.steps, self.rho))
        return NoiseDistribution("rho", scale_for(self.steps, float(self.cost.amount), float(self.cost.delta)))

    @property
    def cost(self) -> Cost:
        """ρ, or ε and δ."""
        if self.rho is not None:
            return Cost(self.rho, unit="rho")
        return Cost(self.epsilon or Fraction(0), self.delta or Fraction(0))

    @property
    def event(self) -> Event:
        """What an accountant is told; with ε and δ, the ρ of the same noise."""
        scale = self.scale
        rho = self.rho if self.rho is not None else Fraction(self.steps**2) / (2 * Fraction(scale) ** 2)
        return Event(
            law="gaussian" if self.rho is None else "concentrated",
            neighbours=self.neighbours,
            cost=self.cost,
            rho=rho,
            scale=scale,
            sensitivity=self.steps,
        )

    def delta_at(self, epsilon: float) -> float:
        """The exact δ(ε) of one answer at any ε: the whole privacy profile, which an audit can test."""
        return delta_of(self.steps, self.scale, epsilon)

    def release_steps(self, answers: Sequence[object]) -> list[int]:
        """Several answers, each a whole number of steps, plus independent noise; declared by ρ. O(n)."""
        if self.rho is None and len(answers) > 1:
            raise TacitError(
                "epsilon and delta of Gaussian noise are those of one answer", code="privacy_budget", fix="declare rho"
            )
        return GridMechanism.release_steps(self, answers)
