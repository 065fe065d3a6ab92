"""The page Groups in a real browser: by rule, by keyboard, by dragging, into a file and from one, with every mistake told (E-10, E-11, E-12)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from tests.app.studio import Studio

from tacit.protect import Generalise
from tacit.release.read import read
from tacit.risk import k_anonymity

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TOWNS = ["Lund"] * 6 + ["Umeå"] * 3 + ["Kiruna"] * 2 + ["Visby", "Luleå; norr"]


def people(folder: Path) -> Path:
    frame = pl.DataFrame({"town": TOWNS, "age": range(20, 33), "other town": TOWNS})
    path = folder / "people.csv"
    frame.write_csv(path)
    plan = folder / "plan.toml"
    plan.write_text('[data]\npath = "people.csv"\n[roles]\nquasi = ["town", "age"]\n', encoding="utf-8")
    return plan


def ladders(studio: Studio) -> dict[str, Any]:
    return tomllib.loads((studio.folder / "plan.toml").read_text(encoding="utf-8")).get("hierarchies", {})


def told(page: Page, said: str) -> None:
    """Wait until a change stands in the history, and nothing is being worked on any more."""
    page.locator(".history [aria-current]", has_text=said).wait_for()
    page.locator(".working, .sending").first.wait_for(state="detached")


def drag(page: Page, chip: Locator, place: Locator) -> None:
    """With the mouse, as a hand does it: a jump would not start a drag."""
    place.scroll_into_view_if_needed()
    chip.scroll_into_view_if_needed()
    start, end = chip.bounding_box(), place.bounding_box()
    assert start is not None and end is not None
    page.mouse.move(start["x"] + start["width"] - 12, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 40, end["y"] + 25, steps=6)
    page.mouse.move(end["x"] + 42, end["y"] + 26)
    page.mouse.up()


def test_groups_are_made_by_rule_keyboard_mouse_and_file(
    start: Callable[..., Studio], page: Page, tmp_path: Path
) -> None:
    studio = start(str(people(tmp_path)))
    page.goto(studio.address)
    page.get_by_role("link", name="Make groups age").click()

    page.locator("#way-intervals summary").click()
    widths = page.get_by_label("Width at each level")
    widths.fill("5, 7")
    page.locator("#rule-intervals").get_by_role("button").click()
    wrong = page.locator("#rule-intervals .field-error", has_text="interval widths 5, 7 are not whole numbers")
    wrong.wait_for()
    assert widths.input_value() == "5, 7" and ladders(studio) == {}
    widths.fill("5, 10")
    widths.press("Enter")
    told(page, "age: groups by intervals")
    assert ladders(studio) == {"age": {"intervals": [5, 10]}}
    released = read(tmp_path / "people.csv").with_roles({"quasi": "age"}, hierarchies=ladders(studio))
    shown = page.locator("table.levels tbody tr td:nth-child(4)").all_inner_texts()
    expected = [k_anonymity(released.protect(Generalise(levels={"age": level}))).value for level in range(4)]
    assert shown == [str(k) for k in expected]

    page.get_by_role("link", name="town no groups yet").click()
    page.get_by_label("Umeå 3").focus()
    page.keyboard.press("Space")
    page.get_by_label("Kiruna 2").focus()
    page.keyboard.press("Space")
    page.get_by_text("2 chosen").wait_for()
    page.get_by_label("Group", exact=True).focus()
    page.keyboard.type("the north")
    page.keyboard.press("Enter")
    told(page, "town: put 2 into “the north”")
    assert ladders(studio)["town"]["groups"]["the north"] == ["Kiruna", "Umeå"]
    page.locator("#group-name:focus").wait_for()  # where the next group is named

    north, loose = page.get_by_role("group", name="the north"), page.get_by_role("group", name="Values in no group")
    drag(page, loose.locator(".chip", has_text="Luleå"), north)
    told(page, "town: put 1 into “the north”")
    drag(page, north.locator(".chip", has_text="Umeå"), loose)
    told(page, "town: took 1 out")
    assert ladders(studio)["town"]["groups"] == {
        "the north": ["Kiruna", "Luleå; norr"],
        **{town: [town] for town in ("Lund", "Umeå", "Visby")},
    }
    page.get_by_role("button", name="Put into group").click()
    page.locator("#by-hand .field-error", has_text="no value is chosen").wait_for()

    page.get_by_role("button", name="Write the file").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save town.csv").click()
    file = tmp_path / "town-groups.csv"
    saved.value.save_as(file)
    assert '"Luleå; norr";the north;*' in file.read_text(encoding="utf-8").splitlines()

    page.get_by_label("Any other column").select_option("other town")
    page.locator("#of-column", has_text="other town").wait_for()
    while (working := page.locator(".panel.working")).count():  # its values are being read
        working.first.wait_for(state="detached")
    page.locator("#way-file summary").click()
    with page.expect_file_chooser() as chooser:
        page.locator('label[for="import-file"]').click()
    chooser.value.set_files(file)
    page.locator("#import-chosen", has_text="town-groups.csv").wait_for()
    page.get_by_role("button", name="Use this file").click()
    told(page, "other town: groups from town-groups.csv")
    kept = ladders(studio)["other town"]["file"]
    assert (studio.folder / kept).read_bytes() == file.read_bytes()
    page.get_by_role("button", name="Remove the groups").click()
    told(page, "other town: no groups")
    page.keyboard.press("Control+z")
    told(page, "other town: groups from")
    assert ladders(studio)["other town"] == {"file": kept}
