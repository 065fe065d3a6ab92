"""Column roles (A-01): X = identifiers ‖ quasi-identifiers ‖ confidential ‖ the rest, and weight and household.

``unrestricted`` is a decision: the column is released as it is. ``other`` is a column of which nobody decided anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from ..errors import TacitError, names

__all__ = ["ROLES", "Role", "assigned"]

Role: TypeAlias = Literal["identifier", "quasi", "confidential", "other", "unrestricted", "weight", "household"]
ROLES: tuple[Role, ...] = ("identifier", "quasi", "confidential", "other", "unrestricted", "weight", "household")


def assigned(columns: Sequence[str], given: Mapping[Role, str | Iterable[str] | None]) -> dict[str, Role]:
    """Column → role for every column; a column that is not named is ``other``, one named twice is an error.

    >>> assigned(["zip", "income", "note"], {"quasi": "zip", "confidential": ["income"]})
    {'zip': 'quasi', 'income': 'confidential', 'note': 'other'}
    """
    roles: dict[str, Role] = {}
    for role, chosen in given.items():
        found = names(chosen, columns)
        if role in ("weight", "household") and len(found) > 1:
            raise TacitError(
                f"a release has one {role} column, not {len(found)}", fix=f"name one of {', '.join(found)}"
            )
        for name in found:
            if name in roles:
                raise TacitError(f"is given two roles, {roles[name]} and {role}", column=name, fix="keep one of them")
            roles[name] = role
    return {name: roles.get(name, "other") for name in columns}
