"""The page in a real browser over a real server: what people see, type and press (catalogue: H-07)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.patience import PATIENCE

from .page_service import EVIL, KEYS, page_desk
from .serving import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

EXPECTED = re.compile(r"Failed to load resource: the server responded with a status of [45]\d\d")
"""What Chromium itself says of every refusal."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    opened = page_desk(tmp_path_factory.mktemp("page"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def url(desk: Any) -> Iterator[str]:
    with served(desk) as address:
        yield address


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab of its own; afterwards nothing was complained of, left the origin, or carried a key in an address."""
    opened = browser.new_page(base_url=url, viewport={"width": 1280, "height": 900})
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    said: list[str] = []
    asked: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: (said.append(f"a script ran: {dialog.message}"), dialog.dismiss()))
    opened.on("request", lambda request: asked.append(request.url))
    opened.set_default_timeout(PATIENCE)
    opened.goto("/")
    yield opened
    content, address, kept = opened.content(), opened.url, opened.evaluate("JSON.stringify({...localStorage})")
    opened.close()
    assert [text for text in said if not EXPECTED.match(text)] == []
    assert [one for one in asked if not one.startswith(f"{url}/")] == []
    assert not any(key in text for key in KEYS.values() for text in (*asked, content, address, kept))


def enter(page: Page, name: str) -> None:
    page.get_by_label("API key").fill(KEYS[name])
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("navigation").wait_for()


def typed(page: Page, sql: str, spend: str | None = None) -> None:
    page.get_by_label("Your question").fill(sql)
    if spend is not None:
        page.get_by_label("Spend", exact=True).fill(spend)


def ask(page: Page, sql: str, spend: str | None = None) -> None:
    typed(page, sql, spend)
    with page.expect_response("**/query"):
        page.locator("#ask").click()
        if spend is not None:
            page.get_by_role("dialog").get_by_role("button", name="Ask and spend").click()
    page.get_by_role("heading", name="Answer").wait_for()


def test_a_wrong_key_is_told_and_the_right_one_opens_data_sets_and_gauges(page):
    for wrong in ("nobody-has-this", "two words", "ключ"):
        page.get_by_label("API key").fill(wrong)
        page.get_by_role("button", name="Log in").click()
        page.locator("#key-problem:not(:empty)").wait_for()
        assert page.get_by_label("API key").input_value() == ""
    enter(page, "ana")
    gauges = page.get_by_role("meter")
    texts = gauges.evaluate_all("nodes => nodes.map(node => node.getAttribute('aria-valuetext'))")
    assert len(texts) == 3 and all(re.fullmatch(r"\S+ of (10|8|6) spent, \S+ left", text) for text in texts)
    options = page.get_by_label("Data set", exact=True).locator("option").all_text_contents()
    assert options == ["people", "staff", "salaries"]
    assert page.get_by_role("button", name="Insert income").inner_text().split()[:3] == [
        "income",
        "number",
        "confidential",
    ]


def test_a_typed_question_shows_its_price_its_accuracy_and_what_would_be_left(page):
    enter(page, "olga")
    typed(page, "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex", "0.25")
    preview = page.get_by_role("group", name="Price before asking")
    preview.get_by_text("ε = 0.25").first.wait_for()
    assert re.search(r"n\s*± \d+", preview.inner_text())
    cells = preview.locator("td.number").all_text_contents()
    assert len(cells) == 2 and cells[0].startswith("ε = ") and float(cells[0][4:]) - float(cells[1][4:]) == 0.25
    assert page.locator(".taken").count() == 1, "the gauge shows what it would take"


def test_a_refusal_has_code_sentence_and_hint_and_stays_until_it_is_mended(page):
    enter(page, "ana")
    typed(page, "SELECT AVG(inkome) AS a FROM people", "0.1")
    refusal = page.locator(".preview .refusal")
    refusal.wait_for()
    assert "unknown_column" in refusal.inner_text() and "did you mean 'income'?" in refusal.inner_text()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("alert").filter(has_text="inkome").wait_for()
    typed(page, "SELECT AVG(income) AS a FROM people")
    page.locator(".price-amount").wait_for()
    assert refusal.count() == 0 and page.get_by_role("alert").filter(has_text="inkome").count() == 1
    page.get_by_role("button", name="Dismiss").click()
    assert page.get_by_role("alert").filter(has_text="inkome").count() == 0
    typed(page, "SELECT COUNT(*) AS n FROM people", "7")
    page.locator(".preview").get_by_text("this account has ε = ", exact=False).wait_for()
    assert "not enough" in page.locator(".preview .left").inner_text()


def test_an_answer_is_confirmed_charged_shown_and_free_the_second_time(page):
    enter(page, "ana")
    meter = page.get_by_role("meter", name="Spent: your account")
    before = float(meter.get_attribute("aria-valuenow"))
    sql = "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"
    typed(page, sql, "0.5")
    page.locator("#ask").click()
    dialog = page.get_by_role("dialog")
    assert "never given back" in dialog.inner_text()
    dialog.get_by_role("button", name="Cancel").click()
    assert page.get_by_role("heading", name="Answer").count() == 0
    ask(page, sql, "0.5")
    table = page.get_by_role("group", name=re.compile("^Answer, 4 rows")).get_by_role("table")
    assert table.locator("tbody th").all_text_contents() == ["missing", "f", "m", EVIL], "the value is shown as text"
    assert all(re.fullmatch(r"-?[\d,]+ ± \d+", text) for text in table.locator("td.number").all_text_contents())
    assert page.locator("#answer-title").evaluate("node => node === document.activeElement")
    assert "charged ε = 0.5" in page.locator(".answer .badge").inner_text()
    page.locator(".price-amount").get_by_text("Free").wait_for()
    assert float(meter.get_attribute("aria-valuenow")) == before + 0.5
    figures = table.locator("td.number").all_text_contents()
    page.get_by_role("button", name="Read again, free").click()
    page.get_by_text("free, answered before").wait_for()
    assert table.locator("td.number").all_text_contents() == figures
    assert float(meter.get_attribute("aria-valuenow")) == before + 0.5
    page.get_by_role("link", name="History").click()
    first = page.locator(".line").first
    assert "answered" in first.inner_text() and "ε = 0.5" in first.inner_text()
    first.get_by_role("button", name="Read the answer").click()
    assert first.locator("td.number").all_text_contents() == figures


def test_an_answer_can_be_taken_along(page):
    enter(page, "ana")
    ask(page, "SELECT COUNT(*) AS n FROM people WHERE sex = 'f'", "0.05")
    copied = {}
    for name in ("CSV", "JSON", "Command line", "Python"):
        page.get_by_role("button", name=f"Copy as {name}").click()
        page.get_by_text("Copied ✓").first.wait_for()
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"n,n_half_width_95\r\n-?\d+,\d+(\.\d+)?\r\n", copied["CSV"])
    assert '"columns": [' in copied["JSON"] and '"dummy": false' in copied["JSON"]
    assert "--spend '0.05'" in copied["Command line"] and """sex = '"'"'f'"'"''""" in copied["Command line"]
    compile(copied["Python"], "snippet", "exec")
    assert "sex = 'f'" in copied["Python"] and not any(key in text for key in KEYS.values() for text in copied.values())


