"""Services in processes of their own, as ``tacit serve`` starts them, so that they can be killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl

from tacit.query.account import key_hash

__all__ = ["Served", "people", "write_service"]


class Served:
    """A running service; ``log`` has what it wrote to the error stream."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, "-m", "tacit", "serve", str(file), "--port", "0"]
        self.log = file.with_suffix(".log")
        with self.log.open("a") as log:
            aside = os.environ | {
                "TMPDIR": str(file.parent)
            }  # what a killed process leaves goes with the test's folder
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=aside)
        assert self.process.stdout
        said = ""
        while not (found := re.search(r"answering on (\S+)", said)):
            line = self.process.stdout.readline()
            assert line, self.log.read_text()
            said += line
        self.url = found[1]

    def kill(self) -> None:
        """SIGKILL: no chance to write anything."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def end(self) -> None:
        """SIGTERM, and in peace."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.log.read_text()


def people(rows: int = 500) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame({"age": rng.integers(0, 111, rows), "sex": rng.choice(["f", "m"], rows)})


def write_service(folder: Path, *, ledger: str, source: str, epsilon: str, grid: str = "0.02") -> Path:
    """A service over people with an analyst 'ana' (key 'ana') who has the whole budget, and an auditor 'eva'."""
    file = folder / "SERVICE.toml"
    file.write_text(
        f"""
[service]
ledger = "{ledger}"
grid = {grid}
time_limit = 30
[dataset.people]
{source}
version = "1"
mode = "dp"
neighbours = "add_remove"
budget = {{ epsilon = {epsilon} }}
columns = {{ age = {{ kind = "integer", low = 0, high = 110 }}, sex = {{ kind = "category", values = ["f", "m"] }} }}
[account.ana]
role = "analyst"
key = "{key_hash("ana")}"
budget = {{ people = {{ epsilon = {epsilon} }} }}
[account.eva]
role = "auditor"
key = "{key_hash("eva")}"
"""
    )
    return file
