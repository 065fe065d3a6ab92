"""Candidates evaluated by several processes, each of which is given the data once, through its pipe."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from typing import Any

from ..errors import TacitError
from .candidate import Candidate
from .data_kind import Task
from .evaluate import evaluate_candidate
from .evaluation import Evaluation
from .front import Place

MOMENT = 0.2
"""Seconds between two looks at the clock while a candidate is evaluated."""
WATCH = 2.0
"""Seconds between two looks of a worker at the process that started it."""
ALONE = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""A process for each core, so that none of them starts threads for all cores."""

_given: Task | None = None
"""In a worker: what it was given when it started."""


class Pool:
    """Evaluates lists of candidates; with one worker in this very process."""

    def __init__(self, task: Task, *, workers: int | None) -> None:
        self._task = task
        self._workers = (os.cpu_count() or 1) if workers is None else workers
        self._processes: Any = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        if self._processes is not None:
            with _defer_interrupts():  # a second interruption must not leave workers behind
                self._processes.shutdown(wait=True, kill_workers=True)

    def evaluate_each(
        self, candidates: Sequence[Candidate], rivals: Sequence[Place], keep: Callable[[Candidate, Evaluation], None]
    ) -> Iterator[Evaluation | None]:
        """The evaluations in the order of the candidates; in between None, again and again, while one takes its time.

        ``keep`` is given each as soon as it is there, so that what others did is not lost when the one in turn is cut.
        """
        if self._workers == 1 or not candidates:
            for candidate in candidates:
                found = evaluate_candidate(self._task, candidate.steps, rivals=rivals)
                keep(candidate, found)
                yield found
            return
        processes = self._start_workers()
        with _defer_interrupts():
            asked = {processes.submit(_evaluate_in_worker, one.steps, rivals): one for one in candidates}
        waiting = dict(asked)
        for one in asked:
            while one in waiting:
                for done in wait(waiting, timeout=MOMENT, return_when=FIRST_COMPLETED).done:
                    keep(waiting.pop(done), _worker_result(done))
                if one in waiting:
                    yield None
            yield _worker_result(one)

    def _start_workers(self) -> Any:
        if self._processes is None:
            try:
                from loky import ProcessPoolExecutor
            except ImportError:
                raise TacitError(
                    "several workers need Loky, which is not installed",
                    code="not_installed",
                    fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'; or workers=1",
                ) from None
            from loky.backend.resource_tracker import ensure_running

            ensure_running()  # when it starts it unblocks interruptions: let that be over before workers start
            self._processes = ProcessPoolExecutor(
                max_workers=self._workers, initializer=_init_worker, initargs=(self._task, os.getpid()), env=ALONE
            )
        return self._processes


@contextmanager
def _defer_interrupts() -> Iterator[None]:
    """While workers start or end, interruptions wait here, and workers ignore them: to end them is the task of this process.

    What is started inherits that a signal is ignored; one that comes meanwhile is blocked, so that it is delivered
    afterwards (where signals cannot be blocked, as on Windows, it is lost).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    blocks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _worker_result(done: Future[Evaluation]) -> Evaluation:
    try:
        return done.result()
    except BrokenExecutor:
        raise TacitError(
            "a worker ended before its candidate was done, as it does when the memory is used up",
            code="invalid_plan",
            fix="run the same with fewer workers, or on a sample of the records; what was stored is kept",
        ) from None


def _init_worker(task: Task, parent: int) -> None:
    """In a worker: keep what all its candidates share, leave interruptions to the process that started it, end with it."""
    global _given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _given = task


def _end_with(parent: int) -> None:
    """Ends this process when the one that started it was killed: it would wait for work for ever, with the data in memory."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def _evaluate_in_worker(steps: Sequence[Mapping[str, Any]], rivals: Sequence[Place]) -> Evaluation:
    assert _given is not None
    return evaluate_candidate(_given, steps, rivals=rivals)
