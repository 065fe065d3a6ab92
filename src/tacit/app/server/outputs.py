"""Files that the page may show or save: what was released, and the plans."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from starlette.responses import FileResponse, Response

from ...report.commit import EARLIER, REFUSED
from ...report.study_folder import MAP
from ..panels.hierarchy_file import FILES
from ..panels.study import FOLDER
from ..project.opening import rebased
from ..project.project import DOCUMENTS, Project

STUDY = f"{FOLDER}/{MAP}"
"""The whole map of a study."""
PARTS = ("public", "internal", EARLIER, REFUSED)
"""What jobs write into their folder."""
REPORT = {
    "content-security-policy": "sandbox allow-scripts allow-popups; default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; script-src 'unsafe-inline' 'unsafe-eval'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "unsafe-none",
}
"""A report carries its own style and script, so it is shut into an origin of its own, which may ask the studio nothing."""


def output(project: Project, path: str) -> Path | None:
    """A file by its address: ``plan.toml``, or ``plan/public/people.csv`` in the folder that the plan names; None for others."""
    if "\0" in path:
        return None
    if path in DOCUMENTS.values():
        document = project.folder / path
        return document if document.is_file() else None
    name, _, inside = path.partition("/")
    if path == STUDY or (name == FILES and Path(inside).name == inside):
        written = project.folder / path
        return written if written.is_file() else None
    if name not in DOCUMENTS:
        return None
    top = (project.folder / project.raw(name).get("output", {}).get("directory", "out")).resolve()
    file = (top / inside).resolve()
    return file if any(top / part in file.parents for part in PARTS) and file.is_file() else None


def saved_as(address: str) -> str:
    """The name under which a file is saved: a plan has that of its document, whatever it is called among the results.

    >>> saved_as("table/internal/plan.toml"), saved_as("plan/public/people.csv")
    ('table.toml', 'people.csv')
    """
    document, _, inside = address.partition("/")
    return DOCUMENTS[document] if document in DOCUMENTS and inside == "internal/plan.toml" else Path(address).name


def sent(file: Path, name: str, folder: Path) -> Response:
    """A report to be read in the browser; anything else to be saved, a plan with whole paths: it is moved then."""
    if file.suffix == ".html":
        return FileResponse(file, headers=REPORT)
    if name in DOCUMENTS.values():
        text = file.read_text(encoding="utf-8")
        with suppress(ValueError):  # what others wrote there may be no plan: then it is as it is
            text = rebased(text, folder, None)
        saved = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="application/toml", headers=saved)
    return FileResponse(file, filename=name)
