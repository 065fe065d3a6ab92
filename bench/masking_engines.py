"""Row-wise masking of a file that need not fit into memory: DuckDB with 200 MB, batch after batch.

A child process masks a Parquet file of 10⁷ rows and nine columns, writes the result to Parquet, and states its peak
memory and CPU. The bar on memory: 250 MB of libraries with their compiled kernels, the 200 MB that DuckDB is allowed, and
350 MB for a few batches of 131,072 rows on their way through Arrow, the kernel and Parquet (measured in all: 400 to
660 MB). The table takes 0.7 GB as columns in memory, and twice that while it is copied. The peak must not follow the
rows either: from 10⁶ to 10⁷ it may grow by a fourth (measured: 1.03 to 1.12). --quick masks 3 · 10⁵ rows.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import duckdb
from bars import Bars, child_cpu

ALLOWED = 800e6
"""Bytes of a child at its peak: 250 MB libraries, 200 MB DuckDB, 350 MB batches."""
METHODS = {
    "generalise": "protect.Generalise(levels={'zip': 1, 'born': 1})",
    "noise": "protect.AddNoise(columns=['pay', 'rent'], variance=0.1)",
    "multiplied noise": "protect.MultiplyNoise(columns=['pay', 'rent'], spread=0.05)",
    "pram": "protect.Pram(columns=['zip', 'job'], stay=0.9, form='invariant')",
    "dates": "protect.ShiftDates(columns='born', days=180, person='home')",
    "places": "protect.GeoMask(latitude='lat', longitude='lon', least=100, most=500)",
}
LARGE = ("generalise", "noise", "pram")
"""Masked at 10⁷ rows; the others at 10⁶."""
QUICK = ("noise", "pram")
CHILD = """
import json, resource, sys
import tacit
from tacit import protect
path, method = sys.argv[1:]
about = {"quasi": ["zip", "job"], "hierarchies": {"zip": {"prefix": [3, 1]}, "born": {"dates": ["month", "year"]}}}
release = tacit.read(path, engine="duckdb", memory="200MB", missing="own", **about)
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
before = used()
masked = release.protect(eval(method), seed=7).release
masked.to_native().write_parquet(path + ".masked")
peak = next((line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), 0)
print(json.dumps({"peak": int(peak) * 1024, "cpu": used() - before, "rows": masked.size, "engine": masked.engine}))
"""


def bars(bars: Bars) -> None:
    """Peak memory and time of streamed methods."""
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        small = _file(Path(folder), 300_000 if bars.quick else 1_000_000)
        large = None if bars.quick else _file(Path(folder), 10_000_000)
        for name in QUICK if bars.quick else METHODS:
            few = _masked(small, METHODS[name])
            if large is None or name not in LARGE:
                bars.at_most(
                    f"streamed {name}, {few['rows']:.0e} rows: MB at the peak",
                    few["peak"] / 1e6,
                    ALLOWED / 1e6,
                    at_scale=True,
                )
                bars.stated(f"streamed {name}, {few['rows']:.0e} rows: CPU seconds", few["cpu"])
                continue
            many = _masked(large, METHODS[name])
            bars.at_most(
                f"streamed {name}, 1e+07 rows: MB at the peak", many["peak"] / 1e6, ALLOWED / 1e6, at_scale=True
            )
            bars.at_most(f"streamed {name}: peak at 1e7 over 1e6 rows", many["peak"] / few["peak"], 1.25, at_scale=True)
            bars.stated(f"streamed {name}, 1e+07 rows: CPU seconds", many["cpu"])


def _file(folder: Path, rows: int) -> Path:
    """A register of so many rows, written by DuckDB so that this process stays small too."""
    path = folder / f"{rows}.parquet"
    connection = duckdb.connect(config={"memory_limit": "400MB"})
    connection.execute(
        f"""COPY (SELECT i AS id, i // 3 AS home, (100 + hash(i) % 40)::VARCHAR AS zip,
        ['nurse', 'clerk', 'smith', 'cook'][(1 + hash(i + 1) % 4)::INTEGER] AS job,
        round(exp(7 + (hash(i + 2) % 1000000) / 5e5), 2) AS pay, round(exp(5 + (hash(i + 3) % 1000000) / 5e5), 2) AS rent,
        DATE '1950-01-01' + (hash(i + 4) % 20000)::INTEGER AS born,
        45 + (hash(i + 5) % 100000) / 1e4 AS lat, 5 + (hash(i + 6) % 100000) / 1e4 AS lon
        FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"""
    )
    return path


def _masked(path: Path, method: str) -> dict[str, float]:
    _, done = child_cpu([sys.executable, "-c", CHILD, str(path), method])
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    measured = Bars("masking_engines", __doc__ or "")
    bars(measured)
    measured.end()
