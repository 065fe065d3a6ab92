"""What a model asks of every class, in the form in which the searches for a release read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import TacitError
from ..release.classes.arrays import ArrayClasses
from ..release.classes.spread import Spread, number_of
from ..risk.population_match import match_population
from ..risk.tree import tree_of

if TYPE_CHECKING:
    from ..kernels.rules import Cells, Rules
    from ..release.release import Release
    from .verdict import Verdict


LARGE = ("distinct", "entropy", "grassberger", "recursive")
"""The kinds that are bounded from below, by at most the number of values."""


class Model(Protocol):
    """A Boolean statement about a release."""

    def holds(self, release: Any) -> Verdict:
        """The verdict."""

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """What it asks of every class of equal quasi-identifiers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One rule for every class: a least number of records, or a bound on the spread of a confidential column.

    ``kind`` and ``extra`` are those of :mod:`tacit.kernels.class_spread`, which has the formulas. ``mapped``, ``low`` and ``high`` are about the people
    of a population with the same keys.
    """

    least: int = 1
    mapped: int = 0
    low: float = 0.0
    high: float = 1.0
    column: str | None = None
    kind: Spread = "distinct"
    bound: float = 0.0
    extra: float = 0.0

    @property
    def is_union_closed(self) -> bool:
        """Whether a union of classes that meet it meets it too: not an estimate of entropy or a ratio of values present."""
        return self.column is None or (self.kind != "grassberger" and (self.kind != "ratio" or self.extra == 1.0))

    @property
    def is_monotone(self) -> bool:
        """Whether every class that contains one which meets it meets it too."""
        bounded = self.low > 0.0 or self.high < 1.0
        return not bounded and (self.column is None or self.kind == "distinct")


@dataclass(frozen=True, slots=True, eq=False)
class CompiledDemands:
    """The demands of several models on a release, laid out for the kernels; ``cells`` are its exact classes.

    ``is_union_closed``: a union of groups that meet the rules meets them; ``is_monotone``: so does every larger group.
    """

    rules: Rules
    cells: Cells
    is_monotone: bool
    is_union_closed: bool


def compile_demands(release: Release, models: Sequence[Model]) -> CompiledDemands:
    """All demands of the models on the exact classes of a release in memory; O(n) per confidential column.

    Unless ``missing="own"`` a missing confidential value counts for nothing; a missing key is a category of its own
    here, which asks for more of the demands that unite: a match set is a union of such classes.
    """
    from ..kernels.rules import Rules

    demands = [demand for model in models for demand in model.demands(release)]
    columns = list(dict.fromkeys(demand.column for demand in demands if demand.column is not None))
    classes = release.classes()
    if not isinstance(classes, ArrayClasses):
        instead = "a file beyond the memory: generalise it by hand on this engine"
        raise release.capabilities.unsupported("in_memory", "classes cannot be searched for", instead=instead)
    along = {demand.column for demand in demands if demand.kind == "hierarchical"}
    counted = any(demand.mapped or demand.low > 0.0 or demand.high < 1.0 for demand in demands)
    cells, wholes = _build_cells(release, classes, {column: column in along for column in columns}, counted)
    rules = sorted(
        (demand for demand in demands if demand.column is not None),
        key=lambda demand: columns.index(demand.column or ""),
    )
    for demand in rules:
        _check_feasible(release, demand)
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
        np.array([number_of(demand.kind) for demand in rules], dtype=np.int64),
        np.array([demand.extra for demand in rules], dtype=np.float64),
        np.array([demand.bound for demand in rules], dtype=np.float64),
        _concatenate_parts([whole.share for whole in wholes]),
        _concatenate_parts([whole.cumulated for whole in wholes]),
        _concatenate_parts([whole.prefix for whole in wholes]),
        trees,
        np.array([len(whole.tree) for whole in wholes], dtype=np.int64),
        np.array([whole.known for whole in wholes], dtype=np.int64),
    )
    return CompiledDemands(
        laid, cells, all(demand.is_monotone for demand in demands), all(demand.is_union_closed for demand in demands)
    )


def _concatenate_parts(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)


def _build_cells(
    release: Release, classes: ArrayClasses, columns: dict[str, bool], counted: bool
) -> tuple[Cells, list[Any]]:
    from ..kernels.class_spread import whole_of
    from ..kernels.rules import Cells

    starts, codes, counts, wholes, first = [], [], [], [], [0]
    laid = 0
    for column, along in columns.items():
        coded = release.codes(column)
        values = coded.count if release.missing == "own" else len(coded.dictionary)
        of_class, code, count = classes.histogram(column)
        known = code < values
        of_class, code, count = of_class[known], code[known], count[known]
        starts.append(np.searchsorted(of_class, np.arange(classes.count + 1)) + laid)
        laid += len(code)
        codes.append(code + first[-1])
        counts.append(count)
        first.append(first[-1] + values)
        tree = tree_of(release, column) if along else None
        whole = np.bincount(coded.codes, minlength=coded.count)[:values]
        wholes.append(whole_of(whole, tree, known=len(coded.dictionary)))
    people = match_population(release, None, exact=True).people if counted else np.zeros(0, dtype=np.int64)
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


def _check_feasible(release: Release, demand: Demand) -> None:
    """A demand for more values than the column has cannot be met by any class."""
    assert demand.column is not None
    values = release.distinct(demand.column)
    missing = release.missing == "own" and release.codes(demand.column).has_missing
    if demand.kind in LARGE and demand.bound > values + missing:
        raise TacitError(
            f"has {values} different values, and {demand.bound:g} are asked of every class",
            code="unsuitable_column",
            column=demand.column,
            fix=f"ask for at most {values + missing}",
        )
