"""Found, required and margin as they are shown: they add up, flatter nobody, and agree with the verdict."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.models.verdict import Verdict
from tacit.report.figures import VerdictFigures, verdict_figures


def judged(found: float, required: float, *, most: bool = True) -> Verdict:
    margin = required - found if most else found - required
    return Verdict(holds=margin >= 0, model="", required=required, found=found, margin=margin)


def number(text: str) -> Decimal:
    return Decimal(text.removesuffix(" %").replace(",", ""))


bounds = st.integers(0, 10_000).map(lambda whole: whole / 10_000)


@given(found=st.floats(0, 1), required=bounds, share=st.booleans(), most=st.booleans())
def test_what_is_shown_adds_up_never_flatters_and_agrees_with_the_verdict(
    found: float, required: float, share: bool, most: bool
) -> None:
    verdict = judged(found, required, most=most)
    told = verdict_figures(verdict, share=share)
    shown, bound, apart = map(number, (told.found, told.required, told.apart))
    assert abs(shown - bound) == apart
    scale = 100 if share else 1
    assert abs(float(bound) - scale * required) <= 1e-9
    worse = (float(shown) - scale * found) * (1 if most else -1)
    assert -1e-9 <= worse <= scale * max(0.1 * found, 1e-4), "rounded to the worse side, and not far"
    assert verdict.holds == ((shown <= bound) if most else (shown >= bound)) or abs(found - required) < 1e-9


@given(found=st.integers(0, 10**7), required=st.integers(1, 10**7))
def test_counts_are_shown_as_they_are(found: int, required: int) -> None:
    told = verdict_figures(judged(found, required, most=False), share=False)
    assert (told.found, told.required, told.apart) == (f"{found:,}", f"{required:,}", f"{abs(found - required):,}")


@pytest.mark.parametrize(
    ("found", "required", "share", "expected"),
    [
        (0.16301, 0.05, True, ("17 %", "5 %", "12 %")),
        (0.02341, 0.05, True, ("2.4 %", "5 %", "2.6 %")),
        (0.05121, 0.0513, True, ("5.13 %", "5.13 %", "0 %")),
        (0.05121, 0.05125, True, ("5.121 %", "5.125 %", "0.004 %")),
        (0.1 + 0.2, 0.3, True, ("30 %", "30 %", "0 %")),
        (1.1e-16, 0.2, False, ("0.000001", "0.2", "0.199999")),
        (-0.02, 0.05, True, ("0 %", "5 %", "5 %")),
        (float("inf"), 0.2, False, ("inf", "0.2", "inf")),
    ],
)
def test_examples(found: float, required: float, share: bool, expected: tuple[str, str, str]) -> None:
    told = verdict_figures(judged(found, required), share=share)
    assert told == VerdictFigures(found=expected[0], required=expected[1], apart=expected[2])