def test_dummy_figures_are_marked_and_cost_nothing(page, desk):
    enter(page, "ana")
    lines = desk.ledger.verify().lines
    typed(page, "SELECT AVG(income) AS a FROM people", "1")
    page.get_by_role("button", name="Try on dummy data").click()
    page.get_by_role("heading", name="Answer on dummy data").wait_for()
    assert "Dummy data." in page.locator(".answer.dummy").inner_text()
    assert "not charged · would cost ε = 1" in page.locator(".answer .badge").inner_text()
    assert desk.ledger.verify().lines == lines


def test_examples_fit_every_data_set_and_the_spend_field_is_there_only_where_it_counts(page):
    enter(page, "ana")
    for name, spends in (("people", True), ("staff", False), ("salaries", False)):
        page.get_by_label("Data set", exact=True).select_option(name)
        assert page.get_by_label("Spend", exact=True).is_visible() is spends
        if spends:
            page.get_by_label("Spend", exact=True).fill("0.3")
        chips = page.get_by_role("group", name="Examples").get_by_role("button")
        assert chips.count() >= 3
        for place in range(chips.count()):
            with page.expect_response("**/cost") as priced:
                chips.nth(place).click()
            assert priced.value.status == 200, page.get_by_label("Your question").input_value()


def test_exact_and_interval_answers_need_no_confirmation(page):
    enter(page, "ana")
    ask(page, "SELECT grade, COUNT(*) AS n FROM staff GROUP BY grade")
    assert page.locator(".answer td.number").all_text_contents() == ["100", "100"]
    page.get_by_text("These figures are exact.").wait_for()
    typed(page, "SELECT AVG(salary) AS s FROM salaries")
    page.locator("#ask").click()
    page.locator(".answer td", has_text="[").first.wait_for()
    assert re.fullmatch(r"\[[\d,.]+, [\d,.]+\]", page.locator(".answer td.number").first.inner_text())


