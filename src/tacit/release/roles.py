"""Column roles: X = identifiers ‖ quasi-identifiers ‖ confidential ‖ the rest, and weight and household.

``unrestricted`` is a decision: the column is released as it is. ``other`` is a column of which nobody decided anything. Roles are
exclusive but for one pair: ``quasi_confidential`` is a column that an intruder may know of some people and that is to be kept from
it of others: what can be seen in life, such as origin, religion or a disability. It is a quasi-identifier AND confidential.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from ..errors import TacitError, check_columns

Role: TypeAlias = Literal[
    "identifier", "quasi", "quasi_confidential", "confidential", "other", "unrestricted", "weight", "household"
]
ROLES: tuple[Role, ...] = (
    "identifier",
    "quasi",
    "quasi_confidential",
    "confidential",
    "other",
    "unrestricted",
    "weight",
    "household",
)
QUASI: tuple[Role, ...] = ("quasi", "quasi_confidential")
"""The roles of quasi-identifiers."""
CONFIDENTIAL: tuple[Role, ...] = ("confidential", "quasi_confidential")
"""The roles of confidential columns."""


def assign_roles(columns: Sequence[str], given: Mapping[Role, str | Iterable[str] | None]) -> dict[str, Role]:
    """Column → role for every column; a column that is not named is ``other``.

    A column may be a quasi-identifier and confidential; any other two roles are an error.

    >>> assign_roles(["zip", "race", "income", "note"], {"quasi": ["zip", "race"], "confidential": ["race", "income"]})
    {'zip': 'quasi', 'race': 'quasi_confidential', 'income': 'confidential', 'note': 'other'}
    """
    roles: dict[str, Role] = {}
    for role, chosen in given.items():
        found = check_columns(chosen, columns)
        if role in ("weight", "household") and len(found) > 1:
            raise TacitError(
                f"a release has one {role} column, not {len(found)}",
                code="invalid_data",
                fix=f"name one of {', '.join(found)}",
            )
        for name in found:
            if name in roles and {roles[name], role} != {"quasi", "confidential"}:
                raise TacitError(
                    f"is given two roles, {roles[name]} and {role}",
                    code="duplicate",
                    column=name,
                    fix="keep one of them",
                )
            roles[name] = "quasi_confidential" if name in roles else role
    return {name: roles.get(name, "other") for name in columns}
