"""What the page Risk shows, without a browser: the numbers of the command line, and plain words where there are none (A-02, A-03, C-02)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tacit.app.edits import ALL as EDITS
from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.panels import ALL as PANELS
from tacit.app.panels.context import PanelContext, Store
from tacit.app.panels.panel import Panel
from tacit.app.project.project import Project
from tacit.app.work.scheduler import PanelScheduler
from tacit.errors import Cancelled, TacitError
from tacit.examples import clinic
from tacit.plan.audit import run_audit
from tacit.plan.job import run
from tacit.plan.load import from_text
from tacit.release.read import read
from tacit.report.statement import statement
from tacit.risk import separating_sets

SEED = b"0123456789abcdef"
PLAN = """
[data]
path = "people.csv"
missing = "own"

[roles]
quasi = ["zip", "birth", "sex"]
confidential = ["diagnosis"]

[hierarchies]
zip = { prefix = [5, 3, 1] }
birth = { dates = ["month", "year", "decade"] }

[require]
reidentification = 0.05
"""
STEP = """
[[protect]]
method = "generalise"
levels = { zip = 3, birth = 3 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("risk")
    columns = ["zip", "birth", "sex", "diagnosis", "income", "weight"]
    clinic(300, seed=3).frame.select(columns).write_csv(found / "people.csv")
    return found


def found(name: str, folder: Path, text: str, progress: Any = None, **question: str) -> Mapping[str, Any]:
    bench = PanelContext(
        Store(), folder=folder, documents={"plan": text}, question=question, seed=SEED, progress=progress
    )
    values = PANELS[name].call(bench)
    assert json.loads(json.dumps(values, allow_nan=False)) == values  # plain values, which survive the disk
    return values


def test_the_sentence_and_the_measures_are_those_of_the_audit(folder: Path) -> None:
    release = read(folder / "people.csv", quasi=["zip", "birth", "sex"], confidential="diagnosis", missing="own",
                   hierarchies={"zip": {"prefix": [5, 3, 1]}})  # fmt: skip
    audit, shown = run_audit(release), found("risk", folder, PLAN)
    assert tuple(shown["sentences"]) == statement(audit).reasons
    values = {(one["name"], one["column"]): one["value"] for one in shown["measures"]}
    assert values == {(one.name, one.column): one.value for one in audit.before}
    sets = found("combinations", folder, PLAN)["sets"]
    counted = {one.columns: one.spread.alone for one in separating_sets(release)}
    assert {tuple(one["columns"]): one["alone"] for one in sets} == {
        key: alone for key, alone in counted.items() if alone
    }
    grown = found("knowledge", folder, PLAN)
    assert grown["alone"][-1] == counted["zip", "birth", "sex"] and grown["order"][0] == "birth"


def test_the_attacks_and_verdicts_are_those_of_the_release(folder: Path, tmp_path: Path) -> None:
    outcome = run(from_text(PLAN + STEP, folder=folder), seed=SEED, out=tmp_path / "out")
    shown = found("attacks", folder, PLAN + STEP)
    assert [(one["name"], one["result"]["value"]) for one in shown["attacks"] if one["result"]] == [
        (one.name, one.result.value) for one in outcome.attacks if one.result
    ]
    (verdict,) = shown["verdicts"]
    assert (verdict["state"], verdict["found"]) == ("fails", outcome.verdicts[0].found)
    before = found("attacks", folder, PLAN + STEP, of="original")
    assert before["attacks"][0]["result"]["value"] > shown["attacks"][0]["result"]["value"]


def test_who_knows_less_finds_less_and_what_cannot_be_judged_is_said(folder: Path) -> None:
    text = PLAN.replace("0.05", "0.05\nmembership = 0.6") + '[intruder]\nknows = ["sex"]\n'
    shown = found("attacks", folder, text)
    lights = {one["name"]: one for one in shown["verdicts"]}
    assert lights["reidentification"]["state"] == "holds"
    assert lights["membership"]["state"] == "unknown" and "control" in lights["membership"]["problem"]["fix"]


@pytest.mark.parametrize("name", ["risk", "combinations", "individual", "knowledge", "attacks"])
def test_what_is_not_said_yet_is_asked_for(name: str, folder: Path, tmp_path: Path) -> None:
    assert found(name, folder, '[data]\npath = "people.csv"\n')["lacks"] == "quasi"
    (tmp_path / "gaps.csv").write_text("zip,sex\nN1,f\n,m\nN2,m\n")
    text = '[data]\npath = "gaps.csv"\n[roles]\nquasi = ["zip", "sex"]\n'
    shown = found(name, tmp_path, text)
    assert (shown["lacks"], shown["problem"]["column"]) == ("missing", "zip")


@pytest.mark.parametrize("name", ["risk", "combinations", "individual", "knowledge", "attacks"])
@pytest.mark.parametrize("rows", ["N1,f,a\n", "N1,f,a\nN1,f,a\nN1,f,a\n", "N1,f,a\nN2,f,b\nN3,m,a\n"])
def test_one_record_constants_and_people_who_are_all_alone(name: str, rows: str, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text(f"zip,sex,illness\n{rows}")
    text = '[data]\npath = "few.csv"\n[roles]\nquasi = ["zip", "sex"]\nconfidential = ["illness"]\n'
    assert found(name, tmp_path, text)["lacks"] is None


def test_made_up_records_are_nobodys(folder: Path) -> None:
    text = PLAN + '\n[[protect]]\nmethod = "synth_trees"\nleaf = 5\n'
    assert found("risk", folder, text)["lacks"] == "people"
    assert found("risk", folder, text, of="original")["lacks"] is None


def test_single_records_by_weight_or_by_group(folder: Path) -> None:
    assert "one in so many" in found("individual", folder, PLAN)["blocks"][0]["text"]
    weighted = PLAN.replace("[hierarchies]", 'weight = "weight"\n[hierarchies]')
    assert "by weight" in found("individual", folder, weighted)["blocks"][0]["text"]


@pytest.mark.parametrize("name", ["risk", "combinations", "knowledge", "attacks"])
def test_all_of_it_can_be_cancelled(name: str, folder: Path) -> None:
    with pytest.raises(Cancelled):
        found(name, folder, PLAN, progress=lambda step, share: share < 0.3)


def test_on_a_large_file_attacks_wait_until_somebody_asks() -> None:
    assert (
        not PANELS["attacks"].should_wait(20_000)
        and PANELS["attacks"].should_wait(20_001)
        and PANELS["attacks"].should_wait(None)
    )
    assert not Panel(call=lambda _: {}).should_wait(10**9) and Panel(call=lambda _: {}, asked=True).should_wait(1)


def test_the_steps_do_not_change_the_data_as_they_are() -> None:
    plan = tomllib.loads(PLAN + STEP)
    for name in ("risk", "attacks"):
        assert not PANELS[name].cut(plan, {"of": "original"})["protect"] and PANELS[name].cut(plan, {})["protect"]
    assert PANELS["risk"].cut(plan, {"of": "original"})["require"] is None


@pytest.fixture
def edit(folder: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Make a change, and give the plan after it."""
    project = Project(tmp_path / "p")
    project.change("opened", {"plan": PLAN.replace("people.csv", (folder / "people.csv").as_posix())})
    looked = {"columns": [{"name": one, "kind": None} for one in ("zip", "birth", "sex", "diagnosis", "income")]}

    def change(name: str, **values: str | list[str]) -> dict[str, Any]:
        pairs = [(key, one) for key, every in values.items() for one in ([every] if isinstance(every, str) else every)]
        found = {"look": looked}
        EDITS[name](Editing(project=project, form=Form(pairs), found=lambda panel, *_: found.get(panel)))
        return tomllib.loads((project.folder / "plan.toml").read_text())

    return change


def test_what_the_intruder_knows_is_part_of_the_plan(edit: Callable[..., dict[str, Any]]) -> None:
    assert edit("knows", knows=["zip", "income"])["intruder"] == {"knows": ["zip", "income"]}
    assert edit("knows_first", order=["birth", "zip", "sex"], count="2")["intruder"] == {"knows": ["birth", "zip"]}
    assert edit("told", told="method")["intruder"] == {"knows": ["birth", "zip"], "told": "method"}
    assert "intruder" not in edit("worst_case")
    assert "intruder" not in edit(
        "knows", knows=["sex", "birth", "zip"]
    )  # all of them is the worst case, and not written
    assert edit("second", second=["income"])["intruder"] == {"second": ["income"]}
    with pytest.raises(TacitError, match="know nothing"):
        edit("knows")
    with pytest.raises(TacitError, match="'everything' cannot be told"):
        edit("told", told="everything")


def test_files_beside_the_data_are_found_from_the_project_or_from_here(
    edit: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "others.csv").write_text("zip,birth,sex\nN1,1960,f\n")
    assert edit("control", control="others.csv", also="")["intruder"] == {"control": "../others.csv"}
    assert edit("control", control="../others.csv", also="others.csv")["intruder"]["also"] == ["../others.csv"]
    with pytest.raises(TacitError, match=r"no file 'nobody\.csv'"):
        edit("control", control="nobody.csv", also="")
    assert "intruder" not in edit("control", control="", also="")
    assert edit("population", population="others.csv")["data"]["population"] == "../others.csv"
    with pytest.raises(TacitError, match=r"no file 'all\.csv'"):
        edit("population", population="all.csv")
    assert "population" not in edit("population", population=" ")["data"]


def test_what_else_is_attacked(edit: Callable[..., dict[str, Any]]) -> None:
    assert edit("sorts", sort=["attribute", "singling out"])["attack"] == [
        {"method": "inference"},
        {"method": "singling_out"},
    ]
    plan = edit("attack", method="singling_out", attempts="50")
    assert plan["attack"][-1] == {"method": "singling_out", "attempts": 50}
    assert edit("attack", method="singling_out")["attack"][-1] == {"method": "singling_out"}
    assert [one["method"] for one in edit("attack", method="distance", metric="")["attack"]] == [
        "inference",
        "singling_out",
    ]
    assert "attack" not in edit("sorts")
    with pytest.raises(TacitError, match="unknown"):
        edit("attack", method="telepathy")


def test_a_file_beside_the_data_that_was_changed_is_looked_at_again(folder: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    others = project.folder / "others.csv"
    others.write_text("zip,birth,sex\n1,1960-01-01,f\n")
    project.change("opened", {"plan": PLAN + '[intruder]\ncontrol = "others.csv"\nalso = ["last.csv"]\n'})
    desk = PanelScheduler(project, PANELS, SEED, lambda _: None)
    before = {name: desk.cache_key(name, {}) for name in ("risk", "attacks")}
    others.write_text("zip,birth,sex\n1,1960-01-01,f\n2,1970-01-01,m\n")
    assert desk.cache_key("risk", {}) == before["risk"] and desk.cache_key("attacks", {}) != before["attacks"]
    between = desk.cache_key("attacks", {})
    (project.folder / "last.csv").write_text("zip\n1\n")
    assert desk.cache_key("attacks", {}) != between
