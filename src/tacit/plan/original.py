"""The release that a plan starts from: its file under its roles, kinds and hierarchies."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..errors import TacitError, check_columns
from ..release.kinds import can_have_kind
from ..release.read import read
from ..release.release import Release
from ..release.roles import Role
from .dp_job import check_declarations, check_undeclared, declared_columns, parse_table, read_columns
from .hierarchies import load_hierarchies
from .levels import at_their_levels
from .load import LoadedPlan

READING = {
    *("engine", "separator", "encoding", "decimal", "thousands", "dates", "missing_values", "as_written", "sheet"),
    "missing",
}
"""The keys of [data] that say how the file is read."""


def original_of(plan: LoadedPlan) -> Release:
    """Read the file of a plan; an error about the data points at the section of the plan that it belongs to."""
    check_declarations(plan)
    try:
        table = table_of(plan, as_text=_as_text(plan))
    except TacitError as problem:
        raise problem if problem.where else plan.locate_error(problem, *_error_path(plan, problem)) from None
    check_undeclared(plan, table.columns)
    release = described_by(plan, table.select(read_columns(plan, table.columns)))
    try:
        release.matches()
    except TacitError as problem:
        raise plan.locate_error(problem, *_error_path(plan, problem)) from None
    return release


def table_of(plan: LoadedPlan, *, as_text: Collection[str] = ()) -> Release:
    """The file of a plan as it is read, before anything is said of its columns; those ``as_text`` are not typed by their values."""
    return read(plan.data_path, **_reading_options(plan, as_text))


def _reading_options(plan: LoadedPlan, as_text: Collection[str]) -> dict[str, Any]:
    said = plan.plan.data.model_dump(include=READING)
    return said | {"as_written": list(dict.fromkeys([*said["as_written"], *as_text]))}


def _as_text(plan: LoadedPlan) -> list[str]:
    """The columns that a job with a guarantee reads as text: nothing of them may depend on other records."""
    declared = declared_columns(plan.steps)
    return [*declared, *(given.column for given in plan.identifiers)] if declared else []


def described_by(plan: LoadedPlan, table: Release) -> Release:
    """The file of a plan, read already, under the roles, kinds and hierarchies that the plan gives its columns."""
    try:
        check_columns(plan.plan.data.as_written, table.columns)
    except TacitError as problem:
        raise plan.locate_error(problem, "data", "as_written") from None
    table, said = parse_table(plan, table), plan.plan.roles
    missing = plan.plan.data.missing or ("own" if declared_columns(plan.steps) else None)
    roles: dict[Role, Any] = {
        "identifier": [given.column for given in plan.identifiers],
        "quasi": said.quasi,
        "confidential": said.confidential,
        "unrestricted": said.unrestricted,
        "weight": said.weight,
        "household": said.household,
    }
    try:
        release = table.with_roles(roles, kinds=plan.plan.kinds, hierarchies=load_hierarchies(plan), missing=missing)
    except TacitError as problem:
        raise problem if problem.where else plan.locate_error(problem, *_error_path(plan, problem)) from None
    return release.with_metadata(population=_read_other_file(plan, plan.plan.data.population, "data", "population"))


def control_of(plan: LoadedPlan) -> Release | None:
    """The people of a plan who are not in its data, if it names a file of them."""
    return _read_other_file(plan, plan.plan.intruder.control, "intruder", "control")


def also_of(plan: LoadedPlan, original: Release, knows: Collection[str]) -> tuple[Release, ...]:
    """Other tables about the same people that the intruder has, at the levels at which they stand."""
    found = []
    for given in plan.plan.intruder.also:
        table = _read_other_file(plan, given, "intruder", "also")
        assert table is not None
        comparable, why_not = at_their_levels(table, original)
        wrong = next((column for column in (*knows, *original.confidential) if column in why_not), None)
        if wrong is not None:
            problem = TacitError(
                f"has values in {given!r} that the data do not have, so that they cannot be compared",
                code="unsuitable_column",
                column=wrong,
                fix="give the hierarchy by which it was generalised under [hierarchies], or drop the column there",
            )
            raise plan.locate_error(problem, "intruder", "also")
        found.append(comparable)
    return tuple(found)


def _read_other_file(plan: LoadedPlan, given: str | None, *key: str) -> Release | None:
    """Another file that a plan names; its columns are read as those of the data."""
    if given is None:
        return None
    try:
        return other_file(plan, plan.folder / given)
    except TacitError as problem:
        raise plan.locate_error(problem, *key) from None


def other_file(plan: LoadedPlan, path: Path) -> Release:
    """A file other than the data, which need have none of its columns; those that it has are of the kinds of the data's."""
    found = parse_table(plan, read(path, **_reading_options(plan, _as_text(plan))))
    kinds = plan.plan.kinds.items()
    fitting = {
        column: kind for column, kind in kinds if column in found.columns and can_have_kind(kind, found.types[column])
    }
    return found.with_metadata(kinds=fitting)


def _error_path(plan: LoadedPlan, problem: TacitError) -> tuple[str, ...]:
    """The section and key of the plan that an error about the data belongs to."""
    column = problem.column
    if "missing='own'" in problem.fix:
        return "data", "missing"
    if column is not None:
        for section in ("hierarchies", "kinds"):
            if column in getattr(plan.plan, section):
                return section, column
        for role, given in plan.plan.roles.model_dump().items():
            if given == column or (isinstance(given, list) and column in [*given, *_identifier_columns(given)]):
                return "roles", role
    return ("roles",)


def _identifier_columns(identifiers: list[object]) -> list[object]:
    return [given["column"] for given in identifiers if isinstance(given, dict)]
