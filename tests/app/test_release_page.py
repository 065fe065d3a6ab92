"""The page Release: requirements, the plan as a text, what fails and why, the files, and reports that cannot reach the studio (A-04)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio

from tacit import TacitError
from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.edits.requirements import plan_text, require_remove, require_set, set_output
from tacit.app.forms import FormErrors
from tacit.app.pages import View
from tacit.app.pages.release import release_context as release_page
from tacit.app.panels import ALL as PANELS
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.release import release_panel
from tacit.app.panels.requirement import requirement_panel
from tacit.app.panels.status import status_panel
from tacit.app.project.opening import open_project
from tacit.app.project.project import Project
from tacit.app.texts import texts
from tacit.app.work.scheduler import PanelScheduler
from tacit.models import MODELS
from tacit.plan import from_text, run
from tacit.plan.attack_run import ABOUT
from tacit.protect import METHODS
from tacit.risk import MEASURES

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect

ROWS = "zip,sex,pay\n" + "".join(f"N{number % 5},{'fm'[number % 2]},{1000 + number}\n" for number in range(60))
PLAN = """\
# ours
[data]
path = "people.csv"
[roles]
quasi = ["zip", "sex"]
[require]
k_anonymity = 6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def project(folder: Path) -> Project:
    return open_project(folder / "plan.toml", folder / "project")


def edited(project: Project, change: Callable[[Editing], None], **sent: str | Iterable[str]) -> dict[str, Any]:
    look = {"columns": [{"name": name, "kind": None} for name in ("zip", "sex", "pay")]}
    pairs = [(name, one) for name, given in sent.items() for one in ([given] if isinstance(given, str) else given)]
    change(Editing(project=project, form=Form(pairs), found=lambda name: look if name == "look" else None))
    return tomllib.loads((project.folder / "plan.toml").read_text())


def bench(project: Project, **question: str) -> PanelContext:
    given = {"folder": project.folder, "documents": project.documents, "question": question, "seed": b"1" * 16}
    return PanelContext(Store(), **given)


def test_requirements_are_set_changed_and_removed_and_comments_stay(project: Project) -> None:
    assert edited(project, require_set, requirement="k_anonymity", k="3")["require"] == {"k_anonymity": 3}
    plan = edited(project, require_set, requirement="l_diversity", **{"columns:pay": "2"}, form="distinct")
    assert plan["require"]["l_diversity"] == {"columns": {"pay": 2}}
    edited(project, require_set, requirement="sample_uniques", at_most="4")
    plan = edited(project, require_set, requirement="reidentification", at_most="0.05")
    assert (plan["require"]["sample_uniques"], plan["require"]["reidentification"]) == (4, 0.05)
    edited(project, require_remove, requirement="l_diversity")
    assert "# ours" in (project.folder / "plan.toml").read_text()
    for name in ("k_anonymity", "sample_uniques", "reidentification"):
        plan = edited(project, require_remove, requirement=name)
    assert "require" not in plan
    with pytest.raises(TacitError, match="is not required"):
        edited(project, require_remove, requirement="k_anonymity")


@pytest.mark.parametrize(("name", "sent"), [("k_anonymity", {"k": "many"}), ("membership", {"at_most": "0.3"})])
def test_a_wrong_bound_is_a_mistake_in_its_field_and_changes_nothing(
    project: Project, name: str, sent: dict[str, str]
) -> None:
    before = project.version
    with pytest.raises(FormErrors) as caught:
        edited(project, require_set, requirement=name, **sent)
    assert list(caught.value.problems) == list(sent)
    assert project.version == before


def test_a_text_replaces_the_plan_only_when_it_can_be_read(project: Project) -> None:
    before = project.documents["plan"]
    for text, place in ((before + "[roles]\n", "plan.toml"), (before.replace("quasi", "quazi"), "line 5, roles.quazi")):
        with pytest.raises(TacitError, match=place):
            edited(project, plan_text, text=text.replace("\n", "\r\n"))
    with pytest.raises(TacitError, match="missing"):
        edited(project, plan_text, text="  ")
    assert project.documents["plan"] == before
    plan = edited(project, plan_text, text=before.replace("6", "4").replace("\n", "\r\n"))
    assert plan["require"] == {"k_anonymity": 4} and "\r" not in project.documents["plan"]
    states = len(project.history)
    edited(project, plan_text, text=project.documents["plan"])
    assert len(project.history) == states, "the same text is no change"


