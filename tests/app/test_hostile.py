"""A file that is made to do harm: markup, templates and quotes in names, cells, titles and groups stay what they are."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from tests.app.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("playwright.sync_api")

NAMES = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(2)</script>',
    "{{1234*1001}}",
    "'] = 1\n# [x]",
    "\u202e😀",
    "plain",
]
CELLS = [
    "<img src=x onerror=alert(3)>",
    '"><script>alert(4)</script>',
    "{{4321*1001}}",
    "</textarea><svg onload=alert(5)>",
    "</title><b>x",
    "two\nlines",
]
TITLE = "</title></textarea><script>alert(6)</script>"
ALIVE = """() => [...document.querySelectorAll('img, main script, aside script, b, svg[onload]')]
  .concat([...document.querySelectorAll('*')].filter(one => [...one.attributes].some(has => has.name.startsWith('on'))))
  .map(one => one.outerHTML.slice(0, 100))"""
POST = """async ([path, form]) => {
  const answer = await fetch(path, { method: "POST", body: new URLSearchParams(form) });
  return [answer.status, await answer.text()];
}"""


@pytest.fixture
def studio(start: Callable[..., Studio], tmp_path: Path) -> Studio:
    name = "it's <b>&;$(x).csv"
    with (tmp_path / name).open("w", newline="") as file:
        rows = [[CELLS[(row * (2 * place + 1) + row // 6) % 6] for place in range(5)] + [row] for row in range(90)]
        csv.writer(file).writerows([NAMES, *rows])
    return start(name)


def test_nothing_in_a_file_becomes_part_of_a_page(studio: Studio, page: Page) -> None:
    def post(path: str, **form: Any) -> None:
        status, said = page.evaluate(POST, [path, form])
        assert status == 200, (path, said)

    def look(name: str, **query: str) -> None:
        page.goto(f"{studio.origin}/{name}?{urlencode(query)}")
        while (working := page.locator(".panel.working")).count():
            working.first.wait_for(state="detached")
        assert page.evaluate(ALIVE) == [], name
        said = page.locator("body").inner_text()
        assert "1235234" not in said and "4325321" not in said, "no template of a file is filled in"
        assert page.locator(".panel.failed").all_inner_texts() == [], name

    page.goto(studio.address)
    look("data")
    for name, role in zip(NAMES, ["quasi", "quasi", "quasi", "confidential", "other", "other"], strict=True):
        post("/edit/role", column=name, role=role)
    post("/edit/missing", missing="own")
    post("/edit/output", title=TITLE, directory='out <b>"', file="<img src=x>#50%.csv")
    post("/edit/require_set", requirement="sample_uniques", at_most="90")
    look("hierarchies", column=NAMES[0])
    post("/edit/regroup", column=NAMES[0], level="1", member=CELLS[0], name="<svg onload=alert(7)>")
    look("hierarchies", column=NAMES[0])
    post("/edit/step_add", method="suppress_cells", k="2")
    post("/do/variant", name=TITLE)
    for name in ("data", "risk", "map", "tables"):
        look(name)
    look("protect", column=NAMES[1], left=TITLE, right="")
    assert tomllib.loads((studio.folder / "plan.toml").read_text())["roles"]["quasi"] == NAMES[:3]

    page.goto(f"{studio.origin}/release")
    post("/ask/release", seed="1")
    look("release")
    links = page.eval_on_selector_all("a[href^='/out/']", "all => all.map(one => one.href)")
    saved = [link for link in links if "%2350%25.csv" in link]
    assert len(saved) == 1 and len(links) > 3
    for link in links:
        answer = page.request.get(link)
        assert answer.status == 200
        sent, policy = answer.headers.get("content-disposition", ""), answer.headers["content-security-policy"]
        assert sent.startswith("attachment") or policy.startswith("sandbox allow-scripts"), (
            "a report has an origin of its own"
        )
    report = next(link for link in links if link.endswith("public/report.html"))
    page.goto(report)
    assert page.evaluate(ALIVE.replace("img, main script, aside script, b, ", "img[src=x], ")) == []
    assert page.evaluate("() => origin") == "null", "the cookie does not come along"
