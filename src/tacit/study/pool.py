"""Candidates evaluated by several processes, each of which is given the data once, through its pipe."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from typing import Any

from ..errors import TacitError
from .candidate import Candidate
from .evaluate import evaluated
from .evaluation import Evaluation
from .front import Place
from .task import Task

__all__ = ["Pool"]

MOMENT = 0.2
"""Seconds between two looks at the clock while a candidate is evaluated."""
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
            self._processes.shutdown(wait=True, kill_workers=True)

    def each(self, candidates: Sequence[Candidate], rivals: Sequence[Place]) -> Iterator[Evaluation | None]:
        """The evaluations in the order of the candidates; in between None, again and again, while one takes its time."""
        if self._workers == 1 or not candidates:
            for candidate in candidates:
                yield evaluated(self._task, candidate.steps, rivals=rivals)
            return
        with _deaf():
            asked = [self._started().submit(_evaluated, candidate.steps, rivals) for candidate in candidates]
        for one in asked:
            while True:
                try:
                    found: Evaluation = one.result(timeout=MOMENT)
                    break
                except NotYet:
                    yield None
                except BrokenExecutor:
                    raise TacitError(
                        "a worker ended before its candidate was done, as it does when the memory is used up",
                        fix="run the same with fewer workers, or on a sample of the records; what was stored is kept",
                    ) from None
            yield found

    def _started(self) -> Any:
        if self._processes is None:
            try:
                from loky import ProcessPoolExecutor
            except ImportError:
                raise TacitError(
                    "several workers need Loky, which is not installed",
                    fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'; or workers=1",
                ) from None
            self._processes = ProcessPoolExecutor(
                max_workers=self._workers, initializer=_start, initargs=(self._task,), env=ALONE
            )
        return self._processes


@contextmanager
def _deaf() -> Iterator[None]:
    """While workers start, interruptions are ignored, which they inherit: to end them is the task of this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _start(task: Task) -> None:
    """In a worker: keep what all its candidates share."""
    global _given
    _given = task


def _evaluated(steps: Sequence[Mapping[str, Any]], rivals: Sequence[Place]) -> Evaluation:
    assert _given is not None
    return evaluated(_given, steps, rivals=rivals)
