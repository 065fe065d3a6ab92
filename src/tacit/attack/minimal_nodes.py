"""Why not less? Published levels, the levels just below them, and the people who would be apart there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import TacitError
from ..models.load import models_of
from ..release.hierarchy.ladder import labels
from ..release.steps import adds_records, drops_records, effect, flattened, told
from .laws.parameters import parameter

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..models.demand import Demand
    from ..release.release import Release
    from ..release.trace import Trace


KINDS = ("distinct", "entropy", "recursive", "largest")
MOST = 8
"""Levels below that are reckoned with; more would only tell more."""


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What was published of a full-domain generalisation: its levels, and what it demanded of every class."""

    levels: Mapping[str, int]
    lowest: Mapping[str, int]
    demands: tuple[Demand, ...]
    column: str

    @property
    def least(self) -> int:
        """The fewest records of a class."""
        return max([one.least for one in self.demands], default=1)

    @property
    def spreads(self) -> tuple[Demand, ...]:
        """What is demanded of the confidential values of a class."""
        return tuple(one for one in self.demands if one.column is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """Everybody's class and, for each of the levels below that only confidential values can have ruled out, the part
    of it where the person would be. ``cell`` is the finest of all these parts.
    """

    of_person: np.ndarray
    of_record: np.ndarray
    parts: tuple[np.ndarray, ...]
    cell: np.ndarray


def told_of(release: Release, scenario: Scenario, column: str | None) -> Told | str:
    """What the trace tells of the generalisation and of one confidential column, or why that is not enough."""
    steps = flattened(scenario.told)
    searched = [step for step in steps if step.method == "full_domain"]
    if len(searched) != 1:
        return "no step of full_domain was told, or several"
    if any(effect(one, release).kind != "nothing" for one in steps if one is not searched[0]):
        return "other steps changed values, too"
    if drops_records(scenario.told) or adds_records(scenario.told) or parameter(searched[0], "suppression", 0):
        return (
            "records were left out or invented, or might have been: a level below may have failed for too many of them"
        )
    return _of_step(searched[0], release, column)


def _of_step(step: Trace, release: Release, column: str | None) -> Told | str:
    if parameter(step, "seconds") is not None or parameter(step, "objective", "loss") == "accuracy":
        return "the levels need not be minimal: the search was cut short, or its objective does not fall with them"
    levels = told(step, "levels")
    if not isinstance(levels, Mapping):
        return "the levels were not published"
    try:
        demands = tuple(one for model in models_of(parameter(step, "models")) for one in model.demands(release))
    except TacitError:
        return "the models that were met were not published"
    about = tuple(dict.fromkeys(one.column for one in demands if one.column is not None))
    if not about:
        return "no model asks anything of confidential values, so that levels tell nothing about them"
    if len(about) > 1 or (column is not None and about != (column,)):
        return "models ask something of several confidential columns, or of another one: each may be the reason"
    if any(one.mapped or one.low or one.high < 1 or (one.column and one.kind not in KINDS) for one in demands):
        return f"only counts and the spreads {', '.join(KINDS)} are reckoned with"
    weights: Any = parameter(step, "weights", {})
    free = {name: 0 for name, weight in weights.items() if not weight}
    lowest = {name: int(level) for name, level in parameter(step, "lowest", {}).items()}
    lowest |= {name: int(levels[name]) for name in free if name in levels}
    return Told(dict(levels), lowest, demands, str(about[0]))


def refined(release: Release, scenario: Scenario, known: Told) -> Refined:
    """Everybody's class in the release, and where they would be one level lower in each column.

    A level below that leaves the classes as they are, or a class with too few people, needs no confidential value to
    explain why it was not taken; neither does one below the lowest level allowed. O(n log n) for each column.
    """
    file, quasi = scenario.file, release.quasi
    published = [_labels(file, release, column, release.levels.get(column, 0)) for column in quasi]
    shown = [release.series(column).cast(pl.String) for column in quasi]
    both = _numbered([pl.concat([one, other]) for one, other in zip(shown, published, strict=True)])
    of_record, of_person = both[: release.size], both[release.size :]
    size = int(both.max()) + 1
    if (np.bincount(of_record, minlength=size) != np.bincount(of_person, minlength=size)).any():
        raise TacitError(
            "the intruder's people do not fall into the classes of the release as its records do",
            fix="give the quasi-identifiers of everybody in the release, and nobody else",
        )
    parts: list[np.ndarray] = []
    for place, column in enumerate(quasi):
        level = release.levels.get(column, 0)
        if level <= known.lowest.get(column, 0):
            continue
        lower = [*published[:place], _labels(file, release, column, level - 1), *published[place + 1 :]]
        part = _numbered(lower)
        counts = np.bincount(part)
        if counts.min() >= known.least and len(counts) > len(np.unique(of_person)):
            parts.append(part)
    parts = parts[:MOST]
    cell = _numbered([pl.Series(part) for part in (of_person, *parts)])
    return Refined(of_person, of_record, tuple(parts), cell)


def _labels(file: Release, release: Release, column: str, level: int) -> pl.Series:
    """The intruder's values of a column at a level, as text."""
    if not level:
        return file.series(column).cast(pl.String)
    one = file.selected(column)
    return one.replaced({column: labels(release.hierarchies[column], column, level)}).series(column).cast(pl.String)


def _numbered(columns: list[pl.Series]) -> np.ndarray:
    """Equal rows have equal numbers, from 0 on."""
    frame = pl.DataFrame([one.alias(str(place)) for place, one in enumerate(columns)])
    found: np.ndarray = frame.select(pl.struct(pl.all()).rank("dense")).to_series().cast(pl.Int64).to_numpy() - 1
    return found
