"""The release that a plan starts from: its file under its roles, kinds and hierarchies."""

from __future__ import annotations

from typing import Any

from ..errors import TacitError
from ..release.hierarchy import hierarchy
from ..release.read import read
from ..release.release import Release
from .levels import levelled
from .load import LoadedPlan

__all__ = ["also_of", "control_of", "original_of"]

READING = {"engine", "separator", "encoding", "decimal", "dates", "missing_values", "sheet", "missing"}
"""The keys of [data] that say how the file is read."""


def original_of(plan: LoadedPlan) -> Release:
    """Read the file of a plan; an error about the data points at the section of the plan that it belongs to."""
    roles: dict[str, Any] = plan.plan.roles.model_dump(include={"quasi", "confidential", "weight", "household"})
    try:
        release = read(
            plan.data_path,
            **plan.plan.data.model_dump(include=READING),
            **roles,
            identifier=[given.column for given in plan.identifiers],
            kinds=plan.plan.kinds,
            hierarchies={column: _ladder(plan, column, given) for column, given in plan.plan.hierarchies.items()},
        )
        release.matches()
    except TacitError as problem:
        raise problem if problem.where else plan.at(problem, *_where(plan, problem)) from None
    return release.described(population=_beside(plan, plan.plan.data.population, "data", "population"))


def control_of(plan: LoadedPlan) -> Release | None:
    """The people of a plan who are not in its data, if it names a file of them."""
    return _beside(plan, plan.plan.intruder.control, "intruder", "control")


def also_of(plan: LoadedPlan, original: Release) -> tuple[Release, ...]:
    """Other tables about the same people that the intruder has, at the levels at which they stand."""
    found = []
    for given in plan.plan.intruder.also:
        table = _beside(plan, given, "intruder", "also")
        assert table is not None
        common = [column for column in table.columns if column in original.columns]
        found.append(levelled(table, original, common)[0])
    return tuple(found)


def _beside(plan: LoadedPlan, given: str | None, *key: str) -> Release | None:
    """Another file that a plan names; its columns are read as those of the data."""
    if given is None:
        return None
    try:
        return read(plan.folder / given, **plan.plan.data.model_dump(include=READING))
    except TacitError as problem:
        raise plan.at(problem, *key) from None


def _ladder(plan: LoadedPlan, column: str, given: Any) -> Any:
    try:
        return hierarchy(given, folder=plan.folder)
    except TacitError as problem:
        raise plan.at(problem, "hierarchies", column) from None


def _where(plan: LoadedPlan, problem: TacitError) -> tuple[str, ...]:
    """The section and key of the plan that an error about the data belongs to."""
    column = problem.column
    if "missing='own'" in problem.fix:
        return "data", "missing"
    if column is not None:
        for section in ("hierarchies", "kinds"):
            if column in getattr(plan.plan, section):
                return section, column
        for role, given in plan.plan.roles.model_dump().items():
            if given == column or (isinstance(given, list) and column in [*given, *_named(given)]):
                return "roles", role
    return ("roles",)


def _named(identifiers: list[object]) -> list[object]:
    return [given["column"] for given in identifiers if isinstance(given, dict)]
