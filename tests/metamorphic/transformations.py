"""A file with gaps, its masked form and its population, and what may be done to all three at once without a change of meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tacit import Masked, Release
from tacit.release.trace import Trace

NUMBERS = ("age", "pay")
ILLS = {"flu": "lung", "asthma": "lung", "ulcer": "stomach", "gastritis": "stomach"}
PLACES = {"N1": "north", "N2": "north", "S1": "south", "S2": "south"}
NEW = {"flu": "d", "asthma": "a", "ulcer": "c", "gastritis": "b", "N1": "q", "N2": "z", "S1": "p", "S2": "y"}
NEW |= {"lung": "L", "stomach": "A", "north": "S", "south": "B", "F": "2", "M": "1"}


@dataclass(frozen=True)
class Files:
    """The frames of the masked file, the original and the population, and the labels of their hierarchies."""

    masked: pl.DataFrame
    original: pl.DataFrame
    population: pl.DataFrame
    ills: dict[str, str]
    places: dict[str, str]
    missing: str

    def described(self, frame: pl.DataFrame) -> Release:
        """The frame with its roles."""
        groups = {
            name: {"groups": {top: [one for one, above in leaves.items() if above == top] for top in leaves.values()}}
            for name, leaves in (("ill", self.ills), ("zip", self.places))
        }
        return Release(
            frame,
            quasi=["zip", "sex", "age"],
            confidential=["ill", "pay"],
            weight="weight",
            household="home",
            kinds={"age": "continuous", "pay": "continuous"},
            hierarchies=groups,
            missing=self.missing,  # type: ignore[arg-type]
        )

    def release(self) -> Masked:
        """The masked file, record i of which was record i."""
        population = self.described(self.population)
        return Masked(self.described(self.masked).with_metadata(population=population), (Trace("by_hand", {}),))

    def changed(self, change: Callable[[pl.DataFrame], pl.DataFrame], **labels: Any) -> Files:
        """The same done to all frames."""
        frames = {name: change(getattr(self, name)) for name in ("masked", "original", "population")}
        return replace(self, **frames, **labels)


def files(seed: int, missing: str, size: int = 60) -> Files:
    """A sample of a town, in the released form of which some ages and pays are other ones; gaps in keys and values."""
    rng = np.random.default_rng(seed)
    people = 4 * size
    town = pl.DataFrame(
        {
            "zip": rng.choice(list(PLACES), people),
            "sex": rng.choice(["F", "M"], people),
            "age": rng.integers(1, 3, people) * 30,
            "ill": rng.choice(list(ILLS), people, p=[0.4, 0.3, 0.2, 0.1]),
            "pay": rng.integers(1, 9, people) * 100,
            "weight": rng.integers(2, 7, people) * 1.0,
            "home": np.arange(people) // 2,
        }
    )
    gaps = {
        name: pl.Series(rng.random(people) < share) for name, share in (("sex", 0.05), ("ill", 0.08), ("pay", 0.12))
    }
    town = town.with_columns(pl.when(gap).then(None).otherwise(pl.col(name)).alias(name) for name, gap in gaps.items())
    original = town.head(size)
    noise = pl.Series(rng.integers(-1, 2, size))
    masked = original.with_columns(pl.col("pay") + 100 * noise, pl.col("age") + 10 * (noise == 1).cast(pl.Int64))
    return Files(masked, original, town, ILLS, PLACES, missing)


def negated(given: Files) -> Files:
    """Numbers with the other sign."""
    return given.changed(lambda frame: frame.with_columns(-pl.col(*NUMBERS)))


def shifted(given: Files) -> Files:
    """Numbers from another zero."""
    return given.changed(lambda frame: frame.with_columns(pl.col(*NUMBERS) + 4096))


def scaled(given: Files) -> Files:
    """Numbers in another unit."""
    return given.changed(lambda frame: frame.with_columns(pl.col(*NUMBERS) * 8))


def rows_permuted(given: Files) -> Files:
    """Records in another order, the same one in masked and original."""
    order = np.random.default_rng(7).permutation(len(given.masked))
    town = np.random.default_rng(8).permutation(len(given.population))
    return replace(given, masked=given.masked[order], original=given.original[order], population=given.population[town])


def columns_permuted(given: Files) -> Files:
    """Columns in another order."""
    return given.changed(lambda frame: frame.select(frame.columns[::-1]))


def relabelled(given: Files) -> Files:
    """Categories with other names, in another order of the alphabet."""

    def new(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.col("zip", "sex", "ill").replace(NEW))

    ills, places = ({NEW[one]: NEW[above] for one, above in part.items()} for part in (given.ills, given.places))
    return given.changed(new, ills=ills, places=places)


def duplicated(given: Files) -> Files:
    """Every record twice, the second time in another household."""

    def twice(frame: pl.DataFrame) -> pl.DataFrame:
        return pl.concat([frame, frame.with_columns(pl.col("home") + 1000)])

    return given.changed(twice)


def merged(given: Files) -> Files:
    """Two categories of a quasi-identifier are one."""
    places = {one: above for one, above in given.places.items() if one != "N2"}
    return given.changed(lambda frame: frame.with_columns(pl.col("zip").replace({"N2": "N1"})), places=places)


ALL: dict[str, Callable[[Files], Files]] = {
    "negate": negated,
    "shift": shifted,
    "scale": scaled,
    "rows": rows_permuted,
    "columns": columns_permuted,
    "relabel": relabelled,
    "duplicate": duplicated,
    "merge": merged,
}
