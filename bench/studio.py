"""The bars of the studio: every interaction answers at once while the work goes on beside it, at a million records and more.

    python bench/studio.py [--quick]

An interaction is a request over a real socket, or a click in a real browser until the page shows its effect. Seconds are
wall seconds here: what counts is how long a person waits. Memory is that of the server and of its workers.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from bars import Bars

ANSWER = 0.3
"""Seconds in which an interaction answers."""
PLAN = """\
[data]
path = "{path}"
missing = "own"
[roles]
identifier = ["name", "phone"]
quasi = ["zip", "birth", "sex", "occupation"]
confidential = ["diagnosis", "income"]
[hierarchies]
zip = {{ prefix = [6, 3, 2, 1] }}
birth = {{ dates = ["month", "year", "decade"] }}
[require]
k_anonymity = 5
[[protect]]
method = "generalise"
levels = {{ zip = 3, birth = 3 }}
[[protect]]
method = "suppress_cells"
k = 5
"""


class Asked:
    """A browser's requests without the browser."""

    def __init__(self, address: str) -> None:
        self.origin = address.partition("/?")[0]
        self._cookie = ""
        status, headers, _ = self("GET", address.removeprefix(self.origin))
        assert status == 303
        self._cookie = headers["set-cookie"].partition(";")[0]

    def __call__(self, method: str, path: str, **form: str) -> tuple[int, dict[str, str], str]:
        place, headers = urlsplit(self.origin), {"cookie": self._cookie, "origin": self.origin}
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=120)
        connection.request(method, path, body=urlencode(form) if method != "GET" else None, headers=headers)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        connection.close()
        return found

    def timed(self, method: str, path: str, **form: str) -> float:
        """Seconds until the whole answer is there."""
        before = time.perf_counter()
        status, _, said = self(method, path, **form)
        assert status == 200, (path, status, said[:300])
        return time.perf_counter() - before

    def version(self) -> str:
        """The state that the page shows."""
        found = re.search(r'data-version="(\d+)"', self("GET", "/data")[2])
        assert found is not None
        return found[1]


@contextmanager
def studio(plan: Path) -> Iterator[tuple[subprocess.Popen[str], Asked, str]]:
    command = [sys.executable, "-m", "tacit", "studio", str(plan), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = next(found[1] for line in process.stdout if (found := re.match(r"page\s+(\S+)", line)))
    try:
        yield process, Asked(address), address
    finally:
        process.terminate()
        process.wait()


def resident(process: int) -> float:
    """Megabytes of a process and its children, summed."""
    everyone = [process, *(int(one) for one in _children(process))]
    pages = sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in everyone)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def written(folder: Path, rows: int) -> Path:
    """A register of so many people, as Parquet, and its plan."""
    from tacit.examples import clinic

    people = clinic(min(rows, 1_000_000)).frame
    import polars as pl

    copies = -(-rows // people.height)
    pl.concat([people] * copies).head(rows).write_parquet(folder / "people.parquet")
    plan = folder / "plan.toml"
    plan.write_text(PLAN.format(path="people.parquet"))
    return plan


def ready(ask: Asked, panel: str, patience: float) -> float:
    """Seconds until a panel is there."""
    before = time.perf_counter()
    while time.perf_counter() - before < patience:
        found = ask("GET", f"/panel/{panel}")[2]
        if 'class="panel working"' not in found:
            assert 'class="panel ready"' in found, found[:500]
            return time.perf_counter() - before
        time.sleep(0.1)
    raise AssertionError(f"{panel} took more than {patience} s")


def interactions(ask: Asked, rounds: int) -> dict[str, list[float]]:
    """How long each sort of interaction took, while the worker is busy with what the one before it called for."""
    from tacit.app.pages import ALL as PAGES

    found: dict[str, list[float]] = {}

    def timed(name: str, method: str, path: str, **form: str) -> None:
        found.setdefault(name, []).append(ask.timed(method, path, **form))

    for place in range(rounds):
        role = ("quasi", "other")[place % 2]
        timed("a role is changed", "POST", "/edit/role", column="education", role=role, version=ask.version())
        for page in PAGES:
            timed(f"page {page}", "GET", f"/{page}")
        timed("a panel is asked for", "GET", "/panel/status")
        timed("undo", "POST", "/do/undo", version=ask.version())
        timed("redo", "POST", "/do/redo", version=ask.version())
    return found


def measured(bars: Bars, rows: int, *, rounds: int, patience: float) -> None:
    named = f"{rows:.0e} rows".replace("e+0", "e")
    with tempfile.TemporaryDirectory() as folder, studio(written(Path(folder), rows)) as (process, ask, address):
        first = ready(ask, "look", patience)
        bars.stated(f"{named}: seconds until the file is shown", first)
        bars.stated(f"{named}: seconds until the lights are there", ready(ask, "status", patience))
        found = interactions(ask, rounds)
        for name, times in found.items():
            bars.at_most(
                f"{named}: {name}, slowest of {len(times)}, s",
                max(times),
                ANSWER,
                at_scale=True,
                median=statistics.median(times),
            )
        ready(ask, "status", patience)
        bars.stated(f"{named}: memory, MB", resident(process.pid))


def clicked(bars: Bars, rows: int, clicks: int) -> None:
    """The same in a browser: from the click until the page shows what it did."""
    chromium = os.environ.get("TACIT_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        bars.skipped("a click until the page shows it", "no chromium")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        plan = written(Path(folder), rows)
        command = [sys.executable, "-m", "tacit", "studio", str(plan), "--no-browser"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        address = next(found[1] for line in process.stdout if (found := re.match(r"page\s+(\S+)", line)))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(address)
        page.get_by_label("Role of education").wait_for(timeout=300_000)
        took = []
        for place in range(clicks):
            role = ("other", "quasi")[place % 2]
            before = time.perf_counter()
            page.get_by_label("Role of education").select_option(role)
            page.locator(".history li").nth(place + 2).wait_for(state="attached")
            took.append(time.perf_counter() - before)
        bars.at_most(
            f"{rows:.0e} rows: a click until the page shows it, slowest of {clicks}, s".replace("e+0", "e"),
            max(took),
            ANSWER,
            at_scale=True,
        )
        browser.close()
        process.terminate()
        process.wait()


if __name__ == "__main__":
    bars = Bars("studio", __doc__ or "")
    measured(
        bars,
        bars.size(1_000_000, quick=100_000, smoke=2000),
        rounds=bars.size(10, quick=3, smoke=1),
        patience=50 if bars.quick else 600,
    )
    if not bars.quick:
        clicked(bars, 1_000_000, 10)
        measured(bars, 10_000_000, rounds=3, patience=1800)
    bars.end()