def test_the_result_gets_its_names(project: Project) -> None:
    plan = edited(project, set_output, title="Patients", directory="result", file="people.parquet")
    assert plan["title"] == "Patients" and plan["output"] == {"directory": "result", "file": "people.parquet"}
    assert "output" not in edited(project, set_output, title="", directory="", file="")


def test_a_release_of_the_page_is_that_of_the_command_line(project: Project) -> None:
    found = json.loads(json.dumps(release_panel(bench(project, seed="7"))))
    outcome = run(from_text(project.documents["plan"], folder=project.folder), seed=7, out=project.folder / "other")
    stored = json.loads((project.folder / "out/internal/result.json").read_text())
    assert stored["requirements"] == json.loads(json.dumps([one.as_json() for one in outcome.verdicts]))
    assert found["holds"] and [one["requirement"] for one in found["verdicts"]] == ["k_anonymity"]
    assert [one["kind"] for one in found["files"]] == ["data", "report", "trace", "internal_report", "result", "plan"]
    assert (project.folder / "out/public/people.csv").read_bytes() == outcome.staged.files[0].read_bytes()


def test_a_requirement_that_fails_says_how_many_records_stand_in_its_way(project: Project) -> None:
    edited(project, require_set, requirement="k_anonymity", k="7")
    found = requirement_panel(bench(project, requirement="k_anonymity"))
    assert (found["state"], found["found"], found["margin"]) == ("fails", 6, -1)
    assert (found["failing_records"], found["failing_classes"]) == (60, 10)
    assert requirement_panel(bench(project, requirement="l_diversity"))["state"] == "gone"


def test_a_requirement_on_several_columns_is_as_far_as_the_worst_of_them(project: Project, folder: Path) -> None:
    (folder / "people.csv").write_text("zip,sex,pay,ill\n" + "".join(f"N1,f,{number},no\n" for number in range(9)))
    roles = 'confidential = ["pay", "ill"]\n[require]\nl_diversity = { columns = { pay = 6, ill = 2 } }\n'
    project.change("two", {"plan": project.documents["plan"].partition("[require]")[0] + roles})
    found = requirement_panel(bench(project, requirement="l_diversity"))
    assert (found["state"], found["column"], found["found"]) == ("fails", "ill", 1)


def test_a_bound_on_attacks_is_in_per_cent_where_it_bounds_a_share(project: Project) -> None:
    """The area under a curve, by which membership is judged, is none."""
    project.change("required", {"plan": f"{project.documents['plan']}reidentification = 0.05\nmembership = 0.6\n"})
    shown = release_page(View(project, PanelScheduler(project, PANELS, b"0" * 16, lambda _: None), {}))
    assert [one["said"] for one in shown["required"]] == ["6", "5 %", "0.6"]
    lights = status_panel(bench(project))["lights"]
    assert [(one["name"], one["share"]) for one in lights[1:]] == [("reidentification", True), ("membership", False)]


def test_everything_that_can_be_required_is_offered_with_a_sentence_and_a_remedy(project: Project) -> None:
    desk = PanelScheduler(project, PANELS, b"0" * 16, lambda _: None)
    shown = release_page(View(project, desk, {"add": "t_closeness"}))
    offered = {one["name"]: one["summary"] for group in shown["offered"] for one in group["choices"]}
    every = {*MODELS, *ABOUT, *MEASURES}
    assert set(offered) == every - {"k_anonymity"} and all(offered.values())
    assert [one["name"] for one in shown["required"]] == ["k_anonymity"] and shown["adding"]["name"] == "t_closeness"
    assert all(texts().remedies.get(name) for name in every)
    assert all(set(texts().remedies.methods.get(name).split(", ")) <= set(METHODS) for name in every)


