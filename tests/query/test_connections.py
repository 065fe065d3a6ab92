"""Connections without a key: half-sent heads are closed in time, their number is bounded, small packets leave at once (A15, A25)."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn

from tacit.query.server import run
from tacit.query.server.run import Workers, build_guarded_app, open_socket

from .desks import desk
from .serving import _nothing, http


@contextmanager
def bounded(found, most, patience):
    """The server as ``tacit serve`` runs it, with other limits."""
    at, workers = open_socket(found.service, 0), Workers()
    config = uvicorn.Config(
        build_guarded_app(found, workers), http=run.bounded_protocol(most, patience), log_config=None, lifespan="off"
    )
    server = uvicorn.Server(config)
    server.capture_signals = lambda: _nothing()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield at.getsockname()
    finally:
        server.should_exit = True
        thread.join()
        workers.close()
        at.close()


def half_sent(address, text=b"GET /account HTTP/1.1\r\nHost: x\r\nX-Slow: "):
    found = socket.create_connection(address, timeout=30)
    found.sendall(text)
    return found


def closed(one):
    """Whether the server closes the connection; waits for it."""
    try:
        while one.recv(4096):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def test_a_half_sent_head_is_closed_in_time(tmp_path):
    found = desk(tmp_path / "ledger.db")
    with bounded(found, 100, 0.3) as address:
        slow = [half_sent(address), half_sent(address, b""), half_sent(address, b"G")]
        assert all(closed(one) for one in slow)
        with http(f"http://{address[0]}:{address[1]}") as client:  # and one that is whole is answered, again and again
            for _ in range(3):
                assert client.get("/account").status_code == 200
                time.sleep(0.4)
    found.close()


def test_connections_above_the_bound_are_closed_at_once_and_room_comes_back(tmp_path):
    found = desk(tmp_path / "ledger.db")
    with bounded(found, 20, 2.0) as address:
        held = [half_sent(address) for _ in range(20)]
        started = time.monotonic()
        assert closed(half_sent(address)) and time.monotonic() - started < 1.5
        assert all(closed(one) for one in held)
        with http(f"http://{address[0]}:{address[1]}") as client:
            assert client.get("/account").status_code == 200
    found.close()


def test_descriptors_are_allowed_and_some_are_spared():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert run.allow_descriptors() >= 2 * run.SPARE
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_small_packets_leave_at_once(tmp_path):
    """asyncio sets TCP_NODELAY only on sockets that say that they are TCP."""
    found = desk(tmp_path / "ledger.db")
    at = open_socket(found.service, 0)
    assert at.proto == socket.IPPROTO_TCP
    at.close()
    found.close()
