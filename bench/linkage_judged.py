"""What no attack may claim, and what each must: identical, independent and microaggregated files, rows in any order.

Census in groups of three (MDAV) lets nobody find more than one in three; sdcMicro's recordLinkage claims 55.65 % there,
because its ties follow the order of the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from bars import ROOT, Bars

from tacit import Release
from tacit.attack import ATTACKS
from tacit.attack._scenarios import with_known_links
from tacit.claims import Scenario, Truth, judge, wilson
from tacit.protect import Mdav, Shuffle
from tacit.result import Result

DATA = ROOT.parent / "shared" / "data"
PAIRS = 8
"""Independent pairs of files whose hits are counted together: one pair has four hits or more in one run of fifty by luck."""
NAMES = [name for name, entry in ATTACKS.items() if "identity" in entry.tags.about]


def found(name: str, masked, original: Release) -> Result:
    scenario = Scenario.worst_case(original, knows=original.columns, told=masked.trace)
    truth = Truth.by_lineage(masked.rows(), original.size)
    return judge(ATTACKS[name].call().claims(masked.release, with_known_links(scenario, truth), seed=5), truth)


def numbers(seed: int) -> Release:
    values = np.random.default_rng(seed).standard_normal((500, 4))
    return Release(pl.DataFrame(values, schema=list("abcd")), quasi=list("abcd"))


def bars(bars: Bars) -> None:
    plain = numbers(0)
    for name in NAMES:
        result = found(name, plain.protect(Shuffle(), seed=3), plain)
        bars.at_least(f"{name}: found in an identical file without twins", result.value, 1.0)
        count = 2 if bars.quick else PAIRS
        pairs = [(numbers(1 + 2 * pair), numbers(2 + 2 * pair).protect(Shuffle(), seed=3)) for pair in range(count)]
        hits = sum(found(name, masked, original).value * original.size for original, masked in pairs)
        low, high = wilson(hits, count * plain.size)
        bars.true(f"{name}: guessing in independent files", low <= 1 / plain.size <= high, hits=hits, pairs=count)
    _census(bars, DATA / "census.csv")


def _census(bars: Bars, path: Path) -> None:
    if not path.is_file():
        bars.skipped(
            "no attack above 1/3 on Census in groups of three", "the reference data are not beside the project"
        )
        return
    frame = pl.read_csv(path)
    census = Release(frame, quasi=frame.columns)
    grouped = census.protect(Mdav(columns=census.columns, k=3)).then(Shuffle(), seed=3)
    for name in NAMES:
        result = found(name, grouped, census)
        low, _ = result.interval or (0.0, 1.0)
        bars.at_most(f"{name}: Census in groups of three, lower end", low, 1 / 3, found=result.value)
