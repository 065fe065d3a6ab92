"""A studio as a process of its own, and a real browser in front of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.studio import Studio, started
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Studio]]:
    """Start a studio with these words on its command line, in a folder of its own; it is ended after the test."""
    running: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> Studio:
        found = started([sys.executable, "-m", "tacit", "studio", "--no-browser", *words], tmp_path)
        running.append(found.process)
        return found

    yield begin
    for process in running:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[Studio, Any]]:
    """One studio for the tests of a file, each of which opens data of its own there; and what lets a window in."""
    command = [sys.executable, "-m", "tacit", "studio", "--no-browser"]
    found = started(command, tmp_path_factory.mktemp("common"))
    context = browser.new_context()
    window = context.new_page()
    window.goto(found.address)
    assert "token" not in window.url
    yield found, context.cookies()
    context.close()
    found.process.terminate()
    found.process.wait(timeout=30)


@pytest.fixture
def studio(common: tuple[Studio, Any], page: Page) -> Studio:
    """The studio that the tests of a file share, open to the window of this test."""
    found, cookies = common
    page.context.add_cookies(cookies)
    return found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window of a browser that has seen nothing yet; what it complains of fails the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    trouble: list[str] = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    refused = [said for said in trouble if "status of 4" not in said]  # a refusal is an answer, and logged by browsers
    assert refused == []
