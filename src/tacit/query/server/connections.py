"""Connections that cost nothing but a descriptor: their number is bounded, and a request's head must come in time.

Without a key anybody can open a connection and send half a request. Such a connection is closed after some seconds, and one
above the number that the process has descriptors for at once: running out of them would be the end for everybody.
"""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["PATIENCE", "SPARE", "allow_descriptors", "bounded_protocol"]

PATIENCE = 10.0
"""Seconds in which the head of a request must have come, counted from the connection or from its first byte."""

SPARE = 64
"""Descriptors for everything but connections: ledger, engines, files of the page."""

WANTED = 4096


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
