"""The page in a real browser: desktop and phone, light and dark, no network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tacit.report import write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(
    scope="module",
    params=[
        "held internal",
        "failing public",
        "audit internal",
        "attack internal",
        "curved internal",
        "made_up internal",
        "made_up public",
    ],
)
def page(request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page from a file, all details open; ``page.trouble`` is what went wrong or wanted the network."""
    name, audience = request.param.split()
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(request.getfixturevalue(name), path, audience=audience)
    opened = browser.new_page()
    trouble: list[str] = []
    opened.on("console", lambda message: trouble.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    opened.on("request", lambda request: trouble.append(request.url))
    opened.route("http*://**", lambda route: route.abort())
    opened.goto(path.as_uri())
    opened.eval_on_selector_all("details", "nodes => nodes.forEach(node => node.open = true)")
    opened.trouble = [said for said in trouble if not said.startswith(("file:", "data:"))]  # type: ignore[attr-defined]
    yield opened
    opened.close()


def test_it_opens_without_network_or_complaint(page: Any) -> None:
    assert page.trouble == []
    assert page.get_by_role("heading", level=1).count() == 1
    levels = page.eval_on_selector_all("h1,h2,h3,h4", "nodes => nodes.map(node => Number(node.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_charts_have_names_and_tables_captions(page: Page) -> None:
    charts = page.get_by_role("img")
    assert charts.count() == page.locator("svg").count() > 0
    names = charts.evaluate_all("nodes => nodes.map(node => node.getAttribute('aria-label'))")
    assert all(names)
    assert page.locator("table").count() == page.locator("table > caption").count()


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_nothing_sticks_out(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    right = "nodes => Math.max(...nodes.map(node => node.getBoundingClientRect().right))"
    assert page.eval_on_selector_all("svg", right) <= width
    assert page.eval_on_selector_all("svg", "nodes => Math.min(...nodes.map(n => n.clientWidth))") > 200


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(252, 252, 250)"), ("dark", "rgb(20, 24, 28)")])
def test_all_text_can_be_read(page: Page, contrast: str, scheme: Any, ground: str) -> None:
    """WCAG AA asks 4.5 : 1 of text."""
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    measured = page.evaluate(contrast)
    assert len(measured) > 40
    assert [text for contrast, text in measured if contrast < 4.5] == []


def test_the_labels_of_the_charts_are_not_cut(page: Page) -> None:
    cut = page.eval_on_selector_all(
        "svg text",
        """nodes => nodes.filter(node => {
          const [text, chart] = [node.getBoundingClientRect(), node.closest('svg').getBoundingClientRect()];
          return text.left < chart.left - 1 || text.right > chart.right + 1;
        }).map(node => node.textContent)""",
    )
    assert cut == []
