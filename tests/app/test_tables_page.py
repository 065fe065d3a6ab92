"""The page Tables: a table is made, judged, protected and audited by clicks, with the figures of the command line (G-01 to G-06)."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio
from tests.contrast import CONTRAST

from tacit import TacitError
from tacit.app.edits import ALL as EDITS
from tacit.app.edits import table as edits
from tacit.app.edits.data import accept_suggestions, open_file, set_kind, set_read_options, set_role
from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.edits.requirements import plan_text, set_output
from tacit.app.forms import FormErrors
from tacit.app.page_error import in_clicks
from tacit.app.pages.pending_suggestions import left_to_take
from tacit.app.panels.cells import cells_panel
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.table import table_panel
from tacit.app.project.opening import open_project
from tacit.app.project.project import Project
from tacit.plan.example_files import write_example
from tacit.plan.table import load_table_plan, protect_table
from tacit.plan.table.build import problem_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect

COLUMNS = ("company", "holding", "activity", "region", "size", "employees", "turnover", "weight")
PLAN = """\
[data]
path = "companies.csv"
separator = ","
[hierarchies]
activity = { file = "activity.hierarchy.csv" }
size = { quantiles = [2] }
[output]
directory = "out"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write_example("companies", tmp_path, rows=300)
    (tmp_path / "plan.toml").write_text(PLAN)
    return open_project(tmp_path / "plan.toml", tmp_path / "project")


def edited(project: Project, change: Callable[[Editing], None], **sent: str | Iterable[str]) -> dict[str, Any]:
    look = {"columns": [{"name": name, "kind": None, "type": "number"} for name in COLUMNS]}
    pairs = [(name, one) for name, given in sent.items() for one in ([given] if isinstance(given, str) else given)]
    change(Editing(project=project, form=Form(pairs), found=lambda name: look if name == "look" else None))
    return project.raw("table")


def bench(project: Project, **question: str) -> PanelContext:
    given = {"folder": project.folder, "documents": project.documents, "question": question, "seed": b"1" * 16}
    return PanelContext(Store(), **given)


def sums(project: Project) -> None:
    """Turnover by activity and region, with a rule."""
    edited(project, edits.table_shape, by=["activity", "region"], response="turnover", holding="holding")
    edited(project, edits.table_rule, rule="minimum_frequency", n="3", level="20")
    edited(project, edits.table_rule, rule="p_percent", p="10")


def test_hierarchies_of_the_plan_come_along_where_they_fit(project: Project) -> None:
    found = edited(project, edits.table_shape, by=["activity", "size"], response="turnover")
    assert found["table"] == {"by": ["activity", "size"], "response": "turnover"}
    assert list(found["hierarchies"]) == ["activity"], "quantiles need a look at the data"
    assert found["data"] == {"path": "../companies.csv", "separator": ",", "noun": "table"}
    assert found["output"]["directory"] == "table-out"
    assert "hierarchies" not in edited(project, edits.table_tree, dimension="activity", tree="flat")
    assert "activity" in edited(project, edits.table_tree, dimension="activity", tree="plan")["hierarchies"]
    with pytest.raises(TacitError, match="has no groups yet"):
        edited(project, edits.table_tree, dimension="region", tree="plan")
    assert "hierarchies" not in edited(project, edits.table_shape, by=["region"])
    assert edited(project, edits.table_none) == {}


def test_a_table_is_read_as_the_plan_says_also_when_that_changes_later(project: Project) -> None:
    edited(project, edits.table_shape, by=["activity", "region"], response="turnover")
    found = edited(project, set_read_options, thousands=",", missing_values="n/a")
    assert found["data"] == {
        "path": "../companies.csv", "noun": "table", "thousands": ",", "missing_values": ["n/a"]
    }  # fmt: skip
    assert edited(project, set_kind, column="turnover", kind="code")["data"]["as_written"] == ["turnover"]
    assert project.raw()["data"]["as_written"] == ["turnover"], "codes that look like numbers are no numbers"
    assert "as_written" not in edited(project, set_kind, column="turnover", kind="continuous")["data"]


