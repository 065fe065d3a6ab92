"""Records of any kind of column as points, so that squared distances say how unlike two records are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ...release.hierarchy.nodes import nodes
from .._numbers import checked_numeric, numeric_matrix

if TYPE_CHECKING:
    from ...release.release import Release


Form: TypeAlias = Literal["number", "ordinal", "nominal", "tree"]
MOST = 24
"""Beyond so many dimensions categories are projected when there are many records …"""
MANY = 50_000
"""… more than so many;"""
MOST_OF_FEW = 64
"""of fewer records beyond so many dimensions."""
LEAST = 12
"""Projected categories have so many dimensions at least."""
AMOUNTS = ("continuous", "date")


def column_form(release: Release, column: str) -> Form:
    """How a column enters the distance: by its kind, and by its hierarchy where it is a category that has one."""
    kind = release.kind(column)
    if kind in AMOUNTS:
        checked_numeric(release, [column])
        return "number"
    if kind == "ordinal":
        return "ordinal"
    climbs = column in release.hierarchies and release.hierarchies[column].height > 1
    return "tree" if climbs and not release.levels.get(column) and column not in release.mixed else "nominal"


def count_dimensions(release: Release, columns: Sequence[str]) -> int:
    """How many dimensions the columns would have without projection: one less than values for a hierarchy."""
    return sum(_column_width(column_form(release, column), release.distinct(column)) for column in columns)


def should_project(release: Release, columns: Sequence[str], records: int) -> bool:
    """Whether so many records get projected categories, because their exact points would take too much time and room."""
    wide = count_dimensions(release, columns) > (MOST if records > MANY else MOST_OF_FEW)
    return wide and any(_is_categorical(column_form(release, column)) for column in columns)


def embed_rows(
    release: Release,
    columns: Sequence[str],
    rows: np.ndarray,
    weights: Mapping[str, float],
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    r"""The rows as points: their squared distance is the sum over the columns of weight · squared distance there.

    Between two values of a column the squared distance is

    - for numbers and dates :math:`(x - y)^2 / s^2`, with the standard deviation s of the rows (a constant counts 0);
    - for ordinal values :math:`(r - s)^2 / (c - 1)^2`, by their places r, s among the c values of the column;
    - for nominal values 0 if they are equal, else 1;
    - for nominal values with a hierarchy of height H the share of its levels 0 … H−1 at which they have different
      labels: 1/H for siblings, 1 for values that only ``*`` covers (an ultrametric).

    Categories are exact, as corners of a simplex. Together with the other columns that may take more than 64 dimensions
    (24 for more than 50 000 rows); then all categories are projected by random signs into the room that the other columns leave, at least
    12 dimensions (:math:`\lVert Px - Py \rVert^2` is right in expectation, with a relative deviation of about
    :math:`\sqrt{2/12}`); numbers are never projected. ``rng`` draws the signs. A missing
    value adds 0 to all its coordinates: compare only records that lack the same columns. O(n · dimensions) time and memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.seed import make_generator
    >>> r = Release(pl.DataFrame({"sex": ["F", "M", "F"], "pay": [1.0, 2.0, 3.0]}))
    >>> points = embed_rows(r, ["sex", "pay"], np.arange(3), {}, rng=make_generator(1))
    >>> (np.square(points[0] - points).sum(axis=1)).round(2).tolist()
    [0.0, 2.5, 6.0]

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27, 857–871.
    """
    forms = {column: column_form(release, column) for column in columns}
    scale = {column: float(np.sqrt(weights.get(column, 1.0))) for column in columns}
    amounts = [column for column in columns if forms[column] == "number"]
    blocks = []
    if amounts:
        blocks.append(
            standardise_columns(numeric_matrix(release, amounts)[rows]) * [scale[column] for column in amounts]
        )
    blocks += [
        scale[column] * _rank_positions(release, column, rows) for column in columns if forms[column] == "ordinal"
    ]
    labelled = [column for column in columns if _is_categorical(forms[column])]
    if should_project(release, columns, len(rows)):
        room = max(LEAST, MOST - sum(block.shape[1] for block in blocks))
        blocks.append(
            np.add.reduce([scale[c] * _category_points(release, c, rows, draw=rng, room=room) for c in labelled])
        )
    else:
        blocks += [scale[column] * _category_points(release, column, rows) for column in labelled]
    points = np.column_stack(blocks)
    return points if points.shape[1] else np.zeros((len(rows), 1))


def standardise_columns(values: np.ndarray) -> np.ndarray:
    """Columns less their means, divided by their standard deviations; 0 in a constant column and where one is missing."""
    missing = np.isnan(values)
    if missing.any():
        found = np.zeros(values.shape)
        for place, column in enumerate(values.T):
            known = ~missing[:, place]
            found[known, place] = standardise_columns(column[known][:, None])[:, 0]
        return found
    if not len(values):
        return values
    spread = values.std(axis=0)
    flat = values.max(axis=0) == values.min(axis=0)
    return np.ascontiguousarray(
        np.where(flat, 0.0, values - values.mean(axis=0)) / np.where(flat | (spread == 0), 1.0, spread)
    )


def hierarchy_nodes(release: Release, column: str) -> np.ndarray:
    """The node of each value of the column's dictionary at each level below the top; one level without a hierarchy."""
    dictionary = release.codes(column).dictionary
    if column_form(release, column) != "tree":
        return np.arange(len(dictionary))[None]
    found: np.ndarray = nodes(release.hierarchies[column], column, dictionary).number[:-1]
    return found


def _is_categorical(one: Form) -> bool:
    return one in ("nominal", "tree")


def _rank_positions(release: Release, column: str, rows: np.ndarray) -> np.ndarray:
    codes = release.codes(column)
    last = max(1, len(codes.dictionary) - 1)
    places = np.append(np.arange(len(codes.dictionary)) / last, 0.0)
    found: np.ndarray = places[codes.codes[rows]][:, None]
    return found


def _category_points(
    release: Release, column: str, rows: np.ndarray, *, draw: np.random.Generator | None = None, room: int = 0
) -> np.ndarray:
    """The corner of each row's value: exact, or the random signs of its nodes added up."""
    steps = hierarchy_nodes(release, column)
    if draw is None:
        table = _simplex_corners(steps)
    else:
        signs = [draw.choice((-1.0, 1.0), (_count_nodes(step), room))[step] for step in steps]
        table = np.add.reduce(signs) / np.sqrt(2 * room * len(steps))
    unknown = np.zeros((1, table.shape[1]))
    found: np.ndarray = np.concatenate([table, unknown])[release.codes(column).codes[rows]]
    return found


def _simplex_corners(steps: np.ndarray) -> np.ndarray:
    """Corners at squared distance 1 from each other; two lie on a line, and one is nowhere else.

    With a hierarchy the corners of all levels side by side, turned into as few dimensions as they span: v values need
    v−1, because the labels of higher levels follow from the values.
    """
    count = steps.shape[1]
    if len(steps) == 1:
        return np.eye(count) / np.sqrt(2) if count > 2 else np.arange(count, dtype=float)[:, None][:, : count - 1]
    wide = np.column_stack([np.eye(_count_nodes(step))[step] for step in steps]) / np.sqrt(2 * len(steps))
    turned, spread, _ = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    found: np.ndarray = (turned * spread)[:, : max(0, count - 1)]
    return found


def _count_nodes(step: np.ndarray) -> int:
    return int(step.max()) + 1 if len(step) else 0


def _column_width(one: Form, count: int) -> int:
    if not _is_categorical(one):
        return 1
    return count if one == "nominal" and count > 2 else max(0, count - 1)
