"""The page Explore: nodes and points of its pictures become plans that give just these; long work is stopped on wish (D-07, F-06)."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio

from tacit.app.edits.edit import Editing
from tacit.app.edits.explore import study_settings, use_node, use_point
from tacit.app.edits.form import Form
from tacit.app.forms import FormErrors
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.lattice import lattice_panel
from tacit.app.panels.study import study_panel
from tacit.app.project.opening import open_project
from tacit.app.project.project import Project
from tacit.errors import TacitError
from tacit.plan.load import load
from tacit.protect import FullDomain
from tacit.report.map_data import left_open
from tacit.study import explore
from tacit.study.candidate import Candidate

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLAN = """\
# ours
[data]
path = "people.csv"
missing = "own"
[roles]
quasi = ["zip", "age"]
confidential = ["pay"]
[hierarchies]
zip = { prefix = [3, 2, 1] }
age = { intervals = [10, 20] }
[require]
k_anonymity = 3
[[protect]]
method = "rank_swap"
columns = ["pay"]
percent = 5
[study]
search = "random"
candidates = 6
loss = { generalisation = { weight = 2 } }
strategy = [ { name = "groups", steps = [ { method = "mondrian", models = { k_anonymity = { from = 2, to = 40 } } } ] } ]
"""
ASKED = {"suppression": "0.1", "objective": "loss", "target": "", "seconds": ""}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return open_project(plan_in(tmp_path), tmp_path / "p")


def plan_in(folder: Path) -> Path:
    rows = (f"N{n * n % 7 % 3}{n * n % 11 % 5},{20 + n * n % 83 // 2},{n * n % 97}\n" for n in range(150))
    (folder / "people.csv").write_text("zip,age,pay\n" + "".join(rows))
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


def bench(project: Project, question: dict[str, str]) -> PanelContext:
    return PanelContext(Store(), folder=project.folder, documents=project.documents, question=question, seed=b"1" * 16)


def edited(edit: Any, project: Project, found: Any, **form: str) -> None:
    pairs = [("question", json.dumps(ASKED)), *form.items()]
    edit(Editing(project=project, form=Form(pairs), found=lambda _name, _question=None: found))


def test_the_panel_has_the_space_of_the_search_and_the_plan_of_a_node_gives_that_node(project: Project) -> None:
    work = bench(project, ASKED)
    found = json.loads(json.dumps(lattice_panel(work), allow_nan=False))
    models = work.plan.requirements.of_classes
    searched = FullDomain(models=models, suppression=0.1, exhaustive=True).apply(work.original)
    space = searched.evidence["space"]
    told = {one["id"]: (one["suppressed"], one["safe"]) for one in found["nodes"]}
    assert told == {"-".join(map(str, node.levels.values())): (node.suppressed, node.admissible) for node in space}
    best = found["nodes"][found["best"]]
    assert best["score"] == searched.evidence["score"] and found["proven"] and found["of"] == len(space) == 16
    assert found["svg"].count("<a href=") == len(space) and found["safe"] == sum(space.admissible)
    assert [found["nodes"][place]["score"] for place in found["ranked"]] == [one.score for one in space.best(10)]
    partly = [one for one in found["nodes"] if one["safe"] and one["suppressed"]]
    assert partly, "the case that matters"
    for node in (best, *partly, found["nodes"][found["ranked"][-1]]):
        edited(use_node, project, found, node=node["id"], place="replace")
        made = bench(project, {})
        assert "# ours" in project.documents["plan"] and len(made.plan.steps) == 1
        masked = made.masked()
        assert masked.release.size == made.original.size - node["suppressed"]
        assert all(model.holds(masked.release) for model in models)


def test_of_very_many_nodes_the_best_safe_ones_are_shown(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    every = lattice_panel(bench(project, ASKED))
    monkeypatch.setattr("tacit.app.panels.lattice.DRAWN", 4)
    few = lattice_panel(bench(project, ASKED))
    assert (few["safe"], few["looked_at"]) == (every["safe"], 16) and len(few["nodes"]) == 4 < every["safe"]
    assert [node["id"] for node in few["nodes"]] == [every["nodes"][place]["id"] for place in every["ranked"][:4]]
    monkeypatch.setattr("tacit.app.panels.lattice.WHOLE", 4)
    cut = lattice_panel(bench(project, ASKED))
    assert not cut["whole"] and cut["proven"] and cut["score"] == every["score"]


def test_a_node_may_be_added_to_the_steps_and_its_rest_blanked(project: Project) -> None:
    found = lattice_panel(bench(project, ASKED))
    unsafe = next(one for one in found["nodes"] if not one["safe"] and sum(one["levels"].values()))
    with pytest.raises(TacitError, match="than may be left out"):
        edited(use_node, project, found, node=unsafe["id"])
    edited(use_node, project, found, node=unsafe["id"], rest="blank", place="add")
    steps = project.raw()["protect"]
    assert [step["method"] for step in steps] == ["rank_swap", "generalise", "suppress_cells"] and steps[2]["k"] == 3
    with pytest.raises(TacitError, match="search again"):
        edited(use_node, project, None, node=unsafe["id"])
    with pytest.raises(TacitError, match="not among those"):
        edited(use_node, project, found, node="9-9")


def test_how_much_may_be_left_out_is_asked(project: Project) -> None:
    with pytest.raises(TacitError, match="how many records may be left out"):
        lattice_panel(bench(project, {**ASKED, "suppression": ""}))
    bounded = lattice_panel(bench(project, {**ASKED, "lowest:zip": "1", "highest:age": "2"}))
    assert bounded["of"] == 3 * 3 and all(node["levels"]["zip"] >= 1 for node in bounded["nodes"])


def test_the_map_is_that_of_the_command_and_a_point_becomes_the_plan(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.study.pool.os.cpu_count", lambda: 1)
    found = json.loads(json.dumps(study_panel(bench(project, {})), allow_nan=False))
    same = explore(load(project.folder / "plan.toml"), workers=1)
    assert len(found["points"]) == 1 + 6 and found["chosen"] == same.chosen and found["front"] == list(same.front)
    for row, point in zip(found["points"], same.points, strict=True):
        assert row["risk"][0] == pytest.approx(point.risk, rel=1e-4)
        assert row["loss"][0] == pytest.approx(point.loss, rel=1e-4)
    assert (project.folder / found["page"]).is_file() and f"?point={same.chosen}" in found["svg"]
    edited(use_point, project, found, point=str(same.chosen), place="replace")
    assert project.raw()["protect"] == tomllib.loads(same.plan())["protect"]
    assert project.raw()["study"]["candidates"] == 6, "what is explored stays"
    with pytest.raises(TacitError, match="no point 99"):
        edited(use_point, project, found, point="99")


def test_what_a_strategy_left_open_is_told_in_words() -> None:
    candidate = Candidate(strategy="search", steps=({"method": "anonymise"},), values={"anonymise.k_anonymity": 50})
    assert left_open(SimpleNamespace(candidate=candidate)) == "anonymise.k-anonymity 50"


def test_settings_of_a_study_are_kept_with_the_options_that_the_form_does_not_show(project: Project) -> None:
    form = {"candidates": "9", "budget": "2m", "search": "optimiser", "prefer:risk": "1", "loss:generalisation": "3"}
    edited(study_settings, project, None, **form, **{"risk:reidentification": "1"})
    kept = project.raw()["study"]
    assert kept["loss"] == {"generalisation": {"weight": 3}} and kept["strategy"][0]["name"] == "groups"
    assert (kept["candidates"], kept["budget"], kept["prefer"]) == (9, "2m", {"risk": 1}) and "search" not in kept
    before = project.version
    edited(study_settings, project, None, **form, **{"risk:reidentification": "1"})
    assert project.version == before, "nothing was changed"
    with pytest.raises(FormErrors) as wrong:
        edited(study_settings, project, None, candidates="0", budget="soon")
    assert set(wrong.value.problems) == {"candidates", "budget"}
    with pytest.raises(FormErrors) as wrong:
        edited(study_settings, project, None, **{"at_most:risk": "5", "prefer:loss": "-1", "risk:membership": "1,500"})
    assert set(wrong.value.problems) == {"at_most:risk", "prefer:loss", "risk:membership"}
    edited(study_settings, project, None, **form, **{"at_most:risk": "0,05"})
    assert project.raw()["study"]["at_most"] == {"risk": 0.05}


def descendants(process: int) -> set[int]:
    """The processes that a process started, and theirs."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended meanwhile
            continue
    found, before = {process}, set()
    while found != before:
        before = found
        found = found | {child for child, parent in parents.items() if parent in found}
    return found - {process}