def test_taking_the_suggestions_keeps_codes_as_they_are_written_but_no_amounts(project: Project) -> None:
    look = {"columns": [{"name": name, "kind": None, "type": "number"} for name in COLUMNS]}
    suggested = {"role": "quasi", "hierarchy": None}
    kinds = {"activity": "code", "size": "ordinal", "turnover": None}
    found = {
        "look": look,
        "suggestions": {"columns": [{"column": name, "kind": kind, **suggested} for name, kind in kinds.items()]},
    }
    accept_suggestions(Editing(project=project, form=Form([]), found=found.get))
    assert project.raw()["data"]["as_written"] == ["activity"]
    assert project.raw()["kinds"] == {"activity": "code", "size": "ordinal"}


def test_taking_the_suggestions_leaves_alone_what_somebody_has_chosen(project: Project) -> None:
    edited(project, set_role, column="activity", role="confidential")
    edited(project, set_role, column="size", role="weight")
    edited(project, set_kind, column="region", kind="geographic")
    said = {"activity": "quasi", "size": "quasi", "region": "quasi", "weight": "weight"}
    columns = [
        {"column": name, "role": role, "kind": "code" if role == "quasi" else None, "hierarchy": {"top": "all"}}
        for name, role in said.items()
    ]
    left = left_to_take(project.raw(), columns)
    assert list(left) == ["activity", "size", "region"] and "role" not in left["activity"] | left["size"]
    look = {"columns": [{"name": name, "kind": None, "type": "text"} for name in COLUMNS]}
    found = {"look": look, "suggestions": {"columns": columns}}
    accept_suggestions(Editing(project=project, form=Form([]), found=found.get))
    assert project.raw()["roles"] == {"confidential": ["activity"], "weight": "size", "quasi": ["region"]}
    assert project.raw()["kinds"] == {"activity": "code", "size": "code", "region": "geographic"}
    assert list(project.raw()["hierarchies"]) == ["activity", "size", "region"]
    assert left_to_take(project.raw(), columns) == {}


def test_another_file_takes_the_place_of_the_one_before_and_all_that_was_said_holds_for_it(project: Project) -> None:
    sums(project)
    before, table = project.raw(), project.raw("table")
    later = project.folder.parent / "companies-2027.csv"
    later.write_bytes((project.folder.parent / "companies.csv").read_bytes())
    (project.folder / "out-companies-2027").mkdir()
    edited(project, open_file, path=str(later), keep="on")
    path = {"path": "../companies-2027.csv"}
    assert project.raw() == before | {"data": before["data"] | path, "output": {"directory": "out-companies-2027-2"}}
    output = table["output"] | {"directory": "table-out-companies-2027"}
    assert project.raw("table") == table | {"data": table["data"] | path, "output": output}
    edited(project, open_file, path=str(later))
    assert project.raw() == {"data": {"path": "../companies-2027.csv"}} and project.raw("table") == {}


def test_records_without_a_code_are_counted_by_one_click(project: Project) -> None:
    file = project.folder.parent / "companies.csv"
    first, *rest = file.read_text().splitlines()
    place = first.split(",").index("region")
    rest[4] = ",".join("" if number == place else cell for number, cell in enumerate(rest[4].split(",")))
    file.write_text("\n".join([first, *rest, ""]))
    edited(project, edits.table_shape, by=["activity", "region"])
    with pytest.raises(TacitError) as caught:
        cells_panel(bench(project))
    told = in_clicks(caught.value)
    assert told.what == "region is a dimension and has 1 missing value, the first in row 5" and "=" not in told.fix
    edited(project, EDITS[told.edit])
    assert cells_panel(bench(project))["cells"] and project.raw("table")["table"]["missing"] == "(missing)"


def test_rules_and_ways_are_set_changed_and_taken_away(project: Project) -> None:
    sums(project)
    found = edited(project, edits.table_rule, rule="p_percent", p="15", place="1")
    assert found["rule"] == [
        {"method": "minimum_frequency", "n": 3, "level": 20},
        {"method": "p_percent", "p": 15},
    ]
    assert [one["method"] for one in edited(project, edits.table_rule_remove, place="0")["rule"]] == ["p_percent"]
    assert "rule" not in edited(project, edits.table_rule_remove, place="0"), "a draft may be without a rule"
    assert edited(project, edits.table_way, way="round_controlled", base="5")["protect"]["base"] == 5
    with pytest.raises(TacitError, match="not there any more"):
        edited(project, edits.table_rule_remove, place="3")


