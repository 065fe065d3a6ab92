"""A hierarchy over given values as numbers: for each value its node at each level, and what each node stands for."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from .ladder import Hierarchy, labels

__all__ = ["Nodes", "labelled", "nodes"]


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """``number[h, v]`` is the node of value v at level h, from the values themselves (0) to the top.

    Node i of level h is called ``labels[h][i]`` and has ``leaves[h][i]`` of the ``domain`` values under it.
    """

    number: np.ndarray
    labels: tuple[pl.Series, ...]
    leaves: tuple[np.ndarray, ...]
    domain: int

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.labels) - 1


def nodes(hierarchy: Hierarchy, column: str, values: pl.Series) -> Nodes:
    """The hierarchy over the values (different ones, none missing), each of which it must know.

    Leaves are counted over the hierarchy's own domain, as ARX does: that of a table also has values absent from the
    data. O(height · (values + domain)).
    """
    domain = hierarchy.domain(values)
    number = [np.arange(len(values))]
    named, leaves = [values], [np.ones(len(values), dtype=np.int64)]
    for level in range(1, hierarchy.height + 1):
        here, everywhere = (labelled(hierarchy, column, level, part) for part in (values, domain))
        if here.null_count():
            raise TacitError(
                f"has {here.null_count()} values that its hierarchy lacks",
                column=column,
                fix="add them to the hierarchy, or correct the cells",
            )
        names = here.unique(maintain_order=True)
        counts = dict(everywhere.value_counts(name="n").iter_rows())
        number.append(_places(here, names))
        named.append(names)
        leaves.append(np.array([counts.get(name, 1) for name in names], dtype=np.int64))
    return Nodes(np.array(number, dtype=np.int32), tuple(named), tuple(leaves), len(domain))


def labelled(hierarchy: Hierarchy, column: str, level: int, values: pl.Series) -> pl.Series:
    """The labels of values at a level from 1 on."""
    frame = nw.from_native(values.alias(column).to_frame(), eager_only=True)
    return frame.select(labels(hierarchy, column, level).alias(column)).to_native()[column]


def _places(values: pl.Series, among: pl.Series) -> np.ndarray:
    place = {name: number for number, name in enumerate(among)}
    return np.array([place[value] for value in values], dtype=np.int32)
