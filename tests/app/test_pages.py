"""What stands on every page: heights of hierarchies that are looked up once, the history, the command."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tacit.app.pages import page
from tacit.app.panels import ALL
from tacit.app.project.project import Project
from tacit.app.server.pages import Pages
from tacit.app.server.studio import file_response, saved_as
from tacit.app.work.scheduler import PanelScheduler, PanelState
from tacit.errors import TacitError

PLAN = (
    '[data]\npath = "people.csv"\n[hierarchies]\nzip = { file = "zip.csv" }\nsex = { groups = { all = ["f", "m"] } }\n'
)


def test_the_files_of_hierarchies_are_read_again_only_when_they_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, read = Project(tmp_path), []
    file = tmp_path / "zip.csv"
    file.write_text("N1,N\nN2,N\n")
    project.change("plan", {"plan": PLAN})

    def counted(given: Any, **more: Any) -> Any:
        read.append(given)
        return made(given, **more)

    made = page.hierarchy
    monkeypatch.setattr(page, "hierarchy", counted)

    def heights() -> Any:
        return page.columns_of(project.raw(), None, project).heights

    assert heights() == heights() == {"zip": 1, "sex": 1} and len(read) == 2
    file.write_text("N1,N,*\nN2,N,*\n")
    assert heights()["zip"] == 2
    file.unlink()
    assert heights() == {"sex": 1}, "what is wrong with it is said where it is used"
    file.write_text("N1,N,*\nN2,N,*\n")
    os.utime(file, (0, 0))  # a clock that was set back
    assert heights()["zip"] == 2


def laid_out(project: Project, query: dict[str, str]) -> str:
    desk = PanelScheduler(project, ALL, b"0" * 16, lambda _: None)
    return Pages(project, desk).page("data", query) or ""


def test_of_a_long_history_a_page_shows_the_states_around_the_present_one(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for number in range(1, 120):
        project.history.add(f"state {number}", {"plan": "", "table": ""})

    def shown(**query: str) -> list[int]:
        return [int(place) for place in re.findall(r'name="place" value="(\d+)"', laid_out(project, query))]

    assert shown() == list(range(70, 120))
    assert shown(history="all") == list(range(120))
    project.history.go_to(30)
    assert shown() == list(range(50)) and "Show all 120 steps" in laid_out(project, {})
    project.history.go_to(80)
    assert 80 in shown() and 85 in shown() and len(shown()) == 50


@pytest.mark.parametrize(
    ("plan", "ticked"),
    [(PLAN, False), (PLAN + '[roles]\nquasi = ["zip"]\n', True)],
    ids=["nothing said yet", "roles said"],
)
def test_of_a_file_that_cannot_be_read_the_job_goes_on_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: str, ticked: bool
) -> None:
    project = Project(tmp_path)
    project.change("plan", {"plan": plan})
    problem = TacitError("is gone", code="file_missing", where="people.csv", fix="did you mean 'other.csv'?")

    def failed(_: PanelScheduler, name: str, question: Any = None, **__: Any) -> PanelState:
        return PanelState(panel=name, key="", state="failed", question=question or {}, problem=problem)

    monkeypatch.setattr(PanelScheduler, "show", failed)
    page = laid_out(project, {})
    assert ("checked" in re.search(r'<input[^>]*name="keep"[^>]*>', page)[0]) == ticked
    assert "put it back, or say where it is now" in page and "other.csv" not in page


def test_a_command_can_be_pasted_into_a_shell_whatever_the_folder_is_called(tmp_path: Path) -> None:
    project = Project(tmp_path / "it's; rm -r $HOME")
    project.change("plan", {"plan": PLAN})
    said = Pages(project, PanelScheduler(project, ALL, b"0" * 16, lambda _: None))._command_line()
    assert shlex.split(said) == ["tacit", "release", "it's; rm -r $HOME/plan.toml"]


def test_an_address_that_leads_nowhere_has_ways_back(tmp_path: Path) -> None:
    project = Project(tmp_path)
    laid = Pages(project, PanelScheduler(project, ALL, b"0" * 16, lambda _: None)).not_found()
    assert "There is no such page" in laid and laid.count('href="/map">Explore</a>') == 2


def test_the_plan_of_a_table_is_saved_under_the_name_of_its_document(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("")
    for document in ("plan", "table"):
        answer = file_response(file, saved_as(f"{document}/internal/plan.toml"), tmp_path)
        assert f'"{document}.toml"' in answer.headers["content-disposition"]
