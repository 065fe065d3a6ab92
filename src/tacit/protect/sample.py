"""A random sample of the records: what a research file is, and why being in it is not certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_columns, check_int, format_value
from ..registry import MethodEffects, Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.households import one_per_household
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._checks import refuse_empty
from .parameters import column_names, is_number, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", role="weight", drops=True, samples=True),  # weights are made to add up again
    family="remove",
    example={"fraction": 0.5},
    use="A research file need not hold everybody, so that nobody can be sure who is in it.",
    avoid="It is the only protection and the file has exact amounts or dates: they identify in a sample too.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    r"""Keep a simple random sample without replacement, of whole households where there are any.

    Give ``fraction`` or ``size``. ``columns`` stratify: of the :math:`N_h` units of every stratum (equal values in these
    columns) about the same share is drawn, by largest remainders, so that the numbers add up and none is off by more
    than one. Units are records, or households where the release has a household column: members stay together, and
    ``size`` counts households. Each unit of a stratum is equally likely to be drawn, so that weights become

    .. math:: w_i' = w_i \cdot N_h / n_h

    where there are weights (whole numbers become numbers): their total is kept on average, within strata of equal
    weights exactly. A stratum from which none is drawn is no longer represented; the trace counts them.

    Sampling protects: an intruder cannot be sure that a unique record is unique in the population. How much it does is
    measured with the full file as the population (k-map, population uniques). It is not enough for continuous columns:
    an exact amount belongs to one person in the population as surely as in the sample. The trace warns of them as
    ``exact_columns``: mask these, too. The fraction is published with the trace; who was drawn never is. ``evidence`` has the population size, the fraction, and of each record its chance of having
    been drawn. O(n log n) time, O(n) memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1"] * 6 + ["N2"] * 4, "w": [10.0] * 10}), quasi="zip", weight="w")
    >>> m = r.protect(Sample(fraction=0.5, columns="zip"), seed=7)
    >>> m.to_native()["zip"].to_list(), m.to_native()["w"].sum()
    (['N1', 'N1', 'N1', 'N2', 'N2'], 100.0)

    References
    ----------
    Cochran (1977), Sampling techniques, 3rd edition, Wiley.
    """

    fraction: float | None = None
    size: int | None = None
    columns: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        if (self.fraction is None) == (self.size is None):
            raise TacitError(
                "a sample has a fraction or a size, one of them",
                code="conflicting_parameters",
                fix="e.g. fraction=0.1 or size=1000",
            )
        if self.size is not None:
            check_int("size", self.size, least=1)
        elif not is_number(self.fraction) or not 0 < float(self.fraction or 0) < 1:
            raise TacitError(
                f"fraction={format_value(self.fraction)} is no share",
                code="out_of_range",
                parameter="fraction",
                fix="a number between 0 and 1: fraction=0.1",
            )
        if self.columns is not None:
            object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The smaller release, its rows in their old order; the outcome has the fraction and the empty strata."""
        rng = make_rng(self, seed)
        first, unit = one_per_household(release)
        stratum = self._unit_strata(release, first, unit)
        counts = np.bincount(stratum)
        wanted = self._sample_size(len(first))
        drawn = _apportion_sample(counts, wanted, rng)
        order = rng.permutation(len(first))
        order = order[np.argsort(stratum[order], kind="stable")]
        place = np.arange(len(first)) - (np.cumsum(counts) - counts)[stratum[order]]
        taken = np.zeros(len(first), dtype=bool)
        taken[order] = place < drawn[stratum[order]]
        rows = np.flatnonzero(taken[unit])
        smaller, chance = release.take(rows), (drawn / np.maximum(counts, 1))[stratum[unit[rows]]]
        if release.weight is not None:
            smaller = smaller.with_columns({release.weight: smaller.weights() / chance})
        outcome = {
            "fraction": Finding(round(wanted / len(first), 6), publishable=True),
            "empty_strata": Finding(int((drawn == 0).sum()), publishable=False),
        }
        exact = _continuous_columns(release)
        if exact:
            outcome["exact_columns"] = Finding(exact, publishable=True)
        evidence = {"population": release.size, "fraction": len(rows) / release.size, "chance": chance}
        return Masked(smaller, (Trace.of(self, **outcome),), lineage=rows, evidence=evidence)

    def _sample_size(self, units: int) -> int:
        """How many units: at least one, at most all but none where that is what was asked for."""
        if self.size is not None and self.size > units:
            raise TacitError(
                f"size={self.size} is above the {units} units of the release",
                code="out_of_range",
                parameter="size",
                fix="use a smaller size",
            )
        found = self.size if self.size is not None else round(float(self.fraction or 0) * units)
        if not found:
            raise TacitError(
                f"fraction={self.fraction} of {units} units is none",
                code="wrong_type",
                parameter="fraction",
                fix="use a larger fraction, or say size=1",
            )
        return found

    def _unit_strata(self, release: Release, first: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """The stratum of each unit."""
        refuse_empty(release)
        chosen = check_columns(self.columns, release.columns)
        if not chosen:
            return np.zeros(len(first), dtype=np.int64)
        of_record = ArrayClasses([release.codes(column) for column in chosen], release.size, release.codes).of_record
        if (of_record[first][unit] != of_record).any():
            raise TacitError(
                "differ within households, which are drawn whole: " + ", ".join(chosen),
                code="invalid_parameter",
                fix="stratify by columns of the household, or describe the release without its household column",
            )
        strata: np.ndarray = of_record[first]
        return strata


def _continuous_columns(release: Release) -> list[str]:
    """Continuous columns, whose exact values stay: all but weights and what is dropped or replaced anyway."""
    roles = release.roles
    kinds = release.kinds
    return [
        name
        for name in release.columns
        if kinds.get(name) == "continuous" and roles.get(name) not in ("identifier", "weight", "household")
    ]


def _apportion_sample(counts: np.ndarray, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """How many of each stratum, in proportion; what is left over goes to the largest remainders, ties by lot."""
    exact = counts * (wanted / counts.sum())
    drawn: np.ndarray = np.floor(exact + 1e-9).astype(np.int64)
    left = wanted - int(drawn.sum())
    order = np.lexsort((rng.permutation(len(counts)), -(exact - drawn)))
    drawn[order[:left]] += 1
    return drawn
