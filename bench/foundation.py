"""The bars of the foundation: speed against DuckDB and pycanon, laziness, import time, the demo.

python bench/foundation.py [--quick]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from bars import ROOT, Bars, child_cpu, spent

QUASI = ["age", "sex", "zip", "education", "job"]
TACIT = [sys.executable, "-m", "tacit"]


def write_table(path: Path, rows: int) -> None:
    """Five skewed quasi-identifiers (80 × 2 × 500 × 6 × 16 values) and a confidential column of twelve values."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)

    def skewed(values: int) -> pl.Series:
        return pl.Series((rng.zipf(1.5, rows) - 1) % values)

    pl.DataFrame(
        {
            "age": skewed(80),
            "sex": skewed(2).replace_strict({0: "f", 1: "m"}, return_dtype=pl.String),
            "zip": skewed(500).cast(pl.String).str.zfill(5),
            "education": skewed(6),
            "job": skewed(16),
            "ill": skewed(12).cast(pl.String),
        }
    ).write_parquet(path)


def measures(path: Path, engine: str = "polars", memory: str | None = None) -> dict[str, float]:
    """k, uniques, ℓ and t of the file, read from disk."""
    import tacit

    release = tacit.read(path, quasi=QUASI, confidential="ill", engine=engine, memory=memory)
    return of(release)


def of(release) -> dict[str, float]:  # type: ignore[no-untyped-def]
    from tacit import risk

    k = risk.k_anonymity(release)
    return {
        "k": k.value,
        "classes": k.facts["classes"],
        "uniques": risk.sample_uniques(release).value,
        "l": risk.l_diversity(release)["ill"].value,
        "t": risk.t_closeness(release)["ill"].value,
    }


def group_by(path: Path) -> None:
    """DuckDB's bare group-by on the same keys of the same file."""
    import duckdb

    keys = ", ".join(QUASI)
    sizes = f"SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {keys}"
    duckdb.connect().sql(f"SELECT min(n), count(*) FROM ({sizes})").fetchall()


def against_duckdb(bars: Bars, path: Path) -> dict[str, float]:
    """Both best of three, alternating, in CPU seconds."""
    ours, theirs = [], []
    for _ in range(3):
        theirs.append(spent(lambda: group_by(path))[0])
        seconds, found = spent(lambda: measures(path))
        ours.append(seconds)
    ratio = min(ours) / min(theirs)
    facts = {"tacit CPU s": round(min(ours), 3), "duckdb CPU s": round(min(theirs), 3)}
    bars.at_most("k, l, t, uniques at 1e7 / DuckDB's bare group-by", ratio, 2.5, at_scale=True, **facts)
    bars.stated("peak memory of the measures alone, MB", peak_memory(path))
    return found


