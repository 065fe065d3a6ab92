"""The pictures that the README and the guides show: runs the demo, a job on tables and a service, takes screenshots.

    python docs/screenshots.py

Needs Chromium (on the path, or named by TACIT_CHROMIUM) and the test extra.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
SIZES = {"report-desktop.png": (1280, 1000), "report-phone.png": (390, 844)}
TABLES = {"table.png": (1280, 1000)}
SERVICE = "query-service.png"
QUESTION = "SELECT sex, COUNT(*) AS n, AVG(rent) AS rent\nFROM patients\nWHERE birth >= DATE '1960-01-01'\nGROUP BY sex"
LARGEST = 300_000


def main() -> None:
    chromium = os.environ.get("TACIT_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium: install it, or name it in TACIT_CHROMIUM")
    with tempfile.TemporaryDirectory() as folder:
        take(demo(Path(folder, "demo")), chromium, SIZES)
        take(tables(Path(folder, "tables")), chromium, TABLES, of=".broad >> nth=0")
        with served(Path(folder, "service")) as (address, key):
            take_service(address, key, chromium)


def demo(folder: Path) -> Path:
    """The public page of the demo's job."""
    subprocess.run([sys.executable, "-m", "tacit", "demo", "--out", str(folder)], check=True)
    return folder / "out" / "public" / "report.html"


def tables(folder: Path) -> Path:
    """The page for the review board of a job on tables."""
    tacit = [sys.executable, "-m", "tacit"]
    subprocess.run([*tacit, "example", "companies", "--out", str(folder)], check=True)
    subprocess.run([*tacit, "table", "protect", str(folder / "plan.toml")], check=True)
    return folder / "out" / "internal" / "report.html"


def take(page: Path, chromium: str, sizes: dict[str, tuple[int, int]], of: str | None = None) -> None:
    """The first screen of the page, or a part of it, in windows of some sizes."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, height) in sizes.items():
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            opened.goto(page.resolve().as_uri())
            if of is None:
                opened.screenshot(path=IMAGES / name)
            else:
                opened.locator(of).screenshot(path=IMAGES / name)
            check(name)
        browser.close()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of the example service, and the key of its analyst."""
    tacit = [sys.executable, "-m", "tacit", "serve"]
    subprocess.run([*tacit, "--example", str(folder)], check=True, stdout=subprocess.DEVNULL)
    started = [*tacit, str(folder / "SERVICE.toml"), "--port", "0"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        said = next(line for line in server.stdout or () if line.startswith("answering on "))
        try:
            yield said.split()[-1], (folder / "ana.key").read_text().strip()
        finally:
            server.terminate()


def take_service(address: str, key: str, chromium: str) -> None:
    """The page of the service with a question that was answered."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1360, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(address)
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Log in").click()
        ask(page, "SELECT COUNT(*) AS n FROM patients", "0.2")
        ask(page, QUESTION, "1")
        page.get_by_text("answered before").wait_for()
        page.screenshot(path=IMAGES / SERVICE)
        browser.close()
    check(SERVICE)


def ask(page: Page, sql: str, spend: str) -> None:
    page.get_by_label("Your question").fill(sql)
    page.get_by_label("Spend", exact=True).fill(spend)
    with page.expect_response("**/query"):
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("button", name="Ask and spend").click()
    page.get_by_role("heading", name="Answer").wait_for()


def check(name: str) -> None:
    size = (IMAGES / name).stat().st_size
    print(f"{IMAGES / name}  {size // 1000} kB")
    if size >= LARGEST:
        sys.exit(f"{name} is larger than {LARGEST // 1000} kB")


if __name__ == "__main__":
    main()
