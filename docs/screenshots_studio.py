"""The pictures of the studio: those that the README shows, or every page in light, dark and on a phone.

    python docs/screenshots_studio.py               # the README's
    python docs/screenshots_studio.py FOLDER        # all of them, to be looked at

Needs Chromium (on the path, or named by TACIT_CHROMIUM) and the extras studio and test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from screenshots import IMAGES, check

PAGES = ("data", "hierarchies", "risk", "protect", "map", "release", "tables")
README = ("risk", "protect", "map")
DESKTOP, PHONE = {"width": 1300, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 180_000


def main(folder: Path | None) -> None:
    chromium = os.environ.get("TACIT_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium: install it, or name it in TACIT_CHROMIUM")
    with tempfile.TemporaryDirectory() as work, studio(Path(work)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        for name in README if folder is None else PAGES:
            shown(page, address.partition("/?")[0], name)
            if folder is None:
                page.screenshot(path=IMAGES / f"studio-{name}.png")
                check(f"studio-{name}.png")
            else:
                taken(page, folder, name)
        browser.close()


@contextmanager
def studio(folder: Path) -> Iterator[str]:
    """The address of a studio with the clinic's plan."""
    tacit = [sys.executable, "-m", "tacit"]
    subprocess.run([*tacit, "example", "clinic", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    started = [*tacit, "studio", str(folder / "plan.toml"), "--no-browser"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield next(found[1] for line in server.stdout if (found := re.match(r"page\s+(\S+)", line)))
        finally:
            server.terminate()


def shown(page: Page, origin: str, name: str) -> None:
    """A page with all of its panels; the solution space is searched first."""
    page.goto(f"{origin}/{name}")
    if name == "map":
        page.get_by_label("Records that may be left out").fill("0.02")
        page.get_by_role("button", name="Search").click()
        page.locator("[data-panel=lattice].ready svg").wait_for()
        page.locator("[data-panel=lattice]").scroll_into_view_if_needed()
    while (working := page.locator(".panel.working")).count():
        working.first.wait_for(state="detached")


def taken(page: Page, folder: Path, name: str) -> None:
    """The whole page, in the dark, and on a phone."""
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=folder / f"{name}-dark.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    page.screenshot(path=folder / f"{name}-phone.png", full_page=True)
    page.set_viewport_size(DESKTOP)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
