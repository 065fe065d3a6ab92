"""Every bench runs to its end in its smallest form: a renamed function breaks a script that nothing else imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.stem for path in ROOT.glob("bench/*.py") if f'Bars("{path.stem}"' in path.read_text() and "_" not in path.stem
)
"""A script measures with its parts, which have its name in front."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_bench_ends_without_an_error(name: str) -> None:
    command = [sys.executable, f"bench/{name}.py", "--smoke"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
