"""What was found, what was required, and what lies between them, rounded so that the three agree."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isclose, isfinite

from ..models.verdict import Verdict
from ..result import format_fact
from .words import format_percent

DIGITS = {True: 2, False: 4}
"""Significant digits of shares, which are shown in per cent, and of other figures."""
SMALLEST = 6
"""Decimal places at most, unless what is required has more."""
EXACT = Context(prec=12)
"""What arithmetic leaves beyond these digits is no finding."""
EVERY = Context(prec=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictFigures:
    """The figures of a verdict as text. ``apart`` is by how much it holds or fails, the difference of the other two."""

    found: str
    required: str
    apart: str


def verdict_figures(verdict: Verdict, *, share: bool) -> VerdictFigures:
    """The figures of a verdict; what was found is rounded to the worse side, and never across what is required.

    >>> slack = Verdict(holds=True, model="", required=0.05, found=0.02341, margin=0.02659)
    >>> verdict_figures(slack, share=True)
    VerdictFigures(found='2.4 %', required='5 %', apart='2.6 %')
    >>> short = Verdict(holds=False, model="", required=0.05, found=0.16301, margin=-0.11301)
    >>> verdict_figures(short, share=True)
    VerdictFigures(found='17 %', required='5 %', apart='12 %')
    """
    numbers = (verdict.found, verdict.required, verdict.margin)
    if not all(map(isfinite, numbers)) or not _is_margin_difference(verdict):
        return _separate_figures(verdict, share)
    required = _exact_decimal(verdict.required, share)
    found = _rounded_result(verdict, required, share)
    return VerdictFigures(
        found=_format_decimal(found, share),
        required=_format_decimal(required, share),
        apart=_format_decimal(abs(required - found), share),
    )


def _separate_figures(verdict: Verdict, share: bool) -> VerdictFigures:
    """Every figure by itself, where they have no difference that could be shown."""
    if share:
        up = format_percent(verdict.found, up=True)
        return VerdictFigures(
            found=up, required=format_percent(verdict.required), apart=format_percent(abs(verdict.margin))
        )
    return VerdictFigures(
        found=format_fact(verdict.found), required=format_fact(verdict.required), apart=format_fact(abs(verdict.margin))
    )


def _is_margin_difference(verdict: Verdict) -> bool:
    """Whether the margin is the difference of the two; of a few models it is measured otherwise."""
    apart = abs(verdict.required - verdict.found)
    return isclose(apart, abs(verdict.margin), rel_tol=1e-6, abs_tol=1e-9)


def _rounded_result(verdict: Verdict, required: Decimal, share: bool) -> Decimal:
    """What was found, to the worse side of it, with more digits where few would say that it fails what it holds."""
    value = _exact_decimal(max(0.0, verdict.found) if share else verdict.found, share)
    if value == required or (verdict.holds and verdict.margin <= 0):  # met exactly, but for rounding
        return required
    high = (value > required) != verdict.holds  # more is worse
    rounding = ROUND_CEILING if high else ROUND_FLOOR
    for places in range(min(SMALLEST, max(0, DIGITS[share] - 1 - value.adjusted())), EXACT.prec * 2):
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=EVERY)
        if not verdict.holds or (rounded <= required if high else rounded >= required):
            return rounded
    return value


def _exact_decimal(value: float, share: bool) -> Decimal:
    """A number as it is written, in per cent if it is a share."""
    return EXACT.create_decimal(repr(float(value))) * (100 if share else 1)


def _format_decimal(value: Decimal, share: bool) -> str:
    text = f"{value:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{'0' if plain == '-0' else plain}{' %' if share else ''}"
