"""A hierarchy over given values as numbers: for each value its node at each level, and what each node stands for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from .base import TOP, Hierarchy, label_expression


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
    here = _level_labels(hierarchy, column, values)
    everywhere = here if domain is values else _level_labels(hierarchy, column, domain)
    number = [np.arange(len(values))]
    named, leaves = [values], [np.ones(len(values), dtype=np.int64)]
    for level, shown in enumerate(here, start=1):
        if shown.null_count():
            lost = shown.null_count()
            raise TacitError(
                f"has {lost} value{'s' if lost > 1 else ''} that its hierarchy lacks",
                code="not_in_hierarchy",
                column=column,
                fix="add them to the hierarchy, or correct the cells",
            )
        place = {name: at for at, name in enumerate(dict.fromkeys(shown))}
        counts = Counter(everywhere[level - 1])
        number.append(np.array([place[name] for name in shown], dtype=np.int32))
        named.append(pl.Series(column, list(place), dtype=pl.String))
        leaves.append(np.array([counts.get(name, 1) for name in place], dtype=np.int64))
    number.append(np.zeros(len(values), dtype=np.int32))
    named.append(pl.Series(column, [TOP][: len(values)], dtype=pl.String))
    leaves.append(np.array([len(domain)][: len(values)], dtype=np.int64))
    return Nodes(np.array(number, dtype=np.int32), tuple(named), tuple(leaves), len(domain))


def _level_labels(hierarchy: Hierarchy, column: str, values: pl.Series) -> list[pl.Series]:
    """The labels of values at every level between the values and the top, in one pass."""
    if hierarchy.height < 2:
        return []
    frame = nw.from_native(values.alias(column).to_frame(), eager_only=True)
    levels = (label_expression(hierarchy, column, level).alias(str(level)) for level in range(1, hierarchy.height))
    return frame.select(*levels).to_native().get_columns()


def label_values(hierarchy: Hierarchy, column: str, level: int, values: pl.Series) -> pl.Series:
    """The labels of values at a level from 1 on."""
    frame = nw.from_native(values.alias(column).to_frame(), eager_only=True)
    return frame.select(label_expression(hierarchy, column, level).alias(column)).to_native()[column]