def test_a_long_study_is_cancelled_and_the_levels_are_chosen_by_mouse_and_keyboard(
    start: Callable[..., Studio], page: Page, tmp_path: Path
) -> None:
    plan_in(tmp_path).write_text(PLAN.replace("candidates = 6", "candidates = 100000"))
    studio = start("plan.toml")
    page.goto(studio.address)
    page.goto(f"{studio.origin}/map")
    page.get_by_role("button", name="Explore", exact=True).click()
    page.locator("#study [data-step]", has_text="candidate").wait_for()
    busy = descendants(studio.process.pid)
    page.locator("#study").get_by_role("button", name="Cancel").click()
    clicked = time.monotonic()
    page.get_by_text("Exploring: stopped").wait_for()
    assert time.monotonic() - clicked < 8
    # The same worker has the next job, beside it nothing of the study is left.
    page.get_by_label("Records that may be left out").fill("0.1")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("heading", name="The best choice").wait_for()
    left = [pid for pid in busy & descendants(studio.process.pid) if "loky" in _command(pid)]
    assert [one for one in left if "resource_tracker" not in _command(one)] == []
    page.locator("#rest-keep").check()
    page.evaluate("path => import(path).then(swap => swap.page())", "/assets/swap.js")
    assert page.locator("#rest-keep").is_checked(), "what was chosen stays when the page is made anew"
    # By keyboard from mark to mark; by the table to another.
    page.locator("[data-picture=node] a[aria-current]").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/map?node=*")
    page.get_by_role("heading", name="This choice").wait_for()
    page.get_by_role("link", name="Show zip").nth(1).click()
    wanted = page.get_by_role("link", name="Show zip").nth(1).get_attribute("href") or ""
    page.wait_for_url(f"**/map{wanted}")
    page.locator(f"[data-picture=node] a[aria-current][href='{wanted}']").wait_for()
    page.get_by_role("button", name="Use this instead").click()
    page.get_by_role("button", name="took levels").wait_for()
    steps = tomllib.loads((studio.folder / "plan.toml").read_text())["protect"]
    levels = dict(zip(("zip", "age"), map(int, wanted.partition("=")[2].split("-")), strict=True))
    chosen = steps[0].get("highest") or {"zip": 0, "age": 0} | steps[0]["levels"]
    assert len(steps) == 1 and chosen == levels
    assert page.locator("[data-picture=node] svg").is_visible(), "the picture stays"


def _command(process: int) -> str:
    try:
        return (Path("/proc") / str(process) / "cmdline").read_text()
    except OSError:
        return ""
