"""The bars of interval disclosure: a million records of ten columns, by rank and by deviation, and a curve."""

from __future__ import annotations

import numpy as np
import polars as pl
from bars import Bars, spent

from tacit import Release
from tacit.risk import disclosure_curve, interval_disclosure

ROWS, COLUMNS = 1_000_000, 10
SECONDS = 2.0


def bars(bars: Bars) -> None:
    """All bars of this part."""
    original, masked = files(bars.size(ROWS, quick=ROWS, smoke=1000))
    small = original.take(np.arange(100))
    for by in ("rank", "deviation"):
        interval_disclosure(small, original=small, percent=10, by=by)
        runs = [
            spent(lambda by=by: interval_disclosure(masked, original=original, percent=10, by=by)) for _ in range(3)
        ]
        cpu, found = min(runs, key=lambda run: run[0])
        facts = {"share": found.worst.value, "baseline": found.worst.facts["baseline"]}
        bars.at_most(f"interval disclosure by {by}, {ROWS:,} × {COLUMNS} (CPU s)", cpu, SECONDS, at_scale=True, **facts)
    cpu, _ = spent(lambda: disclosure_curve(masked, original=original))
    bars.stated(f"curve by rank at six widths, {ROWS:,} × {COLUMNS} (CPU s)", cpu)


def files(rows: int) -> tuple[Release, Release]:
    """Amounts with and without ties, and the same with noise."""
    rng = np.random.default_rng(7)
    before = {f"x{place}": rng.lognormal(10, 1, rows) for place in range(COLUMNS)}
    before["x0"] = np.round(before["x0"], -3)
    after = {name: values * rng.normal(1, 0.2, rows) for name, values in before.items()}
    after["x0"] = np.round(after["x0"], -3)
    return Release(pl.DataFrame(before), confidential=list(before)), Release(
        pl.DataFrame(after), confidential=list(after)
    )
