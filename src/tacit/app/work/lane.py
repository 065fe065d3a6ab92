"""A lane: one worker process and the jobs that wait for it."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .job import Job, Message, Problem
from .worker import work

__all__ = ["Lane"]

GRACE = 5.0
"""Seconds that a cancelled job has to stop by itself; then its process is ended."""

DIED = Problem(
    what="the work ended unexpectedly: the system stopped it, perhaps for want of memory",
    fix="your plan is kept; close other programs, or work on a smaller file, and try again",
)


class Lane:
    """Jobs are done one after the other, the newest first; a worker that dies is replaced by a new one.

    ``told`` is called in the event loop with every message. The process is started with the first job.
    """

    def __init__(self, told: Callable[[Job, Message], None]) -> None:
        self._told = told
        self._waiting: list[Job] = []
        self._running: Job | None = None
        self._process: Any = None
        self._connection: Any = None
        self._context = multiprocessing.get_context("spawn")
        self._cancelled = self._context.Value("q", 0)
        self._closed = False
        self._died_last: int | None = None

    @property
    def running(self) -> Job | None:
        """The job that is being done."""
        return self._running

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The running job and those that wait."""
        return (*([self._running] if self._running else []), *self._waiting)

    def add(self, job: Job) -> None:
        """One more job."""
        self._waiting.append(job)
        self._next()

    def start(self) -> None:
        """Start the worker ahead of the first job: importing takes a second."""
        if self._process is None and not self._closed:
            self._connection, theirs = self._context.Pipe()
            self._process = self._context.Process(target=work, args=(theirs, self._cancelled), daemon=True)
            self._process.start()
            theirs.close()
            listening = threading.Thread(
                target=self._listen, args=(self._connection, asyncio.get_running_loop()), daemon=True
            )
            listening.start()

    def cancel(self, wanted: Callable[[Job], bool]) -> None:
        """Stop the jobs that are meant: those that wait at once, the running one at its next word, or by force."""
        gone = [job for job in self._waiting if wanted(job)]
        self._waiting = [job for job in self._waiting if not wanted(job)]
        for job in gone:
            self._told(job, Message(number=job.number, kind="cancelled"))
        running = self._running
        if running is not None and wanted(running) and self._cancelled.value != running.number:
            self._cancelled.value = running.number
            asyncio.get_running_loop().call_later(GRACE, self._force, running)

    def close(self) -> None:
        """End the worker."""
        self._closed = True
        self._waiting.clear()
        if self._process is not None:
            self._process.kill()
            self._gone()

    def buried(self) -> int | None:
        """The number of a process that has died since this was asked last: another may get the same number later."""
        found, self._died_last = self._died_last, None
        return found

    def _gone(self) -> None:
        self._process.join()
        self._died_last, self._process = self._process.pid, None

    def _next(self) -> None:
        if self._running is None and self._waiting and not self._closed:
            self.start()
            self._running = self._waiting.pop()
            sending = threading.Thread(target=_send, args=(self._connection, self._running), daemon=True)
            sending.start()  # a large plan waits there, and not here, until a worker has started or can read

    def _listen(self, connection: Any, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while True:
                loop.call_soon_threadsafe(self._heard, connection.recv())
        except (EOFError, OSError):
            with suppress(RuntimeError):  # the loop is closed: the studio ends
                loop.call_soon_threadsafe(self._died, connection)

    def _heard(self, message: Message) -> None:
        job = self._running
        if job is None or message.number != job.number:
            return
        if message.kind != "progress":
            self._running = None
        self._told(job, message)
        self._next()

    def _died(self, connection: Any) -> None:
        if connection is not self._connection or self._closed:
            return
        self._gone()
        job, self._running = self._running, None
        if job is not None:
            stopped = self._cancelled.value == job.number
            kind = "cancelled" if stopped else "failed"
            self._told(job, Message(number=job.number, kind=kind, problem=None if stopped else DIED))  # type: ignore[arg-type]
        self._next()

    def _force(self, job: Job) -> None:
        if self._running is job and self._process is not None:
            self._process.kill()


def _send(connection: Any, job: Job) -> None:
    with suppress(OSError):  # a worker that died in the meantime is noticed by its listener
        connection.send(job)
