"""The outermost layer: bounded bodies, the time grid, safe headers, and no way out for an exception's text."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from ..refusal import Refusal
from .grid import TimeGrid
from .status import STATUS

LOG = logging.getLogger("tacit.query")

LARGEST = 65_536
"""Bytes of a body."""

PATIENCE = 10.0
"""Seconds in which a body must have come."""

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Guard:
    """An ASGI app around another: it holds the whole answer back until its moment has come."""

    def __init__(self, app: App, grid: TimeGrid, *, paths: frozenset[str], tls: bool = False) -> None:
        self._app, self._grid, self._paths = app, grid, paths
        extra = {"strict-transport-security": "max-age=31536000"} if tls else {}
        self._headers = [(name.encode(), value.encode()) for name, value in (HEADERS | extra).items()]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["tacit.arrival"] = arrival = time.monotonic()
        status, headers, body = await self._collect_response(scope, receive)
        await self._grid.until_end(arrival)
        path = scope["path"] if scope["path"] in self._paths else "(another path)"
        LOG.info("%s %s %d %s", scope["method"], path, status, scope.get("tacit.account", "-"))
        await send({"type": "http.response.start", "status": status, "headers": [*headers, *self._headers]})
        await send({"type": "http.response.body", "body": body})

    async def _collect_response(self, scope: Message, receive: Receive) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Status, headers and body; of a refusal or a failure those of its JSON."""
        parts: list[Message] = []

        async def take(message: Message) -> None:
            parts.append(message)

        try:
            await self._app(scope, _replay_body(await _read_body(receive)), take)
            return parts[0]["status"], list(parts[0]["headers"]), b"".join(part.get("body", b"") for part in parts[1:])
        except Refusal as refusal:
            return refusal_response(refusal)
        except Exception as problem:
            return refusal_response(_bug_refusal(problem), 500)


def refusal_response(refusal: Refusal, status: int | None = None) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """A refusal as an answer of the server."""
    body = json.dumps(refusal.as_json(), ensure_ascii=False).encode("utf-8", "replace")
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    return status or STATUS[refusal.code], headers, body


async def _read_body(receive: Receive) -> bytes:
    """The whole body, as long as it is neither too large nor too slow."""
    found = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                found += message.get("body", b"")
                if len(found) > LARGEST:
                    raise Refusal(
                        "too_large", f"the body has more than {LARGEST} bytes", fix="ask in several questions"
                    )
                if not message.get("more_body", False):
                    return bytes(found)
    except TimeoutError:
        raise Refusal("bad_request", "the body did not come in time", fix="send it at once") from None


def _replay_body(body: bytes) -> Receive:
    """The body for the app, in one piece."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _bug_refusal(problem: Exception) -> Refusal:
    """Our own mistake: the log has its kind and place under a reference, the answer the reference alone."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    reference = secrets.token_hex(4)
    LOG.error("reference %s: %s at %s", reference, type(problem).__name__, place)
    return Refusal("failed", f"the service failed (reference {reference})", fix="tell the owner the reference")
