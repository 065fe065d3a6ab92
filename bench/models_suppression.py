"""Cell suppression: fewer cells than sdcMicro on its test file, truly k-anonymous, and quick on a million records."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from bars import ROOT, Bars, spent

KEYS = "urbrur roof walls water electcon relat sex".split()
DATA = ROOT.parent / "shared" / "data" / "testdata.csv"
PEER = {"k=3": 293, "k=5": 500, "all triples, k=3": 80}
"""Cells that sdcMicro 5.8.1 suppresses on the same keys (localSuppression, default importance)."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    survey(bars)
    million(bars)


def survey(bars: Bars, path: Path = DATA) -> None:
    """Cells on the survey file, for k = 3 and 5 and for all triples, under both policies."""
    import polars as pl

    from tacit import Release
    from tacit.protect import SuppressCells

    if not path.exists():
        bars.skipped("suppressed cells on testdata", "the reference data are not beside the project")
        return
    frame = pl.read_csv(path)
    asked: dict[str, dict[str, Any]] = {
        "k=3": {"k": 3},
        "k=5": {"k": 5},
        "all triples, k=3": {"k": 3, "combinations": 3},
    }
    for missing in ("any", "own"):
        release = Release(frame, quasi=KEYS, missing=missing)
        for name, parameters in asked.items():
            if bars.quick and (missing, name) == ("own", "k=5"):
                continue
            seconds, masked = spent(lambda release=release, given=parameters: release.protect(SuppressCells(**given)))
            cells = sum(masked.release.suppressed.values())
            facts = {"peer": PEER[name], "seconds": seconds, "bound": masked.evidence["bound"]}
            title = f"suppressed cells, {name}, missing {missing}"
            if missing == "any":
                bars.at_most(title, cells, PEER[name] - 1, **facts)
            else:
                bars.stated(title, cells, **facts)
            bars.true(f"{title}: holds by a plain count", holds(masked.release, parameters))


def holds(release: Any, parameters: dict[str, Any]) -> bool:
    """Whether every record is matched by k records on every combination: Polars joins nothing, all pairs are compared."""
    import numpy as np

    frame = release.to_native().select(KEYS)
    classes = frame.group_by(KEYS).len()
    number = classes["len"].to_numpy()
    codes = np.column_stack([classes[key].fill_null(-1).to_numpy() for key in KEYS])
    same = [codes[:, None, j] == codes[None, :, j] for j in range(len(KEYS))]
    if release.missing == "any":
        same = [one | (codes[:, None, j] == -1) | (codes[None, :, j] == -1) for j, one in enumerate(same)]
    width = parameters.get("combinations", len(KEYS))
    return all(
        (np.logical_and.reduce([same[j] for j in chosen]) @ number).min() >= parameters["k"]
        for chosen in combinations(range(len(KEYS)), width)
    )


def million(bars: Bars) -> None:
    """Six skewed keys (2 × 80 × 5 × 7 × 16 × 41), k = 3, against a Polars group-by of the same keys, side by side."""
    import numpy as np
    import polars as pl

    from tacit import Release
    from tacit.protect import SuppressCells

    rows, rng = 1_000_000, np.random.default_rng(0)
    sizes = (2, 80, 5, 7, 16, 41)
    draws = [np.minimum(rng.exponential(size / 4, rows).astype(np.int32), size - 1) for size in sizes]
    frame = pl.DataFrame({f"q{place}": drawn for place, drawn in enumerate(draws)})
    method = SuppressCells(k=3)
    for missing in ("any",) if bars.quick else ("any", "own"):
        Release(frame.head(20_000), quasi=frame.columns, missing=missing).protect(method)
        # The best on both sides: the two take turns, so that they meet the same machine.
        runs = []
        for _ in range(3 if bars.quick else 5):
            group, _ = spent(lambda: frame.group_by(frame.columns).len())
            release = Release(frame, quasi=frame.columns, missing=missing)
            ours, masked = spent(lambda release=release: release.protect(method))
            runs.append((group, ours))
        group, ours = (min(side) for side in zip(*runs, strict=True))
        facts = {"cells": sum(masked.release.suppressed.values()), "group_by": group, "seconds": ours}
        title = f"suppression, 6 keys, 1e6 rows, missing {missing} / group-by"
        if missing == "any":
            bars.at_most(title, ours / group, 3, **facts)
        else:
            bars.stated(title, ours / group, **facts)


if __name__ == "__main__":
    told = Bars("models_suppression", __doc__ or "")
    bars(told)
    told.end()
