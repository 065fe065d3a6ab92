"""Differential privacy as a game: which of two databases gave this answer, and how often the best adversary is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from ..errors import TacitError, format_value
from ..result import DisplayMixin
from .cost import to_fraction

Law = Literal["laplace", "discrete laplace"]
DIGITS = 30
WIDE = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Of an error such as 10⁻⁴³⁴³⁰ a floating-point number keeps nothing; a decimal one keeps digits and power."""
LARGEST = 10**17
"""Of ε: beyond it even the power of ten has no room."""
DRAWN, REACH = 201, 6
"""Points of a curve, and how many scales it goes on beyond the answers."""
MOST_BARS = 4001
"""Whole numbers for which a distribution is written out one by one."""


def least_error(epsilon: object) -> Decimal:
    r"""The error that no adversary can get below, whatever the mechanism, when both databases are equally likely.

    .. math:: \Pr[\text{wrong}] \ge \frac{1}{e^\varepsilon + 1}

    With ε = 0 it is a coin flip, and it never exceeds one half: the adversary may flip a coin. *Argument*: let S be the
    outputs at which it says D′, p = P(S | D) and p′ = P(S | D′). The definition bounds p′ ≤ e^ε p and
    1 − p ≤ e^ε (1 − p′); the error ½ (p + 1 − p′) is least where both hold with equality. A decimal number, because a
    floating-point one is 0 from ε = 745 on.

    >>> [f"{least_error(epsilon):.2g}" for epsilon in (0, "0.1", 1, 5, 10)]
    ['0.5', '0.48', '0.27', '0.0067', '0.000045']
    >>> f"{least_error(100_000):.2g}"
    '3.6e-43430'

    References
    ----------
    Wasserman and Zhou (2010), A statistical framework for differential privacy, Journal of the American Statistical
    Association 105, 375–389.
    """
    return _inverse_plus_one(_decimal_exp(_check_epsilon(epsilon)))


def rough_guide(epsilon: object) -> str:
    """How much a loss of ε protects, as a rough guide.

    >>> rough_guide("0.05"), rough_guide(1), rough_guide(2), rough_guide(8)
    ('high', 'good', 'weak', 'too big: hardly any')
    """
    loss = _check_epsilon(epsilon)
    if loss < Fraction(1, 10):
        return "high"
    if loss <= 1:
        return "good"
    return "weak" if loss <= 5 else "too big: hardly any"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Game(DisplayMixin):
    """Two neighbouring databases with their true answers, and Laplace noise whose loss between them is exactly ε.

    ``curves()`` has the two distributions of the published answer; :func:`tacit.report.plot` draws them.
    """

    epsilon: Fraction
    answers: tuple[float, float]
    law: Law

    @property
    def scale(self) -> float:
        """Of the noise: b = |q(D) − q(D′)| / ε, infinite for ε = 0."""
        return abs(self.answers[1] - self.answers[0]) / float(self.epsilon) if self.epsilon else math.inf

    @property
    def least_error(self) -> Decimal:
        """What no mechanism with this ε can push the best adversary below: :func:`least_error`."""
        return least_error(self.epsilon)

    @property
    def error(self) -> Decimal:
        r"""Of the best adversary against this noise, who says the database whose answer is nearer.

        Laplace noise: :math:`\tfrac12 e^{-\varepsilon/2}`, above the least error. Discrete Laplace noise with
        :math:`\alpha = e^{-\varepsilon/d}` for answers d apart: :math:`\alpha^{d/2}/2` for even d, else
        :math:`\alpha^{(d+1)/2}/(1+\alpha)`, which for d = 1 is the least error: it cannot be guarded against better.
        """
        half = WIDE.divide(_decimal_exp(-self.epsilon / 2), Decimal(2))
        apart = round(abs(self.answers[1] - self.answers[0]))
        if self.law == "laplace" or apart % 2 == 0:
            return half
        step = self.epsilon / apart
        return WIDE.multiply(_decimal_exp(-step * Fraction(apart + 1, 2)), _inverse_plus_one(_decimal_exp(-step)))

    def curves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Published answers, and how likely each is with D and with D′ (densities, or chances of whole numbers)."""
        if not self.epsilon:
            raise TacitError(
                "with ε = 0 the noise has no end and nothing to draw", code="invalid_parameter", fix="give an ε above 0"
            )
        at = self._whole_outcomes()
        peak = 1 / (2 * self.scale) if self.law == "laplace" else math.tanh(1 / (2 * self.scale))
        first, second = (peak * np.exp(-np.abs(at - centre) / self.scale) for centre in self.answers)
        return at, first, second

    def _whole_outcomes(self) -> np.ndarray:
        low, high = min(self.answers) - REACH * self.scale, max(self.answers) + REACH * self.scale
        if self.law == "laplace":
            return np.unique(np.concatenate([np.linspace(low, high, DRAWN), self.answers]))
        low, high = math.floor(low), math.ceil(high)
        if high - low >= MOST_BARS:
            raise TacitError(
                f"the noise reaches {high - low:,} whole numbers, too many to draw",
                code="not_whole_number",
                fix="give a larger ε, or law='laplace'",
            )
        return np.arange(low, high + 1, dtype=float)

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees."""
        yield "ε", f"{float(self.epsilon):.6g}"
        yield "protection (rough guide)", rough_guide(self.epsilon)
        yield "noise", f"{self.law}, scale {self.scale:.4g}"
        yield "beforehand", "both databases equally likely (even odds)"
        yield "adversary's error, least for this ε", format_probability(self.least_error)
        yield "adversary's error against this noise", format_probability(self.error)

    def __repr__(self) -> str:
        return f"<Game ε = {float(self.epsilon):.6g}, error at least {format_probability(self.least_error)}>"


