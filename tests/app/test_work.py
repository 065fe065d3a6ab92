"""The work beside the page, in real processes: kept while nothing changes, stopped on wish, replaced when it dies."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tacit import TacitError
from tacit.app.panels import ALL, Panel
from tacit.app.panels.context import CELL, Store
from tacit.app.project.opening import open_project
from tacit.app.project.project import Project
from tacit.app.work import worker
from tacit.app.work.job import Job
from tacit.app.work.scheduler import PanelScheduler, PanelState, ResultCache
from tacit.release.read import read
from tacit.release.scratch import PREFIX, make_private_folder

PATIENCE = 60.0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    rows = "".join(f"N{number % 7},{number % 3},{number}\n" for number in range(200))
    (tmp_path / "people.csv").write_text(f"zip,sex,pay\n{rows}")
    return open_project(tmp_path / "people.csv")


OPEN: list[PanelScheduler] = []


def desk_of(project: Project, events: list[Any]) -> PanelScheduler:
    OPEN.append(PanelScheduler(project, ALL, b"0" * 16, events.append))
    return OPEN[-1]


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """All work ends with its test: a worker that is stopped when one fails would keep the tests from ending."""
    yield
    while OPEN:
        OPEN.pop().close()


async def until(state: Callable[[], PanelState], *wanted: str) -> PanelState:
    """The panel as soon as it is in one of these states."""
    async with asyncio.timeout(PATIENCE):
        while (now := state()).state not in wanted:
            await asyncio.sleep(0.02)
    return now


def test_a_panel_is_computed_once_and_kept_over_a_restart(project: Project) -> None:
    events: list[Any] = []

    async def work() -> None:
        desk = desk_of(project, events)
        assert desk.show("look").state == "working"
        found = await until(lambda: desk.show("look"), "ready", "failed")
        assert found.found["rows"] == 200 and [one["name"] for one in found.found["columns"]] == ["zip", "sex", "pay"]
        json.dumps(found.found, allow_nan=False)
        desk.close()
        other = desk_of(project, events)
        assert other.show("look").state == "ready", "no work is done again"
        assert other.found("suggestions") is None
        other.close()

    asyncio.run(work())
    assert {"event": "panel", "panel": "look"}.items() <= events[-1].items()


def test_what_depends_on_other_sections_is_another_panel(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        before, status = desk.cache_key("look", {}), desk.cache_key("status", {})
        text = project.documents["plan"]
        project.change("roles", {"plan": text + '\n[roles]\nquasi = ["zip"]\n'})
        assert desk.cache_key("look", {}) == before and desk.cache_key("status", {}) != status
        data = project.folder.parent / "people.csv"
        data.write_text(data.read_text() + "N1,2,5\n")
        assert desk.cache_key("look", {}) != before, "the file is another now"
        desk.close()

    asyncio.run(work())


def test_an_error_of_the_data_is_told_and_nothing_is_stored(project: Project) -> None:
    (project.folder.parent / "people.csv").write_bytes(b"zip,pay\nN1,\xff\xfe\n")

    async def work() -> None:
        desk = desk_of(project, [])
        found = await until(lambda: desk.show("look"), "ready", "failed")
        assert found.state == "failed" and found.problem is not None
        assert "encoding" in found.problem.fix or "encoding" in found.problem.what
        assert list(project.cache_folder.iterdir()) == []
        assert desk.show("look").state == "failed", "it is not tried again by itself"
        assert desk.show("look", ask=True).state == "working"
        desk.close()

    asyncio.run(work())


def test_a_worker_that_is_killed_is_replaced(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["live"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)  # it cannot answer before it is killed
        desk.show("look")
        os.kill(lane._process.pid, signal.SIGKILL)
        found = await until(lambda: desk.show("look"), "failed")
        assert found.problem is not None and "ended unexpectedly" in found.problem.what
        desk.show("look", ask=True)
        again = await until(lambda: desk.show("look"), "ready", "failed")
        assert again.state == "ready"
        desk.close()

    asyncio.run(work())


def test_asking_again_makes_another_release_and_nothing_else_twice(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["long"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)
        for name, state in (("release", "working"), ("lattice", "ready")):
            desk._findings.put(
                PanelState(panel=name, key=desk.cache_key(name, {}), state="ready", question={}, found={})
            )
            assert desk.show(name).state == "ready"
            assert desk.show(name, ask=True).state == state
        desk.close()

    asyncio.run(work())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the files of a process are shown by Linux")
def test_what_an_engine_prints_is_seen_by_nobody(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACIT_DEBUG", raising=False)

    async def work() -> None:
        desk = desk_of(project, [])
        await until(lambda: desk.show("look"), "ready", "failed")
        assert Path(f"/proc/{desk._lanes['live']._process.pid}/fd/2").readlink() == Path(os.devnull)
        desk.close()

    asyncio.run(work())


@pytest.mark.parametrize("end", ["killed", "cancelled", "closed"])
def test_what_a_release_wrote_that_is_killed_is_cleared_away(
    project: Project, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.app.work.scheduler.GRACE", 0.1)
    other = make_private_folder(project.folder)  # of a command that runs at the same time

    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["long"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)
        key = desk.show("release", ask=True).key
        own = f"{PREFIX}{lane._process.pid}-"
        staged, built = project.folder / f"{own}0a", project.folder / "out" / f"{own}0b"
        for folder in (staged, built):
            folder.mkdir(parents=True)
            (folder / ".alive").touch()
        (staged / "people.csv").write_text("zip\nN1\n")
        waiting = desk.show("table", ask=True).key
        desk.cancel(waiting)
        assert staged.exists() and built.exists(), "one that waits is stopped, and the release goes on"
        if end == "killed":
            os.kill(lane._process.pid, signal.SIGKILL)
            await until(lambda: desk.show("release"), "failed")
        elif end == "cancelled":
            desk.cancel(key)
            await until(lambda: desk.show("release"), "stopped")
        desk.close()
        assert not staged.exists() and not built.exists()
        assert other.exists(), "the work of others stays"

    asyncio.run(work())


def test_a_large_plan_for_a_worker_that_cannot_read_stops_nobody_else(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["live"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)
        project.change("long", {"plan": project.documents["plan"] + "# long\n" * 100_000})  # more than a pipe holds
        async with asyncio.timeout(PATIENCE):
            assert desk.show("look").state == "working"
        os.kill(lane._process.pid, signal.SIGCONT)
        assert (await until(lambda: desk.show("look"), "ready", "failed")).state == "ready"
        desk.close()

    asyncio.run(work())


def test_findings_are_bounded_in_memory_and_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.app.work.scheduler.MOST", 10)
    monkeypatch.setattr("tacit.app.work.scheduler.TIDIED", 5)
    kept = ResultCache(tmp_path)
    for number in range(40):
        kept.put(PanelState(panel="look", key=f"k{number}", state="ready", question={}, found=number))
        kept.store(f"k{number}", number)
        os.utime(tmp_path / f"k{number}.json", ns=(number, number))
    assert len(kept._ended) == 10 and len(list(tmp_path.iterdir())) <= 15
    newest = ResultCache(tmp_path).get("look", "k39", {})
    assert newest is not None and newest.found == 39
    assert kept.get("look", "k0", {}) is None
    shutil.rmtree(tmp_path)
    with pytest.raises(TacitError, match="does not exist"):
        kept.store("k41", 41)


def test_a_worker_lets_go_of_the_release_that_was_used_least_recently(project: Project) -> None:
    release, made = read(project.folder.parent / "people.csv"), []
    store = Store(room=2 * release.size * len(release.columns) * CELL)

    def make(key: str) -> Any:
        made.append(key)
        return release

    for key in "abacab":
        assert store.get(key, partial(make, key)) is release
    assert made == ["a", "b", "c", "b"]


class Panic(BaseException):
    """What an engine raises when it fails inside: no Exception, and its text may quote the data."""


def test_the_failure_of_an_engine_is_told_without_its_text(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Any) -> Any:
        raise Panic("cannot convert 'Mary Smith'")

    monkeypatch.setattr("tacit.app.panels.ALL", {"look": Panel(call=fails)})
    given: Any = {"folder": project.folder, "documents": {}, "question": {}, "seed": b"0" * 16}
    job = Job(number=1, panel="look", key="k", **given)
    said = worker._run_job(job, Store(), None, None)  # type: ignore[arg-type]
    assert said.kind == "failed" and said.problem is not None
    assert "Panic" in said.problem.what and "Mary" not in said.problem.what + said.problem.fix


def test_work_that_does_not_listen_is_ended_by_force(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.app.work.scheduler.GRACE", 0.2)

    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["live"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)
        key = desk.show("look").key
        desk.show("suggestions")
        desk.cancel(key)
        found = await until(lambda: desk.show("look"), "stopped")
        assert found.problem is None
        other = await until(lambda: desk.show("suggestions"), "ready", "failed")
        assert other.state == "ready", "the next job has a worker"
        desk.close()

    asyncio.run(work())


def test_live_work_on_an_older_plan_is_stopped_and_asked_work_is_not(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        for lane in desk._lanes.values():
            lane.start()
            os.kill(lane._process.pid, signal.SIGSTOP)
        status = desk.show("status").key
        project.change("roles", {"plan": project.documents["plan"] + '\n[roles]\nquasi = ["zip"]\n'})
        desk.on_plan_change()
        assert desk._lanes["live"]._cancelled.value != 0
        assert desk.show("status").key != status
        desk.close()

    asyncio.run(work())


def test_who_stops_a_step_stops_all_that_wait_for_it(project: Project) -> None:
    async def work() -> None:
        desk = desk_of(project, [])
        lane = desk._lanes["live"]
        lane.start()
        os.kill(lane._process.pid, signal.SIGSTOP)
        desk.show("look")
        status, risk = desk.show("status"), desk.show("risk")
        desk.cancel(status.key)
        assert desk.show("status").state == desk.show("risk").state == "stopped"
        assert [job.panel for job in lane.jobs] == ["look"], "what does not need the steps goes on"
        assert desk.show("risk", ask=True).key == risk.key and desk.show("risk").state == "working"
        desk.close()

    asyncio.run(work())
