"""Start the server on a socket of its own, and end it in peace.

Connections that cost nothing but a descriptor: their number is bounded, and a request's head must come in time.

Without a key anybody can open a connection and send half a request. Such a connection is closed after some seconds, and one
above the number that the process has descriptors for at once: running out of them would be the end for everybody.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from ...errors import Cancelled, TacitError
from ..desk import Desk
from ..service import Service
from .app import guarded
from .workers import Workers

WAITING = 512
"""Connections that may wait to be accepted."""

PATIENCE = 10.0
"""Seconds in which the head of a request must have come, counted from the connection or from its first byte."""

SPARE = 64
"""Descriptors for everything but connections: ledger, engines, files of the page."""

WANTED = 4096


def listening(service: Service, port: int | None = None) -> socket.socket:
    """A socket that listens where the service file says; port 0 is any free one."""
    wanted = service.port if port is None else port
    try:
        family = socket.getaddrinfo(service.host, wanted, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio sets no TCP_NODELAY
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((service.host, wanted))
        found.listen(WAITING)
    except (OSError, OverflowError):
        raise TacitError(
            f"the address {service.host}:{wanted} cannot be listened on",
            fix="is another service running there? choose another with --port",
        ) from None
    return found


def address(service: Service, at: socket.socket) -> str:
    """The address that analysts use."""
    host = f"[{service.host}]" if ":" in service.host else service.host
    return f"{'https' if service.tls else 'http'}://{host}:{at.getsockname()[1]}"


def serve(desk: Desk, at: socket.socket, *, ready: Callable[[], None] = lambda: None) -> None:
    """Answer until SIGTERM or SIGINT; what was begun is brought to its end.

    ``ready`` is called when questions are taken, and a signal from then on ends the service in peace.
    """
    import uvicorn

    workers, tls = Workers(), desk.service.tls
    config = uvicorn.Config(
        guarded(desk, workers),
        http=bounded_protocol(allow_descriptors() - SPARE),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        backlog=WAITING,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=int(desk.service.time_limit) + 5,
        ssl_certfile=str(tls.certificate) if tls else None,
        ssl_keyfile=str(tls.key) if tls else None,
    )
    try:
        _loaded(config)
        server = uvicorn.Server(config)
        startup = server.startup

        async def started(sockets: list[socket.socket] | None = None) -> None:
            await startup(sockets=sockets)
            ready()

        server.startup = started
        server.run(sockets=[at])
    except (Cancelled, KeyboardInterrupt):
        pass  # the signal, given on to whoever waited for it before; everything has ended by now
    finally:
        workers.close()
        desk.close()


def _loaded(config: object) -> None:
    """Read certificate and key now, where a mistake in them can still be told."""
    try:
        config.load()  # type: ignore[attr-defined]  # uvicorn has no types here
    except OSError:  # ssl.SSLError is one
        raise TacitError(
            "certificate and key cannot be used together", fix="give both as PEM files of one pair", where="service.tls"
        ) from None


def allow_descriptors() -> int:
    """The number of descriptors that the process may have, raised as far as it may be."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return WANTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return WANTED
    if soft < WANTED:
        soft = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(soft, 2 * SPARE)


def bounded_protocol(most: int, patience: float = PATIENCE) -> Any:
    """Uvicorn's protocol with at most so many connections, each of which sends the head of a request in time."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):  # type: ignore[misc]  # uvicorn has no types here
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
            else:
                self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Begin to wait for a head, or stop: its request is there."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._forget()
            elif self._deadline is None:
                self._deadline = asyncio.get_running_loop().call_later(patience, self._close_late)

        def _forget(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _close_late(self) -> None:
            self._deadline = None
            if self.cycle is None or self.cycle.response_complete:
                self.transport.close()

    return Bounded
