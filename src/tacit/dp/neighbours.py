"""Which data sets are neighbours: a guarantee without that is none, and two kinds cannot be added up.

``add_remove``: one person more or fewer; the number of people is private. ``replace``: one person's record is another
one's, and the number of people is public. A replacement is a removal and an addition, so ε under ``add_remove`` is at most
2 ε under ``replace``; nothing leads back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from ..errors import TacitError, format_value, suggest_alternative

Neighbours = Literal["add_remove", "replace"]
"""One record added or removed, or one record replaced."""


def check_neighbours(neighbours: object) -> None:
    """Refuse what is no neighbour relation."""
    kinds = get_args(Neighbours)
    if neighbours not in kinds:
        fix = suggest_alternative(neighbours, kinds) if isinstance(neighbours, str) else "use 'add_remove' or 'replace'"
        raise TacitError(
            f"neighbours={format_value(neighbours)} is no neighbour relation",
            code="wrong_type",
            parameter="neighbours",
            fix=fix,
        )


def one_kind(relations: Iterable[Neighbours]) -> Neighbours:
    """The relation that all have; of none, or of two kinds together, an error.

    >>> one_kind(["replace", "replace"])
    'replace'
    """
    found = sorted(set(relations))
    if len(found) == 1:
        return found[0]
    if not found:
        raise TacitError("there is nothing to compose", code="wrong_type", fix="give at least one mechanism")
    raise TacitError(
        "guarantees for neighbours by 'add_remove' and by 'replace' cannot be added up",
        code="invalid_parameter",
        fix="declare the same neighbours for all",
    )
