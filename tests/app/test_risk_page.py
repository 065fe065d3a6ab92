"""The page Risk in a real browser: what is found, what the intruder knows, and the attacks, live (A-02, A-03, C-02, C-03)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.app.studio import Studio

from tacit.examples import clinic

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLAN = """
[data]
path = "people.csv"
missing = "own"

[roles]
quasi = ["zip", "birth", "sex"]
confidential = ["diagnosis"]

[hierarchies]
birth = { dates = ["month", "year", "decade"] }

[require]
reidentification = 0.05

[[protect]]
method = "generalise"
levels = { birth = 3 }
"""


def test_what_the_intruder_knows_decides_what_the_attacks_find(
    start: Callable[..., Studio], page: Page, tmp_path: Path
) -> None:
    people = clinic(200, seed=3).frame.select("zip", "birth", "sex", "diagnosis")
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    studio = start("plan.toml", "--project", "p")

    def intruder() -> dict[str, object]:
        found: dict[str, object] = tomllib.loads((studio.folder / "plan.toml").read_text()).get("intruder", {})
        return found

    page.goto(studio.address)
    page.goto(f"{studio.origin}/risk")
    page.locator("[data-panel=attacks].ready").wait_for()
    page.locator("aside li.fails", has_text="re-identification does not hold").wait_for()
    sentence = page.locator("[data-panel=risk] .sentence").inner_text()
    page.get_by_role("link", name="The data as they are").click()
    page.locator("[data-panel=risk].ready .sentence").wait_for()
    alone = people.group_by("zip", "birth", "sex").len().filter(len=1).height
    before = page.locator("[data-panel=risk] .sentence").inner_text()
    assert f"{alone} of 200 records" in before and before != sentence
    page.locator("#contributions tbody tr").nth(2).wait_for()
    page.goto(f"{studio.origin}/risk")
    page.locator("[data-panel=attacks].ready").wait_for()

    page.locator("#knows-count").focus()
    page.keyboard.press("Home")  # by keyboard alone
    page.get_by_role("button", name="Back to the worst case").wait_for()
    assert intruder() == {"knows": ["birth"]} and page.evaluate("document.activeElement.id") == "knows-count"
    page.keyboard.press("Control+z")
    page.get_by_text("Worst case", exact=True).wait_for()

    page.get_by_label("zip", exact=True).uncheck()  # three clicks faster than the page answers
    page.get_by_label("birth", exact=True).uncheck()
    page.get_by_label("Nothing", exact=True).check()
    page.locator("aside li.holds", has_text="re-identification holds").wait_for()
    assert intruder() == {"knows": ["sex"], "told": "nothing"}
    assert page.locator("#notices").inner_text() == ""
    page.get_by_label("Singling out").check()
    page.get_by_role("heading", name="Who is there").wait_for()
    page.locator("[data-panel=attacks]", has_text="An intruder who knows sex of everybody").wait_for()
