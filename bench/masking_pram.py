"""The bars of PRAM, rounding and resampling: the law of the matrix, the margin, and what it costs beside a copy."""

from __future__ import annotations

import numpy as np
import polars as pl
from bars import Bars, spent

import tacit
from tacit.protect import Pram, Resample, Round
from tacit.protect._pram_matrix import transition
from tacit.protect._pram_matrix.categories import count_categories

BEST_OF = 5


def bars(bars: Bars) -> None:
    """All bars of this part."""
    laws_hold(bars)
    cost(bars, 10_000_000)
    others(bars, 1_000_000 if bars.quick else 10_000_000)


def laws_hold(bars: Bars) -> None:
    """Invariance to rounding, the posterior as asked for, and realised moves in standard errors."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(30))
    first = rng.dirichlet(np.ones(30), size=30)
    off = max(
        float(np.abs(shares @ matrix - shares).max())
        for matrix in (transition.invariant_matrix(shares, 0.7), transition.two_stage(shares, first))
    )
    bars.at_most("invariant PRAM, 30 categories: |πR − π|", off, 1e-12)
    rare = shares < 0.02
    found = transition.risk_matrix(shares, rare, 0.6)
    assert found is not None
    bars.at_most(
        "risk-driven PRAM: posterior of rare categories off the bound",
        float(np.abs((shares * found.diagonal() / (shares @ found))[rare] - 0.6).max()),
        1e-12,
    )
    rows = 500_000
    release = tacit.Release(pl.DataFrame({"c": rng.choice(30, rows, p=shares)}))
    masked = release.protect(Pram(columns="c", stay=0.7, form="invariant"), seed=1).release
    counts = count_categories(release, "c").counts[0]
    matrix = transition.invariant_matrix(counts / rows, 0.7)
    after = np.bincount(masked.series("c").to_numpy(), minlength=30)
    error = np.sqrt((counts[:, None] * matrix * (1 - matrix)).sum(axis=0))
    bars.at_most("invariant PRAM: margin off, in standard errors", float(np.abs((after - counts) / error).max()), 5)
    wrong = after + 0.3 * (1 - matrix.diagonal()) * counts
    bars.at_least("a margin 30 % of the changes off, the same", float(np.abs((wrong - counts) / error).max()), 5)


def cost(bars: Bars, rows: int) -> None:
    """CPU seconds beside a copy of the same column: whole-number codes, 64 bits each, copied by NumPy."""
    codes = np.random.default_rng(1).integers(1, 11, rows)
    frame = pl.DataFrame({"c": codes})
    method = Pram(columns="c", stay=0.8, form="invariant")
    method.apply(tacit.Release(frame.head(100)), seed=1)
    fresh = [tacit.Release(frame) for _ in range(BEST_OF)]
    pairs = [
        (spent(codes.copy)[0], spent(lambda release=release: method.apply(release, seed=1))[0]) for release in fresh
    ]
    copy, ours = (min(seconds) for seconds in zip(*pairs, strict=True))
    bars.at_most(
        f"PRAM of {rows:,} codes: times a copy of the column", ours / copy, 4, at_scale=True, seconds=ours, copy=copy
    )


def others(bars: Bars, rows: int) -> None:
    """CPU seconds of the rest, stated."""
    codes = np.random.default_rng(1).integers(1, 11, rows)
    text = pl.DataFrame({"c": pl.Series([f"category {i}" for i in range(11)])[codes]})
    method = Pram(columns="c", stay=0.8, form="invariant")
    bars.stated(f"PRAM of {rows:,} texts: seconds", spent(lambda: method.apply(tacit.Release(text), seed=1))[0])
    pay = tacit.Release(pl.DataFrame({"c": np.random.default_rng(2).lognormal(10, 1, rows)}))
    at_random = Round(columns="c", base=50, form="random")
    bars.stated(f"random rounding of {rows:,}: seconds", spent(lambda: at_random.apply(pay, seed=1))[0])
    resample = Resample(columns="c", draws=3)
    small = pay.take(np.arange(rows // 10))
    bars.stated(f"resampling {rows // 10:,}, 3 draws: seconds", spent(lambda: resample.apply(small, seed=1))[0])


if __name__ == "__main__":
    alone = Bars("masking_pram", __doc__ or "")
    bars(alone)
    alone.end()