QUESTIONS = (
    "SELECT COUNT(DISTINCT person) AS k FROM people WHERE age BETWEEN 20 AND 64 OR works IS NULL",
    "SELECT BIN(age, 20) AS a, AVG(income) AS m FROM people WHERE NOT (seen < DATE '2022-03-01' AND sex IN ('f')) GROUP BY a",
    "SELECT QUANTILE(income, 0.9) AS q FROM people WHERE town <> 't''x' AND (works = TRUE OR age > 7)",
    "SELECT SUM(wards.beds) AS b FROM people JOIN wards USING (ward) WHERE income >= 100.5 AND town NOT IN ('t1', 't2')",
    f"""SELECT VARIANCE("{EVIL}") AS v FROM people WHERE sex = '{EVIL.replace("'", "''")}' OR sex IS NULL""",
)


def test_a_question_of_the_history_put_back_is_the_same_question(page):
    """The text is written anew from the ledger's canonical form: the service must say that it was answered before."""
    enter(page, "olga")
    for sql in QUESTIONS:
        ask(page, sql, "1/30")
    for place in range(len(QUESTIONS)):
        page.get_by_role("link", name="History").click()
        page.locator(".line").nth(len(QUESTIONS) - 1).wait_for()
        page.locator(".line").nth(place).get_by_role("button", name="Put into the box").click()
        page.locator(".price").filter(has_text="Free").get_by_text("answered before").wait_for()


def test_history_is_filtered_and_an_analyst_sees_only_the_own(page):
    enter(page, "olga")
    ask(page, "SELECT MEDIAN(age) AS m FROM people", "0.02")
    typed(page, "SELECT COUNT(*) FROM nowhere")
    page.evaluate("""async () => { await fetch('/query', { method: 'POST', body: JSON.stringify({ sql: 'SELECT COUNT(*) FROM nowhere' }),
      headers: { Authorization: `Bearer ${sessionStorage.getItem('tacit-key')}` } }); }""")
    page.get_by_role("link", name="History").click()
    page.locator(".line.refused").first.wait_for()
    page.get_by_label("Outcome").select_option("refused")
    assert page.locator(".line").count() == page.locator(".line.refused").count() >= 1
    page.get_by_label("Outcome").select_option("")
    page.get_by_label("Contains").fill("median(age)")
    assert page.locator(".line").count() == 1
    page.get_by_label("Contains").fill("")
    page.get_by_label("Account").select_option("olga")
    assert all("olga" in text for text in page.locator(".line-meta").all_text_contents())
    page.get_by_role("button", name="Log out").click()
    enter(page, "ben")
    page.get_by_role("link", name="History").click()
    page.get_by_text("Nothing was asked yet.").wait_for()


