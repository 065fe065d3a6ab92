"""A choice among public candidates by their scores: the answer need not be a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Literal

from ...errors import TacitError
from ..cost import Cost, check_positive
from ..event import Event
from ..neighbours import Neighbours, check_neighbours
from ..noise import LARGEST, laplace_scale
from .on_grid import in_steps, steps_of_sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What both ways to choose have in common.

    ``sensitivity`` is how far one person can move any score. ``monotone`` declares that a person who is added moves no score
    down (counts, sums of amounts from 0 on); the factor 2 is then not needed. It cannot be so for neighbours by replacement:
    one count goes up, another one down.
    """

    sensitivity: Fraction
    epsilon: Fraction
    neighbours: Neighbours
    monotone: bool = False
    step: Fraction = Fraction(1)

    measure: ClassVar[Literal["max_divergence", "zero_concentrated_divergence"]]

    def __post_init__(self) -> None:
        for name in ("sensitivity", "epsilon", "step"):
            object.__setattr__(self, name, check_positive(getattr(self, name), name))
        check_neighbours(self.neighbours)
        if self.monotone and self.neighbours == "replace":
            raise TacitError("scores are not monotone under replacement", code="wrong_type", fix="leave monotone=False")

    @property
    def steps(self) -> int:
        """The sensitivity in steps."""
        return steps_of_sensitivity(self.sensitivity, self.step)

    @property
    def scale(self) -> float:
        """2Δ/ε, or Δ/ε of monotone scores, in steps."""
        return laplace_scale((1 if self.monotone else 2) * self.steps, self.epsilon)

    @property
    def cost(self) -> Cost:
        """ε."""
        return Cost(self.epsilon)

    def _make_event(self, rho: Fraction) -> Event:
        return Event(
            law="choice",
            neighbours=self.neighbours,
            cost=self.cost,
            rho=rho,
            scale=self.scale,
            sensitivity=self.steps,
        )

    def release(self, scores: Sequence[object]) -> int:
        """The place of the chosen candidate. O(k log k)."""
        if len(scores) == 0:
            raise TacitError(
                "there is no candidate to choose from", code="wrong_type", fix="give a public list of candidates"
            )
        cut = [max(-LARGEST, min(LARGEST, in_steps(score, self.step))) for score in scores]
        return int(_noisy_max(self.measure, self.scale)(cut))

    def shortfall(self, candidates: int, confidence: float = 0.95) -> float:
        """How far below the best score the chosen one stays with this chance: scale · ln(k/(1 − confidence))."""
        return self.scale * math.log(candidates / (1 - confidence)) * float(self.step)


class Exponential(Choice):
    r"""The exponential mechanism: candidate r with chance :math:`\propto e^{\varepsilon u_r/2\Delta}`.

    Drawn as the largest of the scores plus Gumbel noise, which has exactly that law. It is ε-differentially private and
    :math:`\varepsilon^2/8` zero-concentrated, because its loss has range ε.

    References
    ----------
    McSherry, Talwar (2007), Mechanism design via differential privacy, FOCS.
    Cesar, Rogers (2021), Bounding, concentrating, and truncating: unifying privacy loss composition, ALT.
    """

    __slots__ = ()
    measure = "zero_concentrated_divergence"

    @property
    def event(self) -> Event:
        """What an accountant is told."""
        return self._make_event(self.epsilon**2 / 8)


class PermuteAndFlip(Choice):
    r"""Permute-and-flip: candidates in random order, each taken with chance :math:`e^{\varepsilon (u_r - u_{max})/2\Delta}`.

    ε-differentially private, and its expected score is never below that of the exponential mechanism, at most twice as near.

    References
    ----------
    McKenna, Sheldon (2020), Permute-and-flip: a new mechanism for differentially private selection, NeurIPS.
    """

    __slots__ = ()
    measure = "max_divergence"

    @property
    def event(self) -> Event:
        """What an accountant is told."""
        return self._make_event(self.epsilon**2 / 2)


@lru_cache(maxsize=256)
def _noisy_max(measure: str, scale: float) -> Any:
    """OpenDP's selection: permute-and-flip under max divergence, Gumbel noise under zero-concentrated divergence.

    (``make_report_noisy_max_gumbel`` is permute-and-flip too since 0.14, whatever its name says.)
    """
    from ..opendp import domains, measurements, measures, metrics

    whole = domains.vector_domain(domains.atom_domain(T="i64"))
    return measurements.make_noisy_max(whole, metrics.linf_distance(T="i64"), getattr(measures, measure)(), scale=scale)
