"""What an answer costs: an exact number of ε (or ρ) and of δ, so that a sum of costs never drifts.

Binary fractions do: ten times 0.1 is not 1. A ledger of them refuses an answer that was paid for, or grants one that
was not. Costs are therefore fractions; a text such as ``"0.1"`` is a tenth.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, Literal

from ..errors import TacitError, format_value

Unit = Literal["epsilon", "rho"]
"""What an amount counts: ε of pure (or approximate) differential privacy, or ρ of zero-concentrated."""


def to_fraction(value: object, name: str = "the amount") -> Fraction:
    """A number as the fraction that a person meant: a float by its shortest decimal form, a text by its digits.

    >>> to_fraction(0.1), to_fraction("1/3"), to_fraction(2)
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    """
    try:
        if isinstance(value, bool) or not isinstance(value, Real | str | Decimal):
            raise ValueError
        found = _as_fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError, InvalidOperation):
        raise TacitError(
            f"{name} {format_value(value)} is not a finite number", code="wrong_type", fix=f"e.g. {name} = 0.5"
        ) from None
    return found


def _as_fraction(value: Real | str | Decimal) -> Fraction:
    if isinstance(value, Real) and not isinstance(value, Integral | Fraction):
        return Fraction(repr(float(value)))
    return Fraction(int(value) if isinstance(value, Integral) else value)


def check_positive(value: object, name: str) -> Fraction:
    """A number above 0, exactly; anything else is an error that names the parameter."""
    found = to_fraction(value, name)
    if found <= 0:
        raise TacitError(
            f"{name} {format_value(value)} is not above 0",
            code="out_of_range",
            fix=f"give a {name} above 0, e.g. {name}=0.5",
        )
    return found


def rounded_up(value: float) -> Fraction:
    """A computed bound as a fraction with nine decimals, never below it.

    >>> rounded_up(1.0000000001)
    Fraction(1000000001, 1000000000)
    """
    return Fraction(-(-Fraction(value) * 10**9 // 1), 10**9)


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of ε or ρ, and of δ, each an exact fraction that is not negative.

    >>> Cost.of("0.1") + Cost.of("0.2") == Cost.of("0.3"), Cost.of(1) <= Cost.of(1, "1e-6")
    (True, True)
    """

    amount: Fraction
    delta: Fraction = Fraction(0)
    unit: Unit = "epsilon"

    def __post_init__(self) -> None:
        if self.amount < 0 or not 0 <= self.delta < 1:
            raise TacitError(
                f"a cost of {self.unit} {float(self.amount):g} and δ {float(self.delta):g} cannot be",
                code="privacy_budget",
                fix="give an amount from 0 on and a δ from 0 to below 1",
            )

    @classmethod
    def of(cls, amount: object, delta: object = 0, unit: Unit = "epsilon") -> Cost:
        """A cost from numbers or texts."""
        return cls(to_fraction(amount, unit), to_fraction(delta, "delta"), unit)

    def __add__(self, other: Cost) -> Cost:
        """What both cost together: basic composition; (ε, δ) add up, and so does ρ."""
        self._check_same_unit(other)
        return Cost(self.amount + other.amount, min(self.delta + other.delta, _ALMOST_ONE), self.unit)

    def __le__(self, other: Cost) -> bool:
        """Whether the other covers this one in both parts."""
        self._check_same_unit(other)
        return self.amount <= other.amount and self.delta <= other.delta

    def __sub__(self, other: Cost) -> Cost:
        """What is left of this when the other is spent; nothing is left of what is overspent."""
        self._check_same_unit(other)
        left = max(self.amount - other.amount, Fraction(0)), max(self.delta - other.delta, Fraction(0))
        return Cost(*left, self.unit)

    def _check_same_unit(self, other: Cost) -> None:
        if self.unit != other.unit:
            raise TacitError(
                f"{self.unit} and {other.unit} cannot be added",
                code="invalid_parameter",
                fix="convert one of them first",
            )

    def as_json(self) -> dict[str, str]:
        """The exact parts as texts, e.g. ``{"unit": "epsilon", "amount": "1/10", "delta": "0"}``."""
        return {"unit": self.unit, "amount": str(self.amount), "delta": str(self.delta)}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Cost:
        """The cost that :meth:`as_json` wrote."""
        return cls(Fraction(given["amount"]), Fraction(given["delta"]), given["unit"])

    def __str__(self) -> str:
        symbol = "ε" if self.unit == "epsilon" else "ρ"
        delta = f", δ = {float(self.delta):.3g}" if self.delta else ""
        return f"{symbol} = {float(self.amount):.6g}{delta}"


_ALMOST_ONE = 1 - Fraction(1, 10**18)


def sum_costs(costs: Iterable[Cost], unit: Unit = "epsilon") -> Cost:
    """The sum of costs; of none, nothing."""
    found = Cost(Fraction(0), Fraction(0), unit)
    for cost in costs:
        found = found + cost
    return found
