"""Reading the section ``[task]`` of an agreement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import TacitError, suggest_alternative


def known_keys(task: Mapping[str, Any], known: Collection[str]) -> Mapping[str, Any]:
    """The task, if it has no other keys than these."""
    for key in task:
        if key not in known:
            raise TacitError(
                f"unknown key {key!r}", code="unknown_name", fix=suggest_alternative(key, known), where="task"
            )
    return task


def columns_of(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """The section ``[task.columns]``: one column at least."""
    given = task.get("columns")
    if not isinstance(given, Mapping) or not given:
        raise TacitError(
            "no column is agreed on",
            code="no_usable_column",
            fix="add [task.columns] age = { low = 0, high = 120 }",
            where="task.columns",
        )
    return given


def one_of(task: Mapping[str, Any], key: str, known: Collection[str]) -> str:
    """A key of the task that must be one of these words."""
    given = task.get(key)
    if given not in known:
        raise TacitError(
            f"{key} = {given!r} is unknown",
            code="unknown_name",
            parameter=key,
            fix=suggest_alternative(str(given), known),
            where=f"task.{key}",
        )
    return str(given)
