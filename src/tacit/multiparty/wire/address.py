"""Where parties are: the address to listen on, and the connection to a host by name."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading

from ..agreement.agreement import Member

BUFFER = 2**22
"""Bytes that may wait to be read: long vectors come in one go."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def listening(listen: str | None, own: Member) -> tuple[str, int]:
    """Where to listen: as agreed, or elsewhere, where a gateway leads to.

    >>> north = Member(name="north", host="north.example", port=9400, certificate="", box_key="", sign_key="")
    >>> listening(None, north), listening("10.0.0.7", north), listening("10.0.0.7:81", north)
    (('north.example', 9400), ('10.0.0.7', 9400), ('10.0.0.7', 81))
    >>> listening("::1", north), listening("[::1]:81", north)
    (('::1', 9400), ('::1', 81))
    """
    host, _, port = (listen or "").rpartition(":")
    if not port.isdecimal() or (
        ":" in host and not host.endswith("]")
    ):  # no port, but the end of an address of version 6
        host, port = listen or "", ""
    return host.strip("[]") or own.host, int(port) if port else own.port


async def connected(member: Member, tls: ssl.SSLContext) -> Streams:
    """A connection to a party, at the first of its addresses that answers; OSError when none does."""
    problem: OSError = OSError("no address")
    for address in await _addresses(member.host):
        try:
            return await asyncio.open_connection(address, member.port, ssl=tls, limit=BUFFER)
        except ssl.SSLCertVerificationError:
            raise
        except OSError as said:
            problem = said
    raise problem


async def _addresses(host: str) -> list[str]:
    """By the system's resolver, in a thread that nobody waits for: one without an answer holds up no deadline."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def told(addresses: list[str]) -> None:
        if not found.done():
            found.set_result(addresses)

    def look() -> None:
        addresses: list[str] = []
        with contextlib.suppress(OSError, UnicodeError):
            seen = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(one[4][0]) for one in seen))
        with contextlib.suppress(RuntimeError):  # the session is over
            loop.call_soon_threadsafe(told, addresses)

    threading.Thread(target=look, daemon=True).start()
    return await found
