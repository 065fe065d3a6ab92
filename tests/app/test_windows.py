"""Windows on one project, its history, files that are dropped, and files that cannot be read, in a real browser."""

from __future__ import annotations

import tomllib
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.studio import Studio, open_file

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect

NUMBERS = count(1)
ROWS = "zip,sex,pay\n" + "".join(f"N{number % 5},{'fm'[number % 2]},{1000 + number}\n" for number in range(60))


@pytest.fixture
def opened(studio: Studio, page: Page, tmp_path: Path) -> Path:
    """A file of its own for each test, open in its window."""
    file = tmp_path / f"people-{next(NUMBERS)}.csv"
    file.write_text(ROWS)
    open_file(page, studio, file)
    return file


@pytest.mark.usefixtures("opened")
def test_two_windows_see_each_other_and_an_older_one_changes_nothing(studio: Studio, page: Page) -> None:
    other = page.context.new_page()
    other.goto(f"{studio.origin}/data")
    for window in (page, other):
        window.get_by_label("Role of zip").wait_for()
    page.get_by_label("Role of zip").select_option("quasi")
    expect(other.get_by_label("Role of zip")).to_have_value("quasi")  # without a reload
    expect(other.locator(".panel.working")).to_have_count(0)
    other.evaluate("document.documentElement.dataset.version = '1'")  # as if the news had not reached it yet
    other.get_by_label("Role of sex").select_option("confidential")
    other.get_by_text("changed in another window").wait_for()
    roles = tomllib.loads((studio.folder / "plan.toml").read_text())["roles"]
    assert roles == {"quasi": ["zip"]}
    other.get_by_role("button", name="Dismiss").click()
    other.get_by_text("changed in another window").wait_for(state="detached")
    other.get_by_label("Role of sex").select_option("confidential")  # it shows the present state now
    expect(page.get_by_label("Role of sex")).to_have_value("confidential")
    assert tomllib.loads((studio.folder / "plan.toml").read_text())["roles"]["confidential"] == ["sex"]


LATE = """told => {
  const now = document.querySelector("[data-panel=status]"), late = now.cloneNode(true);
  late.className = "panel working";
  late.dataset.told = told;
  now.replaceWith(late);
  document.dispatchEvent(new CustomEvent("swapped"));
}"""


@pytest.mark.usefixtures("opened")
def test_a_page_that_comes_late_does_not_leave_a_panel_waiting_for_ever(page: Page) -> None:
    page.get_by_label("Role of zip").wait_for()
    page.locator("[data-panel=status].ready").wait_for()
    told = page.locator("[data-panel=status]").get_attribute("data-told")
    page.get_by_label("Role of zip").select_option("quasi")
    page.locator("[data-panel=status].ready", has_text="12").wait_for()  # this window heard of it
    for _ in range(3):
        page.evaluate(LATE, told)  # as the server laid it out before
    page.locator("[data-panel=status].ready").wait_for()


@pytest.mark.usefixtures("opened")
def test_nothing_is_made_anew_under_a_pressed_button(studio: Studio, page: Page) -> None:
    page.get_by_label("Role of zip").wait_for()
    expect(page.locator(".panel.working")).to_have_count(0)
    page.evaluate("document.getElementById('main').firstElementChild.id = 'this-one'")
    button = page.locator("#theme").bounding_box()
    assert button
    page.mouse.move(button["x"] + 5, button["y"] + 5)
    page.mouse.down()
    page.evaluate("path => import(path).then(swap => { swap.page(); })", "/assets/swap.js")
    with page.expect_response(f"{studio.origin}/data"):
        page.evaluate("path => import(path).then(swap => { swap.page(); })", "/assets/swap.js")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.locator("#this-one").count() == 1
    page.mouse.up()
    page.locator("#this-one").wait_for(state="detached")


def chosen(page: Page, file: Path) -> None:
    page.evaluate("document.getElementById('file').closest('details').open = true")  # it may be open already
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Choose a file").click()
    chooser.value.set_files(file)


def test_a_dropped_file_is_opened_and_a_bad_one_is_told(studio: Studio, page: Page, tmp_path: Path) -> None:
    page.goto(f"{studio.origin}/data")
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(ROWS)
    bad.write_bytes(b"zip,name\nN1,M\xfcller-secret\n")
    chosen(page, good)
    page.get_by_role("heading", name="good.csv").wait_for()
    page.get_by_text("60 records").wait_for()
    chosen(page, bad)
    problem = page.get_by_role("alert").first
    problem.wait_for()
    said = problem.inner_text()
    assert "encoding" in said and "secret" not in said
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("heading", name="good.csv").wait_for()
    assert good.read_text() == ROWS and (studio.folder / "data" / "good.csv").read_text() == ROWS


