"""The desk: what every panel shows at this moment, and the jobs that make it so."""

from __future__ import annotations

import asyncio
import hashlib
import json
import multiprocessing
import threading
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ...errors import TacitError
from ..panels.context import file_stamp, ladder_stamps
from ..panels.panel import Panel
from ..project.atomic_files import read_json, write_json
from ..project.leftovers import drop_results
from ..project.opening import paths_in
from ..project.project import Project
from .job import Job, Message
from .worker import run_worker

MOST = 400


"""Findings that a project keeps, in memory and on disk; the oldest go first."""


TIDIED = 50


"""After so many new ones the oldest are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelState:
    """A panel as it stands: found, being worked on, failed, stopped, or waiting for somebody to ask for it."""

    panel: str
    key: str
    state: Literal["ready", "working", "failed", "stopped", "unasked"]
    question: Mapping[str, Any]
    found: Any = None
    problem: TacitError | None = None
    step: str = ""
    share: float = 0.0


class ResultCache:
    """How work ended; what was found is on disk as well, in files of a folder that are named by their keys."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended: dict[str, PanelState] = {}
        self._stored = 0
        self._remove_oldest()

    def get(self, name: str, key: str, question: Mapping[str, Any]) -> PanelState | None:
        """How the work under a key ended; None when nobody has done it, or it is too long ago."""
        if key not in self._ended:
            stored = read_json(self._folder / f"{key}.json")
            if stored is None:
                return None
            self.put(PanelState(panel=name, key=key, state="ready", question=question, found=stored))
        return self._ended[key]

    def put(self, shown: PanelState) -> None:
        """How the work under a key ended."""
        self._ended[shown.key] = shown
        while len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]

    def forget(self, key: str) -> None:
        """It is done anew."""
        self._ended.pop(key, None)

    def store(self, key: str, found: Any) -> None:
        """Keep it for the next time; an error on a full disk."""
        write_json(self._folder / f"{key}.json", found)
        self._stored += 1
        if self._stored % TIDIED == 0:
            self._remove_oldest()

    def _remove_oldest(self) -> None:
        with suppress(OSError):  # somebody else may clear the folder at the same time
            by_age = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
            for file in by_age[MOST:]:
                file.unlink(missing_ok=True)


ASKED = "asked.json"


"""What each panel was asked last, so that a reload or a new start shows the same."""


GRACE = 5.0


"""Seconds that a cancelled job has to stop by itself; then its process is ended."""


DIED = TacitError(
    "the work ended unexpectedly: the system stopped it, perhaps for want of memory",
    code="worker_died",
    fix="your plan is kept; close other programs, or work on a smaller file, and try again",
)


