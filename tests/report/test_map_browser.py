"""The map in a real browser: what it draws, what it answers to pointer and keyboard, and what it does not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tacit.report import write_page
from tacit.report.map_chart import strategy_style
from tacit.report.map_data import MapData
from tacit.study.results import Study

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

Opened = Callable[..., Any]
NAME = "<img src=x onerror=window.broken=1>"
COLOUR = """([x, y]) => {
  const canvas = document.querySelector('#map canvas');
  const scale = canvas.width / canvas.clientWidth;
  const found = canvas.getContext('2d').getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data;
  return '#' + [...found.slice(0, 3)].map(part => part.toString(16).padStart(2, '0')).join('');
}"""
LIGHT = """() => {
  const canvas = document.querySelector('#map canvas');
  const found = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let at = 0; at < found.length; at += 4) count += found[at + 3] > 200 && found[at] > 200 && found[at + 2] > 200;
  return count;
}"""


@pytest.fixture(scope="module")
def study(studied: Callable[..., Study]) -> Study:
    return studied()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    """Opens the page of a study from a file; at the end nothing may have complained or wanted the network."""
    trouble: list[str] = []
    pages: list[Page] = []

    def open_page(study: Study, **more: Any) -> Page:
        path = write_page(study, tmp_path / "map.html", command="tacit explore pay.toml")
        page = browser.new_page(**more)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url))
        page.route("http*://**", lambda route: route.abort())
        page.goto(path.as_uri())
        page.wait_for_selector("#map[data-drawn]")
        pages.append(page)
        return page

    yield open_page
    # Canvas2D: a remark on how these tests read the pixels.
    assert [said for said in trouble if not said.startswith(("file:", "data:", "Canvas2D"))] == []
    for page in pages:
        page.close()


def ring(page: Page) -> tuple[float, float]:
    left, top = page.locator(".ring").evaluate("node => [parseFloat(node.style.left), parseFloat(node.style.top)]")
    return left, top


def point_at(page: Page, x: float, y: float) -> None:
    page.locator("#map").scroll_into_view_if_needed()
    place = page.locator("#map .canvas").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + x, place["y"] + y)


# catalogue: F-06
def test_the_marks_lie_where_the_hints_are(study: Study, opened: Opened) -> None:
    page = opened(study)
    colours = {name: strategy_style(place)[0] for place, name in enumerate(MapData.of(study).strategies)}
    page.locator("#map").focus()
    for number in reversed(study.front):  # by growing loss, as the key goes
        page.keyboard.press("ArrowDown")
        point = study.point(number)
        assert page.locator(".hint strong").text_content() == f"Point {number}: {point.strategy}"
        assert page.evaluate(COLOUR, ring(page)) == colours[point.strategy]


def test_a_hint_tells_parameters_attacks_losses_and_requirements(study: Study, opened: Opened) -> None:
    page = opened(study)
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    place = ring(page)
    page.keyboard.press("Escape")
    assert page.locator(".hint").is_hidden()
    point_at(page, place[0] + 4, place[1] - 3)
    said = page.locator(".hint").inner_text()
    assert "Point 0: as it is" in said
    for words in (
        "re-identification 80",
        "attribute inference 20",
        "distance 80",
        "transparency 40",
        "one to one 85",
        "moments 0",
    ):
        assert words in said
    assert "re-identification: at most 20\u00a0% required, 80\u00a0% found" in said
    point_at(page, place[0] + 600, place[1])
    assert page.locator(".hint").is_hidden()


def test_a_click_opens_a_point_and_its_plan(study: Study, opened: Opened) -> None:
    page = opened(study)
    page.locator("#map").focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    number = study.front[-2]
    place = ring(page)
    point_at(page, *place)
    page.mouse.down()
    page.mouse.up()
    panel = page.locator("#map-point")
    assert panel.locator("h3").text_content() == f"Point {number}: {study.point(number).strategy}"
    command = f"tacit explore pay.toml --point {number} --write point-{number}.toml"
    assert panel.locator("code").first.text_content() == command
    panel.locator("summary").click()
    assert panel.locator("details code").text_content() == study.plan(number)
    panel.locator("details button").click()
    page.wait_for_function("/^(Copied|Selected)/.test(document.querySelector('#map-point details button').textContent)")


def test_the_table_and_the_keyboard_open_points_too(study: Study, opened: Opened) -> None:
    page = opened(study)
    page.get_by_role("button", name=f"Open point {study.chosen}", exact=True).first.click()
    panel = page.locator("#map-point")
    assert str(panel.locator("h3").text_content()).startswith(f"Point {study.chosen}:")
    assert "chosen, on the front" in panel.inner_text()
    page.locator("#candidates ~ details summary").click()
    page.get_by_role("button", name="Open point 10", exact=True).click()
    assert "the column 'pay' is constant: leave it out" in panel.inner_text()
    assert panel.locator("code").count() == 0
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert str(panel.locator("h3").text_content()).startswith("Point 0:")
    assert page.evaluate("document.activeElement.id") == "map-point"


def test_other_axes_and_hidden_strategies(study: Study, opened: Opened) -> None:
    page = opened(study)
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    before = ring(page)
    page.locator("#map-risk").select_option(label="attack: transparency")
    assert page.locator(".hint").is_hidden()
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".hint strong").text_content() == "Point 0: as it is"
    after = ring(page)
    assert after[0] == pytest.approx(before[0], abs=12)
    assert page.evaluate(COLOUR, after) == strategy_style(0)[0]
    button = page.get_by_role("button", name="as it is")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".hint strong").text_content() != "Point 0: as it is"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"


def test_a_name_from_the_plan_does_nothing(studied: Callable[..., Study], opened: Opened) -> None:
    page = opened(studied(20, names=(NAME,), title=NAME))
    page.locator("#map").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert NAME in str(page.locator("#map-point h3").text_content())
    assert page.locator("img").count() == 0
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_and_follows_the_colours_of_the_page(study: Study, opened: Opened, width: int) -> None:
    page = opened(study, viewport={"width": width, "height": 800}, color_scheme="light")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    canvas = page.locator("#map canvas").bounding_box()
    assert 0.8 * min(width, 800) <= canvas["width"] <= width
    light = page.evaluate(LIGHT)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"({LIGHT})() > {light} + 200")  # words and lines become light on the dark
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function("document.querySelector('#map canvas').clientWidth <= 500")


def test_five_thousand_points_answer(studied: Callable[..., Study], opened: Opened) -> None:
    study = studied(5000)
    page = opened(study)
    page.locator("#map").focus()
    page.keyboard.press("ArrowDown")
    place = ring(page)
    page.keyboard.press("Escape")
    point_at(page, *place)
    number = study.front[-1]
    assert page.locator(".hint strong").text_content() == f"Point {number}: {study.point(number).strategy}"
    page.locator("#map-loss").select_option(label="squared error")
    assert page.locator(".hint").is_hidden()
