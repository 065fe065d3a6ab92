"""What was found, what was required, and what lies between them, rounded so that the three agree."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isclose, isfinite

from ..models.verdict import Verdict
from ..result import shown
from .words import percent

DIGITS = {True: 2, False: 4}
"""Significant digits of shares, which are shown in per cent, and of other figures."""
SMALLEST = 6
"""Decimal places at most, unless what is required has more."""
EXACT = Context(prec=12)
"""What arithmetic leaves beyond these digits is no finding."""
EVERY = Context(prec=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a verdict as text. ``apart`` is by how much it holds or fails, the difference of the other two."""

    found: str
    required: str
    apart: str


def figures(verdict: Verdict, *, share: bool) -> Figures:
    """The figures of a verdict; what was found is rounded to the worse side, and never across what is required.

    >>> slack = Verdict(holds=True, model="", required=0.05, found=0.02341, margin=0.02659)
    >>> figures(slack, share=True)
    Figures(found='2.4 %', required='5 %', apart='2.6 %')
    >>> short = Verdict(holds=False, model="", required=0.05, found=0.16301, margin=-0.11301)
    >>> figures(short, share=True)
    Figures(found='17 %', required='5 %', apart='12 %')
    """
    numbers = (verdict.found, verdict.required, verdict.margin)
    if not all(map(isfinite, numbers)) or not _between(verdict):
        return _each(verdict, share)
    required = _exact(verdict.required, share)
    found = _found(verdict, required, share)
    return Figures(
        found=_text(found, share), required=_text(required, share), apart=_text(abs(required - found), share)
    )


def _each(verdict: Verdict, share: bool) -> Figures:
    """Every figure by itself, where they have no difference that could be shown."""
    if share:
        up = percent(verdict.found, up=True)
        return Figures(found=up, required=percent(verdict.required), apart=percent(abs(verdict.margin)))
    return Figures(found=shown(verdict.found), required=shown(verdict.required), apart=shown(abs(verdict.margin)))


def _between(verdict: Verdict) -> bool:
    """Whether the margin is the difference of the two; of a few models it is measured otherwise."""
    apart = abs(verdict.required - verdict.found)
    return isclose(apart, abs(verdict.margin), rel_tol=1e-6, abs_tol=1e-9)


def _found(verdict: Verdict, required: Decimal, share: bool) -> Decimal:
    """What was found, to the worse side of it, with more digits where few would say that it fails what it holds."""
    value = _exact(max(0.0, verdict.found) if share else verdict.found, share)
    if value == required or (verdict.holds and verdict.margin <= 0):  # met exactly, but for rounding
        return required
    high = (value > required) != verdict.holds  # more is worse
    rounding = ROUND_CEILING if high else ROUND_FLOOR
    for places in range(min(SMALLEST, max(0, DIGITS[share] - 1 - value.adjusted())), EXACT.prec * 2):
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=EVERY)
        if not verdict.holds or (rounded <= required if high else rounded >= required):
            return rounded
    return value


def _exact(value: float, share: bool) -> Decimal:
    """A number as it is written, in per cent if it is a share."""
    return EXACT.create_decimal(repr(float(value))) * (100 if share else 1)


def _text(value: Decimal, share: bool) -> str:
    text = f"{value:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{'0' if plain == '-0' else plain}{' %' if share else ''}"
