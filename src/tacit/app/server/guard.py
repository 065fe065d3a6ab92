"""The outermost layer: who may ask, and what a browser may do with the answer."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from ..internal_error import format_internal_error

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

COOKIE = "tacit-studio"
REFUSED = "Open the address that the terminal shows; it works once. Start tacit studio again for a new one."
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Guard:
    """An ASGI app around the pages.

    The address that the terminal shows has a token that works once: it is changed for a cookie, which only this browser
    has and no other site can send along (``SameSite=Strict``). A request without the cookie, under another host name
    (DNS rebinding) or from another origin gets an empty refusal, whatever it asks for.
    """

    def __init__(self, app: App, *, host: str, port: int) -> None:
        self._app, self._origin, self._port = app, f"http://{host}:{port}", port
        self._hosts = {f"{host}:{port}"}
        self._token: str | None = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(32)
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    @property
    def address(self) -> str:
        """The address that opens the page, once."""
        return f"{self._origin}/?token={self._token}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] != "http" or not self._from_here(scope):
            await self._refuse_request(scope, send)
        elif self._is_first(scope):
            await self._let_in(send)
        elif not _is_same_secret(self._session_cookie(scope), self._cookie):
            await self._refuse_request(scope, send)
        else:
            await self._answer_request(scope, receive, self._with_headers(send))

    async def _answer_request(self, scope: Message, receive: Receive, send: Send) -> None:
        """Whatever goes wrong in the app, no text of an exception leaves it: it may quote the data."""
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as problem:
            if not begun:
                await _send_text(send, 500, format_internal_error(problem))

    def _from_here(self, scope: Message) -> bool:
        """Whether the request names our host, and comes from our page where it comes from a page."""
        headers = _request_headers(scope)
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        return (
            headers.get("host") in self._hosts
            and origin in (None, self._origin)
            and site in ("same-origin", "none")
            and (scope["method"] in ("GET", "HEAD") or origin is not None)
        )

    def _is_first(self, scope: Message) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if self._token is None or scope["path"] != "/" or not _is_same_secret(given, self._token):
            return False
        self._token = None
        return True

    async def _let_in(self, send: Send) -> None:
        cookie = f"{COOKIE}-{self._port}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0"), *self._headers]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _session_cookie(self, scope: Message) -> str:
        """Our cookie, looked for alone: other servers on this machine set theirs for the same host, of whatever form."""
        given = (one.strip().partition("=") for one in _request_headers(scope).get("cookie", "").split(";"))
        return next((value for name, _, value in given if name == f"{COOKIE}-{self._port}"), "")

    def _with_headers(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(one for one in self._headers if one[0] not in given)]
            await send(message)

        return sent

    async def _refuse_request(self, scope: Message, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await _send_text(self._with_headers(send), 403, REFUSED)


async def _send_text(send: Send, status: int, text: str) -> None:
    body = f"{text}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _is_same_secret(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _request_headers(scope: Message) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
