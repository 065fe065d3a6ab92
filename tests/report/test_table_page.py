"""The page about a table: what each audience sees, what the public must not, and how it looks in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from tacit.plan.table import TableOutcome, protect_table, table_plan
from tacit.report import render
from tacit.report.table_statement import table_statement
from tacit.result import format_fact

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

SMALL = '[[rule]]\nmethod = "minimum_frequency"\nn = 3\n'
HOSTILE = ("<script>window.broken=1</script>", '"><img src=x onerror=window.broken=1>', 'O\'Brien & "Co"', "ø.1")
PLANS = {
    "suppressed": 'by = ["town", "size"]\nresponse = "pay"\n[[rule]]\nmethod = "p_percent"\np = 10\n'
    '[[mark]]\nsize = "s"\nas = "unsafe"\nlower = 10\nupper = 30\n',
    "flat": 'by = ["town"]\n' + SMALL.replace("3", "40"),
    "deep": 'by = ["town", "size", "sex"]\n' + SMALL,
    "linked": '[[table.linked]]\nname = "a b"\nby = ["town", "size"]\n[[table.linked]]\nname = "c"\nby = ["town", "sex"]\n' + SMALL,
    "adjusted": f'by = ["town", "size"]\n{SMALL.replace("3", "5")}[protect]\nmethod = "adjust"\n',
    "rounded": f'by = ["town", "size"]\n{SMALL.replace("3", "5")}[protect]\nmethod = "round_controlled"\nbase = 5\n',
    "unjudged": 'by = ["town", "size"]\n[protect]\nmethod = "round_random"\nbase = 5\n',
    "stuck": f'by = ["sex"]\n{SMALL.replace("3", "90")}[[mark]]\nas = "published"\n[[mark]]\nsex = "f"\nas = "published"\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TableOutcome]:
    """Jobs on a survey whose codes are hostile, each done once."""
    folder, made = tmp_path_factory.mktemp("job"), {}
    rng = np.random.default_rng(5)
    towns, sizes = rng.choice(HOSTILE, 150, p=[0.5, 0.3, 0.15, 0.05]), rng.choice(["s", "m", "l"], 150)
    pay = np.round(rng.lognormal(6, 2, 150))
    frame = pl.DataFrame({"town": towns, "size": sizes, "sex": rng.choice(["f", "m"], 150), "pay": pay})
    frame.write_csv(folder / "d.csv")

    def outcome(name: str) -> TableOutcome:
        if name not in made:
            loaded = table_plan(f'title = "<b>Pay"\n[data]\npath = "d.csv"\n[table]\n{PLANS[name]}', folder=folder)
            made[name] = protect_table(loaded, seed=1 if name == "unjudged" else None)
        return made[name]

    return outcome


@pytest.mark.parametrize("name", ["suppressed", "flat", "deep", "linked"])
def test_the_public_learns_nothing_but_what_is_published(outcomes: Any, parsed: Any, name: str) -> None:
    # catalogue: G-04
    outcome = outcomes(name)
    assert outcome.holds and outcome.hidden.any()
    page = parsed(render(outcome, audience="public"))
    for word in ("unsafe", "second", "level", "cost", "must reach", "method", "insider", "p_percent", "minimum"):
        assert word not in page.text.lower(), word
    cells = [given for tag, given in page.tags if tag == "td"]
    assert cells and all("title" not in given for given in cells)
    assert {given["class"] for given in cells if "shade-0" in str(given["class"])} <= {"shade-0", "shade-0 suppressed"}
    assert not [given for given in cells if re.search("unsafe|secondary|moved", str(given["class"]))]
    figures = {text.replace(",", "") for table in page.tables for row in table for text in row}
    values, hidden = outcome.problem.table.values, outcome.hidden
    secret = {f"{value:.0f}" for value in values[hidden]} - {f"{value:.0f}" for value in values[~hidden]}
    assert not figures & secret
    assert f"{values[hidden].sum():,.0f}" not in page.text or name == "flat"


def test_shades_of_the_public_page_do_not_depend_on_suppressed_figures(outcomes: Any) -> None:
    # catalogue: G-04
    outcome = outcomes("flat")
    table = outcome.problem.table
    before = render(outcome, audience="public")
    kept = table.values.copy()
    try:
        table.values.setflags(write=True)
        table.values[outcome.hidden] *= 1e6
        after = render(outcome, audience="public")
    finally:
        table.values[:] = kept
    assert after == before


@pytest.mark.parametrize("name", ["suppressed", "deep", "linked"])
def test_the_review_board_sees_every_figure_with_its_interval_and_reason(outcomes: Any, parsed: Any, name: str) -> None:
    outcome = outcomes(name)
    problem, page = outcome.problem, parsed(render(outcome, audience="internal"))
    hints = [str(given["title"]) for tag, given in page.tags if tag == "td" and "title" in given]
    unsafe = [hint for hint in hints if "must reach" in hint]
    assert len(unsafe) >= len(problem.primaries) and all("everybody can compute" in hint for hint in hints)
    first = int(problem.primaries[0])
    assert any(hint.startswith(problem.table.name(first)) and problem.why[first] in hint for hint in unsafe)
    rows = next(table for table in page.tables if table[0][0] == "Cell")
    assert len(rows) == 1 + len(problem.primaries) and {row[4] for row in rows[1:]} == {"✓ protected"}
    value, low, high = (array[first] for array in (problem.table.values, problem.lower, problem.upper))
    need = f"{format_fact(float(value - low))} to {format_fact(float(value + high))}"
    assert {row[2] for row in rows if row[0] == problem.table.name(first)} == {need}
    assert any(f"must reach {need};" in hint for hint in unsafe if hint.startswith(problem.table.name(first)))
    assert "linear program" in page.text
    attacks = [table for table in page.tables if table[0][0] == "Intruder"]
    assert len(attacks) == (name == "suppressed")  # counts do not keep who contributes
    assert all(int(row[2]) <= int(row[1]) for table in attacks for row in table[1:])


@pytest.mark.parametrize(("name", "said"), [("adjusted", "moved"), ("rounded", "multiple of the base")])
def test_changed_figures_are_explained_and_unsafe_cells_judged(
    outcomes: Any, parsed: Any, name: str, said: str
) -> None:
    # catalogue: G-05
    outcome = outcomes(name)
    public = parsed(render(outcome, audience="public"))
    assert said in public.text and "unsafe" not in public.text.lower()
    page = parsed(render(outcome, audience="internal"))
    rows = next(table for table in page.tables if table[0][0] == "Cell")
    assert rows[0][3] == "Published" and "linear program" not in page.text.replace("found by linear program", "")
    short = {outcome.problem.table.name(int(cell)) for cell in outcome.short}
    assert {row[0] for row in rows[1:] if row[4] == "✗ short"} == short
    drawn = [given for tag, given in page.tags if tag == "td" and "unsafe" in str(given.get("class"))]
    assert len(drawn) == len(outcome.problem.primaries)  # those that chance left as they were, too
    assert all("must reach" in str(given["title"]) for given in drawn)
    assert "e+" not in page.text  # figures are written as tables are printed


def test_without_a_rule_nothing_is_called_safe(outcomes: Any) -> None:
    outcome = outcomes("unjudged")
    for audience in ("public", "internal"):
        said = table_statement(outcome, audience=audience)  # type: ignore[arg-type]
        assert said.verdict == "open" and "may be published" not in said.headline


def test_a_table_that_cannot_be_protected_is_explained(outcomes: Any, parsed: Any) -> None:
    outcome = outcomes("stuck")
    assert not outcome.holds
    page = parsed(render(outcome, audience="internal"))
    assert "cannot be protected" in page.text and "sex: 'f' + 'm' = 'Total'" in page.text
    rows = next(table for table in page.tables if table[0][0] == "Cell")
    assert {row[4] for row in rows[1:]} == {"✗ not protected"}
    assert "stronger is larger" in page.text and "as it was" not in page.text  # nothing was changed


CONTRAST = """() => {
  const paint = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const rgb = (...colours) => {
    for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = colour => colour.map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll('.heat th, .heat td, .legend li')].map(node => {
    const style = getComputedStyle(node);
    const [a, b] = [light(rgb(style.color)), light(rgb(paper, style.backgroundColor))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), node.className + ': ' + node.textContent.slice(0, 30)];
  });
}"""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page from a file; at the end nothing may have complained, run, or wanted the network."""
    trouble: list[str] = []
    pages: list[Page] = []

    def show(html: str, **more: Any) -> Page:
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(**more)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url))
        page.route("http*://**", lambda route: route.abort())
        page.goto(path.as_uri())
        page.eval_on_selector_all("details", "nodes => nodes.forEach(node => node.open = true)")
        pages.append(page)
        return page

    yield show
    assert [said for said in trouble if not said.startswith(("file:", "data:"))] == []
    for page in pages:
        assert page.evaluate("window.broken") is None
        page.close()


@pytest.mark.parametrize(
    ("name", "audience"), [("suppressed", "internal"), ("linked", "public"), ("rounded", "internal")]
)
def test_it_is_read_on_any_screen_by_day_and_night(opened: Any, outcomes: Any, name: str, audience: Any) -> None:
    html = render(outcomes(name), audience=audience)
    assert "<script>window" not in html and "<img" not in html and "<b>Pay" not in html
    page = opened(html, viewport={"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    heads = page.locator(".heat").first.locator("tbody th").all_inner_texts()
    assert set(HOSTILE) <= set(heads)  # shown as they are
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        measured = page.evaluate(CONTRAST)
        assert measured and [text for contrast, text in measured if contrast < 4.5] == []