def game(epsilon: object, *, answers: tuple[float, float] = (5, 6), law: Law = "laplace") -> Game:
    r"""The game of differential privacy for a loss of ε: how often the best adversary is wrong.

    A referee flips a fair coin and publishes a noisy answer from D or from its neighbour D′; the adversary knows both
    databases, both true ``answers`` and the noise, and says which it was. The noise is Laplace with the scale that makes
    the loss between these two answers exactly ε, :math:`b = |q(D) - q(D')| / \varepsilon`; ``law="discrete laplace"`` is
    the one on whole numbers that the package draws. All figures assume even odds: whoever knows beforehand that D is
    likely is wrong less often, and by ε learns just as little more. O(1).

    >>> print(game(1))
    ε                                     1
    protection (rough guide)              good
    noise                                 laplace, scale 1
    beforehand                            both databases equally likely (even odds)
    adversary's error, least for this ε   0.269
    adversary's error against this noise  0.303
    >>> game(2, answers=(5, 7)).scale, game(100_000)
    (1.0, <Game ε = 100000, error at least 3.56·10^−43430>)

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006), Calibrating noise to sensitivity in private data analysis, TCC, LNCS 3876,
    265–284. Ghosh, Roughgarden and Sundararajan (2009), Universally utility-maximizing privacy mechanisms, STOC, 351–360.
    """
    if law not in ("laplace", "discrete laplace"):
        raise TacitError(
            f"law={format_value(law)} is unknown",
            code="unknown_name",
            parameter="law",
            fix="law is 'laplace' or 'discrete laplace'",
        )
    first, second = (float(to_fraction(answer, "the answer")) for answer in answers)
    if first == second:
        raise TacitError(
            "both databases have the same answer",
            code="conflicting_parameters",
            fix="give two different ones, e.g. answers=(5, 6)",
        )
    if law == "discrete laplace" and not (first.is_integer() and second.is_integer()):
        raise TacitError(
            "discrete noise is for whole answers",
            code="conflicting_parameters",
            fix="e.g. answers=(5, 6), or law='laplace'",
        )
    return Game(epsilon=_check_epsilon(epsilon), answers=(first, second), law=law)


def format_probability(error: Decimal) -> str:
    """An error as text, also one that no floating-point number can hold.

    >>> format_probability(Decimal("0.26894")), format_probability(Decimal("3.5629E-43430"))
    ('0.269', '3.56·10^−43430')
    """
    if error >= Decimal("0.001"):
        return f"{error:.3g}"
    digits, _, power = f"{error:.2e}".partition("e")
    return f"{digits}·10^−{power.lstrip('-')}"


def _check_epsilon(epsilon: object) -> Fraction:
    loss = to_fraction(epsilon, "epsilon")
    if not 0 <= loss <= LARGEST:
        raise TacitError(
            f"epsilon {float(loss):g} is no loss", code="out_of_range", fix=f"give a number from 0 to {LARGEST:g}"
        )
    return loss


def _decimal_exp(power: Fraction) -> Decimal:
    return WIDE.exp(WIDE.divide(Decimal(power.numerator), Decimal(power.denominator)))


def _inverse_plus_one(value: Decimal) -> Decimal:
    return WIDE.divide(Decimal(1), WIDE.add(value, Decimal(1)))
