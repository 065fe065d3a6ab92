"""Linked columns: what says the same as a suppressed cell in other words must go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, names, typed
from ...frozen import FrozenDict
from ..parameters import column_names

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["check_linked", "checked_linked", "with_linked"]


def checked_linked(given: object) -> FrozenDict[str, tuple[str, ...]]:
    """Quasi-identifier → the columns that lose the same cells, as typed."""
    if not isinstance(given, Mapping):
        raise TacitError(f"linked={typed(given)} is not given by column", fix="e.g. linked={'zip': ['city', 'region']}")
    found = {str(column): column_names(followers) for column, followers in given.items()}
    for column, followers in found.items():
        if column in followers:
            raise TacitError("is linked to itself", column=column, fix="name the columns that follow it")
    return FrozenDict(found)


def check_linked(release: Release, linked: Mapping[str, tuple[str, ...]], strata: Sequence[str] = ()) -> None:
    """Columns hang on quasi-identifiers, and are none: those are blanked as far as they need it; strata stay."""
    for column, followers in linked.items():
        if names(column, release.columns)[0] not in release.quasi:
            raise TacitError(
                "is not a quasi-identifier, and none of its cells is suppressed",
                column=column,
                fix=f"link columns to some of {', '.join(release.quasi)}",
            )
        for follower in names(followers, release.columns):
            if follower in release.quasi:
                raise TacitError(
                    f"is linked to {column!r} and is a quasi-identifier itself",
                    column=follower,
                    fix="take it out of linked, or out of the quasi-identifiers",
                )
            if follower in strata:
                raise TacitError(
                    f"is linked to {column!r} and makes the strata, whose cells stay",
                    column=follower,
                    fix="take it out of linked, or out of the strata",
                )


def with_linked(
    release: Release, cells: Mapping[str, np.ndarray], linked: Mapping[str, tuple[str, ...]]
) -> dict[str, np.ndarray]:
    """The cells and those of the linked columns that are not missing already."""
    found = dict(cells)
    for column, followers in linked.items():
        for follower in followers:
            rows = cells.get(column, np.zeros(release.size, dtype=bool)) & release.valid(follower)
            rows = rows | found.get(follower, False)
            if rows.any():
                found[follower] = rows
    return found