def test_what_one_account_left_behind_does_not_log_the_next_one_out(page):
    held: list[Any] = []
    page.route("**/cost", lambda route: held.append(route))
    enter(page, "olga")
    with page.expect_request("**/cost"):
        typed(page, "SELECT COUNT(*) AS n FROM people", "0.5")
    typed(page, "SELECT COUNT(*) AS m FROM people")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_timeout(600)
    assert len(held) == 1, "the price of the second text is not asked any more"
    enter(page, "ben")
    held[0].fulfill(status=401, json={"code": "key", "sentence": "nobody has this key", "hint": ""})
    page.get_by_role("link", name="History").click()
    page.get_by_text("Nothing was asked yet.").wait_for()
    assert page.locator("#notices").inner_text() == page.locator("#key-problem").text_content() == ""


def test_the_auditor_reads_and_verifies_and_cannot_ask(page, desk):
    enter(page, "eva")
    assert page.get_by_role("link", name="Ask", exact=True).count() == 0 and page.locator("#sql").count() == 0
    assert page.get_by_role("meter").count() >= 4, "the budgets of all"
    page.goto("/#ask")
    assert page.locator("#sql").count() == 0
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Verify the chain").click()
    page.get_by_text("The chain holds").wait_for()
    assert desk.ledger.verify().head in page.locator(".verified").inner_text()
    page.get_by_label("A head noted earlier").fill("f" * 64)
    page.get_by_role("button", name="Verify the chain").click()
    page.get_by_text("the noted head is not in the chain").wait_for()
    assert page.get_by_role("button", name="Put into the box").count() == 0


def test_several_projects_are_a_choice(page):
    enter(page, "ben")
    typed(page, "SELECT COUNT(*) AS n FROM people", "0.9")
    page.locator(".preview .refusal", has_text="several projects").wait_for()
    page.get_by_label("Project", exact=True).select_option("wages")
    page.locator(".price-amount").wait_for()
    assert "project wages" in page.locator(".preview .left").inner_text()


def test_names_and_typed_texts_are_never_read_as_html(page):
    enter(page, "ana")
    page.get_by_role("button", name=f"Insert {EVIL}").click()
    assert EVIL in page.get_by_label("Your question").input_value()
    typed(page, f"SELECT COUNT(*) FROM people WHERE town = 1 AND {EVIL}", "0.1")
    page.locator(".preview .refusal").wait_for()
    typed(page, f"""SELECT "{EVIL}" FROM people""")
    page.locator(".preview .refusal", has_text="onerror").wait_for()
    page.get_by_role("link", name="Data sets").click()
    page.get_by_text("Declared columns (9)").click()
    page.get_by_role("cell", name=EVIL).or_(page.get_by_role("rowheader", name=EVIL)).first.wait_for()
    assert page.locator("main img").count() == 0


def test_the_keyboard_alone_is_enough(page):
    keys = page.keyboard
    keys.type(KEYS["ana"])
    keys.press("Enter")
    page.get_by_role("navigation").wait_for()
    reached = []
    for _ in range(40):
        keys.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.getAttribute('aria-label')"))
        if reached[-1] == "sql":
            break
    assert reached[-1] == "sql" and "Insert income" in reached
    keys.type("SELECT COUNT(*) AS n FROM people WHERE age > 33")
    while page.evaluate("document.activeElement.id") != "spend":
        keys.press("Tab")
    keys.type("0.01")
    while page.evaluate("document.activeElement.id") != "ask":
        keys.press("Tab")
    keys.press("Enter")
    page.get_by_role("dialog").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Ask and spend ε = 0.01"
    keys.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    while page.evaluate("document.activeElement.id") != "sql":
        keys.press("Shift+Tab")
    keys.press("Control+Enter")
    page.get_by_role("dialog").wait_for()
    keys.press("Enter")
    page.get_by_role("heading", name="Answer").wait_for()


