"""The hierarchy of a confidential column as the tree along which distances between its values are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError

if TYPE_CHECKING:
    from ..release.release import Release


def tree_of(release: Release, column: str) -> np.ndarray:
    """The hierarchy of a column over its codes: ``tree[h, code]`` is the node above the code at level h + 1.

    A missing value hangs under the root alone; under ``missing="any"`` it has no code. O(height · values).
    """
    from ..release.hierarchy.nodes import nodes

    if column not in release.hierarchies:
        raise TacitError(
            "has no hierarchy to measure distances along",
            code="no_hierarchy",
            column=column,
            fix=f"give one, e.g. hierarchies={{{column!r}: {{'prefix': [3, 1]}}}}, or another form=",
        )
    if column in release.levels or column in release.mixed:
        raise TacitError(
            "was generalised, so that its values are no longer those that its hierarchy starts from",
            code="already_generalised",
            column=column,
            fix="use form='variational', or leave the confidential column as it is",
        )
    coded = release.codes(column)
    found = nodes(release.hierarchies[column], column, coded.dictionary)
    number = found.number[1:].astype(np.int64)
    if release.missing == "any" or not coded.has_missing:
        return number
    alone = [[len(found.labels[level])] for level in range(1, found.height)]
    return np.column_stack([number, np.array([*alone, [0]], dtype=np.int64)])
