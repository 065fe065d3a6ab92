"""The bars of attribute disclosure: sdcMicro's ℓ, and the whole report against a bare group-by."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent
from foundation import QUASI, group_by, write_table

import tacit
from tacit import risk

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def bars(bars: Bars) -> None:
    """All bars of this part."""
    report(bars, 1_000_000 if bars.quick else 10_000_000)
    if not DATA.is_dir():
        bars.skipped("l-diversity as sdcMicro gives it", ABSENT)
        return
    diversity(bars)


def diversity(bars: Bars) -> None:
    """The rows of sdcMicro 5.8.1 on its testdata: distinct, entropy and recursive ℓ of a household's civil status."""
    frame = pl.read_csv(DATA / "testdata.csv")
    income = frame["income"].to_numpy()
    decile = np.clip(np.searchsorted(np.quantile(income, np.linspace(0, 1, 11)), income), 1, 10)
    frame = frame.with_columns(incq=pl.Series(decile))
    release = tacit.Release(frame, quasi=KEYS, confidential=["hhcivil", "incq"], missing="own")

    def of(column: str, **form: Any) -> np.ndarray:
        found: np.ndarray = risk.l_diversity(release, **form)[column].per_record.values()
        return found

    distinct, entropy, income_l = of("hhcivil"), of("hhcivil", form="entropy"), of("incq")
    expected = {
        "distinct: mean, records below 2, 3": (
            (round(float(distinct.mean()), 6), int((distinct < 2).sum()), int((distinct < 3).sum())),
            (1.694760, 2466, 3689),
        ),
        "entropy: records below 2, mean": (
            (int((entropy < 2).sum()), round(float(entropy.mean()), 6)),
            (4564, 1.106822),
        ),
        "recursive c=2: records below 2": (int((of("hhcivil", form="recursive", c=2) < 2).sum()), 4564),
        "distinct, income decile: records below 2, 3": (
            (int((income_l < 2).sum()), int((income_l < 3).sum())),
            (171, 321),
        ),
    }
    for name, (found, wanted) in expected.items():
        bars.true(f"sdcMicro's l-diversity, {name}", found == wanted, found=found, wanted=wanted)


def measured(path: Path) -> None:
    """k, ℓ, t and the individual risk of the file, read from disk."""
    release = tacit.read(path, quasi=QUASI, confidential="ill", weight="weight", engine="polars")
    results = (
        risk.k_anonymity(release),
        risk.l_diversity(release)["ill"],
        risk.t_closeness(release)["ill"],
        risk.individual_risk(release),
    )
    assert all(np.isfinite(result.value) for result in results)


def report(bars: Bars, rows: int) -> None:
    """The report against DuckDB's bare group-by of the same keys of the same file: best of three, alternating."""
    folder = Path(tempfile.mkdtemp(prefix="tacit-bench-"))
    try:
        path = folder / "rows.parquet"
        write_table(path, rows)
        weights = np.random.default_rng(1).uniform(1, 30, rows)
        pl.read_parquet(path).with_columns(weight=pl.Series(weights)).write_parquet(path)
        measured(path)
        ours, theirs = [], []
        for _ in range(3):
            theirs.append(spent(lambda: group_by(path))[0])
            ours.append(spent(lambda: measured(path))[0])
        facts = {"tacit CPU s": round(min(ours), 3), "duckdb CPU s": round(min(theirs), 3)}
        name = f"k, l, t and individual risk at {rows:.0e} / bare group-by"
        bars.at_most(name, min(ours) / min(theirs), 2.5, **facts)
        kinds(bars, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kinds(bars: Bars, path: Path) -> None:
    """What each further measure adds once the classes are there."""
    release = tacit.read(path, quasi=QUASI, confidential="ill", weight="weight", engine="polars")
    base, _ = spent(lambda: risk.k_anonymity(release).value)
    classes = release.matches()
    for kind, extra in [("distinct", 0.0), ("entropy", 0.0), ("recursive", 3.0), ("gain", 0.0), ("ratio", 1.0)]:
        seconds, _ = spent(lambda kind=kind, extra=extra: classes.spread("ill", kind, extra).largest)
        bars.stated(f"{kind} of one column after k, CPU s", seconds, **{"k, CPU s": round(base, 3)})