def peak_memory(path: Path) -> float:
    """The largest resident set of a fresh process that only takes the measures, as the kernel counts it (VmHWM)."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom pathlib import Path\n"
        f"from foundation import measures\nmeasures(Path({str(path)!r}))\n"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) / 1024


def lazily(bars: Bars, path: Path, expected: dict[str, float]) -> None:
    """DuckDB under a memory limit below the size of the table gives the same numbers."""
    import polars as pl

    size = pl.scan_parquet(path).select(pl.all()).collect().estimated_size("mb")
    seconds, found = spent(lambda: measures(path, "duckdb", memory="150MB"))
    bars.true(
        f"DuckDB with 150 MB for a table of {size:.0f} MB: same numbers",
        close(found, expected),
        seconds=round(seconds, 2),
    )
    bare, _ = spent(lambda: group_by(path))
    bars.stated("the same measures on DuckDB, never collected / bare group-by", seconds / bare)


def close(found: dict[str, float], expected: dict[str, float]) -> bool:
    return all(abs(found[name] - expected[name]) <= 1e-9 for name in expected)


def on_spark(bars: Bars, path: Path) -> None:
    """Spark in local mode gives the same numbers at 1e6 rows and collects no more than 10⁴ rows."""
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame

    import tacit

    most = 0
    for name in ("collect", "toPandas", "toArrow"):
        plain = getattr(DataFrame, name)

        def counted(self, *arguments, plain=plain):  # type: ignore[no-untyped-def]
            nonlocal most
            rows = plain(self, *arguments)
            most = max(most, len(rows))
            return rows

        setattr(DataFrame, name, counted)
    builder = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    )
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    release = tacit.Release(session.read.parquet(str(path)), quasi=QUASI, confidential="ill")
    found = of(release)
    bars.true("Spark local mode: same numbers at 1e6", close(found, measures(path)))
    bars.at_most("Spark: most rows brought to the driver", float(most), 1e4)
    session.stop()


def against_pycanon(bars: Bars, path: Path, folder: Path) -> None:
    """Run pycanon in its own environment: its k alone against our k, ℓ, t and uniques."""
    home = folder / "pycanon"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    install = subprocess.run(
        [python, "-m", "pip", "install", "-q", "pycanon", "pyarrow"], capture_output=True, check=False
    )
    if install.returncode:
        bars.skipped("times faster than pycanon at 1e6", "pycanon could not be installed")
        return
    code = (
        "import pandas, resource\nfrom pycanon import anonymity\n"
        f"f = pandas.read_parquet({str(path)!r})\nb = resource.getrusage(0)\n"
        f"k = anonymity.k_anonymity(f, {QUASI!r})\na = resource.getrusage(0)\n"
        "print(k, a.ru_utime + a.ru_stime - b.ru_utime - b.ru_stime)"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    k, seconds = done.stdout.split()
    ours, found = min((spent(lambda: measures(path)) for _ in range(3)), key=lambda pair: pair[0])
    bars.at_least(
        "times faster than pycanon's k alone, at 1e6",
        float(seconds) / ours,
        20,
        at_scale=True,
        pycanon=float(seconds),
        tacit=ours,
    )
    bars.true("pycanon finds the same k", int(k) == found["k"])


def door(bars: Bars) -> None:
    """``import tacit`` and ``tacit --help``: CPU seconds, best of 5, and what they load."""
    imported = min(child_cpu([sys.executable, "-c", "import tacit"])[0] for _ in range(5))
    helped = min(child_cpu([*TACIT, "--help"])[0] for _ in range(5))
    bars.at_most("import tacit, CPU s", imported, 0.5, at_scale=True)
    bars.at_most("tacit --help, CPU s", helped, 0.5, at_scale=True)
    probe = (
        "import sys; sys.argv = ['tacit', '--help']\nfrom tacit.cli import main\ntry:\n    main()\nexcept SystemExit:\n"
    )
    probe += "    print('LOADED', [m for m in ('numpy', 'pydantic') if m in sys.modules])"
    _, done = child_cpu([sys.executable, "-c", probe])
    bars.true("tacit --help loads neither numpy nor pydantic", "LOADED []" in done.stdout)


def demo(bars: Bars, folder: Path) -> None:
    """The demo job, warm; and in the full run ``make demo`` from a bare clone."""
    started = time.monotonic()
    seconds, done = child_cpu([*TACIT, "demo", "--out", str(folder / "demo")])
    bars.true("tacit demo ends with every requirement met", done.returncode == 0)
    bars.at_most("the demo job, wall s", time.monotonic() - started, 20, at_scale=True, cpu=round(seconds, 1))
    if bars.quick:
        bars.skipped("make demo from a bare clone, wall s", "--quick")
        return
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    started = time.monotonic()
    done = subprocess.run(["make", "demo"], cwd=clone, capture_output=True, text=True, check=False)
    facts = {"downloads": "included", "exit code": done.returncode}
    bars.at_most(
        "make demo from a bare clone, wall s",
        time.monotonic() - started if done.returncode == 0 else 1e9,
        180,
        at_scale=True,
        **facts,
    )


def main() -> None:
    bars = Bars("foundation", __doc__)
    folder = Path(tempfile.mkdtemp(prefix="tacit-bench-"))
    try:
        subprocess.run([*TACIT, "warm"], check=True)
        door(bars)
        demo(bars, folder)
        big, small = folder / "1e7.parquet", folder / "1e6.parquet"
        write_table(big, bars.size(10_000_000, quick=10_000_000, smoke=20_000))
        write_table(small, bars.size(1_000_000, quick=1_000_000, smoke=10_000))
        measures(small)
        expected = against_duckdb(bars, big)
        if bars.quick:
            for name in ("DuckDB under a memory limit", "Spark local mode", "times faster than pycanon"):
                bars.skipped(name, "--quick")
        else:
            lazily(bars, big, expected)
            on_spark(bars, small)
            against_pycanon(bars, small, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    bars.end()


if __name__ == "__main__":
    main()
