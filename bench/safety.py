"""The bars of safety: every finding of the reviews, attacked again, with its figure before and after.

    python bench/safety.py [--quick]

``before`` is what the same attack measured on the tree before the mends (525d8b7), or the figure of the review where it cannot
be run there. The red-team tier (tests/redteam) is run in full by the full run.
"""

from __future__ import annotations

import subprocess
import sys

import safety_households
import safety_multiparty
import safety_networks
import safety_numbers
import safety_query
import safety_roles
import safety_runs
import safety_synthetic
import safety_tables
from bars import ROOT, Bars

PARTS = (
    safety_households,
    safety_roles,
    safety_runs,
    safety_query,
    safety_multiparty,
    safety_numbers,
    safety_networks,
    safety_synthetic,
    safety_tables,
)
"""Each part is a module with ``bars(bars)``."""


def red_team(bars: Bars) -> None:
    """The independent attackers, with their power tests."""
    name = "E red-team tests that fail"
    if bars.quick:
        bars.skipped(name, "full run only: make test-slow")
        return
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/redteam"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    failed = sum(line.startswith(("FAILED", "ERROR")) for line in done.stdout.splitlines())
    bars.at_most(name, failed if done.returncode in (0, 1) else -1, 0, ended=done.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    bars = Bars("safety", __doc__ or "")
    for part in PARTS:
        part.bars(bars)
    red_team(bars)
    bars.end()
