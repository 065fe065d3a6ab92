"""A project keeps every state on disk: what is undone can be done again, and a crash between two writes loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tomllib
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError, files
from tacit.app.project import atomic_files
from tacit.app.project.opening import documents_for_file, open_project, rebase_paths
from tacit.app.project.project import History, Notices, Project, Stale
from tacit.app.server.pages import Pages
from tacit.app.work.scheduler import PanelState
from tacit.release.scratch import make_private_folder


def plan(folder: Path, text: str = "") -> Path:
    (folder / "people.csv").write_text("zip,pay\nN1,1\nN2,2\n")
    file = folder / "job.toml"
    file.write_text(text or '[data]\npath = "people.csv"\n\n[roles]\nquasi = ["zip"]\n\n[require]\nk_anonymity = 2\n')
    return file


@pytest.fixture
def history(tmp_path: Path) -> History:
    (tmp_path / "states").mkdir()
    return History(tmp_path)


MOVES = st.lists(st.one_of(st.text(max_size=5), st.integers(0, 12)), max_size=25)


@given(moves=MOVES)
def test_a_history_is_the_list_that_an_editor_would_keep(moves: list[str | int], tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("history")
    (folder / "states").mkdir()
    found, kept, place = History(folder), [], -1
    for move in moves:
        if isinstance(move, str):
            found.add(move, {"plan": move})
            kept, place = [*kept[: place + 1], move], place + 1
        elif move < len(kept):
            found.go_to(move)
            place = move
        again = History(folder)
        assert [said for _, said in again.descriptions] == kept and again.position == place
        if kept:
            assert again.current_state.documents == {"plan": kept[place]}
    assert len(list((folder / "states").iterdir())) == len(kept), "what cannot be reached any more is gone"


def test_a_crash_between_a_state_and_its_index_loses_only_the_last_click(history: History, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    history.add("first", {"plan": "a"})
    whole = atomic_files.write_text

    def dies(path: Path, text: str, **options: bool) -> None:
        if path.name == "history.json":
            raise KeyboardInterrupt
        whole(path, text, **options)

    monkeypatch.setattr(atomic_files, "write_text", dies)
    with pytest.raises(KeyboardInterrupt):
        history.add("second", {"plan": "b"})
    monkeypatch.undo()
    again = History(history._folder)
    assert again.current_state.documents == {"plan": "a"}
    assert again.add("third", {"plan": "c"}).documents == {"plan": "c"}


def test_a_state_that_is_damaged_is_told_and_the_present_one_stays(history: History) -> None:
    history.add("first", {"plan": "a"})
    history.add("second", {"plan": "b"})
    (history._folder / "states" / "1.json").write_text("{")
    with pytest.raises(TacitError, match="there is no state 1"):
        history.go_to(0)
    assert history.current_state.documents == {"plan": "b"} and History(history._folder).position == 1


def test_a_folder_that_is_deleted_takes_the_state_of_no_page(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.change("one", {"plan": "title = 'one'\n"})
    shutil.rmtree(project.folder)
    assert project.raw() == {"title": "one"}
    with pytest.raises(TacitError, match="cannot be written"):
        project.change("two", {"plan": "title = 'two'\n"})
    assert project.raw() == {"title": "one"}


def test_an_older_page_changes_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    shown = project.version
    project.change("in one window", {"plan": "title = 'one'\n"}, version=shown)
    with pytest.raises(Stale, match="changed in another window"):
        project.change("in the other", {"plan": "title = 'two'\n"}, version=shown)
    with pytest.raises(Stale):
        project.go_to(lambda place: place - 1, version=shown)
    assert (project.folder / "plan.toml").read_text() == "title = 'one'\n"


def test_what_others_write_into_a_plan_is_taken_up_and_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    own = plan(tmp_path / "p").rename(tmp_path / "p" / "plan.toml")
    text = own.read_text()
    project = Project(tmp_path / "p")
    assert project.documents["plan"] == text, "a folder that has a plan is opened with it"
    shown = project.version
    own.write_text(text.replace("k_anonymity = 2", "k_anonymity = 3"))
    with pytest.raises(Stale, match="another window or program"):
        project.change("here", {"plan": text + "# here\n"}, version=shown)
    assert project.raw()["require"] == {"k_anonymity": 3} and "elsewhere" in project.history.descriptions[-1][1]
    project.change("here", {"plan": own.read_text() + "# here\n"}, version=project.version)
    assert own.read_text().endswith("# here\n")
    for damaged in (b"[data\n", b'title = "M\xfcller"\n'):
        own.write_bytes(damaged)
        with pytest.raises(TacitError, match="plan.toml"):
            project.go_to(lambda place: place - 1)
        assert own.read_bytes() == damaged, "what cannot be read is left to whoever wrote it"
    own.unlink()
    project.go_to(lambda place: place - 1)
    assert tomllib.loads(own.read_text())["require"] == {"k_anonymity": 3}


def test_a_plan_that_a_crash_left_behind_is_written_again(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.change("one", {"plan": "title = 'one'\n"})
    project.change("two", {"plan": "title = 'two'\n"})
    (project.folder / "plan.toml").write_text(
        "title = 'one'\n"
    )  # as if the file of the last state had not been written
    os.close(project._lock)
    again = Project(tmp_path / "p")
    assert len(again.history) == 3 and (again.folder / "plan.toml").read_text() == "title = 'two'\n"


class Crash(BaseException):
    """The machine stops here: nothing is cleared away."""


CHANGES: dict[str, Callable[[Project], object]] = {
    "a change": lambda project: project.change("c", {"plan": "title = 'c'\n", "table": ""}),
    "undo": lambda project: project.go_to(lambda place: place - 1),
    "no plan": lambda project: project.change("none", {"plan": ""}),
    "back to an empty project": lambda project: project.go_to(lambda _: 0),
}


@pytest.mark.parametrize("undone", [0, 1])
@pytest.mark.parametrize("change", CHANGES)
def test_a_crash_at_any_moment_leaves_the_state_before_or_after(
    tmp_path: Path, change: str, undone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is broken off before the first, second, … of its moves on the disk, and the project opened again."""
    found: list[tuple[object, ...]] = []
    for moves in count():
        project = Project(tmp_path / str(moves))
        for said in ("a", "b"):
            project.change(said, {"plan": f"title = '{said}'\n", "table": f"title = '{said}'\n"})
        project.go_to(lambda place: place - undone)
        before = _seen(project)
        with monkeypatch.context() as patched:
            _crashes(patched, moves)
            with suppress(Crash):
                CHANGES[change](project)
                break
        os.close(project._lock)
        again = Project(project.folder)
        found.append(_seen(again))
        for name, text in again.documents.items():
            file = again.folder / f"{name}.toml"
            assert (file.read_text() if file.exists() else "") == text
        assert list(again.folder.rglob(".tacit-*")) == []
    kept = found.count(before)
    assert 0 < kept < len(found) and found == [before] * kept + [_seen(project)] * (len(found) - kept)


