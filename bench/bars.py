"""What every bench shares: CPU seconds, one line a bar, and the exit code."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def cpu(who: int = resource.RUSAGE_SELF) -> float:
    """CPU seconds so far, user and system, all threads."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    before = cpu()
    found = work()
    return cpu() - before, found


def child_cpu(command: list[str], **options: Any) -> tuple[float, subprocess.CompletedProcess[str]]:
    """CPU seconds of a command, and how it ended."""
    before = cpu(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    return cpu(resource.RUSAGE_CHILDREN) - before, done


class Bars:
    """The bars of one bench, printed as they are measured."""

    def __init__(self, name: str, description: str) -> None:
        options = argparse.ArgumentParser(description=description)
        options.add_argument("--quick", action="store_true", help="end within 60 s; leaves out what takes longer")
        options.add_argument(
            "--smoke", action="store_true", help="end within seconds: least data, bars of size left out"
        )
        chosen = options.parse_args()
        self.smoke: bool = chosen.smoke
        self.quick: bool = chosen.quick or chosen.smoke
        self.name = name
        self.lines: list[dict[str, Any]] = []

    def size(self, full: Any, *, quick: Any, smoke: Any) -> Any:
        """How much to measure with, by the form of the run."""
        return smoke if self.smoke else quick if self.quick else full

    def at_most(self, name: str, measured: float, bar: float, *, at_scale: bool = False, **facts: Any) -> None:
        """A number that should not be above the bar; ``at_scale``: a time, or what says nothing of little data."""
        self._line(name, measured, f"<= {bar:g}", measured <= bar, facts, at_scale)

    def below(self, name: str, measured: float, bar: float, *, at_scale: bool = False, **facts: Any) -> None:
        """A number that should be below the bar."""
        self._line(name, measured, f"< {bar:g}", measured < bar, facts, at_scale)

    def at_least(self, name: str, measured: float, bar: float, *, at_scale: bool = False, **facts: Any) -> None:
        """A number that should not be below the bar."""
        self._line(name, measured, f">= {bar:g}", measured >= bar, facts, at_scale)

    def true(self, name: str, held: bool, *, at_scale: bool = False, **facts: Any) -> None:
        """A statement that should hold."""
        self._line(name, held, "holds", held, facts, at_scale)

    def stated(self, name: str, measured: float, **facts: Any) -> None:
        """A number that is only stated."""
        self._line(name, measured, "stated", True, facts)

    def skipped(self, name: str, why: str) -> None:
        """A bar that was not measured."""
        self.lines.append({"name": name, "skipped": why})
        print(f"{name:58}  {'-':>10}  {'-':>10}  skipped: {why}", flush=True)

    def _line(
        self, name: str, measured: Any, bar: str, ok: bool, facts: dict[str, Any], at_scale: bool = False
    ) -> None:
        if self.smoke and at_scale:
            self.skipped(name, "smoke")
            return
        self.lines.append({"name": name, "measured": measured, "bar": bar, "ok": bool(ok), **facts})
        shown = f"{measured:.3g}" if isinstance(measured, float) else str(measured)
        print(f"{name:58}  {shown:>10}  {bar:>10}  {'ok' if ok else 'SHORT'}", flush=True)

    def end(self) -> None:
        """Write the results of a full run, and exit with 0 iff no bar is short."""
        if not self.quick:
            machine = {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.system()}
            target = ROOT / "bench" / "results" / f"{self.name}.json"
            target.parent.mkdir(exist_ok=True)
            target.write_text(json.dumps({"machine": machine, "bars": self.lines}, indent=2) + "\n")
        sys.exit(1 if any(line.get("ok") is False for line in self.lines) else 0)
