"""The job that several files of tests look at, done once."""

from __future__ import annotations

from pathlib import Path

import pytest

from .commands import finished


@pytest.fixture(scope="session")
def finished_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinic example, its plan and the result of the job: to be copied by who writes into it."""
    return finished(tmp_path_factory.mktemp("job"))