class PanelScheduler:
    """Panels are computed when they are first shown (or asked for), and kept as long as what they depend on is the same.

    ``tell`` gets an event for every window: a panel is done, or how far it is. ``told`` counts those that were done, so
    that a window knows whether a page that comes late was laid out before or after it heard of one.
    """

    def __init__(
        self, project: Project, panels: Mapping[str, Panel], seed: bytes, tell: Callable[[Mapping[str, Any]], None]
    ) -> None:
        self._project, self._panels, self._seed, self._tell = project, panels, seed, tell
        self._lanes = {name: Lane(self._handle_message) for name in ("live", "long")}
        self._numbers = count(1)
        self.told = 0
        self._findings = ResultCache(project.cache_folder)
        self._progress: dict[str, tuple[str, float]] = {}
        self._stopped: set[str] = set()
        self._questions: dict[str, Mapping[str, Any]] = read_json(project.cache_folder.parent / ASKED) or {}

    def start(self) -> None:
        """Have a worker ready."""
        self._lanes["live"].start()

    def close(self) -> None:
        """End all work."""
        for lane in self._lanes.values():
            lane.close()
            self._remove_leftovers(lane)

    def show(self, name: str, question: Mapping[str, Any] | None = None, *, ask: bool = False) -> PanelState:
        """The panel as it stands; work on it begins when it is live or ``ask`` is true."""
        panel, asked = self._panels[name], dict(question or {})
        key = self.cache_key(name, asked)
        if ask and panel.asked:
            self._save_question(name, asked)
        if any(job.key == key for job in self._lanes[panel.lane].jobs):
            step, share = self._progress.get(key, ("", 0.0))
            return PanelState(panel=name, key=key, state="working", question=asked, step=step, share=share)
        found = self._findings.get(name, key, asked)
        if found is not None and not (ask and found.state != "ready") and not (ask and panel.again):
            return found
        if not ask and panel.should_wait((self.found("look") or {}).get("rows")):
            return PanelState(panel=name, key=key, state="unasked", question=asked)
        self._findings.forget(key)
        self._stopped.discard(key)
        job = Job(
            number=next(self._numbers),
            panel=name,
            key=key,
            folder=self._project.folder,
            documents=dict(self._document_texts(asked)),
            question=asked,
            seed=self._seed,
        )
        self._lanes[panel.lane].add(job)
        return PanelState(panel=name, key=key, state="working", question=asked)

    def found(self, name: str, question: Mapping[str, Any] | None = None) -> Any:
        """What a panel found, if it is there already; nothing is begun."""
        if name not in self._panels:
            return None
        kept = self._findings.get(name, self.cache_key(name, dict(question or {})), dict(question or {}))
        return kept.found if kept is not None and kept.state == "ready" else None

    def last_question(self, name: str) -> Mapping[str, Any]:
        """What a panel was asked last, in whichever window; nothing when nobody asked yet."""
        return self._questions.get(name, {})

    def cancel(self, key: str) -> None:
        """Stop a job, for good: it is begun again only when somebody asks.

        With one that waits for the steps go all others that do: the next of them would begin the same long step again.
        """
        live = self._lanes["live"].jobs
        masks = any(job.key == key and self._needs_masking(job) for job in live)
        keys = {key, *(job.key for job in live if masks and self._needs_masking(job))}
        self._stopped |= keys
        for lane in self._lanes.values():
            lane.cancel(lambda job: job.key in keys)

    def _needs_masking(self, job: Job) -> bool:
        return "protect" in self._panels[job.panel].reads.get("plan", ())

    def on_plan_change(self) -> None:
        """The plan is another now: work on what it was is of no use any more, unless somebody asked for it."""
        for lane in self._lanes.values():
            lane.cancel(
                lambda job: not self._panels[job.panel].asked and job.key != self.cache_key(job.panel, job.question)
            )

    def cache_key(self, name: str, question: Mapping[str, Any]) -> str:
        """On what a panel depends: sections of its documents, their files, the question, and the version of Tacit."""
        panel = self._panels[name]
        texts = self._document_texts(question)
        parts: list[Any] = [name, __version__, dict(question), self._seed.hex()]
        for document, sections in panel.reads.items():
            raw = panel.cut(tomllib.loads(texts.get(document, "")), question)
            parts.append({section: raw.get(section) for section in sections})
            parts.append([file_stamp(self._project.folder / path) for path in paths_in(raw, sections)])
            if "hierarchies" in sections:
                parts.append(ladder_stamps(self._project.folder, raw.get("hierarchies", {})))
        return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:32]

    def _save_question(self, name: str, question: Mapping[str, Any]) -> None:
        self._questions = {**self._questions, name: question}
        with suppress(TacitError):  # on a full disk only the next start does not know it
            write_json(self._project.cache_folder.parent / ASKED, self._questions)

    def _document_texts(self, question: Mapping[str, Any]) -> Mapping[str, str]:
        """The documents that a question is about: the present ones, or those of a named variant."""
        return self._project.variants.get(question.get("variant", ""), self._project.documents)

    def _handle_message(self, job: Job, message: Message) -> None:
        if message.kind == "progress":
            self._progress[job.key] = message.step, message.share
            self._tell(
                {"event": "progress", "panel": job.panel, "key": job.key, "step": message.step, "share": message.share}
            )
            return
        self._progress.pop(job.key, None)
        if message.kind != "done":
            self._remove_leftovers(self._lanes[self._panels[job.panel].lane])
        given: dict[str, Any] = {"panel": job.panel, "key": job.key, "question": job.question}
        if message.kind == "done":
            self._findings.put(PanelState(**given, state="ready", found=message.found))
            self._store_result(job.key, message.found)
        elif message.kind == "failed":
            self._findings.put(PanelState(**given, state="failed", problem=message.problem))
        elif job.key in self._stopped:
            self._stopped.discard(job.key)
            self._findings.put(PanelState(**given, state="stopped"))
        self.told += 1
        self._tell({"event": "panel", "panel": job.panel, "key": job.key, "number": self.told})

    def _remove_leftovers(self, lane: Lane) -> None:
        """A process that was killed did not clear away what it wrote for a result."""
        if lane.pop_dead_pid() is not None:
            drop_results(self._project.output_folders)

    def _store_result(self, key: str, found: Any) -> None:
        try:
            self._findings.store(key, found)
        except TacitError as problem:  # a full disk: the page has it in memory, and says so
            self._project.notices.add_problem(problem)


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
        self._start_next()

    def start(self) -> None:
        """Start the worker ahead of the first job: importing takes a second."""
        if self._process is None and not self._closed:
            self._connection, theirs = self._context.Pipe()
            self._process = self._context.Process(target=run_worker, args=(theirs, self._cancelled), daemon=True)
            self._process.start()
            theirs.close()
            listening = threading.Thread(
                target=self._listen_messages, args=(self._connection, asyncio.get_running_loop()), daemon=True
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
            asyncio.get_running_loop().call_later(GRACE, self._force_stop, running)

    def close(self) -> None:
        """End the worker."""
        self._closed = True
        self._waiting.clear()
        if self._process is not None:
            self._process.kill()
            self._reap_process()

    def pop_dead_pid(self) -> int | None:
        """The number of a process that has died since this was asked last: another may get the same number later."""
        found, self._died_last = self._died_last, None
        return found

    def _reap_process(self) -> None:
        self._process.join()
        self._died_last, self._process = self._process.pid, None

    def _start_next(self) -> None:
        if self._running is None and self._waiting and not self._closed:
            self.start()
            self._running = self._waiting.pop()
            sending = threading.Thread(target=_send_job, args=(self._connection, self._running), daemon=True)
            sending.start()  # a large plan waits there, and not here, until a worker has started or can read

    def _listen_messages(self, connection: Any, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while True:
                loop.call_soon_threadsafe(self._handle_message, connection.recv())
        except (EOFError, OSError):
            with suppress(RuntimeError):  # the loop is closed: the studio ends
                loop.call_soon_threadsafe(self._handle_death, connection)

    def _handle_message(self, message: Message) -> None:
        job = self._running
        if job is None or message.number != job.number:
            return
        if message.kind != "progress":
            self._running = None
        self._told(job, message)
        self._start_next()

    def _handle_death(self, connection: Any) -> None:
        if connection is not self._connection or self._closed:
            return
        self._reap_process()
        job, self._running = self._running, None
        if job is not None:
            stopped = self._cancelled.value == job.number
            kind = "cancelled" if stopped else "failed"
            self._told(job, Message(number=job.number, kind=kind, problem=None if stopped else DIED))  # type: ignore[arg-type]
        self._start_next()

    def _force_stop(self, job: Job) -> None:
        if self._running is job and self._process is not None:
            self._process.kill()


def _send_job(connection: Any, job: Job) -> None:
    with suppress(OSError):  # a worker that died in the meantime is noticed by its listener
        connection.send(job)
