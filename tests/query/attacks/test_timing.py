"""How long an answer takes (attack 13), over real sockets.

The clock is the server's own, and time passes where the engine works and where the server waits: on a real one the load of the
machine would be measured too, which tells nothing of anybody. That no answer leaves early on a real clock is in ``test_server.py``.

catalogue: H-07
"""

from __future__ import annotations

from pathlib import Path

import httpx
import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from ..clock import Clock
from ..serving import served
from .world import KEYS, TARGET, World, people

RUNS = 40
HEAVY = 0.02
"""Seconds that the engine takes longer when the target is in the data."""


def times(folder: Path, patch: pytest.MonkeyPatch, grid: str, heavy: float = HEAVY) -> list[np.ndarray]:
    """Seconds of each answer about the data with the target and without; the engine takes 10 to 50 ms, and longer for it."""
    clock, rng, found = Clock(patch), np.random.default_rng(1), []
    for frame, more in ((people(), heavy), (people().filter(people()["who"] != TARGET), 0.0)):
        world = World(folder / str(more), frame, "clinic", grid=grid)
        source = world.desk.rooms["clinic"].mode.source
        tally = source.tally
        source.tally = lambda *a, t=tally, m=more, **k: (clock.passes(rng.uniform(0.01, 0.05) + m), t(*a, **k))[1]
        with served(world.desk) as url, httpx.Client(base_url=url, timeout=60) as client:
            client.headers["Authorization"] = f"Bearer {KEYS['ana']}"
            seconds = []
            for number in range(RUNS):
                before = clock.now
                sql = f"SELECT COUNT(*) FROM clinic WHERE who <= {number}"
                assert client.post("/query", json={"sql": sql, "spend": "0.1"}).status_code == 200
                seconds.append(clock.now - before)
        world.close()
        found.append(np.array(seconds))
    return found


def test_attack_13_succeeds_without_a_grid(tmp_path, monkeypatch):
    """20 ms more or less are seen in 40 answers each, beyond a doubt of 10⁻⁴; the seed fixes the times."""
    assert mannwhitneyu(*times(tmp_path, monkeypatch, "0.01")).pvalue < 1e-4


def test_attack_13_on_the_grid_the_two_cannot_be_told_apart(tmp_path, monkeypatch):
    with_target, without = times(tmp_path, monkeypatch, "0.2")
    assert with_target == pytest.approx(np.full(RUNS, 0.2)) and without == pytest.approx(np.full(RUNS, 0.2))


def test_attack_13_work_beyond_a_cell_is_told_in_whole_cells(tmp_path, monkeypatch):
    """What no grid hides, and why a cell is to be longer than any answer takes: written at 0.7 s, it leaves at 0.8."""
    with_target, without = times(tmp_path, monkeypatch, "0.2", heavy=0.5)
    assert with_target == pytest.approx(np.full(RUNS, 0.8)) and without == pytest.approx(np.full(RUNS, 0.2))
