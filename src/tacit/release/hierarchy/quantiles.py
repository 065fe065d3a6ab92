"""A recipe for numbers: intervals that hold about as many records each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError
from ..engines.table import Type
from .cuts import Cuts
from .recipe import falling

if TYPE_CHECKING:
    from .recipe import Tally


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Intervals of about equal counts (E-10): with groups = (20, 5) twentieths of the records, then fifths.

    Each level keeps those cut points of the one below that lie nearest to its quantiles, so that intervals nest. A
    value that many records share cannot be cut: there are fewer intervals then. Every cut point is a value that occurs.
    O(v log v) for v different values, after one group-by.

    >>> import polars as pl
    >>> from tacit import Release
    >>> ages = Release(pl.DataFrame({"age": range(100)}), hierarchies={"age": {"quantiles": [4, 2]}})
    >>> ages.hierarchies["age"].spec()
    {'cuts': [[25, 50, 75], [50]]}
    """

    groups: tuple[int, ...]

    def __post_init__(self) -> None:
        falling("quantiles", self.groups, least=2)

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.groups) + 1

    def fits(self, column: str, type: Type) -> None:
        """Only numbers have quantiles here."""
        if type not in ("integer", "number"):
            raise TacitError(
                f"holds {type}, which has no quantiles",
                column=column,
                fix="use dates, a prefix or { frequency = [10, 100] }",
            )

    def grow(self, column: str, tally: Tally) -> Cuts:
        """The cut points of each level."""
        counted = tally([column])
        below = np.cumsum(counted["count"].to_numpy()) - counted["count"].to_numpy()
        records = int(counted["count"].sum())
        places = np.arange(1, len(below))
        levels = []
        for groups in self.groups:
            places = _nearest(below, places, np.arange(1, groups) * records / groups)
            levels.append(tuple(counted["0"].gather(places).to_list()))
        return Cuts(tuple(levels))

    def spec(self) -> Mapping[str, Any]:
        """``{"quantiles": groups}``."""
        return {"quantiles": list(self.groups)}


def _nearest(below: np.ndarray, places: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Of the places where a cut may be, those with the records below them nearest to what is wanted; the lower of two."""
    if not len(places):
        return places
    counts = below[places]
    right = np.clip(np.searchsorted(counts, wanted), 0, len(places) - 1)
    left = np.maximum(right - 1, 0)
    chosen = np.where(wanted - counts[left] <= counts[right] - wanted, left, right)
    kept: np.ndarray = places[np.unique(chosen)]
    return kept
