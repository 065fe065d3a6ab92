"""Shared fixtures, and the rule that a skip which nobody allowed is a failure."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.patience import PATIENCE

usual = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", max_examples=40, derandomize=True, **usual)
settings.register_profile("explore", max_examples=400, **usual)
settings.load_profile(os.environ.get("TACIT_HYPOTHESIS", "same"))

ALLOWED = Path(__file__).with_name("allowed_skips.txt")
REDTEAM = "tests/redteam/"
"""Independent attackers: a tier of its own among the slow tests."""
SLOW = Path(__file__).with_name("slow.txt")
SHARED = Path(__file__).parents[2] / "shared" / "data"
SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    # A session lives for minutes: Java compiles quickly rather than best.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""Settings of the tests' Spark session: quiet, and cheap to start."""
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first that is there: the shell is the same engine without windows, for a third of the work."""
SECONDS = {
    "tests/docs/test_examples.py": 95,
    "spark": 50,
    "tests/cli/test_cli.py": 40,
    "tests/query/test_page_browser.py": 27,
    "tests/study/test_explore.py": 25,
    "tests/multiparty/test_faults.py": 25,
    "tests/plan/test_synth_job.py": 21,
    "tests/protect/test_big_files.py": 19,
    "tests/query/test_dp_mode_attacks.py": 19,
    "tests/battery/test_methods.py": 18,
    "tests/tables/test_suppress.py": 18,
    "tests/plan/test_job.py": 18,
}
"""What takes longest, in seconds of CPU, roughly: it is started first, so that no worker waits for it at the end."""
skipped: list[tuple[str, str]] = []


def scope(test: str) -> str:
    """The tests that one worker runs together: those of a file; and all of Spark, because it starts and warms slowly."""
    return "spark" if "::test_spark_" in test else test.split("::", 1)[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = tuple(lines(SLOW))
    for item in items:
        if item.nodeid.startswith((*slow, REDTEAM)) or scope(item.nodeid) == "spark":
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: -SECONDS.get(scope(item.nodeid), 0))


def pytest_collection_finish() -> None:
    """What was collected stays to the end: looking through it for garbage again and again takes a tenth of the time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):  # type: ignore[no-untyped-def]
    """``--dist loadfile`` in the order above instead of by the number of tests."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Heaviest(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope(nodeid)

    config.option.loadscopereorder = False
    return Heaviest(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from without_the_loop_of_a_browser(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from without_the_loop_of_a_browser(item))


def without_the_loop_of_a_browser(item: pytest.Item) -> Iterator[None]:
    """The browser of earlier tests has a running loop in this thread; a test without one may run its own."""
    if "browser" in getattr(item, "fixturenames", ()):
        return (yield)
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(running)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        skipped.append((report.nodeid, report.longrepr[2].removeprefix("Skipped: ")))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if skipped:
        reasons = Counter(reason for _, reason in skipped).most_common()
        shown = "; ".join(f"{count} × {reason}" for reason, count in reasons)
        terminalreporter.write_line(f"skipped {len(skipped)}: {shown}")
    for test, reason in unexpected():
        terminalreporter.write_line(f"NOT ALLOWED TO SKIP: {test}: {reason}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput") and unexpected():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def unexpected() -> list[tuple[str, str]]:
    allowed = tuple(lines(ALLOWED))
    return [(test, reason) for test, reason in skipped if not reason.startswith(allowed)]


def lines(file: Path) -> list[str]:
    """The lines of a list without its comments."""
    return [line.strip() for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of public reference files; beside the project where it is developed, absent elsewhere."""
    if not SHARED.is_dir():
        pytest.skip("the reference data are not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def browser():  # type: ignore[no-untyped-def]
    """A real one; tests that need it are left out where there is none."""
    found = os.environ.get("TACIT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("no chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def spark():  # type: ignore[no-untyped-def]
    """A Spark session in local mode; shared, because starting one takes seconds."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java for Spark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers import tacit too
    builder = SparkSession.builder.master("local[2]").appName("tacit")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
