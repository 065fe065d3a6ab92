"""The published matrices by which the categories of a column were exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, names
from ...release.steps import told
from .steps import by_column

if TYPE_CHECKING:
    from ...release.trace import Trace

__all__ = ["Law", "law_of", "written"]


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """The matrix of one step in each of its strata: rows by category, as published.

    ``evenly`` is set instead where only the chance to stay was published, and the rest is spread evenly.
    """

    strata: tuple[str, ...]
    rows: Mapping[tuple[str | None, ...], Mapping[str, Mapping[str, float]]]
    invariant: bool
    evenly: float | None = None

    def categories(self) -> list[str]:
        """All categories that the matrices name."""
        return sorted({name for matrix in self.rows.values() for name in matrix})

    def matrix(self, cell: tuple[str | None, ...], categories: Sequence[str], column: str) -> np.ndarray:
        """The matrix of a stratum in the order of the categories; those that it does not name stay as they are."""
        if self.evenly is not None:
            return _evenly(len(categories), self.evenly)
        if cell not in self.rows:
            raise TacitError(
                "has a stratum of which no matrix was published",
                column=column,
                fix="take the trace of this very release",
            )
        place = {name: number for number, name in enumerate(categories)}
        found = np.eye(len(categories))
        for source, row in self.rows[cell].items():
            found[place[source]] = 0.0
            for to, chance in row.items():
                found[place[source], place[to]] = float(chance)
        found /= found.sum(axis=1, keepdims=True)
        return found


def written(value: Any) -> str | None:
    """A category or a stratum as a trace writes it."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def law_of(step: Trace, column: str) -> Law:
    """The law of a step of PRAM on a column: typed, published, or made of its chance to stay; else refused."""
    form = step.parameters.get("form", "given")
    typed = step.parameters.get("matrix")
    if form == "given" and isinstance(typed, Mapping) and column in typed:
        return Law((), {(): typed[column]}, invariant=False)
    listed = (told(step, "matrix") or {}).get(column)
    strata = names(step.parameters.get("strata"))
    if listed:
        rows = {tuple(written(one["stratum"].get(name)) for name in strata): one["matrix"] for one in listed}
        return Law(strata, rows, invariant=form != "given")
    stay = by_column(step.parameters.get("stay"), column)
    if form == "given" and step.parameters.get("spread", "evenly") == "evenly" and stay is not None and not strata:
        return Law((), {}, invariant=False, evenly=stay)
    raise TacitError(
        "was exchanged by a matrix that was not published, because a category has few records",
        column=column,
        fix="ask the publisher to merge rare categories before pram (recode with rare), so that the matrix can be published",
    )


def _evenly(count: int, stay: float) -> np.ndarray:
    if count < 2:
        return np.eye(count)
    found = np.full((count, count), (1.0 - stay) / (count - 1))
    np.fill_diagonal(found, stay)
    return found
