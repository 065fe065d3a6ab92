"""A running studio, as a test sees it."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["Studio", "open_file", "started"]


@dataclass(frozen=True)
class Studio:
    """The process, the address that works once, and the folder of the project."""

    process: subprocess.Popen[str]
    address: str
    folder: Path

    @property
    def origin(self) -> str:
        """The address without its token."""
        return self.address.partition("/?")[0]


def started(command: list[str], folder: Path) -> Studio:
    """A studio that has said where its page is."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found: dict[str, str] = {}
    while "page" not in found:
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the studio ended: {process.stderr.read() if process.stderr else ''}")
        if told := re.match(r"(project|page)\s+(\S.*)", line):
            found[told[1]] = told[2].strip()
    return Studio(process, found["page"], Path(found["project"]))


def open_file(page: Page, studio: Studio, file: Path) -> None:
    """Open a file by its path on the page Data, whatever is open there."""
    page.goto(f"{studio.origin}/data")
    page.evaluate("document.getElementById('path').closest('details').open = true")
    page.get_by_label("path of a file").fill(str(file))
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("heading", name=file.name).wait_for()
