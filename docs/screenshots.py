"""The pictures of the report that the README shows: runs the demo, opens its public page, takes two screenshots.

    python docs/screenshots.py [REPORT.html]

Needs Chromium (on the path, or named by TACIT_CHROMIUM) and the test extra. With a page given, no demo is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
SIZES = {"report-desktop.png": (1280, 1000), "report-phone.png": (390, 844)}
LARGEST = 300_000


def main() -> None:
    chromium = os.environ.get("TACIT_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium: install it, or name it in TACIT_CHROMIUM")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(sys.argv[1]) if len(sys.argv) > 1 else demo(Path(folder))
        take(page, chromium)


def demo(folder: Path) -> Path:
    """The public page of the demo's job."""
    subprocess.run([sys.executable, "-m", "tacit", "demo", "--out", str(folder)], check=True)
    return folder / "out" / "public" / "report.html"


def take(page: Path, chromium: str) -> None:
    """The first screen of the page, on a desktop and on a phone."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, height) in SIZES.items():
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            opened.goto(page.resolve().as_uri())
            opened.screenshot(path=IMAGES / name)
            size = (IMAGES / name).stat().st_size
            print(f"{IMAGES / name}  {size // 1000} kB")
            if size >= LARGEST:
                sys.exit(f"{name} is larger than {LARGEST // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