@pytest.mark.parametrize(
    ("change", "sent", "field"),
    [
        (edits.table_shape, {"response": "turnover"}, "by"),
        (edits.table_rule, {"rule": "minimum_frequency"}, "n"),
        (edits.table_rule, {"rule": "p_percent", "p": "0"}, "p"),
        (edits.table_way, {"way": "round_controlled", "base": "few"}, "base"),
    ],
)
def test_a_mistake_stands_at_its_field_and_changes_nothing(
    project: Project, change: Any, sent: dict[str, str], field: str
) -> None:
    sums(project)
    before = project.version
    with pytest.raises(FormErrors) as caught:
        edited(project, change, **sent)
    assert list(caught.value.problems) == [field] and project.version == before


def test_what_contradicts_the_table_is_refused_with_the_fix(project: Project) -> None:
    sums(project)
    with pytest.raises(TacitError, match=r"cell keys are for plain counts.*\n.*leave 'response' out"):
        edited(project, edits.table_way, way="cell_key", largest="2", variance="1")
    with pytest.raises(TacitError, match="that of the other result"):
        edited(project, set_output, document="table", title="", directory="out")
    with pytest.raises(TacitError, match=r"table.toml, line \d+, rule.n"):
        edited(project, plan_text, document="table", text=project.documents["table"].replace("n = 3", 'n = "x"'))


def test_the_cells_are_those_of_the_library(project: Project) -> None:
    edited(project, edits.table_shape, by=["activity", "region"], response="turnover")
    assert not cells_panel(bench(project))["judged"]
    sums(project)
    found = json.loads(json.dumps(cells_panel(bench(project))))
    problem = problem_of(load_table_plan(project.folder / "table.toml"))
    assert (found["cells"], found["unsafe"]) == (problem.size, len(problem.primaries))
    assert sum(number for _, number in found["why"]) == found["unsafe"] > 0
    (block,) = found["maps"]["blocks"]
    drawn = [cell for _, _, row in block["rows"] for cell in row]
    assert sum(cell["status"] == "unsafe" for cell in drawn) == found["unsafe"]
    assert not found["negative"]


@pytest.mark.parametrize(
    ("by", "response", "says"),
    [
        (["region"], "activity", r"column 'activity' .*where numbers are summed"),
        (["region"], "turnover_", None),
        (["company", "holding", "turnover"], "", r"the table would have [\d,]+ cells"),
    ],
)
def test_a_table_that_cannot_be_made_is_told_with_the_fix(
    project: Project, by: list[str], response: str, says: str | None
) -> None:
    if says is None:
        with pytest.raises(FormErrors):
            edited(project, edits.table_shape, by=by, response=response)
        return
    edited(project, edits.table_shape, by=by, response=response)
    with pytest.raises(TacitError, match=says):
        cells_panel(bench(project))


def test_negative_figures_are_pointed_out(project: Project) -> None:
    data = project.folder.parent / "companies.csv"
    lines = data.read_text().splitlines()
    place = lines[0].split(",").index("turnover")
    first = lines[1].split(",")
    lines[1] = ",".join([*first[:place], "-5", *first[place + 1 :]])
    data.write_text("\n".join(lines) + "\n")
    sums(project)
    assert cells_panel(bench(project))["negative"]


def test_no_dimension_yet_is_no_error(project: Project) -> None:
    text = '[data]\npath = "../companies.csv"\nnoun = "table"\n'
    edited(project, plan_text, document="table", text=text)
    assert cells_panel(bench(project)) == {"cells": 0}
    with pytest.raises(TacitError, match="no dimension"):
        table_panel(bench(project))


