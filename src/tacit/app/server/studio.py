"""The studio as an ASGI app: pages, panels, changes and events."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ...errors import TacitError
from ...files import commit_draft, draft_beside, sync_file
from ...plan.commit import EARLIER, REFUSED
from ...release.files.formats import format_of
from ...report.study_folder import MAP
from ...seed import secret_seed
from ..edits import ALL as EDITS
from ..edits.edit import Editing
from ..edits.form import Form
from ..forms import FormErrors
from ..internal_error import format_internal_error
from ..page_error import in_clicks
from ..panels import ALL as PANELS
from ..panels.hierarchy_file import FILES
from ..panels.study import FOLDER
from ..project.atomic_files import disk_errors
from ..project.opening import documents_for_file, new_documents, rebase_paths
from ..project.project import DOCUMENTS, Project, Stale
from ..texts import texts
from ..work.scheduler import PanelScheduler
from .pages import Pages

LARGEST = 4_000_000
"""Bytes of a form: a hierarchy with every value written out is the largest of them."""

FIELDS = 100_000
"""Fields of a form: many times the largest, and no more than can be taken apart in an instant."""

LONGEST = 80
"""Characters of a name that are kept; most systems take 255 bytes."""

MOST = 500
"""Events that a window may be behind; one that does not listen any longer is let go."""

BEAT = 15.0
"""Seconds after which a silent stream shows that it is alive."""

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


def studio_app(project: Project) -> Starlette:
    """The app of a project; the guard stands around it."""
    return _Studio(project).app()


class _Studio:
    def __init__(self, project: Project) -> None:
        self.project, self.events = project, Events()
        self.desk = PanelScheduler(project, PANELS, project.seed(secret_seed), self.events.broadcast)
        self.pages = Pages(project, self.desk)

    def app(self) -> Starlette:
        routes = [
            Route("/", self.redirect_home),
            Route("/events", self.stream),
            Route("/panel/{name}", self.panel),
            Route("/assets/{name}", self.asset),
            Route("/out/{path:path}", self.file),
            Route("/edit/{name}", self.edit, methods=["POST"]),
            Route("/ask/{name}", self.ask, methods=["POST"]),
            Route("/do/{name}", self.run_action, methods=["POST"]),
            Route("/drop/{name}", self.receive_upload, methods=["PUT"]),
            Route("/{page}", self.page),
            Route("/{path:path}", self.not_found),
        ]
        told: Any = {TacitError: self.handle_error, Exception: _failure_response}
        found = Starlette(routes=routes, lifespan=self.lifespan, exception_handlers=told)
        found.state.ending = self.events.close
        return found

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.desk.start()
        warming = asyncio.create_task(asyncio.to_thread(self.pages.preload_templates))
        yield
        await warming
        self.events.close()
        self.desk.close()

    async def redirect_home(self, _: Request) -> Response:
        return RedirectResponse("/data", 303)

    async def page(self, request: Request) -> Response:
        name = request.path_params["page"]
        found = self.pages.page(name, dict(request.query_params))
        if found is None and (tab := _pages_by_title().get(name.casefold())):
            return RedirectResponse(f"/{tab}", 303)
        return await self.not_found(request) if found is None else HTMLResponse(found)

    async def not_found(self, _: Request) -> Response:
        return HTMLResponse(self.pages.not_found(), 404)

    async def panel(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in PANELS:
            return Response("no such panel", 404)
        return HTMLResponse(self.pages.panel(name, dict(request.query_params)))

    async def asset(self, request: Request) -> Response:
        return self.pages.asset(request.path_params["name"])

    async def file(self, request: Request) -> Response:
        address = request.path_params["path"]
        path = output_path(self.project, address)
        if path is None:
            return Response("no such file", 404)
        return file_response(path, saved_as(address), self.project.folder)

    async def stream(self, _: Request) -> Response:
        beginning = self.events.stream(lambda: {"event": "welcome", "number": self.desk.told})
        return StreamingResponse(beginning, media_type="text/event-stream")

    async def edit(self, request: Request) -> Response:
        edit = EDITS.get(request.path_params["name"])
        form = await form_of(request)
        if edit is None:
            return Response("no such edit", 404)

        def change() -> None:
            self.project.check_version(
                _form_version(form)
            )  # before the form is looked at: what it is about may be gone
            edit(Editing(project=self.project, form=form, found=self.desk.found))
            self.project.notices.clear_form(request.url.path)

        return self._respond_after(change)

    async def ask(self, request: Request) -> Response:
        name, form = request.path_params["name"], await form_of(request)
        if name not in PANELS:
            return Response("no such panel", 404)
        question = {key: form.get_last(key) for key in form if key != "version"}
        return self._respond_after(lambda: self.desk.show(name, question, ask=True))

    async def run_action(self, request: Request) -> Response:
        form = await form_of(request)
        doing = {
            "undo": lambda: self._move_history(-1, _form_version(form)),
            "redo": lambda: self._move_history(+1, _form_version(form)),
            "go": lambda: self.project.go_to(lambda _: form.number("place"), version=_form_version(form)),
            "dismiss": lambda: self.project.notices.dismiss(form.number("notice")),
            "cancel": lambda: self.desk.cancel(form.get_last("key")),
            "variant": lambda: self.project.name_variant(form.get_last("name")),
            "forget": lambda: self.project.forget_variant(form.get_last("name")),
        }.get(request.path_params["name"])
        return Response("no such thing to do", 404) if doing is None else self._respond_after(doing)

    def _move_history(self, by: int, version: int | None) -> None:
        """Undo or do again; at either end of the history there is nothing to do, and nothing to complain of."""
        history = self.project.history
        if 0 <= history.position + by < len(history):
            self.project.go_to(lambda place: place + by, version=version)

    async def receive_upload(self, request: Request) -> Response:
        keep = request.query_params.get("keep") == "on"
        await save_upload(self.project, request.path_params["name"], request.stream(), keep=keep)
        return self._changed_response()

    def _respond_after(self, change: Callable[[], object]) -> Response:
        before = self.project.version
        change()
        return self._changed_response() if self.project.version != before else JSONResponse({"version": before})

    def _changed_response(self) -> Response:
        self.desk.on_plan_change()
        self.events.broadcast({"event": "changed", "version": self.project.version})
        return JSONResponse({"version": self.project.version})

    async def handle_error(self, request: Request, problem: TacitError) -> Response:
        """An error is shown in every window until it is dismissed or mended; one about a field stands beside it instead."""
        if isinstance(problem, FormErrors):
            return JSONResponse({"version": self.project.version, "problems": beside_fields(problem)}, 422)
        notice = self.project.notices.add_problem(problem, about=request.url.path)
        self.events.broadcast({"event": "notice", "number": notice.number})
        return JSONResponse(
            {"version": self.project.version, "notice": notice.number}, 409 if isinstance(problem, Stale) else 422
        )


async def _failure_response(_: Request, problem: Exception) -> Response:
    return Response(format_internal_error(problem), 500, media_type="text/plain")


def _pages_by_title() -> dict[str, str]:
    """What the tabs are called on the page, in small letters → the page."""
    return {title.casefold(): name for name, title in texts().pages.mapping.items()}


def _form_version(form: Form) -> int | None:
    return form.number("version") if "version" in form else None


async def form_of(request: Request) -> Form:
    """The form in the body of a request; an error for one that no page of ours sends."""
    too_large = TacitError(
        "the form is too large", code="too_large", fix="put such a list into a file and name the file"
    )
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise too_large
    try:
        return Form(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise too_large from None


def beside_fields(mistakes: FormErrors) -> dict[str, str]:
    """What is wrong with each field, as it stands beside it; under no name what is wrong with the whole form."""
    return {name: _field_error(name, one) for name, one in mistakes.problems.items()}


def _field_error(name: str, problem: TacitError) -> str:
    """What is wrong with a field: its name stands above it, and need not be typed."""
    told = in_clicks(problem.restate(where=None))
    what, fix = (re.sub(rf"(^|e\.g\. ){re.escape(name)}=(?=\S)", r"\1", one) for one in (told.what, told.fix))
    return f"{what}. {texts().frame.fix} {fix}"


async def save_upload(project: Project, name: str, content: AsyncIterator[bytes], *, keep: bool = False) -> None:
    """Keep the file in the project's folder ``data`` and open it; one of that name is never overwritten.

    With ``keep`` it takes the place of the one before, and all that was said of that holds for it.
    """
    plain = re.sub(r"[^\w.\- ]", "_", Path(name).name).lstrip(".")
    format_of(Path(plain))  # before gigabytes are on their way
    folder = project.folder / "data"
    with disk_errors(project.folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    with disk_errors(project.folder), draft_beside(folder / plain, private=True) as draft:
        with draft.open("wb") as file:
            async for part in content:
                await asyncio.to_thread(file.write, part)  # a disk may be slower than the page must be
        await asyncio.to_thread(sync_file, draft)
        target = _unused_path(folder, plain)
        await asyncio.to_thread(commit_draft, draft, target, private=True)
    if keep and project.raw():
        project.change(f"opened {target.name}, for the same job", documents_for_file(project, target))
    else:
        project.change(f"opened {target.name}", new_documents(project, target))


def _unused_path(folder: Path, name: str) -> Path:
    """A name that no file has yet: patients.csv, patients-2.csv and so on, with all that tells its format."""
    ending = "".join(Path(name).suffixes[-2:]) if name.lower().endswith(".gz") else Path(name).suffix
    stem = name.removesuffix(ending)[:LONGEST]
    target, number = folder / f"{stem}{ending}", 2
    while target.exists():
        target, number = folder / f"{stem}-{number}{ending}", number + 1
    return target


class Events:
    """Server-sent events to any number of windows."""

    def __init__(self) -> None:
        self._windows: set[asyncio.Queue[str | None]] = set()

    def broadcast(self, event: Mapping[str, Any]) -> None:
        """To every window."""
        for window in list(self._windows):
            try:
                window.put_nowait(json.dumps(event))
            except asyncio.QueueFull:
                self._end_stream(window)  # its browser opens another stream when it can, and looks at all of it anew

    def close(self) -> None:
        """The studio ends: every stream does."""
        for window in list(self._windows):
            self._end_stream(window)

    def _end_stream(self, window: asyncio.Queue[str | None]) -> None:
        self._windows.discard(window)
        while not window.empty():
            window.get_nowait()
        window.put_nowait(None)

    async def stream(self, welcome: Callable[[], Mapping[str, Any]]) -> AsyncIterator[bytes]:
        """The events of one window from now on; the first says where the count of events stands."""
        window: asyncio.Queue[str | None] = asyncio.Queue(MOST)
        self._windows.add(window)
        try:
            yield f"data: {json.dumps(welcome())}\n\n".encode()
            while True:
                try:
                    async with asyncio.timeout(BEAT):
                        told = await window.get()
                except TimeoutError:
                    yield b": alive\n\n"
                    continue
                if told is None:
                    return
                yield f"data: {told}\n\n".encode()
        finally:
            self._windows.discard(window)


def output_path(project: Project, path: str) -> Path | None:
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


def file_response(file: Path, name: str, folder: Path) -> Response:
    """A report to be read in the browser; anything else to be saved, a plan with whole paths: it is moved then."""
    if file.suffix == ".html":
        return FileResponse(file, headers=REPORT)
    if name in DOCUMENTS.values():
        text = file.read_text(encoding="utf-8")
        with suppress(ValueError):  # what others wrote there may be no plan: then it is as it is
            text = rebase_paths(text, folder, None)
        saved = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="application/toml", headers=saved)
    return FileResponse(file, filename=name)
