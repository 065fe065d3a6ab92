"""From a plan about tables to the problem that it states: the data read, added up, and judged by the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import TacitError, check_columns, unknown_column
from ...release.read import read
from ...release.release import Release
from ...tables.build.cell_tables import from_cells
from ...tables.build.linking import link_tables
from ...tables.build.records import tabulate
from ...tables.files.hst import read_hst, with_priors
from ...tables.files.jj import read_jj
from ...tables.perturb.perturb_counts import KEY, with_keys
from ...tables.problem import Problem
from ...tables.rules.assess import build_problem
from ...tables.rules.marks import Codes
from ...tables.rules.marks import Mark as CellMark
from ...tables.table import COUNT, Table
from .loaded_plan import LoadedTablePlan
from .methods import CellKey, Suppress
from .schema import Mark

Made = TypeVar("Made")


def problem_of(loaded: LoadedTablePlan, *, seed: int | bytes | None = None, records: Release | None = None) -> Problem:
    """The table of a plan with the status, levels, bounds and costs of its cells.

    With cell keys the records get keys from the seed, which are summed per cell. ``records`` are those of :func:`records_of`
    where they have been read already.
    """
    if loaded.ready_made:
        return _locate_errors(loaded, ("data", "path"), lambda: read_jj(loaded.data_path))
    keyed = seed if isinstance(loaded.way, CellKey) else None
    table = _locate_errors(loaded, ("table",), lambda: _build_tables(loaded, keyed, records))
    judged = _locate_errors(loaded, ("rule",) if loaded.plan.rule else ("table",), lambda: _apply_rules(loaded, table))
    return _locate_errors(loaded, ("table", "prior"), lambda: _with_prior(loaded, judged))


def records_of(loaded: LoadedTablePlan, path: str | None = None) -> Release:
    """The file of a plan, or another that it names, read as [data] says."""
    data = loaded.plan.data
    reading = data.model_dump(exclude={"path", "noun"})
    found = _locate_errors(loaded, ("data", "path"), lambda: read(loaded.folder / (path or data.path), **reading))
    if path is None:
        _locate_errors(loaded, ("data", "as_written"), lambda: check_columns(data.as_written, found.columns))
    return found


def _build_tables(loaded: LoadedTablePlan, seed: int | bytes | None, records: Release | None) -> Table:
    """The table of a plan, or its linked tables as one system."""
    of = loaded.plan.table
    shared = None if of.linked and all(one.path for one in of.linked) else records or records_of(loaded)
    if seed is not None and shared is not None:
        shared = with_keys(shared, seed=seed)
    if not of.linked:
        assert shared is not None
        return _build_table(loaded, of.by, shared)
    return link_tables(
        {
            one.name: _build_table(
                loaded,
                one.by,
                shared if one.path is None and shared else records_of(loaded, one.path),
                response=one.response,
            )
            for one in of.linked
        }
    )


def _build_table(loaded: LoadedTablePlan, by: list[str], records: Release, *, response: str | None = None) -> Table:
    of = loaded.plan.table
    response = of.response if response is None else None if response == COUNT else response
    made_up = {
        name
        for name, given in loaded.plan.hierarchies.items()
        if isinstance(given, list) or (isinstance(given, dict) and "columns" in given)
    }
    check_columns([name for name in by if name not in made_up], records.columns)
    unknown = next((name for name in loaded.plan.hierarchies if name not in _dimension_names(loaded)), None)
    if unknown is not None:
        raise loaded.locate_error(unknown_column(unknown, sorted(_dimension_names(loaded))), "hierarchies", unknown)
    trees = {name: given for name, given in loaded.plan.hierarchies.items() if name in by}
    shared: dict[str, Any] = {"by": by, "hierarchies": trees, "total": of.total, "folder": loaded.folder}
    if of.holds == "records":
        return tabulate(
            records,
            response=response,
            weight=of.weight,
            holding=of.holding,
            top=max(3, *(rule.contributions_needed for rule in loaded.rules)) if loaded.rules else 3,
            more=[*of.more, *([KEY] if KEY in records.columns else [])],
            missing=of.missing,
            unanswered=of.unanswered,
            **shared,
        )
    assert of.value is not None
    return from_cells(
        records,
        value=of.value,
        contributors=of.contributors,
        top=of.top,
        more=of.more,
        tolerance=of.tolerance,
        add_totals=of.add_totals,
        **shared,
    )


def _dimension_names(loaded: LoadedTablePlan) -> set[str]:
    of = loaded.plan.table
    return {*of.by, *(name for one in of.linked for name in one.by)}


def _apply_rules(loaded: LoadedTablePlan, table: Table) -> Problem:
    """The table with its rules and marks; an error about a marked cell points at its mark."""
    marks = _cell_marks(loaded, table)
    try:
        return build_problem(
            table,
            loaded.rules,
            marks=marks,
            zeros=loaded.plan.table.zeros,
            cost=loaded.way.cost if isinstance(loaded.way, Suppress) else "value",  # type: ignore[arg-type]
            bounds=loaded.plan.intruder.within,
        )
    except TacitError as problem:
        names = [(" × ".join(codes), " × ".join(map(repr, codes))) for codes in marks]
        ways = [[f"{word} {name}" for word in ("cell", "first") for name in both] for both in names]
        about = next((number for number, said in enumerate(ways) if any(one in problem.what for one in said)), None)
        raise problem if about is None else loaded.locate_error(problem, "mark", about) from None


def _cell_marks(loaded: LoadedTablePlan, table: Table) -> Mapping[Codes, CellMark]:
    """The cells of [[mark]] by their codes; a dimension that is not named is at its total."""
    totals = {one.name: one.total for one in table.dimensions}
    found: dict[Codes, CellMark] = {}
    for number, mark in enumerate(loaded.plan.mark):
        codes = mark.model_extra or {}
        unknown = next((name for name in codes if name not in table.labels.columns), None)
        if unknown is not None:
            raise loaded.locate_error(unknown_column(unknown, table.labels.columns), "mark", number, unknown)
        named = tuple(str(codes.get(name, totals.get(name, ""))) for name in table.labels.columns)
        if named in found:
            twice = TacitError(
                f"the cell {' × '.join(named)} is marked twice", code="duplicate", fix="keep one of the marks"
            )
            raise loaded.locate_error(twice, "mark", number)
        try:
            found[named] = CellMark(**mark.model_dump(include=set(Mark.model_fields)))
        except TacitError as problem:
            raise loaded.locate_error(problem, "mark", number) from None
    return found


def _with_prior(loaded: LoadedTablePlan, problem: Problem) -> Problem:
    """The problem with what an a priori file says of its cells."""
    if loaded.plan.table.prior is None:
        return problem
    path = loaded.folder / loaded.plan.table.prior
    priors = read_hst(path, dimensions=problem.table.labels.width)
    try:
        return with_priors(problem, priors)
    except TacitError as odd:
        where = ", ".join(filter(None, [str(path), odd.where]))
        fix = "correct that line, or take it out" if odd.where else "add a line with pl and two amounts for it"
        raise odd.restate(where=where, fix=fix) from None


def _locate_errors(loaded: LoadedTablePlan, path: tuple[str, ...], work: Callable[[], Made]) -> Made:
    """Do the work; an error points at the part of the plan that it belongs to."""
    try:
        return work()
    except TacitError as problem:
        cost = ("protect", "cost") if "the cost" in problem.what else ()
        raise loaded.locate_error(problem, *(_hierarchy_path(loaded, problem) or cost or path)) from None


def _hierarchy_path(loaded: LoadedTablePlan, problem: TacitError) -> tuple[str, ...]:
    """The hierarchy that an error is about: that of a column it names, or one whose file it names."""
    for name, given in loaded.plan.hierarchies.items():
        words = given.values() if isinstance(given, dict) else [given]
        files = [repr(word) for word in words if isinstance(word, str)]
        if any(file in problem.what for file in files) or (problem.column == name and "code" in problem.what):
            return "hierarchies", name
    return ()
