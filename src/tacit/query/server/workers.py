"""Threads for what blocks, and a queue that ends: who comes when it is full is sent away, not kept waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..refusal import Refusal

Found = TypeVar("Found")


class Workers:
    """``threads`` questions at once, ``waiting`` more in the queue."""

    def __init__(self, threads: int = 8, waiting: int = 120) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tacit-query")
        self._room = threads + waiting

    async def run(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread; refused when too much is waiting, before anything was done."""
        if self._room <= 0:
            raise Refusal("busy", "too many questions are waiting", fix="ask again in a moment")
        self._room -= 1
        try:
            return await self.always(work)
        finally:
            self._room += 1

    async def always(self, work: Callable[[], Found]) -> Found:
        """Do it in a thread, however many wait: what was begun is brought to its end."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for what runs; what waits is not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)
