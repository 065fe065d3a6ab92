"""The page stands alone, reads in order, and says what there is to say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.plan.measure import measure_risks
from tacit.plan.outcome import Outcome
from tacit.release import Release
from tacit.report import render, statement

AUDIENCES = ["internal", "public"]


@pytest.fixture(scope="module", params=AUDIENCES)
def html(request: pytest.FixtureRequest, held: Outcome) -> str:
    return render(held, audience=request.param)


def test_nothing_is_loaded_from_anywhere(html: str, parsed: Any) -> None:
    assert not re.search(r"https?:|//|@import|url\(", html)
    page = parsed(html)
    assert not {"script", "img", "iframe", "object", "embed", "form"} & {tag for tag, _ in page.tags}
    assert [link["href"] for link in page.named("link")] == ["data:,"]
    assert all(anchor["href"].startswith("#") for anchor in page.named("a"))
    assert len(html) < 100_000


def test_the_verdict_is_read_first(html: str, held: Outcome, parsed: Any) -> None:
    text = parsed(html).text
    said = statement(held)
    before = text.index(said.headline)
    assert before < 120
    assert text.index("An intruder who knows zip, birth and sex") > before
    assert before < text.index("Requirements")


def test_headings_tables_and_charts_speak_to_a_screen_reader(html: str, parsed: Any) -> None:
    page = parsed(html)
    assert page.named("html") == [{"lang": "en"}]
    levels = [tag for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == "h1"
    assert set(levels[1:]) == {"h2"}
    assert len(page.named("table")) == len(page.named("caption")) > 5
    assert all(head.get("scope") in ("row", "col") for head in page.named("th"))
    assert len(page.named("figure")) == len(page.named("figcaption")) == len(page.named("svg")) == 8
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in page.named("svg"))
    targets = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert {anchor["href"][1:] for anchor in page.named("a")} <= targets
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_every_chart_has_its_numbers_in_a_table(html: str, parsed: Any) -> None:
    page = parsed(html)
    listed = {tuple(row) for table in page.tables for row in table}
    for chart in page.chart_texts[:7]:
        half = len(chart) // 2
        assert set(zip(chart[:half], chart[half:], strict=True)) <= listed


def test_the_order_of_the_sections(held: Outcome) -> None:
    titles = re.findall(r"<h2[^>]*>([^<]*)", render(held, audience="internal"))
    assert titles == [
        "Requirements",
        "Roles of the columns",
        "How many records look alike",
        "Risk of single records",
        "What groups give away",
        "What was done",
        "Attacks beside guessing",
        "What was lost",
        "Next steps",
        "Notes",
        "How to repeat this",
    ]


def test_an_audit_leaves_out_what_it_has_not(audit: Outcome, parsed: Any) -> None:
    page = parsed(render(audit, audience="internal"))
    titles = [attributes["id"] for tag, attributes in page.tags if tag == "h2"]
    assert titles == ["requirements", "roles", "classes", "risk", "given-away", "next", "repeat"]
    assert "tacit audit FILE --quasi zip,birth,sex,occupation --confidential diagnosis,income" in page.text


def test_next_steps_are_concrete(failing: Outcome, parsed: Any) -> None:
    text = parsed(render(failing, audience="internal")).text
    assert "suppress_cells or suppress_records with k = 3" in text
    assert "l-diversity of diagnosis fails" in text
    assert "zip (level 2 of 3)" in text
    assert "The attack swap intersection was not run (no column that the intruder knows was swapped)" in text


def test_the_steps_are_told_by_their_own_docstrings(held: Outcome, parsed: Any) -> None:
    text = parsed(render(held, audience="internal")).text
    assert "Generalise Replace each value by its label" in text
    assert "zip 2, birth 4, occupation 2" in text
    assert "``" not in text


def test_what_users_and_data_name_is_escaped(audit: Outcome) -> None:
    frame = pl.DataFrame({"<b>zip</b>": ["a", "a", "b"], "x&y": ["s", "t", "u"]})
    release = Release(frame, quasi="<b>zip</b>", confidential="x&y")
    outcome = replace(
        audit, title="<script>1</script>", original=release, before=measure_risks(release)[0], verdicts=()
    )
    for audience in AUDIENCES:
        page = render(outcome, audience=audience)  # type: ignore[arg-type]
        assert "<script" not in page
        assert "<b>" not in page
        assert "&lt;b&gt;zip&lt;/b&gt;" in page
        assert "x&amp;y" in page


def test_an_unknown_audience_is_refused(audit: Outcome) -> None:
    with pytest.raises(TacitError, match="audience='press' is unknown"):
        render(audit, audience="press")  # type: ignore[arg-type]
