"""Every page for everybody: names for every control, contrast in light and dark, a phone's width, the keyboard alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio, started
from tests.contrast import CONTRAST
from tests.patience import PATIENCE

from tacit.app.pages import ALL as PAGES
from tacit.plan.example_files import write_example

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

UNNAMED = """() => [...document.querySelectorAll('button, input:not([type=hidden]), select, textarea, a[href], progress')]
  .filter(node => node.checkVisibility())
  .filter(node => !(node.getAttribute('aria-label') || node.innerText?.trim() || node.labels?.length || node.title
    || node.textContent?.trim() || node.querySelector('[aria-label], title')))
  .map(node => node.outerHTML.slice(0, 120))"""
DOUBLED = "() => { const ids = [...document.querySelectorAll('[id]')].map(one => one.id); return ids.filter((id, i) => ids.indexOf(id) !== i); }"
SHADED = "() => [...document.querySelectorAll('[style]')].map(one => one.outerHTML.slice(0, 120))"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("access")
    write_example("clinic", folder, rows=400)
    found = started([sys.executable, "-m", "tacit", "studio", "plan.toml", "--no-browser"], folder)
    yield found
    found.process.terminate()
    found.process.wait(timeout=30)


@pytest.fixture(scope="module")
def window(studio: Studio, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    opened.goto(studio.address)
    yield opened
    context.close()


@pytest.fixture(scope="module", params=PAGES)
def shown(request: pytest.FixtureRequest, studio: Studio, window: Page) -> Page:
    """A page of the clinic's plan with all of its panels there and everything unfolded."""
    window.set_viewport_size({"width": 1300, "height": 900})
    window.goto(f"{studio.origin}/{request.param}")
    while (working := window.locator(".panel.working")).count():
        working.first.wait_for(state="detached")
    window.eval_on_selector_all("details", "nodes => nodes.forEach(node => node.open = true)")
    return window


def test_every_control_has_a_name_and_every_id_is_one(shown: Page) -> None:
    assert shown.evaluate(UNNAMED) == []
    assert shown.evaluate(DOUBLED) == []
    assert shown.evaluate(SHADED) == [], "the policy of the page takes no style from its HTML"


def test_headings_are_in_order(shown: Page) -> None:
    levels = shown.eval_on_selector_all(
        "main h1, main h2, main h3, main h4",
        "nodes => nodes.filter(one => one.checkVisibility()).map(one => Number(one.tagName[1]))",
    )
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False)), levels


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(shown: Page, scheme: Any) -> None:
    """WCAG AA asks 4.5 : 1 of text."""
    shown.emulate_media(color_scheme=scheme)
    measured = shown.evaluate(CONTRAST)
    shown.emulate_media(color_scheme="light")
    assert len(measured) > 20
    assert [(round(contrast, 2), text) for contrast, text in measured if contrast < 4.5] == []


@pytest.mark.parametrize("width", [360, 390, 820])
def test_nothing_sticks_out(shown: Page, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_reaches_what_the_mouse_does(shown: Page) -> None:
    """What can be clicked is a control: nothing listens for clicks that cannot be focused."""
    shown.set_viewport_size({"width": 1300, "height": 900})
    lost = shown.eval_on_selector_all(
        "main button, main a[href], main summary, main select, main input:not([type=hidden])",
        "nodes => nodes.filter(one => one.checkVisibility() && !one.disabled && one.tabIndex < 0).map(one => one.outerHTML.slice(0, 120))",
    )
    assert lost == []
    shown.locator("body").press("Tab")
    first = shown.evaluate("document.activeElement.className")
    assert first == "skip" or shown.evaluate("document.activeElement.tagName") != "BODY"
