"""Shared fixtures, and the rule that a skip which nobody allowed is a failure."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

usual = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", max_examples=40, derandomize=True, **usual)
settings.register_profile("explore", max_examples=400, **usual)
settings.load_profile(os.environ.get("TACIT_HYPOTHESIS", "same"))

ALLOWED = Path(__file__).with_name("allowed_skips.txt")
SHARED = Path(__file__).parents[2] / "shared" / "data"
skipped: list[tuple[str, str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        skipped.append((report.nodeid, report.longrepr[2].removeprefix("Skipped: ")))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for test, reason in skipped:
        terminalreporter.write_line(f"skipped: {test}: {reason}")
    for test, reason in unexpected():
        terminalreporter.write_line(f"NOT ALLOWED TO SKIP: {test}: {reason}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput") and unexpected():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def unexpected() -> list[tuple[str, str]]:
    allowed = [line.strip() for line in ALLOWED.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [(test, reason) for test, reason in skipped if not any(reason.startswith(text) for text in allowed)]


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of public reference files; beside the project where it is developed, absent elsewhere."""
    if not SHARED.is_dir():
        pytest.skip("the reference data are not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def spark():  # type: ignore[no-untyped-def]
    """A Spark session in local mode; shared, because starting one takes seconds."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java for Spark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers import tacit too
    builder = SparkSession.builder.master("local[2]").appName("tacit")
    quiet = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR"}
    quiet["spark.ui.showConsoleProgress"] = "false"
    for name, value in quiet.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
