"""Next year's file lacks a column, or calls it otherwise: the plan is mended by clicks, in one step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio

from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.edits.missing_columns import resolve_missing_columns
from tacit.app.forms import FormErrors
from tacit.app.page_error import in_clicks
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.look import look_panel
from tacit.app.project.column_references import named_columns
from tacit.app.project.opening import open_project
from tacit.app.project.project import Project
from tacit.app.server.studio import beside_fields
from tacit.plan.load import load
from tacit.plan.original import original_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect

PLAN = """\
[data]
path = "people.csv"
as_written = ["zip", "ward"]
[roles]
identifier = [{ column = "name", pseudonym = "hmac" }]
quasi = ["zip", "age", "ward"]  # as agreed
confidential = ["pay"]
household = "home"
[kinds]
zip = "code"
ward = "nominal"
[hierarchies]
zip = { prefix = [5, 3] }
ward = { clusters = [3], like = "pay" }
[require]
k_anonymity = 2
t_closeness = { columns = { pay = 0.4 } }
[[protect]]
method = "generalise"  # the analysts need no more
levels = { zip = 1, ward = 1 }
[[protect]]
method = "rank_swap"
columns = ["pay"]
percent = 5
strata = ["ward"]
[[protect]]
method = "data_swap"
columns = ["ward"]
share = 0.1
[intruder]
knows = ["ward"]
"""
FILE = "person,plz,age,pay\n" + "".join(f"p{i},0{1000 + i % 7},{20 + i % 30},{i}\n" for i in range(40))
NOW = ("person", "plz", "age", "pay")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text(FILE)
    (tmp_path / "plan.toml").write_text(PLAN)
    return open_project(tmp_path / "plan.toml", tmp_path / "project")


def said(project: Project, **sent: str) -> None:
    columns = {"columns": [{"name": name, "kind": None, "type": "text"} for name in NOW]}
    form = Form([(f"now:{name}", choice) for name, choice in sent.items()])
    resolve_missing_columns(Editing(project=project, form=form, found=lambda name: columns if name == "look" else None))


def test_the_file_is_looked_at_although_the_plan_names_columns_that_it_does_not_have(project: Project) -> None:
    bench = PanelContext(Store(), folder=project.folder, documents=project.documents, question={}, seed=b"1" * 16)
    assert [one["name"] for one in look_panel(bench)["columns"]] == list(NOW)
    assert set(named_columns(project.raw(), {})) - set(NOW) == {"zip", "ward", "name", "home"}
    assert in_clicks({"code": "unknown_column", "what": "is not there", "column": "ward"}).href == "/data#gone"


def test_columns_get_their_names_of_now_or_are_forgotten_in_one_step(project: Project) -> None:
    before = len(project.history)
    said(project, zip="called:plz", name="called:person", ward="forget", home="forget")
    plan = project.raw()
    assert plan["data"]["as_written"] == ["plz"] and plan["kinds"] == {"plz": "code"}
    assert plan["hierarchies"] == {"plz": {"prefix": [5, 3]}}
    assert plan["roles"] == {
        "identifier": [{"column": "person", "pseudonym": "hmac"}], "quasi": ["plz", "age"], "confidential": ["pay"]
    }  # fmt: skip
    assert plan["protect"] == [
        {"method": "generalise", "levels": {"plz": 1}},
        {"method": "rank_swap", "columns": ["pay"], "percent": 5},
    ], "a step about a column alone goes with it, any other goes on without it"
    assert "intruder" not in plan and plan["require"] == {"k_anonymity": 2, "t_closeness": {"columns": {"pay": 0.4}}}
    assert len(project.history) == before + 1
    assert original_of(load(project.folder / "plan.toml")).quasi == ("plz", "age")


def test_what_is_said_of_a_column_that_took_another_name_holds_instead_of_what_was_said_of_that(
    project: Project,
) -> None:
    said(project, name="called:age")
    roles = project.raw()["roles"]
    assert roles["identifier"] == [{"column": "age", "pseudonym": "hmac"}] and roles["quasi"] == ["zip", "ward"]


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"zip": "", "ward": ""}, "now:zip"), ({"zip": "called:plz", "ward": "called:plz"}, "now:ward"), ({}, "")],
)
def test_a_choice_that_cannot_be_is_told_beside_its_column(project: Project, sent: dict[str, Any], field: str) -> None:
    with pytest.raises(FormErrors) as wrong:
        said(project, **sent)
    assert list(beside_fields(wrong.value)) == [field]


def test_the_page_asks_for_columns_that_are_not_in_the_file(
    start: Callable[..., Studio], page: Page, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text(FILE)
    (tmp_path / "plan.toml").write_text(PLAN)
    page.goto(start("plan.toml").address)
    expect(page.locator("#gone-title")).to_have_text("Not in this file: zip, ward, name, home")
    page.locator("#gone").get_by_label("zip", exact=True).select_option("called:plz")
    for name in ("ward", "name", "home"):
        page.locator("#gone").get_by_label(name, exact=True).select_option("forget")
    page.locator("#gone").get_by_role("button").click()
    expect(page.locator("#gone")).to_have_count(0)
    expect(page.locator(".history [aria-current]")).to_contain_text("zip is now called plz; forgot ward")
