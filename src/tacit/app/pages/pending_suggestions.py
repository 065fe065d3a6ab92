"""What is left to take of the suggestions: what somebody has chosen stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...release.roles import QUASI
from .page import ONE, role_of


def left_to_take(raw: Mapping[str, Any], suggested: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Column → what taking its suggestion would set: a role, kind and groups, each only where the plan says nothing.

    >>> ward = {"column": "ward", "role": "quasi", "kind": "code", "hierarchy": None}
    >>> left_to_take({}, [ward]), left_to_take({"roles": {"confidential": ["ward"]}, "kinds": {"ward": "code"}}, [ward])
    ({'ward': {'role': 'quasi', 'kind': 'code'}}, {})
    """
    found = {one["column"]: _pending_parts(raw, one) for one in suggested}
    return {column: left for column, left in found.items() if left}


def _pending_parts(raw: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    column, has = one["column"], role_of(raw, one["column"])
    roles = raw.get("roles", {})
    taken = one["role"] in ONE and one["role"] in roles  # of these there is one, and it is another column
    role = one["role"] if has == "other" and not taken else has
    left = {"role": role} if role != has else {}
    if one.get("kind") and column not in raw.get("kinds", {}):
        left["kind"] = one["kind"]
    if role in QUASI and one.get("hierarchy") and column not in raw.get("hierarchies", {}):
        left["hierarchy"] = one["hierarchy"]
    return left
