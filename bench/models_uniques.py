"""Special uniques and what belongs to them: the reference figures, and what the search costs beside a group-by.

References: sdcMicro's suda2 on testdata (SUDA2, DIS), ARX's quasi-identifier finder on adult.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

from tacit import Release
from tacit.kernels.warm import CALLS
from tacit.risk import separating_sets, special_uniques, unicity

DATA = ROOT.parent / "shared" / "data"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
VALUES = (2, 80, 5, 7, 16, 41, 8, 14)
"""How many values the eight skewed columns have."""


def bars(bars: Bars) -> None:
    """Measure every bar of this part."""
    for kernel in ("groups", "minimal_uniques", "traces"):
        CALLS[kernel]()
    if DATA.is_dir():
        _sdcmicro(bars, DATA)
        _arx(bars, DATA)
    else:
        bars.skipped(
            "special uniques and separation against references", "the reference data are not beside the project"
        )
    _ratio(bars, 100_000 if bars.quick else 1_000_000)


def _sdcmicro(bars: Bars, data: Path) -> None:
    survey = Release(pl.read_csv(data / "testdata.csv"), quasi=KEYS)
    score, dis = special_uniques(survey)
    counts = score.facts["minimal sample uniques"], score.facts["records with one"], score.facts["sum of scores"]
    bars.true(
        "SUDA2 on testdata, 7 keys: 235 MSUs, 157 records, 4890, 720", (*counts, score.value) == (235, 157, 4890, 720)
    )
    off = max(abs(float(dis.facts["sum"]) / 9.831090921 - 1), abs(dis.value / 0.6781425537 - 1))
    bars.at_most("DIS score, relative difference to sdcMicro (single precision)", off, 5e-7)
    weighted = special_uniques(survey, scores="weighted")[0]
    bars.true(
        "weighted scores: sum 88.7238, max 9",
        (round(float(weighted.facts["sum of scores"]), 4), weighted.value) == (88.7238, 9),
    )
    printed = [12.04, 33.87, 18.10, 53.42, 22.52, 92.60, 24.95]
    apart = [
        abs(float(score.facts[f"contribution of {key} in %"]) - share) for key, share in zip(KEYS, printed, strict=True)
    ]
    bars.at_most("contributions of the columns, largest difference in %", max(apart), 0.011)
    big = pl.read_csv(data / "testdata_100k.csv.gz")
    for more, records, total in (((), 244, 6249), (("age", "hhcivil"), 2613, 2025440)):
        release = Release(big, quasi=[*KEYS, *more])
        seconds, found = spent(lambda release=release: special_uniques(release))
        facts = found[0].facts
        name = f"SUDA2 at 1e5, {7 + len(more)} keys: {records} records, scores {total}"
        bars.true(name, (facts["records with one"], facts["sum of scores"]) == (records, total), cpu=seconds)


def _arx(bars: Bars, data: Path) -> None:
    adult = pl.read_csv(data / "adult" / "adult.csv", separator=";")
    release = Release(adult, quasi=["sex", "age", "race", "marital-status"])
    found = {frozenset(one.columns): one for one in separating_sets(release, largest=4)}
    whole, pair = found[frozenset(release.quasi)], found[frozenset({"sex", "age"})]
    off = [whole.separation - 0.9947068628385531, whole.distinction - 0.05603076719050461]
    off += [pair.separation - 0.9875711178204718, pair.distinction - 0.004707910616006896]
    bars.at_most("separation and distinction on adult, difference to ARX", max(map(abs, off)), 1e-15)


def _ratio(bars: Bars, rows: int) -> None:
    rng = np.random.default_rng(0)
    columns = {
        f"q{j}": np.minimum(rng.exponential(values / 4, rows).astype(np.int32), values - 1)
        for j, values in enumerate(VALUES)
    }
    frame = pl.DataFrame(columns)
    grouping = min(spent(lambda: frame.group_by(frame.columns).len())[0] for _ in range(3))
    release = Release(frame, quasi=frame.columns)
    seconds, found = spent(lambda: special_uniques(release, largest=3))
    name = f"MSUs of 8 columns, size <= 3, {rows:.0e} rows, to a Polars group-by"
    facts = {"cpu": seconds, "group_by": grouping, "found": found[0].facts["minimal sample uniques"]}
    bars.at_most(name.replace("+0", ""), seconds / grouping, 25, **facts)
    seconds, curve = spent(lambda: unicity(release, known=3))
    bars.stated(f"unicity of 3 of 8 columns, {rows:.0e} rows, CPU s".replace("+0", ""), seconds, share=curve.value)
