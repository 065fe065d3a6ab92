"""The files of the page and the paths under which they are served; nothing outside the folder can be reached."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
"""The end of a file's name → what the browser is told that it is."""


def page_files() -> dict[str, tuple[bytes, str]]:
    """Path → content and kind: ``/`` is the page itself, ``/page/…`` what it loads."""
    folder = files(__package__)
    found = {f"/page/{name}": file for name, file in _list_files(folder, "") if name.rpartition(".")[2] in KINDS}
    found["/"] = found.pop("/page/index.html")
    return {path: (file.read_bytes(), KINDS[file.name.rpartition(".")[2]]) for path, file in found.items()}


def page_routes() -> list[Route]:
    """One route for each file; the page needs no key, for it holds nothing but itself."""
    return [_file_route(path, content, kind) for path, (content, kind) in page_files().items()]


def _list_files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        name = f"{prefix}{entry.name}"
        found += _list_files(entry, f"{name}/") if entry.is_dir() else [(name, entry)]
    return found


def _file_route(path: str, content: bytes, kind: str) -> Route:
    async def send(_: Request) -> Response:
        return Response(content, media_type=kind)

    return Route(path, send, methods=["GET"], include_in_schema=False)
