"""The bars of attacks on told microaggregation: what groupings give away on Census, what lots take back, and the cost."""

from __future__ import annotations

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

import tacit
from tacit.attack import Distance
from tacit.attack.transparency import Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Mdav, Microaggregate

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"


def bars(bars: Bars) -> None:
    """All bars of this part."""
    cost(bars, bars.size(100_000, quick=20_000, smoke=2000))
    if not DATA.is_dir():
        bars.skipped("told microaggregation: Census", ABSENT)
        return
    if bars.quick:
        bars.skipped("told microaggregation: Census", "it takes longer")
        return
    census(bars)


def found(original: tacit.Release, masked: tacit.Masked, attack: Distance | Transparency) -> tacit.Result:
    """What an intruder with all values finds."""
    claims = attack.claims(masked.release, Scenario.worst_case(original, told=masked.trace))
    return judge(claims, Truth.by_lineage(np.asarray(masked.rows()), original.size))


def census(bars: Bars) -> None:
    """Together, in groupings of six or three columns, and one by one, k = 3 and 10, with and without lots."""
    frame = pl.read_csv(DATA / "census.csv")
    columns = frame.columns
    original = tacit.Release(frame, quasi=columns, kinds=dict.fromkeys(columns, "continuous"))
    mdav = found(original, original.protect(Mdav(columns=columns, k=3)), Transparency())
    bars.at_most("told MDAV k=3, Census: found", mdav.value, 1 / 3 + 1e-9, sure=mdav.facts["sure links"])
    groupings = {
        "together": "together",
        "by six": [columns[:6], columns[6:]],
        "by three": [columns[at : at + 3] for at in range(0, 13, 3)],
        "each": "each",
    }
    least = {("each", 3): 1.0, ("by three", 3): 1.0, ("each", 10): 1.0, ("by three", 10): 0.99}
    for name, groups in groupings.items():
        for k, lots in ((3, None), (10, None), (10, 2)):
            method = Microaggregate(columns=columns, k=k, groups=groups, randomised=lots)
            masked = original.protect(method, seed=1)
            plain = found(original, masked, Distance()).value
            told = found(original, masked, Transparency())
            facts = {"distance": round(plain, 4), "sure": round(float(told.facts["sure links"]), 4)}
            title = f"told, {name}, k={k}{', lots' if lots else ''}, Census: found"
            if name == "together":
                bars.at_most(title, told.value, 1 / k + 0.03, **facts)
            elif lots is None and (name, k) in least:
                bars.at_least(title, told.value, least[name, k], **facts)
            else:
                bars.stated(title, told.value, **facts)


def cost(bars: Bars, rows: int) -> None:
    """CPU seconds of the attack on two groupings of two columns, and on four single columns."""
    values = np.random.default_rng(0).standard_normal((rows, 4))
    frame = pl.DataFrame(values, schema=["a", "b", "c", "d"])
    original = tacit.Release(frame, quasi=frame.columns)
    for name, groups in (("each", "each"), ("by two", [["a", "b"], ["c", "d"]])):
        masked = original.protect(Microaggregate(columns=frame.columns, k=4, groups=groups), seed=1)
        found(
            original.take(np.arange(200)),
            original.take(np.arange(200)).protect(Microaggregate(columns=frame.columns, k=4, groups=groups), seed=1),
            Transparency(),
        )
        seconds, result = spent(lambda masked=masked: found(original, masked, Transparency()))
        bars.at_most(
            f"told, {name}, {rows:.0e} rows: CPU seconds", seconds, 60.0, at_scale=True, found=round(result.value, 4)
        )
