"""A command as a user types it, in this process or in one of its own, and the job that the tests share."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import polars as pl
import pytest

from tacit.cli import main

__all__ = ["alone", "finished", "some", "tacit"]


def alone(*arguments: object) -> CompletedProcess:
    """The command in a process of its own, which takes seconds to start: what a shell sees."""
    command = [sys.executable, "-m", "tacit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def tacit(*arguments: object, cwd: Path | None = None) -> CompletedProcess:
    """The command in this process, through the same door; a warning is an error here, and a traceback fails the test."""
    words = ["tacit", *map(str, arguments)]
    printed, said = StringIO(), StringIO()
    handlers = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)}
    try:
        with (
            chdir(cwd or Path.cwd()),
            patch.object(sys, "argv", words),
            redirect_stdout(printed),
            redirect_stderr(said),
            pytest.raises(SystemExit) as end,
        ):
            main()
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
    return CompletedProcess(words, int(end.value.code or 0), printed.getvalue(), said.getvalue())


SEED = 741_990_026_318_457
"""Of the shared job: with a seed of its own every run would fail the gate of l-diversity now and then."""


def finished(folder: Path, run=tacit) -> Path:
    """The folder with the clinic example, its plan, and the result of the job."""
    assert run("example", "clinic", "--out", folder, "--rows", 4000, "--seed", 4).returncode == 0
    done = run("release", folder / "plan.toml", "--out", folder / "out", "--seed", SEED)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def some(job: Path, folder: Path, rows: int = 400) -> tuple[Path, Path]:
    """The first records of the released file and whose they are: all attacks on them take a tenth of the time."""
    masked, lineage = folder / "some.csv", folder / "some.parquet"
    pl.read_csv(job / "out" / "public" / "clinic.csv", infer_schema=False).head(rows).write_csv(masked)
    pl.read_parquet(job / "out" / "internal" / "lineage.parquet").head(rows).write_parquet(lineage)
    return masked, lineage
