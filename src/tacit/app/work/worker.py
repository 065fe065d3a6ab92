"""A worker: a process that computes one panel after the other and keeps the data in memory between them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

from ...errors import Cancelled, TacitError
from ...progress import Progress
from ..internal_error import DEBUG, format_internal_error
from .job import Job, Message

REPORT = "please report it; your work is kept, and everything else goes on"
KINDNESS = 5
"""How much the work stands back when the machine is busy, so that the page answers first."""
OFTEN = 0.1
"""Seconds between two words on how far it is."""


def run_worker(connection: Connection, cancelled: Any) -> None:
    """Jobs come in, messages go out, until the connection ends; ``cancelled`` holds the number of a job to be stopped."""
    if hasattr(os, "nice"):
        os.nice(KINDNESS)
    if not os.environ.get(DEBUG):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what engines print when they fail may quote a cell
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption of the studio is for its first process to handle
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # a study has processes
    threading.Thread(target=_end_with_studio, daemon=True).start()
    from ..panels.context import Store

    store = Store()
    while True:
        try:
            job: Job = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_run_job(job, store, connection, cancelled))


def _end_with_studio() -> None:
    """Ends this process when that of the studio was killed, in the midst of a job, too; what it started ends with it."""
    studio = multiprocessing.parent_process()
    if studio is not None:
        studio.join()
        os._exit(1)


def _run_job(job: Job, store: Any, connection: Connection, cancelled: Any) -> Message:
    from ..panels import ALL
    from ..panels.context import PanelContext

    bench = PanelContext(
        store,
        folder=job.folder,
        documents=job.documents,
        question=job.question,
        seed=job.seed,
        progress=_progress_callback(job, connection, cancelled),
    )
    try:
        return Message(number=job.number, kind="done", found=ALL[job.panel].call(bench))
    except Cancelled:
        return Message(number=job.number, kind="cancelled")
    except TacitError as problem:
        return Message(number=job.number, kind="failed", problem=problem)
    except MemoryError:
        said = TacitError(
            "there is not enough memory for this",
            code="out_of_memory",
            fix="close other programs, or work on a sample: the plan is the same",
        )
        return Message(number=job.number, kind="failed", problem=said)
    except BaseException as problem:  # the panic of an engine is no Exception
        said = TacitError(format_internal_error(problem), code="internal_error", fix=REPORT)
        return Message(number=job.number, kind="failed", problem=said)


def _progress_callback(job: Job, connection: Connection, cancelled: Any) -> Progress:
    last = 0.0

    def progress(step: str, share: float) -> bool:
        nonlocal last
        if cancelled.value == job.number:
            return False
        now = time.monotonic()
        if now - last >= OFTEN:
            last = now
            connection.send(Message(number=job.number, kind="progress", step=step, share=share))
        return True

    return progress
