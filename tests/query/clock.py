"""A clock for the server that only its waiting and its engine move, so that the load of the machine is not measured."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from tacit.query.server import grid, guard

__all__ = ["Clock"]


class Clock:
    """The time that the server's grid and guard read; ``now`` in seconds."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        read = SimpleNamespace(monotonic=lambda: self.now)
        patch.setattr(grid, "time", read)
        patch.setattr(guard, "time", read)
        patch.setattr(grid, "asyncio", SimpleNamespace(sleep=self._waits))

    def passes(self, seconds: float) -> None:
        """So long the engine works."""
        self.now += seconds

    async def _waits(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)
