"""200 candidates on Census, each attacked; and the same study killed half-way and resumed."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bars import Bars, cpu
from study_census import ATTACKS, LOSS, RISK, census

from tacit.study import Study, explore

BAR, ALL, FEW = 360, 200, 30


def bars(bars: Bars) -> None:
    """CPU seconds of the whole study, with its processes."""
    if census() is None:
        bars.skipped("candidates", "the reference data are not beside the project")
        return
    count = bars.size(ALL, quick=FEW, smoke=6)
    code = f"import study_candidates; study_candidates.searched({count})"
    before = cpu(resource.RUSAGE_CHILDREN)
    found = json.loads(subprocess.run(_python(code), capture_output=True, text=True, check=True, cwd=_here()).stdout)
    seconds = cpu(resource.RUSAGE_CHILDREN) - before
    bars.at_most(f"CPU s of {count} candidates on Census", seconds, BAR * count / ALL, at_scale=True, **found["counts"])
    bars.true("every one was attacked by all, none stopped or failed", found["counts"]["done"] == count + 1)
    bars.true("killed half-way and resumed: the identical result", _resumed(count, found["told"]))


def searched(count: int, store: str | None = None) -> None:
    """The study, and its result on the output."""
    study = run(count, store)
    states = [point.evaluation.state for point in study.points]
    counts = {state: states.count(state) for state in ("done", "stopped", "failed")}
    print(json.dumps({"counts": counts, "told": told(study)}))


def run(count: int, store: str | None = None) -> Study:
    """The usual strategies by the optimiser; with a bound that nobody meets nobody stops others: each is attacked by all."""
    original = census()
    assert original is not None
    nobody = {"risk": 0.0, "loss": 0.0}
    return explore(
        original, candidates=count, risk=RISK, loss=LOSS, attacks=ATTACKS, at_most=nobody, seed=1, store=store
    )


def told(study: Study) -> str:
    """All of a study but the seconds that it took."""
    points = [
        {name: value for name, value in point.items() if name != "seconds"} for point in study.as_json()["points"]
    ]
    return json.dumps([points, study.chosen, study.front], default=str)


def _resumed(count: int, whole: str) -> bool:
    """Kill the process when half of the candidates are stored, and run the same again."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "study.sqlite"
        code = f"import study_candidates; study_candidates.searched({count}, {str(store)!r})"
        running = subprocess.Popen(_python(code), stdout=subprocess.DEVNULL, cwd=_here())
        while running.poll() is None and _stored(store) < count // 2:
            time.sleep(0.1)
        running.kill()
        running.wait()
        half = _stored(store)
        again = subprocess.run(_python(code), capture_output=True, text=True, check=True, cwd=_here())
        return 0 < half < count and json.loads(again.stdout)["told"] == whole


def _stored(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as base:
            return int(base.execute("SELECT count(*) FROM evaluation").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _here() -> Path:
    return Path(__file__).parent
