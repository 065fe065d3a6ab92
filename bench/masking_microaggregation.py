"""Microaggregation: MDAV to the published digits, and our own groups that lose less and are found sooner."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING

from bars import ROOT, Bars, child_cpu, spent

if TYPE_CHECKING:
    import numpy as np

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
MDAV = {
    "census": (5.692186, 9.088435, 14.155930),
    "tarragona": (16.932588, 22.461860, 33.192885),
    "eia": (0.591934, 1.587710, 3.269892),
    "eia with UTILITYID": (0.482939, 1.666675, 3.839670),
}
"""Loss by sdcMicro 5.8.1, k = 3, 5, 10: 100 SSE/SST on columns divided by their standard deviation."""
SHARE = {"census": (0.93, 0.93, 0.93), "tarragona": (0.93, 0.93, 0.93), "eia": (0.66, 0.52, 0.62)}
HIGH = {"census": (4.80, 7.42, 11.50), "tarragona": (14.6, 20.3, 30.3), "eia": (0.37, 0.77, 1.87)}

FIRST = """
import time
import numpy as np
from tacit.protect._microaggregation.partition import partition_points
points = np.random.default_rng(1).normal(size=(60, 3))
before = time.process_time()
{call}
print(time.process_time() - before)
"""
CALLS = {
    "partition": "partition_points(points, 3, rng=np.random.default_rng(1))",
    "mdav": "from tacit.kernels.microaggregation import mdav\nmdav(points, 3)",
    "v_mdav": "from tacit.kernels.v_mdav import v_mdav\nv_mdav(points, 3, 0.2)",
    "univariate": "from tacit.kernels.univariate_groups import univariate_groups\nunivariate_groups(points[:, 0], 3)",
}
MILLION = """
import resource
from masking_microaggregation import mixture, spent, grouped
points = mixture(10**6)
print(spent(lambda: grouped(points, 5))[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    grouped(mixture(100), 3)
    if DATA.is_dir():
        published(bars)
        losses(bars)
    else:
        bars.skipped("losses of microaggregation on reference data", ABSENT)
    scale(bars)
    if bars.quick:
        bars.skipped("microaggregation, 1e6 x 5, and first calls", "they take longer")
    else:
        million(bars)
        first(bars)


def mixture(n: int) -> np.ndarray:
    """Eight clumps in five columns, two of them skewed."""
    import numpy as np

    rng = np.random.default_rng(1)
    clump, centre, shape = rng.integers(0, 8, n), rng.normal(0, 2, (8, 5)), rng.normal(0, 0.6, (8, 5, 5))
    points = centre[clump]
    for number in range(8):
        rows = np.flatnonzero(clump == number)
        points[rows] += rng.normal(size=(len(rows), 5)) @ shape[number].T
    points[:, :2] = np.exp(points[:, :2] / 2)
    points -= points.mean(axis=0)
    points /= points.std(axis=0)
    return points


def grouped(points: np.ndarray, k: int, effort: str = "normal") -> np.ndarray:
    """Our groups, from a fixed seed."""
    import numpy as np

    from tacit.protect._microaggregation.partition import partition_points

    return partition_points(points, k, effort=effort, rng=np.random.default_rng(1))  # type: ignore[arg-type]


def loss(points: np.ndarray, group: np.ndarray) -> float:
    """100 SSE/SST."""
    import numpy as np

    size, within = np.bincount(group), 0.0
    for column in points.T:
        within += float(np.square(column - (np.bincount(group, weights=column) / size)[group]).sum())
    return 100 * within / float(np.square(points - points.mean(axis=0)).sum())


def reference(name: str) -> np.ndarray:
    """The columns of a reference file, divided by their standard deviation."""
    import numpy as np
    import polars as pl

    frame = pl.read_csv(DATA / f"{name.split()[0]}.csv")
    if name.startswith("eia"):
        frame = frame[:, [0, *range(5, 15)] if "UTILITYID" in name else list(range(5, 15))]
    values = frame.to_numpy().astype(float)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0))


