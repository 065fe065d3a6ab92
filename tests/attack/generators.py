"""Generators that leak all, a part or nothing: what every attack on synthetic files has to tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit import Release
from tacit.registry import MethodEffects, Tags, describe
from tacit.release.masked import Masked
from tacit.release.trace import Finding, Trace
from tacit.seed import make_generator

QUASI = ["age", "town", "job"]
ROLES = {"quasi": QUASI, "confidential": ["ill", "pay"]}
KINDS = {"age": "continuous", "pay": "continuous"}


def people(size: int, seed: int) -> pl.DataFrame:
    """A population in which the illness goes with the job, so that much is known of people who are not in any file."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 6, size)
    ill = np.where(rng.random(size) < 0.5, job % 4, rng.integers(0, 4, size))
    return pl.DataFrame(
        {
            "age": rng.normal(45, 15, size).round(1),
            "town": rng.choice(["N1", "N2", "N3", "N4"], size),
            "job": np.array(["cook", "judge", "smith", "nurse", "clerk", "baker"])[job],
            "ill": np.array(["flu", "gout", "acne", "none"])[ill],
            "pay": (rng.lognormal(10, 0.5, size) + 200 * job).round(0),
        }
    )


def release(size: int, seed: int) -> Release:
    return Release(people(size, seed), **ROLES, kinds=KINDS, missing="own")


@describe(tags=Tags(about="identity", kind="method"), effects=MethodEffects("changes", synthetic=True))
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthCopier:
    """Give back random records of the training data in a share of the rows; all others are of an independent population."""

    share: float = 1.0

    def apply(self, release, *, seed=None, progress=None):
        rng = make_generator(seed)
        drawn = release.take(rng.integers(0, release.size, release.size))
        fresh = people(release.size, int(rng.integers(2**31)))
        copied = rng.random(release.size) < self.share
        columns = {
            name: pl.select(
                pl.when(pl.lit(pl.Series(copied))).then(drawn.series(name)).otherwise(fresh[name])
            ).to_series()
            for name in release.columns
            if name in fresh.columns
        }
        made = drawn.with_columns(columns)
        captured = Finding("records" if self.share else "nothing", publishable=True)
        return Masked(made, (Trace.of(self, captured=captured),), np.full(release.size, -1))
