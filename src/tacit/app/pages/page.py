"""A page: what its template needs beside the panels."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...release.hierarchy import hierarchy
from ..forms import Column, Columns
from ..panels.context import file_stamp, ladder_stamps
from ..project.project import Project
from ..work.scheduler import PanelScheduler

SEVERAL = ("identifier", "quasi", "confidential", "unrestricted")
ONE = ("weight", "household")


@dataclass(frozen=True)
class View:
    """The project as a page sees it; ``query`` is what stands in the address."""

    project: Project
    desk: PanelScheduler
    query: Mapping[str, str]

    @cached_property
    def raw(self) -> dict[str, Any]:
        """The plan as plain values."""
        return self.project.raw("plan")

    @cached_property
    def table(self) -> dict[str, Any]:
        """The plan of the table as plain values."""
        return self.project.raw("table")

    @cached_property
    def look(self) -> Any:
        """What is known of the file, or None while it is being read."""
        return self.desk.found("look") if self.raw else None

    @cached_property
    def columns(self) -> Columns:
        """The columns with their roles, kinds and heights of hierarchies, as far as they are known."""
        return columns_of(self.raw, self.look, self.project)

    def role(self, column: str) -> str:
        """The role of a column in the plan."""
        return role_of(self.raw, column)

    def unchanged(self, seen: Sequence[Any]) -> bool:
        """Whether a file is still the one that a panel saw, by its stamp."""
        return file_stamp(Path(seen[0])) == list(seen)


def columns_of(raw: Mapping[str, Any], look: Any, project: Project) -> Columns:
    """What forms may offer, from the plan and from what is known of the file."""
    kinds = raw.get("kinds", {})
    every = tuple(
        Column(name=one["name"], role=role_of(raw, one["name"]), kind=kinds.get(one["name"], one["kind"] or ""))
        for one in (look or {"columns": []})["columns"]
    )
    files = ladder_stamps(project.folder, raw.get("hierarchies", {}))
    heights = _hierarchy_heights(project.documents.get("plan", ""), project.folder, tuple(map(tuple, files)))
    return Columns(every=every, heights=heights)


@lru_cache(maxsize=4)
def _hierarchy_heights(plan: str, folder: Path, _: tuple[Any, ...]) -> Mapping[str, int]:
    """The heights of the hierarchies of a plan; their files, which may be long, are read again when one is another."""
    heights = {}
    for column, given in tomllib.loads(plan).get("hierarchies", {}).items():
        with suppress(TacitError):  # the page says what is wrong with it where it is used
            heights[column] = int(hierarchy(given, folder=folder).height)
    return heights


def role_of(raw: Mapping[str, Any], column: str) -> str:
    """The role of a column in a plan."""
    roles = raw.get("roles", {})
    several = [
        role
        for role in SEVERAL
        if column in [given["column"] if isinstance(given, dict) else given for given in roles.get(role, [])]
    ]
    if several:
        return "quasi_confidential" if several == ["quasi", "confidential"] else several[0]
    return next((role for role in ONE if roles.get(role) == column), "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """``context`` gives what ``templates/pages/NAME.html`` needs; where it ``needs_data``, a file comes first."""

    context: Callable[[View], Mapping[str, Any]] = lambda _: {}
    needs_data: bool = True