EVIL = """<!doctype html><title>waiting</title><style>p { color: red }</style><p>report</p><script>
const tried = [];
const attempt = (name, work) => { try { return Promise.resolve(work()).then(() => tried.push(name), () => 0); } catch { return 0; } };
Promise.all([
  attempt("read", () => fetch("/data").then(r => r.text())),
  attempt("change", () => fetch("/do/undo", { method: "POST", body: "version=2" })),
  attempt("cookie", () => { if (document.cookie) return; throw 0; }),
  attempt("opener", () => { if (!window.opener) throw 0; }),
  attempt("form", () => { const form = Object.assign(document.createElement("form"), { method: "post", action: "/do/undo" }); document.body.append(form); form.submit(); throw 0; }),
]).then(() => { document.title = `tried: ${tried}; ${origin}`; });
</script>"""


def test_the_page_from_a_failure_to_a_release(start: Callable[..., Studio], page: Page, folder: Path) -> None:
    studio = start("plan.toml")
    page.goto(studio.address)
    page.goto(f"{studio.origin}/release")
    light = page.locator(".requirements li", has_text="k-anonymity")
    light.locator(".holds").wait_for()
    light.get_by_text("Change").click()
    page.get_by_label("k", exact=True).fill("8")
    page.get_by_role("button", name="Require it so").click()
    light.get_by_text("60 records in 10 groups of like records").wait_for()
    light.get_by_text("blanking the rarest cells").wait_for()
    assert light.locator(".measured").inner_text().split() == ["Found", "6", "Required", "8", "Lacking", "2"]
    assert page.locator("#change-k_anonymity").get_attribute("open") is None, "what was done is folded again"
    assert page.evaluate("document.activeElement.id") == "changes-k_anonymity"
    assert (
        light.get_by_role("link", name="suppress cells").get_attribute("href") == "/protect?method=suppress_cells#add"
    )
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_text("The one requirement you set is not met. Nothing is released.").wait_for()
    page.get_by_text("Nothing was released.").wait_for()
    assert not (studio.folder / "out/public").exists()

    page.get_by_text("The plan as a text").click()
    source = page.get_by_label("Text of plan.toml")
    source.fill(source.input_value().replace("k_anonymity = 8", "k_anonymty = 5"))
    page.get_by_role("button", name="Check and use it").click()
    notice = page.locator(".notice.error")
    notice.wait_for()
    assert "plan.toml, line 7, require.k_anonymty" in notice.inner_text() and "did you mean" in notice.inner_text()
    assert "k_anonymty = 5" in source.input_value(), "nobody types it twice"
    source.fill(source.input_value().replace("k_anonymty", "k_anonymity"))
    page.get_by_role("button", name="Check and use it").click()
    light.locator(".holds").wait_for()
    assert tomllib.loads((studio.folder / "plan.toml").read_text())["require"] == {"k_anonymity": 5}
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_text("The one requirement you set is met, but it does not cover everything that discloses.").wait_for()
    with page.context.expect_page() as opened_page:
        page.get_by_role("link", name="Open Public report").click()
    report = opened_page.value
    report.wait_for_load_state()
    assert report.get_by_role("heading", level=1).inner_text() == "Release of people.csv"
    report.close()

    (studio.folder / "out/public/report.html").write_text(EVIL)  # a report that somebody tampered with
    version = json.loads((studio.folder / ".studio/history.json").read_text())["version"]
    with page.context.expect_page() as opened_page:
        page.get_by_role("link", name="Open Public report").click()
    expect(opened_page.value).to_have_title("tried: ; null")
    assert json.loads((studio.folder / ".studio/history.json").read_text())["version"] == version
    opened_page.value.close()
    (studio.folder / "out/internal/result.json").write_text("{}")
    page.reload()
    page.get_by_text("the folder has got another result").wait_for()
    assert page.get_by_role("link", name="Open Public report").count() == 0
