"""The hierarchies of a plan, whatever it is about; their files lie beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from ..errors import TacitError
from ..release.hierarchy import Hierarchy, Recipe, hierarchy


class LocatedPlan(Protocol):
    """A plan with a folder, which says where an error is."""

    @property
    def plan(self) -> Any:
        """Its sections."""

    @property
    def folder(self) -> Path:
        """What its paths are relative to."""

    def locate_error(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""


def load_hierarchies(plan: LocatedPlan) -> dict[str, Hierarchy | Recipe]:
    """Column → its hierarchy; an error points at its line under [hierarchies]."""
    found = {}
    for column, given in plan.plan.hierarchies.items():
        try:
            found[column] = hierarchy(given, folder=plan.folder)
        except TacitError as problem:
            raise plan.locate_error(problem, "hierarchies", column) from None
    return found
