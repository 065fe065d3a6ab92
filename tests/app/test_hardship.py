"""What must not cost anybody their work: processes that are killed in the middle, a disk that is full, a long release."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.studio import Studio

from tacit.plan.example_files import write_example

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api").expect

PLAN = """\
[data]
path = "clinic.csv"
missing = "own"
[roles]
identifier = ["name", "phone"]
quasi = ["zip", "sex"]
confidential = ["diagnosis"]
[require]
sample_uniques = 1500
"""
RELEASE = "[data-panel=release]"


@pytest.fixture
def studio(start: Callable[..., Studio], tmp_path: Path) -> Studio:
    write_example("clinic", tmp_path, rows=1500)
    (tmp_path / "plan.toml").write_text(PLAN)
    return start("plan.toml")


def below(process: int) -> list[int]:
    """The workers of a studio: the processes that it started with a connection to them."""
    found = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    lines = [line.split(maxsplit=2) for line in found.splitlines()]
    return [int(pid) for pid, parent, words in lines if int(parent) == process and "multiprocessing.spawn" in words]


def release(page: Page) -> None:
    """Begin a release, which may end before anybody has looked."""
    page.get_by_role("button", name="Release", exact=True).click()


def begun(page: Page) -> None:
    """Wait until a release is being worked on."""
    page.locator(f"{RELEASE} [data-step]", has_not_text="waiting for its turn").wait_for()


def released(page: Page) -> None:
    page.get_by_text("The one requirement you set is met, but it does not cover everything that discloses.").wait_for()


def test_work_that_is_stopped_or_killed_in_the_middle_can_be_begun_again(studio: Studio, page: Page) -> None:
    page.goto(studio.address)
    page.goto(f"{studio.origin}/release")
    release(page)
    begun(page)
    page.locator(RELEASE).get_by_role("button", name="Cancel").click()
    page.locator(f"{RELEASE}.stopped").wait_for()
    assert not (studio.folder / "out/public").exists() and not list(studio.folder.rglob(".tacit-*"))

    release(page)
    begun(page)
    for worker in below(studio.process.pid):
        os.kill(worker, signal.SIGKILL)
    problem = page.locator(f"{RELEASE} [role=alert]", has_text="ended unexpectedly")
    problem.wait_for()
    assert "your plan is kept" in problem.inner_text()
    assert not (studio.folder / "out" / "public").exists()

    page.locator(RELEASE).get_by_role("button", name="Try again").click()
    released(page)
    assert (studio.folder / "out/public/clinic.csv").is_file()


def full(studio: Studio, is_full: bool) -> None:
    """Make every write of the studio and its workers fail as on a full disk, or let them write again."""
    for process in (studio.process.pid, *below(studio.process.pid)):
        _, most = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (0 if is_full else most, most))


def test_on_a_full_disk_nothing_is_half_written_and_a_studio_that_is_killed_goes_on_where_it_was(
    studio: Studio, start: Callable[..., Studio], page: Page
) -> None:
    page.goto(studio.address)
    page.goto(f"{studio.origin}/release")
    release(page)
    released(page)
    out = studio.folder / "out"
    before = {file: file.read_bytes() for file in [studio.folder / "plan.toml", *out.rglob("*")] if file.is_file()}

    full(studio, True)
    page.get_by_text("Title, folder and file name").click()
    page.get_by_label("Title of the report").fill("Patients")
    page.get_by_role("button", name="Apply").click()
    notice = page.locator(".notice.error", has_text="cannot be written: File too large")
    notice.wait_for()
    assert "free some space" in notice.inner_text()
    expect(page.get_by_label("Title of the report")).to_have_value("Patients")  # typed once is enough
    release(page)
    page.locator(f"{RELEASE} [role=alert]", has_text="cannot be written").wait_for()
    after = {file: file.read_bytes() for file in [studio.folder / "plan.toml", *out.rglob("*")] if file.is_file()}
    assert after == before, "neither the plan nor the release that was there has changed, and no draft is left"

    full(studio, False)
    page.get_by_role("button", name="Dismiss").first.click()
    page.get_by_role("button", name="Apply").click()
    page.locator(".history [aria-current]", has_text="named the result").wait_for()
    release(page)
    released(page)
    page.goto("about:blank")  # a browser logs an error for the stream that breaks
    os.kill(studio.process.pid, signal.SIGKILL)
    studio.process.wait()

    again = start(str(studio.folder))
    page.goto(again.address)
    page.goto(f"{again.origin}/release")
    released(page)
    page.locator(".history [aria-current]", has_text="named the result").wait_for()
    page.get_by_role("link", name="Save clinic.csv").wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.locator(".history [aria-current]", has_text="opened plan.toml").wait_for()
    assert (studio.folder / "plan.toml").read_bytes() == before[studio.folder / "plan.toml"]
