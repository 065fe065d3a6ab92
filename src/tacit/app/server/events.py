"""What happens, told to every open window as it happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

__all__ = ["Events"]

MOST = 500
"""Events that a window may be behind; one that does not listen any longer is let go."""
BEAT = 15.0
"""Seconds after which a silent stream shows that it is alive."""


class Events:
    """Server-sent events to any number of windows."""

    def __init__(self) -> None:
        self._windows: set[asyncio.Queue[str | None]] = set()

    def tell(self, event: Mapping[str, Any]) -> None:
        """To every window."""
        for window in list(self._windows):
            try:
                window.put_nowait(json.dumps(event))
            except asyncio.QueueFull:
                self._end(window)  # its browser opens another stream when it can, and looks at all of it anew

    def close(self) -> None:
        """The studio ends: every stream does."""
        for window in list(self._windows):
            self._end(window)

    def _end(self, window: asyncio.Queue[str | None]) -> None:
        self._windows.discard(window)
        while not window.empty():
            window.get_nowait()
        window.put_nowait(None)

    async def stream(self, welcome: Callable[[], Mapping[str, Any]]) -> AsyncIterator[bytes]:
        """The events of one window from now on; the first says where the count of events stands."""
        window: asyncio.Queue[str | None] = asyncio.Queue(MOST)
        self._windows.add(window)
        try:
            yield f"data: {json.dumps(welcome())}\n\n".encode()
            while True:
                try:
                    async with asyncio.timeout(BEAT):
                        told = await window.get()
                except TimeoutError:
                    yield b": alive\n\n"
                    continue
                if told is None:
                    return
                yield f"data: {told}\n\n".encode()
        finally:
            self._windows.discard(window)
