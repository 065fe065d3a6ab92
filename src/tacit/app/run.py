"""Start the studio: a server on the loopback address, and the browser."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import Cancelled, TacitError
from .project.opening import open_project

HOST = "127.0.0.1"


def studio(
    target: Path | None = None,
    *,
    project: Path | None = None,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Open the page of a file, a plan or a project, and serve it until the process is interrupted.

    It listens on the loopback address only, on any free port unless one is given.
    """
    uvicorn = _import_uvicorn()
    from .server.guard import Guard
    from .server.studio import studio_app

    listening = _listening_socket(port)
    work = open_project(target, project)
    app = studio_app(work)
    guard = Guard(app, host=HOST, port=listening.getsockname()[1])

    def ready() -> None:
        say(f"project  {work.folder}")
        if "data" in (raw := work.raw() or work.raw("table")):
            say(f"file     {(work.folder / raw['data'].get('path', '')).resolve()}")
        say(f"page     {guard.address}")
        say("The address works once, in one browser. Ctrl+C ends the studio; the project is kept.")
        if browser:  # one that works in the terminal ends only when its user does
            threading.Thread(target=webbrowser.open, args=(guard.address,), daemon=True).start()

    with suppress(Cancelled):  # an interruption is how a studio ends
        _make_server(uvicorn, guard, ready=ready, ending=app.state.ending).run(sockets=[listening])
    say("The studio has ended; the project is kept.")


def _make_server(uvicorn: Any, app: Any, *, ready: Callable[[], None], ending: Callable[[], None]) -> Any:
    """The server, which logs nothing but its own failures.

    ``ready`` is called when it answers and can be told to end, ``ending`` when it was told.
    """
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody stands between the browser and us
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    server = uvicorn.Server(config)
    begun, ended = server.startup, server.handle_exit

    async def begin(sockets: list[socket.socket] | None = None) -> None:
        await begun(sockets=sockets)
        ready()

    def end(*signal: Any) -> None:
        ending()  # open windows let go, so that nothing has to be broken off
        ended(*signal)

    server.startup, server.handle_exit = begin, end
    return server


def _listening_socket(port: int) -> socket.socket:
    found = socket.socket()
    try:
        found.bind((HOST, port))
        found.listen()  # who opens the page at once waits until it is served
    except OSError:
        found.close()
        raise TacitError(
            f"the port {port} is taken", code="cannot_write", fix="leave --port out: any free one will do"
        ) from None
    return found


def _import_uvicorn() -> Any:
    try:
        import starlette  # noqa: F401 - asked for together
        import tomlkit  # noqa: F401
        import uvicorn
    except ImportError:
        raise TacitError(
            "the studio needs Starlette, Uvicorn and TOML Kit, which are not installed",
            code="not_installed",
            fix="pip install 'tacit[studio]', in a clone pip install -e '.[studio]'",
        ) from None
    return uvicorn