def test_a_protected_table_is_that_of_the_command_line(project: Project, tmp_path: Path) -> None:
    sums(project)
    found = json.loads(json.dumps(table_panel(bench(project))))
    outcome = protect_table(load_table_plan(project.folder / "table.toml"))
    stored = json.loads((project.folder / "table-out/internal/result.json").read_text())
    for part in ("holds", "requirements", "attacks", "losses", "details"):
        assert stored[part] == json.loads(json.dumps(outcome.as_json()))[part]
    assert found["holds"] == outcome.holds is True
    assert ["Not published", str(int(outcome.hidden.sum()))] in found["figures"]
    run = [
        sys.executable,
        "-m",
        "tacit",
        "table",
        "protect",
        str(project.folder / "table.toml"),
        "--out",
        str(tmp_path / "x"),
    ]
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0
    published = "public/companies.csv"
    assert (tmp_path / "x" / published).read_bytes() == (project.folder / "table-out" / published).read_bytes()


def test_a_seed_repeats_a_way_that_draws(project: Project) -> None:
    edited(project, edits.table_shape, by=["activity", "region"])
    edited(project, edits.table_way, way="round_random", base="3")
    figures = []
    for seed in ("7", "7", "8"):
        found = table_panel(bench(project, seed=seed))
        assert (found["seed"], found["verdict"]) == (seed, "open")
        figures.append((project.folder / "table-out/public/companies.csv").read_bytes())
    assert figures[0] == figures[1] != figures[2]


def test_a_plan_about_a_table_opens_with_its_records(tmp_path: Path) -> None:
    write_example("companies", tmp_path, rows=300)
    project = open_project(tmp_path / "plan.toml")
    assert project.raw("plan") == {"data": {"path": "../companies.csv"}}
    assert project.raw("table")["hierarchies"]["region"] == {"file": "../region.hierarchy.csv"}
    assert cells_panel(bench(project))["unsafe"] > 0


def test_from_a_file_to_a_protected_table_by_clicks(start: Callable[..., Studio], page: Page, tmp_path: Path) -> None:
    write_example("companies", tmp_path, rows=300)
    studio = start("companies.csv")
    page.goto(studio.address)
    page.goto(f"{studio.origin}/tables")
    page.get_by_role("button", name="Make the table").click()
    page.get_by_text("tick at least one column of codes").wait_for()
    dimensions = page.get_by_role("group", name="Dimensions")
    for name in ("activity", "region"):
        dimensions.get_by_label(name).check()
    page.get_by_label("What is added up").select_option("company")
    page.get_by_role("button", name="Make the table").click()
    page.locator("[data-panel=cells] [role=alert]", has_text="was read as text").wait_for()
    page.get_by_label("What is added up").select_option("turnover")
    page.get_by_role("button", name="Change the table").click()
    page.get_by_text("No rule says yet which of them disclose").wait_for()
    page.get_by_role("link", name="p-percent").click()
    page.get_by_label("p", exact=True).fill("10")
    page.get_by_role("button", name="Add this rule").click()
    page.get_by_text("disclose by the rules: they may not be published").wait_for()
    unsafe = len(problem_of(load_table_plan(studio.folder / "table.toml")).primaries)
    expect(page.locator("[data-panel=cells] td.unsafe")).to_have_count(unsafe)

    page.get_by_role("button", name="Protect the table").click()
    page.get_by_text("Every cell that is unsafe by the rules is protected").wait_for()
    told = page.locator("[data-panel=table] td.unsafe button").first
    assert "everybody can compute" in (told.get_attribute("aria-label") or "")
    told.focus()
    page.keyboard.press("Tab")
    page.locator(".told:focus-visible .hint").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save companies.csv").click()
    assert saved.value.path().read_bytes() == (studio.folder / "table-out/public/companies.csv").read_bytes()
    plan = tomllib.loads((studio.folder / "table.toml").read_text())
    assert plan["rule"] == [{"method": "p_percent", "p": 10}] and plan["table"]["response"] == "turnover"
    expect(page.locator("[data-panel=table] pre.command")).to_have_text(
        "tacit table protect companies-studio/table.toml"
    )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert [text for contrast, text in page.evaluate(CONTRAST) if contrast < 4.5] == [], scheme