def test_logging_out_forgets_the_key_and_a_reload_keeps_it(page):
    enter(page, "ana")
    page.reload()
    page.get_by_role("navigation").wait_for()
    page.get_by_role("button", name="Log out").click()
    assert page.evaluate("JSON.stringify({...sessionStorage})") == "{}"
    page.reload()
    page.get_by_label("API key").wait_for()
    assert page.locator("#view").inner_text() == "" and page.get_by_role("meter").count() == 0


def test_a_service_that_is_gone_is_told_and_nothing_is_lost(page):
    enter(page, "ana")
    typed(page, "SELECT COUNT(*) AS n FROM people WHERE age > 50", "0.1")
    page.locator(".price-amount").wait_for()
    page.route("**/history*", lambda route: route.fulfill(status=502, body="<html>bad gateway</html>"))
    page.get_by_role("link", name="History").click()
    notice = page.get_by_role("alert").filter(has_text="does not answer")
    notice.wait_for()
    page.get_by_role("link", name="Ask", exact=True).click()
    assert notice.is_visible() and "age > 50" in page.get_by_label("Your question").input_value()
    notice.get_by_role("button", name="Dismiss").click()
    assert notice.count() == 0
    page.unroute("**/history*")
    page.evaluate("sessionStorage.setItem('tacit-key', 'revoked')")
    page.get_by_role("link", name="Data sets").click()
    page.get_by_text("no longer known").wait_for()


def test_nothing_sticks_out_of_a_phone_or_a_desktop(page):
    enter(page, "olga")
    typed(
        page, "SELECT sex, ward, COUNT(*) AS number_of_people, AVG(income) AS a FROM people GROUP BY sex, ward", "0.1"
    )
    page.get_by_role("button", name="Try on dummy data").click()
    page.get_by_role("heading", name="Answer on dummy data").wait_for()
    for name in ("Ask", "Data sets", "History"):
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", level=1).wait_for()
        page.eval_on_selector_all("details", "nodes => nodes.forEach(node => node.open = true)")
        for width in (360, 390, 800, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


CONTRAST = """() => {
  const rgba = colour => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    return colour.startsWith('color(') ? parts.map((part, place) => place < 3 ? part * 255 : part) : parts;
  };
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = node => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].filter(node => !node.closest('.skip, option, dialog:not([open])')
      && [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())).map(node => {
    const [a, b] = [light(rgba(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), `${node.tagName}.${node.className}: ${node.textContent.slice(0, 40)}`];
  });
}"""

UNNAMED = """[...document.querySelectorAll('input, select, textarea')]
  .filter(node => !node.labels.length && !node.getAttribute('aria-label')).length"""
LEVELS = "[...document.querySelectorAll('h1, h2, h3')].filter(node => node.offsetParent).map(node => Number(node.tagName[1]))"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_readable_and_every_field_has_a_name(page, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    found = page.evaluate(CONTRAST)
    enter(page, "olga")
    typed(page, "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex", "99")
    page.get_by_role("button", name="Try on dummy data").click()
    page.get_by_role("heading", name="Answer on dummy data").wait_for()
    page.locator(".preview .refusal").wait_for()
    found += page.evaluate(CONTRAST)
    assert page.evaluate(UNNAMED) == 0
    for link, title in (("Data sets", "Data sets and budgets"), ("History", "History")):
        page.get_by_role("link", name=link).click()
        page.get_by_role("heading", name=title, level=1).wait_for()
        found += page.evaluate(CONTRAST)
        levels = page.evaluate(LEVELS)
        assert page.evaluate(UNNAMED) == 0
        assert levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:], strict=False))
    assert len(found) > 60 and min(found)[0] >= 4.5, min(found)


def test_the_log_has_no_key_and_no_question(page, caplog):
    caplog.set_level(logging.DEBUG)
    enter(page, "ana")
    ask(page, "SELECT COUNT(*) AS n FROM people WHERE town = 'SECRETTOWN'", "0.01")
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "POST /query 200 ana" in logged and "GET /account 200 ana" in logged
    assert "SECRETTOWN" not in logged and not any(key in logged for key in KEYS.values())
