"""How long an answer takes (attack 13), over real sockets.

catalogue: H-07
"""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
from scipy.stats import mannwhitneyu

from ..serving import served
from .world import KEYS, TARGET, World, people

RUNS = 100
TOGETHER = 5
HEAVY = 0.02
"""Seconds that the engine takes longer when the target is in the data."""


def heavy_for_the_target(world: World, pause: float) -> None:
    """The engine of the data with the target: DuckDB, and a pause where that row is met."""
    source = world.desk.rooms["clinic"].mode.source
    tally = source.tally
    source.tally = lambda *a, **k: (time.sleep(pause), tally(*a, **k))[1]


def times(folder: Path, grid: str, *, together: int = TOGETHER, pause: float = HEAVY) -> list[np.ndarray]:
    """Seconds of each answer about the data with the target and without, asked in turns so that the load is the same."""
    frames = [people(), people().filter(people()["who"] != TARGET)]
    worlds = [World(folder / str(place), frame, "clinic", grid=grid) for place, frame in enumerate(frames)]
    heavy_for_the_target(worlds[0], pause)
    number = itertools.count()
    with served(worlds[0].desk) as first, served(worlds[1].desk) as second, ThreadPoolExecutor(together) as crowd:
        clients = [
            [httpx.Client(base_url=url, headers={"Authorization": f"Bearer {KEYS['ana']}"}) for _ in range(together)]
            for url in (first, second)
        ]

        def took(client: httpx.Client) -> float:
            sql = f"SELECT COUNT(*) FROM clinic WHERE who <= {next(number)}"
            before = time.monotonic()
            assert client.post("/query", json={"sql": sql, "spend": "0.1"}).status_code == 200
            return time.monotonic() - before

        found: list[list[float]] = [[], []]
        for turn in range(RUNS // together + 1):
            for place in (0, 1) if turn % 2 else (1, 0):
                found[place] += crowd.map(took, clients[place])
        for client in clients[0] + clients[1]:
            client.close()
    for world in worlds:
        world.close()
    return [np.array(one[together:]) for one in found]  # the first answers of each have everything to load


def told_apart(seconds: list[np.ndarray]) -> float:
    """The p-value of Mann and Whitney's test."""
    return float(mannwhitneyu(*seconds).pvalue)


def test_attack_13_succeeds_without_a_grid(tmp_path):
    """60 ms more or less are seen in 100 answers each, one by one so that none waits for another, beyond a doubt of 10⁻⁹.

    As long a pause as is seen on a loaded machine too: there 20 ms came to 10⁻⁸ now and then.
    """
    assert told_apart(times(tmp_path, "0.001", together=1, pause=0.06)) < 1e-9


def test_attack_13_on_the_grid_the_two_cannot_be_told_apart(tmp_path):
    """In cells of the grid, since what comes after the last cell is the way of the answer: equal laws fail once in 10⁶ runs.

    No answer leaves before the end of its first cell; how many cells a loaded machine takes is not judged.
    """
    cells = [np.floor(one / 0.2 + 0.01) for one in times(tmp_path, "0.2")]
    assert min(one.min() for one in cells) == 1
    assert all((one == 1).all() for one in cells) or told_apart(cells) > 1e-6
