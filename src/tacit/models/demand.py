"""What a model asks of every class, in the form in which the searches for a release read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import TacitError
from ..kernels.rules import Cells, Rules
from ..kernels.spread import AT_LEAST, DISTINCT, HIERARCHICAL, whole_of
from ..release.classes.arrays import ArrayClasses

if TYPE_CHECKING:
    from ..release.release import Release
    from .verdict import Verdict

__all__ = ["Asked", "Demand", "Model", "asked"]


class Model(Protocol):
    """A Boolean statement about a release."""

    def holds(self, release: Any) -> Verdict:
        """The verdict."""

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """What it asks of every class of equal quasi-identifiers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One rule for every class: a least number of records, or a bound on the spread of a confidential column.

    ``kind`` and ``extra`` are those of :mod:`tacit.kernels.spread`. ``mapped``, ``low`` and ``high`` are about the people
    of a population with the same keys.
    """

    least: int = 1
    mapped: int = 0
    low: float = 0.0
    high: float = 1.0
    column: str | None = None
    kind: int = DISTINCT
    bound: float = 0.0
    extra: float = 0.0

    @property
    def grows(self) -> bool:
        """Whether every class that contains one which meets it meets it too; all demands survive a *union* of such."""
        bounded = self.low > 0.0 or self.high < 1.0
        return not bounded and (self.column is None or self.kind == DISTINCT)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The demands of several models on a release, laid out for the kernels; ``cells`` are its exact classes."""

    rules: Rules
    cells: Cells
    grows: bool


def asked(release: Release, models: Sequence[Model], *, population: Release | None = None) -> Asked:
    """All demands of the models on the exact classes of a release in memory; O(n) per confidential column.

    Under ``missing="any"`` a missing confidential value counts for nothing; a missing key is a category of its own
    here, which asks for more: a match set is a union of such classes, and every demand survives a union.
    """
    demands = [demand for model in models for demand in model.demands(release)]
    columns = list(dict.fromkeys(demand.column for demand in demands if demand.column is not None))
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        raise TacitError(
            f"the search needs its columns in memory, and this release is on {release.engine}",
            fix="read the file with engine='polars'; a file beyond the memory: generalise it by hand on this engine",
        )
    cells, wholes = _cells(release, classes, columns, population)
    rules = sorted(
        (demand for demand in demands if demand.column is not None),
        key=lambda demand: columns.index(demand.column or ""),
    )
    for demand in rules:
        _possible(release, demand)
    widest = max((len(whole.tree) for whole in wholes), default=0)
    trees = np.zeros((widest, int(cells.first[-1])), dtype=np.int64)
    for place, whole in enumerate(wholes):
        trees[: len(whole.tree), cells.first[place] : cells.first[place + 1]] = whole.tree
    laid = Rules(
        max([1, *(demand.least for demand in demands)]),
        max([0, *(demand.mapped for demand in demands)]),
        max([0.0, *(demand.low for demand in demands)]),
        min([1.0, *(demand.high for demand in demands)]),
        np.array([columns.index(demand.column or "") for demand in rules], dtype=np.int64),
        np.array([demand.kind for demand in rules], dtype=np.int64),
        np.array([demand.extra for demand in rules], dtype=np.float64),
        np.array([demand.bound for demand in rules], dtype=np.float64),
        _joined([whole.share for whole in wholes]),
        _joined([whole.cumulated for whole in wholes]),
        _joined([whole.prefix for whole in wholes]),
        trees,
        np.array([len(whole.tree) for whole in wholes], dtype=np.int64),
    )
    return Asked(laid, cells, all(demand.grows for demand in demands))


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def _cells(
    release: Release, classes: ArrayClasses, columns: list[str], population: Release | None
) -> tuple[Cells, list[Any]]:
    starts, codes, counts, wholes, first = [], [], [], [], [0]
    laid = 0
    for column in columns:
        coded = release.codes(column)
        values = len(coded.dictionary) if release.missing == "any" else coded.count
        of_class, code, count = classes.histogram(column)
        known = code < values
        of_class, code, count = of_class[known], code[known], count[known]
        starts.append(np.searchsorted(of_class, np.arange(classes.count + 1)) + laid)
        laid += len(code)
        codes.append(code + first[-1])
        counts.append(count)
        first.append(first[-1] + values)
        wholes.append(
            whole_of(np.bincount(coded.codes, minlength=coded.count)[:values], _tree(release, column, values))
        )
    people = np.zeros(0, dtype=np.int64) if population is None else _people(release, classes, population)
    return (
        Cells(
            classes.sizes.astype(np.int64),
            people,
            np.array(starts, dtype=np.int64).reshape(len(columns), classes.count + 1),
            np.concatenate(codes).astype(np.int64) if codes else np.zeros(0, dtype=np.int64),
            np.concatenate(counts).astype(np.int64) if counts else np.zeros(0, dtype=np.int64),
            np.array(first, dtype=np.int64),
        ),
        wholes,
    )


def _tree(release: Release, column: str, values: int) -> np.ndarray | None:
    """The nodes above each code of a confidential column with a hierarchy; missing hangs under the root alone."""
    if column not in release.hierarchies or column in release.levels:
        return None
    from ..release.hierarchy.nodes import nodes

    found = nodes(release.hierarchies[column], column, release.codes(column).dictionary)
    number = found.number[1:].astype(np.int64)
    if values > number.shape[1]:
        alone = [[len(found.labels[level])] for level in range(1, found.height)]
        number = np.column_stack([number, [*alone, [0]]])
    return number


def _people(release: Release, classes: ArrayClasses, population: Release) -> np.ndarray:
    """How many people of the population share the keys of each class."""
    from .population import people_of_classes

    return people_of_classes(release, classes, population)


def _possible(release: Release, demand: Demand) -> None:
    """A demand for more values than the column has cannot be met by any class."""
    assert demand.column is not None
    values = release.distinct(demand.column)
    if demand.kind < AT_LEAST and demand.bound > values + (release.missing == "own"):
        raise TacitError(
            f"has {values} different values, and {demand.bound:g} are asked of every class",
            column=demand.column,
            fix=f"ask for at most {values}",
        )
    if demand.kind == HIERARCHICAL and demand.column not in release.hierarchies:
        raise TacitError(
            "has no hierarchy to measure distances along",
            column=demand.column,
            fix=f"give one, e.g. hierarchies={{{demand.column!r}: {{'prefix': [3, 1]}}}}, or another form=",
        )
