"""The bars of identity risk: reference figures to the printed digits, the exact form far out, and what it costs."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

import tacit
from tacit import risk

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
NINE = "sex age race marital-status education native-country workclass occupation salary-class".split()
ADULT = [
    (NINE, 0.1, 0.6465751608, 0.7781314236, 0.2768499388, 0.3207402393),
    (NINE, 0.5, 0.6465751608, 0.7781314236, 0.4359027981, 0.4319494482),
    (NINE[:3], 0.1, 0.01750547046, 0.01409057755, 0.0003072051339, 0.0001273768252),
    (NINE[:3], 0.5, 0.01750547046, 0.01409057755, 0.00152527595, 0.0007123623423),
    (NINE[:5], 0.1, 0.2013129103, 0.2495855712, 0.03146261308, 0.03221800019),
    (NINE[:5], 0.5, 0.2013129103, 0.2495855712, 0.07468175779, 0.07180555093),
    (NINE[:6], 0.1, 0.2534646244, 0.3009747364, 0.06579994836, 0.06817535356),
    (NINE[:6], 0.5, 0.2534646244, 0.3009747364, 0.1239123972, 0.125251515),
    (NINE[:8], 0.1, 0.6003912207, 0.7286320536, 0.2391719205, 0.2739776927),
    (NINE[:8], 0.5, 0.6003912207, 0.7286320536, 0.3875958538, 0.3845733002),
]
"""Quasi-identifiers, fraction, and ARX's prosecutor average, share above 0.2, Pitman and Zayatz."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    far_out(bars)
    cost(bars, 200_000 if bars.quick else 1_000_000)
    if not DATA.is_dir():
        bars.skipped("identity risk: reference figures", ABSENT)
        return
    survey(bars)
    adult(bars)


def exact(f: int, p: float) -> float:
    """(p/f) Σ k! q^k / (f + 1)_k in fifty digits."""
    with localcontext() as context:
        context.prec = 50
        total, term, k = Decimal(1), Decimal(1), 0
        while term > Decimal(10) ** -30:
            term *= (1 - Decimal(p)) * (k + 1) / (f + 1 + k)
            total += term
            k += 1
        return float(Decimal(p) * total / f)


def far_out(bars: Bars) -> None:
    """The exact individual risk against fifty-digit arithmetic."""
    from tacit.kernels.mean_reciprocal import mean_reciprocal

    cases = [(f, p) for f in (1, 2, 3, 99, 100, 1000, 10**6) for p in (1e-9, 1e-4, 0.05, 0.3, 0.7, 1.0)]
    cases = [(f, p) for f, p in cases if f >= 99 or p >= 0.05]  # the slow series needs millions of terms there
    found = mean_reciprocal(np.array([f for f, _ in cases]), np.array([p for _, p in cases]))
    wrong = max(abs(one / exact(f, p) - 1) for one, (f, p) in zip(found, cases, strict=True))
    bars.at_most("individual risk, exact form, f to 10^6: relative error", float(wrong), 1e-13)


def cost(bars: Bars, rows: int) -> None:
    """CPU seconds beside Polars' group-by of the same keys."""
    rng = np.random.default_rng(0)
    keys = [f"k{i}" for i in range(6)]
    frame = pl.DataFrame({key: (rng.zipf(1.5, rows) - 1) % 12 for key in keys})
    frame = frame.with_columns(w=pl.Series(rng.uniform(1, 50, rows)))
    theirs = min(
        spent(lambda: frame.group_by(keys).agg(pl.len(), pl.col("w").sum()).select(pl.col("w").max()))[0]
        for _ in range(3)
    )

    def fresh() -> Any:
        return tacit.Release(frame, quasi=keys, weight="w")

    risk.individual_risk(fresh().take(np.arange(100)))
    ours = min(spent(lambda: risk.individual_risk(fresh()))[0] for _ in range(3))
    bars.at_most(f"individual risk, {rows:,} rows × 6 keys: times a group-by", ours / theirs, 3)
    release = fresh()
    release.classes()
    seconds = spent(lambda: risk.estimated_uniques(release))[0]
    bars.at_most("population uniques by Dankar's rule, classes known: seconds", seconds, 1, at_scale=True)
    sample = release.take(np.arange(0, rows, 10))
    seconds = min(spent(lambda: risk.k_map(sample, population=release))[0] for _ in range(2))
    bars.at_most(f"k-map of {rows // 10:,} records in {rows:,} people: times a group-by", seconds / theirs, 3)


def survey(bars: Bars) -> None:
    """The rows of sdcMicro 5.8.1."""
    frame = pl.read_csv(DATA / "testdata.csv")
    release = tacit.Release(frame, quasi=KEYS, weight="sampling_weight", household="ori_hid")
    approx, home = risk.individual_risk(release, form="approx"), risk.household_risk(release, form="approx")
    total = "re-identifications to expect"
    bars.true("individual risk of the survey: 10.7782989187", f"{approx.facts[total]:.10f}" == "10.7782989187")
    bars.true("its exact form: 10.7755251363", f"{risk.individual_risk(release).facts[total]:.10f}" == "10.7755251363")
    bars.true("household risk of the survey: 51.81292744", f"{home.facts[total]:.8f}" == "51.81292744")
    lacks = pl.int_range(pl.len()) % 50 == 0
    gaps = frame.with_columns(pl.when(lacks).then(None).otherwise(pl.col("relat")).alias("relat"))
    any_ = tacit.Release(gaps, quasi=KEYS, weight="sampling_weight", missing="any")
    found = risk.individual_risk(any_, form="approx").facts[total]
    bars.true("with missing keys that match anything: 8.18503306791", f"{found:.11f}" == "8.18503306791")
    big = tacit.Release(pl.read_csv(DATA / "testdata_100k.csv.gz"), quasi=KEYS, weight="sampling_weight")
    found = risk.individual_risk(big, form="approx").facts[total]
    bars.true("100,000 records: 18.6837716264", f"{found:.10f}" == "18.6837716264")


def adult(bars: Bars) -> None:
    """The rows of ARX 3.9.2."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";")
    same, apart = True, 0.0
    for quasi, fraction, average, above, by_pitman, by_zayatz in ADULT:
        release = tacit.Release(frame, quasi=quasi)
        facts = risk.attackers(release)[0].facts
        printed = (facts["average"], facts["share of records above 0.2"])
        printed = (*printed, risk.estimated_uniques(release, fraction=fraction, form="zayatz").value)
        same &= tuple(float(f"{value:.10g}") for value in printed) == (average, above, by_zayatz)
        fit = risk.estimated_uniques(release, fraction=fraction, form="pitman").value
        apart = max(apart, abs(fit / by_pitman - 1))
    bars.true("prosecutor, records at risk and Zayatz on Adult: every digit", same)
    bars.at_most("Pitman on Adult: relative difference to the reference", apart, 2e-9)


if __name__ == "__main__":
    alone = Bars("models_risk", __doc__ or "")
    bars(alone)
    alone.end()
