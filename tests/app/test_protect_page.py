"""The page Protect in a real browser: steps with their effect, mistakes beside their fields, variants side by side (A-01, C-02, E-03)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.app.stepped import COLUMNS, HEAD, STEPS
from tests.app.studio import Studio

from tacit.examples import clinic
from tacit.plan.load import from_text
from tacit.plan.original import original_of
from tacit.plan.protection import protect_release
from tacit.risk import k_anonymity, sample_uniques

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_steps_are_added_seen_compared_and_undone(start: Callable[..., Studio], page: Page, tmp_path: Path) -> None:
    clinic(200, seed=2).frame.select(COLUMNS).write_csv(tmp_path / "people.csv")
    (tmp_path / "plan.toml").write_text(HEAD)
    studio = start("plan.toml", "--project", "p")

    def steps() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = tomllib.loads((studio.folder / "plan.toml").read_text()).get("protect", [])
        return found

    page.goto(studio.address)
    page.goto(f"{studio.origin}/protect")
    page.get_by_role("button", name="Start with this: Coarser groups, then blank what is still rare").click()
    page.locator("#step-1-suppress_cells [data-panel].ready").wait_for()
    assert [step["method"] for step in steps()] == ["generalise", "suppress_cells"] and steps()[1]["k"] == 3
    _figures_are_those_of_the_plan(page, tmp_path, steps()[0]["levels"])
    _a_mistake_stands_beside_its_field(page)
    page.locator("#step-2-rank_swap [data-panel].ready").wait_for()
    assert steps()[2] == {"method": "rank_swap", "columns": ["income"], "percent": 5}
    assert page.evaluate("document.activeElement.id") == "step-2-rank_swap", "the keyboard goes on at the new step"
    _variants_stand_side_by_side(page)
    assert [step["method"] for step in steps()] == ["generalise", "rank_swap"]
    _everything_can_be_undone(page, steps)


def _figures_are_those_of_the_plan(page: Page, folder: Path, levels: dict[str, int]) -> None:
    given = f"levels = {{ zip = {levels['zip']}, birth = {levels['birth']} }}"
    plan = from_text(HEAD + STEPS.replace("levels = { zip = 2, birth = 3 }", given), folder=folder)
    masked = protect_release(plan, original_of(plan), 0, None)
    tiles = page.locator("#step-1-suppress_cells .tiles dd").all_inner_texts()
    assert tiles[0].endswith(str(k_anonymity(masked).value)) and "→" in tiles[0]
    assert tiles[1].endswith(f"→ {sample_uniques(masked).value}") and tiles[2] == "200"
    page.locator("[data-panel=effect] .sentence", has_text="After the steps 0 of 200 records are alone").wait_for()


def _a_mistake_stands_beside_its_field(page: Page) -> None:
    page.get_by_label("Find a method").fill("ordered categories whose own distribution")
    assert page.locator("#method option:not([hidden])").all_inner_texts() == ["rank swap"]
    page.get_by_label("Method", exact=True).select_option("rank_swap")
    form = page.locator("#add-rank_swap")
    form.get_by_role("checkbox", name="income").check()
    form.get_by_label("percent").fill("500")
    form.get_by_role("button", name="Add: rank swap").click()
    error = form.locator("[data-field=percent] .field-error")
    error.wait_for()
    assert "percent=500" in error.inner_text() and "To fix it:" in error.inner_text()
    percent = form.get_by_label("percent")
    assert percent.get_attribute("aria-invalid") == "true" and percent.input_value() == "500"
    assert (error.get_attribute("id") or "-") in (percent.get_attribute("aria-describedby") or "")
    assert form.get_by_role("checkbox", name="income").is_checked() and page.locator(".notice").count() == 0
    page.get_by_label("After", exact=True).select_option("0")  # the page is made anew, what was typed stays
    page.wait_for_url("**after=0**")
    error.wait_for()
    assert percent.input_value() == "500"
    percent.fill("5")
    form.get_by_role("button", name="Add: rank swap").click()


def _variants_stand_side_by_side(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("with blanks")
    page.get_by_role("button", name="Keep under this name").click()
    page.get_by_role("button", name="Switch off: Suppress cells").click()
    page.locator(".step.off").wait_for()
    page.get_by_label("Compare").select_option("with blanks")
    blanked = page.locator(".compared tr", has_text="suppressed cells")
    blanked.wait_for()
    assert "differs" in (blanked.get_attribute("class") or "") and blanked.locator("td").nth(1).inner_text() == "0 %"
    steps = page.locator(".compared tr").nth(1)
    assert "Suppress cells: k 3" in steps.locator("td").nth(0).inner_text()
    assert "Suppress cells" not in steps.locator("td").nth(1).inner_text()


def _everything_can_be_undone(page: Page, steps: Callable[[], list[dict[str, Any]]]) -> None:
    page.get_by_role("button", name="Move up: Rank swap").click()
    page.locator("#step-0-rank_swap [data-panel].ready").wait_for()
    page.locator("#step-1-generalise [data-panel].ready").wait_for()  # nothing moves any more under the mouse
    page.locator("[data-panel=effect].ready").wait_for()
    page.locator("#step-0-rank_swap h3").drag_to(page.locator("#step-1-generalise h3"))
    page.locator("#step-1-rank_swap").wait_for()
    assert [step["method"] for step in steps()] == ["generalise", "rank_swap"]
    page.get_by_role("button", name="Rank swap added: income, 5 %").click()
    page.locator("#step-1-suppress_cells").wait_for()
    assert [step["method"] for step in steps()] == ["generalise", "suppress_cells", "rank_swap"]
    assert page.locator(".step.off").count() == 0
    page.get_by_role("button", name="Suppress cells switched off").click()
    page.locator(".step.off").wait_for()
    page.get_by_role("button", name="Take it up: with blanks").click()
    page.get_by_role("button", name="variant with blanks taken up").wait_for()
    assert [step["method"] for step in steps()] == ["generalise", "suppress_cells", "rank_swap"]
