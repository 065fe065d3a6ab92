"""The bars of transparency attacks on rank swapping: what they find, what they are sure of, and what they cost."""

from __future__ import annotations

import resource

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

import tacit
from tacit.attack import Distance, Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.protect import RankSwap

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if DATA.is_dir():
        census(bars, 10, at_least=0.95)
        census(bars, 20, at_least=0.75)
        resistant(bars)
    else:
        bars.skipped("transparency: Census", ABSENT)
    cost(bars, bars.size(100_000, quick=20_000, smoke=2000))


def census(bars: Bars, percent: float, *, at_least: float) -> None:
    """All 13 attributes known: told the reach, by likelihood and (RSLD) by distance, beside distance alone."""
    original = _census()
    m = original.protect(RankSwap(columns=original.quasi, percent=percent), seed=1)
    truth = Truth.by_lineage(m.rows(), original.size)
    worst = Scenario.worst_case(original, told=m.trace)
    told = judge(Transparency().claims(m.release, worst), truth)
    unsure = Scenario(file=original, knows=original.quasi, told=m.trace)
    rsld = judge(Transparency(within="distance").claims(m.release, unsure), truth)
    apart = judge(Distance().claims(m.release, worst), truth)
    name = f"Census, rank swap {percent:g} %"
    facts = {"RSLD": round(rsld.value, 4), "DLD": round(apart.value, 4), "sure": told.facts["sure links"]}
    bars.at_least(f"{name}: found by likelihood", told.value, at_least, **facts)
    bars.at_least(f"{name}: RSLD over distance alone", rsld.value - apart.value, 0.3)
    bars.true(f"{name}: every sure link is right", told.facts.get("sure links that are right") == 1.0)


def resistant(bars: Bars) -> None:
    """The forms made against this attack: nothing is sure, and what weighing the shifts still finds."""
    original = _census()
    for form in ("buckets", "distribution"):
        m = original.protect(RankSwap(columns=original.quasi, percent=10, form=form), seed=1)
        truth = Truth.by_lineage(m.rows(), original.size)
        scenario = Scenario.worst_case(original, told=m.trace)
        claims = Transparency().claims(m.release, scenario)
        apart = judge(Distance().claims(m.release, scenario), truth).value
        bars.true(f"Census, {form} 10 %: no link is sure", claims.sure is not None and not claims.sure.any())
        bars.stated(f"Census, {form} 10 %: found", judge(claims, truth).value, DLD=round(apart, 4))


def cost(bars: Bars, rows: int) -> None:
    """CPU seconds and memory over five columns of related, skewed amounts."""
    rng = np.random.default_rng(0)
    values = np.exp(rng.standard_normal((rows, 5)) @ (np.eye(5) + 0.5))
    original = tacit.Release(pl.DataFrame({f"x{j}": values[:, j] for j in range(5)}), quasi=[f"x{j}" for j in range(5)])
    _attacked(original.take(np.arange(500)), 5)  # compiled
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for percent in (2.0, 10.0):
        seconds, found = _attacked(original, percent)
        name = f"{rows:.0e} x 5, rank swap {percent:g} %"
        bars.stated(f"{name}: CPU seconds", seconds, found=round(found, 4))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    bars.at_most(f"{rows:.0e} x 5: bytes of memory a row and column", more / (rows * 5), 1000, at_scale=True)


def _attacked(original: tacit.Release, percent: float) -> tuple[float, float]:
    m = original.protect(RankSwap(columns=original.quasi, percent=percent), seed=1)
    scenario = Scenario.worst_case(original, told=m.trace)
    seconds, claims = spent(lambda: Transparency().claims(m.release, scenario))
    return seconds, judge(claims, Truth.by_lineage(m.rows(), original.size)).value


def _census() -> tacit.Release:
    frame = pl.read_csv(DATA / "census.csv").with_columns(pl.all().cast(pl.Float64))
    return tacit.Release(frame, quasi=frame.columns)


if __name__ == "__main__":
    only = Bars("linkage_transparency", __doc__ or "")
    bars(only)
    only.end()
