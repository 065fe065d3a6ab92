"""A real server on a real socket, in a thread of the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from tacit.query.query_service import QueryService
from tacit.query.server.run import Workers, build_guarded_app, open_socket

from .desks import KEYS


@contextmanager
def served(desk: QueryService, workers: Workers | None = None) -> Iterator[str]:
    """The address of a server over a desk."""
    at, crew = open_socket(desk.service, 0), workers or Workers()
    config = uvicorn.Config(
        build_guarded_app(desk, crew), log_config=None, access_log=False, server_header=False, lifespan="off"
    )
    server = uvicorn.Server(config)
    server.capture_signals = lambda: _nothing()  # signals belong to the test
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{at.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        crew.close()
        at.close()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def http(url: str, name: str | None = "ana") -> httpx.Client:
    """A client with the key of an account, or with none."""
    headers = {} if name is None else {"Authorization": f"Bearer {KEYS[name]}"}
    return httpx.Client(base_url=url, headers=headers, timeout=60, verify=False)  # nothing to verify on loopback
