"""The interactive page about the definition, in a real browser: sliders by mouse and keyboard, light and dark, phone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "why-multiplicative.html"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1000, "height": 900})
    trouble: list[str] = []
    opened.on("console", lambda message: trouble.append(message.text))
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("request", lambda request: trouble.append(request.url))
    opened.goto(PAGE.as_uri())
    assert trouble == [PAGE.as_uri()]
    yield opened
    opened.close()


def said(page: Page, name: str) -> str:
    return page.locator(f"#{name}-said").inner_text()


def put(page: Page, slider: str, value: float) -> None:
    page.locator(f"#{slider}").fill(str(value))


def test_the_additive_attempt_fails_at_the_rare_answer(page: Page) -> None:  # catalogue: H-08
    assert "54 % certain" in said(page, "add")
    page.locator("#add-a").focus()
    page.keyboard.press("Home")
    assert page.locator("#add-a-out").inner_text() == "0.00"
    assert "100 % certain" in said(page, "add")
    assert "certainty after it 100 %" in str(page.locator("#add-chart").get_attribute("aria-label"))
    for p in (0.01, 0.2):
        put(page, "add-p", p)
        assert "100 % certain" in said(page, "add")


@pytest.mark.parametrize("factor", [1, 2, 9.9])
def test_a_factor_bounds_the_certainty_of_every_answer(page: Page, factor: float) -> None:  # catalogue: H-08
    put(page, "times-f", factor)
    for chance in (0.01, 0.05, 0.3, 0.5):
        put(page, "times-a", chance)
        now, most = map(float, re.findall(r"([\d.]+) %", said(page, "times")))
        assert now <= most == pytest.approx(100 * factor / (1 + factor), abs=0.5)
    put(page, "times-a", 0)
    assert "nothing is learnt" in said(page, "times")


def test_losses_add_up_while_factors_multiply(page: Page) -> None:  # catalogue: H-08
    put(page, "log-e", -1)
    page.locator("#log-k").focus()
    page.keyboard.press("End")
    text = said(page, "log")
    assert "20 of them: ε = 2," in text
    assert f"a factor of {math.exp(2):.2f}" in text
    assert f"at least {100 / (math.exp(2) + 1):.0f} %" in text


def test_no_interval_has_a_larger_factor_and_a_point_says_nothing(page: Page) -> None:  # catalogue: H-08
    for epsilon in (0.2, 1, 3):
        put(page, "sets-e", epsilon)
        for left in (0, 4.5, 5.25, 6, 11):
            put(page, "sets-l", left)
            factor, most = map(float, re.search(r"factor of ([\d.]+).*= ([\d.]+)\.", said(page, "sets")).groups())  # type: ignore[union-attr]
            assert factor <= most + 1e-9
            assert most == pytest.approx(math.exp(epsilon), abs=1e-3)
    put(page, "sets-w", 0)
    assert "says nothing" in said(page, "sets")


def test_the_chances_of_an_interval_are_those_of_laplace_noise(page: Page) -> None:
    """From 6 to 7.5 with scale 1: ½ (e⁻¹ − e⁻²·⁵) of D and ½ (1 − e⁻¹·⁵) of D′."""
    first, second = 50 * (math.exp(-1) - math.exp(-2.5)), 50 * (1 - math.exp(-1.5))
    assert f"From D {first:.0f} %" in said(page, "sets")
    assert f"from D′ {second:.0f} %" in said(page, "sets")


@pytest.mark.parametrize(
    ("power", "word"), [(-2, "high"), (-1, "good"), (0, "good"), (0.3, "weak"), (0.75, "too big"), (1.3, "too big")]
)
def test_the_guide_says_how_much_an_epsilon_protects(page: Page, power: float, word: str) -> None:  # catalogue: H-08
    put(page, "guide-e", power)
    assert f"protection {word}." in said(page, "guide")


def test_every_slider_has_a_name_and_works_by_keyboard(page: Page) -> None:
    sliders = page.get_by_role("slider")
    assert sliders.count() == 10
    for place in range(sliders.count()):
        slider = sliders.nth(place)
        name = slider.get_attribute("id")
        assert page.locator(f"label[for={name}]").inner_text().strip()
        before = page.locator(f"#{name}-out").inner_text()
        slider.focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert page.locator(f"#{name}-out").inner_text() != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(page: Page, contrast: str, scheme: Any) -> None:
    """WCAG AA asks 4.5 : 1 of text."""
    page.emulate_media(color_scheme=scheme)
    measured = page.evaluate(contrast)
    assert len(measured) > 80
    assert [text for contrast, text in measured if contrast < 4.5] == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_sticks_out_or_is_cut(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = """nodes => nodes.filter(node => {
      const [text, chart] = [node.getBoundingClientRect(), node.closest('svg').getBoundingClientRect()];
      return text.left < chart.left - 1 || text.right > chart.right + 1 || text.bottom > chart.bottom + 2;
    }).map(node => node.textContent)"""
    assert page.eval_on_selector_all("svg text", cut) == []
    assert page.get_by_role("img").count() == page.locator("svg").count() == 5