def _seen(project: Project) -> tuple[object, ...]:
    return project.history.descriptions, project.history.position, dict(project.documents)


def _crashes(patched: pytest.MonkeyPatch, moves: int) -> None:
    """After so many moves the disk does nothing any more."""
    left = iter(range(moves))

    def dying(move: Callable[..., None]) -> Callable[..., None]:
        def one(*given: object, **more: object) -> None:
            if next(left, None) is None:
                raise Crash
            move(*given, **more)

        return one

    commit = dying(files.commit_draft)
    for module in (files, atomic_files):
        patched.setattr(module, "commit_draft", commit)
    patched.setattr(Path, "unlink", dying(Path.unlink))


def test_a_disk_that_is_full_is_noticed_before_anything_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the files has no room: who is told to do it again does not do it twice."""
    project = Project(tmp_path / "p")
    project.change("a", {"plan": "title = 'a'\n"})
    before, real = _seen(project), os.fsync
    for room in range(10):
        left = iter(range(room))

        def full(handle: int) -> None:
            if stat.S_ISREG(os.fstat(handle).st_mode) and next(left, None) is None:  # noqa: B023 - used in this turn
                raise OSError(28, "No space left on device")
            real(handle)

        monkeypatch.setattr(os, "fsync", full)
        try:
            project.change("b", {"plan": "title = 'b'\n"})
        except TacitError:
            assert _seen(project) == before and (project.folder / "plan.toml").read_text() == "title = 'a'\n"
        else:
            break
    assert room == 3, "the plan, the state and the index have each been the one"
    assert (project.folder / "plan.toml").read_text() == "title = 'b'\n"


@pytest.mark.parametrize("damaged", ["{", ""])
def test_a_history_that_cannot_be_read_is_told_and_not_begun_anew(tmp_path: Path, damaged: str) -> None:
    project = Project(tmp_path / "p")
    project.change("one", {"plan": "title = 'one'\n"})
    os.close(project._lock)
    index = project.folder / ".studio" / "history.json"
    index.write_text(damaged)
    states = {file: file.read_text() for file in index.parent.rglob("states/*")}
    with pytest.raises(TacitError, match="the history of the project 'p' cannot be read\n.*move .studio away"):
        Project(tmp_path / "p")
    assert index.read_text() == damaged and states == {file: file.read_text() for file in states}


def test_what_a_killed_process_left_behind_goes_when_the_project_is_opened_again(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    project = Project(folder)
    project.change("one", {"plan": "[output]\ndirectory = 'result'\n"})
    os.close(project._lock)
    drafts = [folder / place / ".tacit-draft" for place in (".", "data", ".studio", ".studio/states", ".studio/found")]
    (folder / "result").mkdir()
    new = [make_private_folder(folder / place) for place in (".", "result")]
    dead = [folder / place / ".tacit-999999999-0a" for place in (".", "result", "data")]
    theirs = folder / "data" / "tacit-people.csv"
    held = [place / name for place in dead for name in ("people.csv", ".alive")]
    for file in (*drafts, theirs, *held, *(place / "people.csv" for place in new)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("zip\nN1\n")
    Project(folder)
    assert not any(one.exists() for one in (*drafts, *dead))
    assert theirs.exists() and all(one.exists() for one in new), "a release on the command line may be at work there"


def test_a_project_has_one_owner(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    with pytest.raises(TacitError, match="another studio has the project 'p' open"):
        Project(tmp_path / "p")
    del project


def test_a_plan_is_copied_with_its_paths_and_never_changed(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    file = plan(
        there,
        '# mine\n[data]\npath = "people.csv"\npopulation = "all.csv"\n[roles]\nquasi = ["zip"]\n[hierarchies]\n'
        'zip = { file = "zip.csv" }\n[require]\nk_anonymity = 2\n[intruder]\nalso = ["other.csv"]\n',
    )
    before = file.read_text()
    project = open_project(file)
    assert file.read_text() == before and project.folder == there / "job-studio"
    raw = project.raw()
    assert raw["data"] == {"path": "../people.csv", "population": "../all.csv"}
    assert raw["hierarchies"] == {"zip": {"file": "../zip.csv"}} and raw["intruder"] == {"also": ["../other.csv"]}
    assert "# mine" in project.documents["plan"], "comments stay"


def test_opening_the_same_file_again_goes_on_where_it_was(tmp_path: Path) -> None:
    plan(tmp_path)
    project = open_project(tmp_path / "people.csv")
    project.change("more", {"plan": project.documents["plan"] + "\n[require]\nk_anonymity = 3\n"})
    states = len(project.history)
    os.close(project._lock)
    again = open_project(tmp_path / "people.csv")
    assert len(again.history) == states and again.raw()["require"] == {"k_anonymity": 3}


@pytest.mark.parametrize("began", ["people.csv", "job.toml"])
def test_a_project_with_a_table_or_with_next_years_file_is_not_begun_anew(tmp_path: Path, began: str) -> None:
    plan(tmp_path)
    project = open_project(tmp_path / began)
    table = '[data]\npath = "../people.csv"\nnoun = "table"\n[table]\nby = ["zip"]\n'
    project.change("a table", {"table": table})
    before = dict(project.documents)
    os.close(project._lock)
    again = open_project(tmp_path / began)
    assert dict(again.documents) == before
    (tmp_path / "later.csv").write_text((tmp_path / "people.csv").read_text())
    again.change("next year", documents_for_file(again, tmp_path / "later.csv"))
    os.close(again._lock)
    last = open_project(tmp_path / began)
    assert last.raw()["data"]["path"] == "../later.csv" and last.raw("table")["table"] == {"by": ["zip"]}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gone.csv", None, "there is no file"),
        ("net.toml", '[data]\npath = "e.csv"\nnoun = "graph"\n', "does not show networks"),
        ("bad.toml", "[data\n", "is not TOML"),
    ],
)
def test_what_cannot_be_opened_is_told(tmp_path: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(TacitError, match=said):
        open_project(tmp_path / name)


def test_a_path_on_the_way_to_another_folder_and_back(tmp_path: Path) -> None:
    text = '[data]\npath = "d/people.csv"\n'
    assert (
        rebase_paths(rebase_paths(text, tmp_path / "a", tmp_path / "b" / "c"), tmp_path / "b" / "c", tmp_path / "a")
        == text
    )


def test_variants_outlive_the_states_they_were_made_of(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.change("one", {"plan": "title = '1'\n"})
    project.name_variant("first")
    project.go_to(lambda place: place - 1)
    project.change("two", {"plan": "title = '2'\n"})
    assert project.variants["first"]["plan"] == "title = '1'\n"
    with pytest.raises(TacitError, match="has no name"):
        project.name_variant("  ")
    project.forget_variant("first")
    assert project.variants == {}


def test_notices_stay_until_they_are_dismissed_and_are_counted(tmp_path: Path) -> None:
    notices = Notices(tmp_path / "notices.json")
    problem = TacitError("is not there", code="unknown_column", column="zap", fix="did you mean 'zip'?")
    first = notices.add_problem(problem)
    second = notices.add_problem(problem)
    kept = [(one.problem["code"], one.problem["column"], one.times) for one in Notices(tmp_path / "notices.json")]
    assert kept == [("unknown_column", "zap", 2)]
    assert first.number != second.number
    notices.add_problem(TacitError("odd", code="bad_request", fix="mend it"), about="/edit/reading")
    notices.add_problem(TacitError("wrong", code="bad_request", fix="mend it"), about="/edit/reading")
    assert [one.problem["what"] for one in notices][1:] == ["wrong"], "of one form only what is wrong with it now"
    notices.clear_form("/edit/role")
    notices.clear_form("/edit/reading")
    assert len(list(notices)) == 1, "a form that is accepted takes away what was wrong with it, and nothing else"
    notices.dismiss(second.number)
    assert json.loads((tmp_path / "notices.json").read_text()) == []
    for number in range(25):
        notices.add_problem(TacitError(f"wrong {number}", code="bad_request", fix="mend it"))
    assert [one.problem["what"] for one in Notices(tmp_path / "notices.json")] == [
        f"wrong {number}" for number in range(5, 25)
    ]


def test_suggestions_may_be_there_before_the_file_is_shown(tmp_path: Path) -> None:
    """Panels are done in any order: that of the roles needs nothing from that of the first rows."""
    plan(tmp_path)
    project = open_project(tmp_path / "people.csv")
    one = {"column": "zip", "role": "quasi", "confidence": "sure", "reasons": ["named so"], "warning": None}
    found = {"columns": [one], "singling_out": [], "notes": []}

    class Desk:
        told = 0

        def show(self, name: str, question: dict[str, str]) -> PanelState:
            return PanelState(panel=name, key="k", state="ready", question=question, found=found)

        def found(self, name: str, question: dict[str, str] | None = None) -> None:
            return None

    page = Pages(project, Desk()).panel("suggestions", {})  # type: ignore[arg-type]
    assert 'aria-label="Role of zip"' in page