def published(bars: Bars) -> None:
    """MDAV to the printed digits."""
    from tacit.kernels.microaggregation import mdav

    for name, losses in MDAV.items():
        points = reference(name)
        found = [round(loss(points, mdav(points, k)), 6) for k in (3, 5, 10)]
        bars.true(f"MDAV on {name}, k=3, 5, 10, as published", found == list(losses), found=found)


def losses(bars: Bars) -> None:
    """Our loss beside MDAV's, and with high effort."""
    import numpy as np

    for name, shares in SHARE.items():
        points = reference(name)
        for place, k in enumerate((3, 5, 10)):
            seconds, group = spent(lambda k=k, points=points: grouped(points, k))
            usual = MDAV[name][place]
            found = loss(points, group)
            facts = {"loss": found, "seconds": seconds, "smallest": int(np.bincount(group).min())}
            bars.at_most(f"loss on {name}, k={k} / MDAV", found / usual, shares[place], **facts)
            if not bars.quick:
                seconds, group = spent(lambda k=k, points=points: grouped(points, k, "high"))
                bars.at_most(f"loss on {name}, k={k}, high effort", loss(points, group), HIGH[name][place])
                bars.at_most(f"loss on {name}, k={k}, high effort, CPU s", seconds, 10.0, at_scale=True)


def scale(bars: Bars) -> None:
    """A hundred thousand records beside our own brute-force MDAV."""
    from tacit.kernels.microaggregation import mdav

    n = 10**4 if bars.quick else 10**5
    points = mixture(n)
    slow, usual = spent(lambda: mdav(points, 5))
    seconds, group = min((spent(lambda: grouped(points, 5)) for _ in range(3)), key=lambda run: run[0])
    facts = {"mdav_s": slow, "seconds": seconds, "mdav_loss": loss(points, usual), "loss": loss(points, group)}
    title = f"microaggregation, {n:.0e} x 5, k=5"
    bars.at_most(f"{title}, loss / MDAV", facts["loss"] / facts["mdav_loss"], 0.95 if bars.quick else 0.90, **facts)
    if bars.quick:
        bars.stated(f"{title}, CPU / MDAV", seconds / slow)
    else:
        bars.at_most(f"{title}, CPU / MDAV", seconds / slow, 0.25, at_scale=True)


def million(bars: Bars) -> None:
    """A million records beside SciPy's search for the nearest neighbour, and beside a hundred thousand."""
    from scipy.spatial import cKDTree

    points = mixture(10**6)
    peer = min(spent(lambda: cKDTree(points).query(points, k=2))[0] for _ in range(2))
    tenth = min(spent(lambda: grouped(points[::10], 5))[0] for _ in range(3))
    _, done = child_cpu([sys.executable, "-c", MILLION], cwd=ROOT / "bench")
    seconds, gigabytes = (float(word) for word in done.stdout.split())
    title = "microaggregation, 1e6 x 5, k=5"
    bars.at_most(
        f"{title}, CPU / cKDTree build+query(2)", seconds / peer, 2.0, at_scale=True, seconds=seconds, peer_s=peer
    )
    bars.at_most(f"{title}, peak GiB", gigabytes, 1.0, at_scale=True)
    bars.at_most(f"{title}, CPU / that of 1e5", seconds / tenth, 15.0, at_scale=True, tenth_s=tenth)


def first(bars: Bars) -> None:
    """The first call, compiled or from the cache; importing numba counts, importing the package does not."""
    for name, call in CALLS.items():
        with tempfile.TemporaryDirectory() as folder:
            for state, bar in (("compiled", 8.0), ("from the cache", 1.0)):
                command = [sys.executable, "-c", FIRST.format(call=call)]
                _, done = child_cpu(command, env={**os.environ, "NUMBA_CACHE_DIR": folder})
                bars.at_most(f"first call of {name}, {state}, CPU s", float(done.stdout), bar, at_scale=True)


if __name__ == "__main__":
    run = Bars("masking_microaggregation", __doc__ or "")
    bars(run)
    run.end()
