"""Copies of dropped files can be removed, and none that a plan reads (A10)."""

from __future__ import annotations

from pathlib import Path

from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.edits.registry import ALL
from tacit.app.project.copies import list_unused_copies
from tacit.app.project.opening import new_documents
from tacit.app.project.project import Project


def test_copies_that_nothing_reads_are_removed_and_others_stay(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    folder = project.folder / "data"
    folder.mkdir()
    for name in ("old.csv", "named.csv", "new.csv"):
        (folder / name).write_text("zip\nN1\n")
        project.change(f"opened {name}", new_documents(project, folder / name))
        if name == "named.csv":
            project.name_variant("kept")
    plan = project.documents["plan"] + '[hierarchies]\nzip = { file = "data/zip.csv" }\n'
    (folder / "zip.csv").write_text("N1,N*\n")
    project.change("grouped", {"plan": plan})
    assert [path.name for path in list_unused_copies(project)] == ["old.csv"]
    ALL["remove_copies"](Editing(project=project, form=Form([]), found=lambda *_: None))
    assert sorted(path.name for path in folder.iterdir()) == ["named.csv", "new.csv", "zip.csv"]
    assert (
        project.documents["plan"] == plan
        and project.history.current_state.said == "removed 1 copy of a file from data/"
    )
