"""The page Data in a real browser: a file is opened, its columns get their roles, everything can be undone (A-01, A-03)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.studio import Studio, open_file

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect


def test_suggested_roles_are_taken_changed_and_undone(studio: Studio, page: Page) -> None:
    page.goto(f"{studio.origin}/data")
    page.evaluate("document.getElementById('path').closest('details').open = true")
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name="Take the suggestions").click()
    page.get_by_role("button", name="took the suggested roles").wait_for()
    assert page.get_by_label("Role of zip").input_value() == "quasi"
    page.get_by_label("Role of sex").select_option("other")
    page.get_by_role("button", name="sex: Undecided: choose").wait_for()
    plan = tomllib.loads((studio.folder / "plan.toml").read_text())
    assert "sex" not in plan["roles"]["quasi"] and plan["roles"]["identifier"] == ["name", "phone"]
    page.get_by_label("Role of phone").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")  # by way of quasi, alone and with confidential, which nobody means
    page.keyboard.press("Tab")
    page.get_by_role("button", name="phone: Nobody may learn it").wait_for()
    assert page.get_by_role("button", name="phone: An intruder may know it").count() == 0
    assert page.get_by_role("button", name="phone: Both: seen in life, and confidential").count() == 0
    page.keyboard.press("Control+z")
    page.locator(".history .undone").wait_for()
    page.keyboard.press("Control+z")
    expect(page.locator(".history .undone")).to_have_count(2)
    assert "sex" in tomllib.loads((studio.folder / "plan.toml").read_text())["roles"]["quasi"]


GERMAN = "Nr;Geburtsdatum;PLZ;Einkommen\n" + "".join(
    f"{100000 + i};{'NA' if i % 9 == 0 else f'{1 + i % 28:02}.0{1 + i % 9}.19{30 + i % 60}'};0106{i % 9};{i},50\n"
    for i in range(300)
)


def test_a_german_export_is_read_by_one_click_and_a_wrong_reading_can_be_mended(
    studio: Studio, page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "leute.csv"
    file.write_text(GERMAN)
    open_file(page, studio, file)
    page.locator("#spelling").get_by_role("button", name="Read it so").click()
    page.locator("#spelling").wait_for(state="detached")
    page.locator('select[aria-label="What it holds: Geburtsdatum"] option[value=""]', has_text="days").wait_for(
        state="attached"
    )
    data = tomllib.loads((studio.folder / "plan.toml").read_text())["data"]
    assert (data["dates"], data["decimal"], data["missing_values"]) == ("DD.MM.YYYY", ",", ["NA"])
    page.get_by_role("button", name="Take the suggestions").click()
    page.get_by_role("link", name="Next: say what missing values mean").click()
    page.get_by_label("A missing value").select_option("own")
    page.get_by_role("link", name="Next: see who is at risk").wait_for()
    page.locator("#reading summary").click()
    page.get_by_label("Encoding").select_option("utf-16")
    page.locator("#reading-form").get_by_role("button").click()
    page.get_by_role("alert").first.wait_for()
    assert page.get_by_label("Encoding").input_value() == "utf-16", "the way out stays on the page"
    page.get_by_label("Encoding").select_option("")
    page.locator("#reading-form").get_by_role("button").click()
    page.get_by_text("300 records").wait_for()


def test_a_column_among_many_is_found_by_typing_and_stays_found_when_its_role_is_said(
    studio: Studio, page: Page, tmp_path: Path
) -> None:
    names = [f"v{number:03}" for number in range(60)]
    file = tmp_path / "wide.csv"
    file.write_text(
        "".join(",".join([*row, "\n"]).replace(",\n", "\n") for row in (names, *[["1"] * 60] * 20, ["2"] * 60))
    )
    open_file(page, studio, file)
    rows = page.locator("#roles tbody tr:visible")
    expect(rows).to_have_count(60)
    page.get_by_label("Find a column").press_sequentially("v01")
    expect(rows).to_have_count(10)
    expect(page.locator("#find-column-shown")).to_have_text("10 / 60")
    page.get_by_label("Role of v013").select_option("quasi")
    page.get_by_role("button", name="v013: ").wait_for()
    expect(page.get_by_label("Role of v013")).to_have_value("quasi")
    expect(rows).to_have_count(10)
    page.get_by_label("Find a column").fill("")
    expect(rows).to_have_count(60)