def test_next_years_file_gets_the_roles_of_this_years(studio: Studio, page: Page, tmp_path: Path) -> None:
    page.goto(f"{studio.origin}/data")
    years = [tmp_path / f"people-{year}.csv" for year in (2026, 2027, 2028)]
    for file in years:
        file.write_text(ROWS)
    open_file(page, studio, years[0])
    page.get_by_label("Role of zip").select_option("confidential")
    expect(page.locator(".history [aria-current]")).to_contain_text("zip: ")
    page.evaluate("document.getElementById('path').closest('details').open = true")  # it may be open already
    page.get_by_label("The same job with another file").check()
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Choose a file").click()
    page.evaluate("path => import(path).then(swap => swap.page())", "/assets/swap.js")  # while somebody looks for it
    chooser.value.set_files(years[1])
    page.get_by_role("heading", name="people-2027.csv").wait_for()
    expect(page.get_by_label("Role of zip")).to_have_value("confidential")
    page.get_by_label("The same job with another file").check()
    page.get_by_label("path of a file").fill(str(years[2]))
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("heading", name="people-2028.csv").wait_for()
    expect(page.get_by_label("Role of zip")).to_have_value("confidential")
    expect(page.locator(".history [aria-current]")).to_have_text("opened people-2028.csv, for the same job")


def test_a_wrong_path_is_told_beside_it_and_other_errors_stay_until_they_are_dismissed(
    studio: Studio, page: Page
) -> None:
    page.goto(f"{studio.origin}/data")
    page.evaluate("document.getElementById('path').closest('details').open = true")
    page.get_by_label("path of a file").fill("nowhere.csv")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#open-path .field-error")).to_contain_text("there is no file 'nowhere.csv'")
    page.locator("#example").evaluate("one => one.options[0].value = 'nothing'")
    page.locator("#example").select_option(index=0)
    page.get_by_role("button", name="Try it").click()
    notice = page.locator(".notice.error", has_text="nothing")
    notice.wait_for()
    page.reload()
    notice.get_by_role("button", name="Dismiss").click()
    notice.wait_for(state="detached")


ANEW_BEFORE_THE_ANSWER = """path => import(path).then(swap => {
  const plain = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await plain(...asked);
    if (asked[1]?.method === "POST") await swap.page();
    return answer;
  };
})"""
"""The worst order of events: whenever something was sent, the page is made anew before the answer is read."""


ANSWERED_LATE = """() => {
  const plain = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await plain(...asked);
    if (asked[1]?.method === "POST") await new Promise(go => { window.answer = go; });
    return answer;
  };
}"""


@pytest.mark.usefixtures("opened")
def test_what_is_typed_before_an_answer_comes_stays(studio: Studio, page: Page) -> None:
    page.goto(f"{studio.origin}/release")
    page.get_by_text("Title, folder and file name").click()
    title = page.get_by_label("Title of the report")
    title.fill("Patients")
    page.evaluate(ANSWERED_LATE)
    page.get_by_role("button", name="Apply").click()
    page.wait_for_function("() => window.answer")
    title.fill("Patients of 2026")
    page.evaluate("document.getElementById('output-title').setSelectionRange(3, 8)")
    page.evaluate("() => answer()")
    expect(page.locator(".history [aria-current]")).to_have_text("named the result")
    expect(page.locator("body.sending")).to_have_count(0)
    expect(title).to_have_value("Patients of 2026")
    marked = "const one = document.activeElement; return [one.id, one.selectionStart, one.selectionEnd]"
    assert page.evaluate(f"() => {{ {marked} }}") == ["output-title", 3, 8], "also where the hand is in it"


@pytest.mark.usefixtures("opened")
def test_ten_steps_are_undone_and_done_again(studio: Studio, page: Page) -> None:
    page.goto(f"{studio.origin}/release")
    page.evaluate(ANEW_BEFORE_THE_ANSWER, "/assets/swap.js")
    page.get_by_text("Title, folder and file name").click()
    plans = [(studio.folder / "plan.toml").read_bytes()]
    present = page.locator(".history [aria-current]")
    entries = page.locator(".history button")
    first = entries.count()
    for number in range(10):
        page.get_by_label("Title of the report").fill(f"Title {number}")
        page.get_by_role("button", name="Apply").click()
        expect(entries).to_have_count(first + number + 1)
        expect(page.locator("body.sending")).to_have_count(0)  # the page is not made anew while somebody types
        plans.append((studio.folder / "plan.toml").read_bytes())
    assert len(set(plans)) == 11
    for place in reversed(range(10)):
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.locator(".history .undone")).to_have_count(10 - place)
        assert (studio.folder / "plan.toml").read_bytes() == plans[place]
        expect(page.get_by_label("Title of the report")).to_have_value(f"Title {place - 1}" if place else "")
    for place in range(1, 11):
        page.get_by_role("button", name="Do again").click()
        expect(page.locator(".history .undone")).to_have_count(10 - place)
        assert (studio.folder / "plan.toml").read_bytes() == plans[place]
    expect(present).to_have_text("named the result")
    expect(page.locator(".panel.working")).to_have_count(0)
    page.locator("h1").click()
    for keys, times, undone in (("Control+z", 10, 10), ("Control+Shift+Z", 13, 0)):  # faster than any page can answer
        for _ in range(times):
            page.keyboard.press(keys)
        expect(page.locator(".history .undone")).to_have_count(undone)
    expect(page.locator("body.sending")).to_have_count(0)
    expect(page.locator(".notice")).to_have_count(0)  # nor is it a mistake to do again what is done
    below = "one => one.getBoundingClientRect().bottom - one.closest('.history').getBoundingClientRect().bottom"
    assert present.evaluate(below) <= 1, "the present state is in sight"
