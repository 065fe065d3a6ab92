"""From what stands on the command line to a project: a data file, a plan, a project's folder, or nothing yet."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...plan.parse import noun_in, text_of
from ...study.plan_text import import_tomlkit
from .project import Project

PLACES = (("data", "path"), ("data", "population"), ("intruder", "control"), ("roles", "key_file"))
"""Keys of a plan that hold a path."""
BESIDE = ("file", "edges")
"""Words of a hierarchy that hold one."""


def open_project(target: Path | None, folder: Path | None = None) -> Project:
    """The project of a file or a plan, neither of which is changed, or the one in a folder, with the plans that are there."""
    if target is None or target.is_dir():
        return Project(folder or target or Path("tacit-studio"))
    if not target.is_file():
        raise TacitError(
            f"there is no file {str(target)!r}",
            code="path_not_found",
            fix="give a data file, a plan or a project's folder",
        )
    project = Project(folder or target.absolute().parent / f"{target.stem}-studio")
    if folder is None and any(project.documents.values()):
        return project  # what began with this file goes on where it was, also where that is next year's file by now
    documents = _plan_documents(target, project) if target.suffix.lower() == ".toml" else new_documents(project, target)
    if not _data_files(documents) <= _data_files(project.documents):
        project.change(f"opened {target.name}", documents)
    return project


def new_documents(project: Project, file: Path) -> dict[str, str]:
    """The documents of a project that begins with a data file."""
    tomlkit = import_tomlkit()
    plan = tomlkit.document()
    plan.add("data", tomlkit.item({"path": file_path(project.folder, file)}))
    return {"plan": tomlkit.dumps(plan), "table": "", "off": ""}


def documents_for_file(project: Project, file: Path) -> dict[str, str]:
    """The documents of a project as they are, about another file: next year's, with the same columns.

    Its results get a folder of their own: the releases of a folder are of one file.
    """
    tomlkit, before = import_tomlkit(), project.raw()["data"]["path"]
    found = {}
    for name, usual in (("plan", "out"), ("table", "table-out")):
        document = tomlkit.parse(project.documents[name])
        if document.get("data", {}).get("path") == before:
            document["data"]["path"] = file_path(project.folder, file)
            output = document.setdefault("output", tomlkit.table())
            output["directory"] = _unused_name(project.folder, f"{usual}-{file.name.partition('.')[0]}")
            found[name] = str(tomlkit.dumps(document))
    return found


def _unused_name(folder: Path, name: str) -> str:
    """A name that nothing in the folder has yet: out-2027, out-2027-2 and so on."""
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(one for one in numbered if not (folder / one).exists())


def file_path(folder: Path, file: Path) -> str:
    """A path as a plan in the folder writes it."""
    try:
        return Path(os.path.relpath(file.absolute(), folder.absolute())).as_posix()
    except ValueError:  # another drive
        return file.absolute().as_posix()


def _plan_documents(target: Path, project: Project) -> dict[str, str]:
    text = text_of(target)
    noun = noun_in(text, target.name)
    if noun == "graph":
        raise TacitError(
            "the studio does not show networks", code="bad_request", fix=f"use: tacit graph protect {target}"
        )
    own = rebase_paths(text, target.absolute().parent, project.folder)
    if noun != "table":
        return {"plan": own, "table": "", "off": ""}
    return {"plan": _of_records(own), "table": own, "off": ""}


def _of_records(table: str) -> str:
    """The beginning of a plan about the records of a table; none for a ready-made problem."""
    tomlkit = import_tomlkit()
    data = tomlkit.parse(table).unwrap().get("data", {})
    if str(data.get("path", "")).lower().endswith(".jj"):
        return ""
    plan = tomlkit.document()
    plan.add("data", tomlkit.item({key: value for key, value in data.items() if key != "noun"}))
    return str(tomlkit.dumps(plan))


def rebase_paths(text: str, before: Path, after: Path | None) -> str:
    """A plan whose paths were relative to one folder, for another; for None with whole paths, to be run from anywhere."""
    tomlkit = import_tomlkit()
    plan = tomlkit.parse(text)

    def moved(path: str) -> str:
        return (before / path).resolve().as_posix() if after is None else file_path(after, before / path)

    for section, key in PLACES:
        if isinstance(plan.get(section, {}).get(key), str):
            plan[section][key] = moved(plan[section][key])
    if plan.get("intruder", {}).get("also"):
        plan["intruder"]["also"] = [moved(path) for path in plan["intruder"]["also"]]
    for column, given in plan.get("hierarchies", {}).items():
        if isinstance(given, str):
            plan["hierarchies"][column] = moved(given)
            continue
        for word in BESIDE:
            if isinstance(given.get(word), str):
                given[word] = moved(given[word])
    return str(tomlkit.dumps(plan))


def paths_in(raw: Mapping[str, Any], sections: Collection[str]) -> list[str]:
    """The paths of files in some sections of a plan, but for those of hierarchies."""
    named = [raw.get(section, {}).get(key) for section, key in PLACES if section in sections]
    also = raw.get("intruder", {}).get("also", []) if "intruder" in sections else []
    return [path for path in (*named, *also) if isinstance(path, str)]


def _data_files(documents: Mapping[str, str]) -> set[tuple[str, Any]]:
    """The files that documents are about: a project that is opened again goes on where it was."""
    tomlkit = import_tomlkit()
    named = ((name, documents[name]) for name in ("plan", "table") if documents[name])
    return {(name, tomlkit.parse(text).get("data", {}).get("path")) for name, text in named}
