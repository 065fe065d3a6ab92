"""Start the server on a socket of its own, and end it in peace."""

from __future__ import annotations

import socket
from collections.abc import Callable

from ...errors import Cancelled, TacitError
from ..desk import Desk
from ..service import Service
from .app import guarded
from .connections import SPARE, allow_descriptors, bounded_protocol
from .workers import Workers

__all__ = ["address", "listening", "serve"]

WAITING = 512
"""Connections that may wait to be accepted."""


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
