"""The quasi-identifiers as numbers that the kernels join, and back as the labels of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.hierarchy.cover import domain_of, label_cover
from ...release.hierarchy.nodes import nodes
from ...release.kinds import ORDERED as WITH_ORDER

if TYPE_CHECKING:
    from ...kernels.shapes import Shapes
    from ...release.release import Release


Labels: TypeAlias = Literal["intervals", "hierarchy", "sets"]
MOST_IN_A_SET = 62
"""Values of a set are bits of one whole number; one bit is that of missing, one that of the sign."""


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """One key: ``value[code]`` is the number of each code (that of missing last), ``place`` and ``parent`` are those of
    :class:`tacit.kernels.shapes.Shapes`, ``texts`` the label of each node."""

    column: str
    form: int
    value: np.ndarray
    place: np.ndarray
    parent: np.ndarray
    texts: pl.Series
    unit: float

    def labels(self, low: np.ndarray, high: np.ndarray) -> pl.Series:
        """The label of each state; missing for missing and for what must be blank."""
        from ...kernels.shapes import ORDERED, SET

        if self.form == SET:
            return self._set_labels(low)
        ends = pl.DataFrame({"low": self.texts.gather(low), "high": self.texts.gather(high)})
        if self.form != ORDERED:
            return ends["low"]
        both = pl.concat_str([pl.lit("["), "low", pl.lit(", "), "high", pl.lit("]")])
        return ends.select(pl.when(pl.col("low") == pl.col("high")).then(pl.col("low")).otherwise(both))["low"]

    def _set_labels(self, bits: np.ndarray) -> pl.Series:
        texts = self.texts.to_list()
        found, place = np.unique(bits, return_inverse=True)
        named = [_format_set([text for bit, text in enumerate(texts) if one >> bit & 1]) for one in found.tolist()]
        return pl.Series(named, dtype=pl.String).gather(place)


def _format_set(members: list[str | None]) -> str | None:
    if None in members:
        return None
    return members[0] if len(members) == 1 else "{" + ", ".join(str(member) for member in members) + "}"


def key_of(release: Release, column: str, labels: Labels) -> Key:
    """A quasi-identifier as a key: an interval for what has an order, else a node of its hierarchy, or a set."""
    if column in release.levels or column in release.mixed:
        raise TacitError(
            "was generalised already, so that its values are labels",
            code="already_masked",
            column=column,
            fix="recode the original values, all quasi-identifiers in one step",
        )
    hierarchy = release.hierarchies.get(column)
    if release.types[column] not in ("text", "boolean") and not (labels == "hierarchy" and hierarchy is not None):
        kind = release.kinds.get(column)
        if kind in WITH_ORDER or (kind is None and hierarchy is None and release.kind(column)):
            return _ordered_key(release, column)
    if labels == "sets" and release.distinct(column) <= MOST_IN_A_SET:
        return _set_key(release, column)
    return _tree_key(release, column)


def _value_texts(values: pl.Series, *more: str | None) -> pl.Series:
    return pl.concat([values.cast(pl.String).alias("text"), pl.Series("text", more, dtype=pl.String)])


def _ordered_key(release: Release, column: str) -> Key:
    from ...kernels.shapes import ORDERED

    values = release.codes(column).dictionary
    hierarchy = release.hierarchies.get(column)
    domain = values if hierarchy is None else domain_of(hierarchy, values)
    place = np.arange(len(values)) if hierarchy is None else domain.drop_nulls().search_sorted(values).to_numpy()
    # beyond 1, so that missing together with any value costs 1
    placed = np.append(place / max(1, len(domain) - 1), 3.0)
    nobody = np.full(len(placed), -1, dtype=np.int64)
    return Key(column, ORDERED, np.arange(len(placed)), placed, nobody, _value_texts(values, None), 0.0)


def _set_key(release: Release, column: str) -> Key:
    from ...kernels.shapes import SET

    values = release.codes(column).dictionary
    texts = _value_texts(values, None)
    if texts.str.contains("[{}]|, ").any():
        raise TacitError(
            "has values with braces or commas, which a set could not show",
            code="unsuitable_column",
            column=column,
            fix="labels='hierarchy'",
        )
    domain = domain_of(release.hierarchies.get(column), values)
    bits = np.left_shift(1, np.arange(len(values) + 1, dtype=np.int64))
    return Key(column, SET, bits, np.zeros(0), np.zeros(0, dtype=np.int64), texts, 1.0 / max(1, len(domain) - 1))


def _tree_key(release: Release, column: str) -> Key:
    """Nodes numbered from the values up, siblings beside each other; missing, and above all the blank."""
    from ...kernels.shapes import TREE

    values = release.codes(column).dictionary
    hierarchy = release.hierarchies.get(column)
    if hierarchy is None:
        number = np.array([np.arange(len(values)), np.zeros(len(values))], dtype=np.int64)
        named: tuple[pl.Series, ...] = (values, pl.Series(["*"]))
        leaves: tuple[np.ndarray, ...] = (np.ones(len(values)), np.array([len(values)]))
        domain = len(values)
    else:
        found = nodes(hierarchy, column, values)
        number, named, leaves, domain = found.number.astype(np.int64), found.labels, found.leaves, found.domain
        # every label that may be shown must be readable again
        label_cover(
            hierarchy, column, pl.concat([_value_texts(level) for level in named]), domain_of(hierarchy, values)
        )
    order = np.lexsort(number) if len(values) else np.zeros(0, dtype=np.int64)
    value = np.empty(len(values) + 1, dtype=np.int64)
    value[order] = np.arange(len(values))
    value[-1] = len(values)
    first = np.cumsum([len(values) + 1, *(len(level) for level in named[1:])])
    blank = int(first[-1])
    parent = np.full(blank + 1, blank, dtype=np.int64)
    parent[value[:-1]] = first[0] + number[1] if len(values) else parent[:0]
    for level in range(1, len(named) - 1):
        parent[first[level - 1] + number[level]] = first[level] + number[level + 1]
    shares = [(count - 1.0) / max(1, domain - 1) for count in leaves[1:]]
    place = np.concatenate([np.zeros(len(values) + 1), *shares, [1.0]])
    texts = pl.concat(
        [
            _value_texts(values.gather(order), None),
            *(_value_texts(level) for level in named[1:]),
            _value_texts(values[:0], None),
        ]
    )
    return Key(column, TREE, value, place, parent, texts, 0.0)


def shapes_of(keys: Sequence[Key]) -> tuple[Shapes, np.ndarray]:
    """The keys in one numbering of nodes, and where that of each key begins."""
    from ...kernels.shapes import SET, Shapes

    first = np.cumsum([0, *(len(key.place) for key in keys)])[:-1]
    parents = [np.where(key.parent < 0, -1, key.parent + start) for key, start in zip(keys, first, strict=True)]
    shapes = Shapes(
        np.array([key.form for key in keys], dtype=np.int64),
        np.concatenate([key.place for key in keys]).astype(np.float64),
        np.concatenate(parents).astype(np.int64),
        np.array([key.unit for key in keys], dtype=np.float64),
        np.array([key.value[-1] if key.form == SET else 0 for key in keys], dtype=np.int64),
    )
    return shapes, np.where(shapes.form == SET, 0, first)
