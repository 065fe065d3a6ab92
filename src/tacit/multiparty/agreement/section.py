"""Reading the section ``[task]`` of an agreement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import TacitError, instead

__all__ = ["known_keys", "one_of"]


def known_keys(task: Mapping[str, Any], known: Collection[str]) -> Mapping[str, Any]:
    """The task, if it has no other keys than these."""
    for key in task:
        if key not in known:
            raise TacitError(f"unknown key {key!r}", fix=instead(key, known), where="task")
    return task


def one_of(task: Mapping[str, Any], key: str, known: Collection[str]) -> str:
    """A key of the task that must be one of these words."""
    given = task.get(key)
    if given not in known:
        raise TacitError(f"{key} = {given!r} is unknown", fix=instead(str(given), known), where=f"task.{key}")
    return str(given)
