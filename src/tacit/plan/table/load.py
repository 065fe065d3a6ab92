"""From the text of a plan about tables to a checked plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError, suggest_alternative
from ...tables.rules.rule import Rule
from ...tables.rules.serialise import from_json
from ..parse import error_key, parse_plan, parse_section, text_of, where_in
from .loaded_plan import LoadedTablePlan
from .methods import WAYS, Suppress, Way
from .schema import TablePlan

OF_CELLS = ("value", "contributors", "top", "tolerance", "add_totals")

OF_RECORDS = ("response", "weight", "holding", "missing", "unanswered")
"""Keys of [table] that say something about one kind of file alone."""

SUFFIXES = (".csv", ".tsv", ".xlsx")


def load_table_plan(path: str | Path) -> LoadedTablePlan:
    """The plan in a TOML file."""
    text, file = text_of(path), Path(path)
    return table_plan(text, folder=file.parent, name=file.name)


def table_plan(text: str, *, folder: Path = Path(), name: str = "plan", draft: bool = False) -> LoadedTablePlan:
    """The plan in a text; in a ``draft`` dimensions and rules may be to come."""
    plan = parse_plan(text, name, TablePlan)
    rules = tuple(_parse_rule(given, number, text, name) for number, given in enumerate(plan.rule))
    found = LoadedTablePlan(
        plan=plan, text=text, folder=folder, name=name, rules=rules, way=_parse_method(plan.protect, text, name)
    )
    check_plan(found, draft=draft)
    return found


def _parse_rule(given: Mapping[str, Any], number: int, text: str, name: str) -> Rule:
    try:
        return from_json(given)
    except TacitError as problem:
        raise problem.with_location(where_in(name, text, ("rule", number, *error_key(problem, given)))) from None


def _parse_method(given: Mapping[str, Any], text: str, name: str) -> Way:
    method = given.get("method", "suppress")
    if method not in WAYS:
        problem = TacitError(
            f"the method {method!r} is unknown", code="unknown_name", fix=suggest_alternative(str(method), list(WAYS))
        )
        raise problem.with_location(where_in(name, text, ("protect", "method")))
    return parse_section(given, WAYS[method], text, name, ("protect",))


def check_plan(loaded: LoadedTablePlan, *, draft: bool = False) -> None:
    """Refuse a plan whose sections contradict one another, before any work is done; of a ``draft`` parts may be to come."""
    for check in (_check_table, _check_hierarchies, _check_linked, _ready_made, _way_check, _check_output):
        check(loaded)
    if not draft:
        _check_complete(loaded)


def _check_complete(loaded: LoadedTablePlan) -> None:
    """Refuse a plan in which something is still to be said."""
    if not loaded.plan.table.by and not loaded.plan.table.linked and not loaded.ready_made:
        problem = TacitError(
            "the table has no dimension", code="invalid_plan", fix='name the dimensions, e.g. by = ["region", "sex"]'
        )
        raise loaded.locate_error(problem, "table")
    if loaded.way.method in ("suppress", "adjust") and not loaded.has_rules:
        problem = TacitError(
            "nothing says which cells disclose",
            code="no_rule",
            fix='add a rule: [[rule]] method = "minimum_frequency", n = 3',
        )
        raise problem.with_location(loaded.name)


def _check_table(loaded: LoadedTablePlan) -> None:
    table = loaded.plan.table
    if table.by and table.linked:
        problem = TacitError(
            "both by and linked are given",
            code="conflicting_parameters",
            fix='name the dimensions, e.g. by = ["region", "sex"]',
        )
        raise loaded.locate_error(problem, "table")
    if table.holds == "cells" and table.value is None and not loaded.ready_made:
        problem = TacitError(
            "it is not said which column holds the figures", code="missing_parameter", fix='add e.g. value = "turnover"'
        )
        raise loaded.locate_error(problem, "table", "holds")
    for key in OF_CELLS if table.holds == "records" else OF_RECORDS:
        if getattr(table, key):
            other = "cells" if table.holds == "records" else "records"
            problem = TacitError(
                f"{key!r} says nothing about {table.holds}",
                code="conflicting_parameters",
                fix=f'it is for holds = "{other}"',
            )
            raise loaded.locate_error(problem, "table", key)


def _check_hierarchies(loaded: LoadedTablePlan) -> None:
    for name, given in loaded.plan.hierarchies.items():
        if not isinstance(given, str | list | dict):
            problem = TacitError(
                "is no hierarchy", code="wrong_type", column=name, fix=f'e.g. {name} = {{ hrc = "{name}.hrc" }}'
            )
            raise loaded.locate_error(problem, "hierarchies", name)
        if isinstance(given, dict) and isinstance(given.get("table"), str):
            problem = TacitError(
                "'table' holds the codes themselves, not a file",
                code="unsuitable_column",
                column=name,
                fix="a file with a column per level is { nested = … } (coarse to fine, with a header) or { file = … } (fine to "
                "coarse, without)",
            )
            raise loaded.locate_error(problem, "hierarchies", name)


def _check_linked(loaded: LoadedTablePlan) -> None:
    """Names of tables become names of files."""
    named = [one.name for one in loaded.plan.table.linked]
    for place, name in enumerate(named):
        if name in named[:place]:
            problem = TacitError(f"two tables are called {name!r}", code="duplicate", fix="give each its own name")
            raise loaded.locate_error(problem, "table", "linked", place, "name")
        if not _is_file_name(name):
            problem = TacitError(
                f"{name!r} cannot be the name of a file",
                code="invalid_plan",
                fix="use letters, digits, blanks, - and _",
            )
            raise loaded.locate_error(problem, "table", "linked", place, "name")
    summed = next((place for place, one in enumerate(loaded.plan.table.linked) if one.response), None)
    if summed is not None and (loaded.plan.table.holds == "cells" or loaded.way.method == "cell_key"):
        problem = TacitError(
            "a response says which column of records is summed", code="invalid_plan", fix="leave it out"
        )
        raise loaded.locate_error(problem, "table", "linked", summed, "response")
    if loaded.plan.table.holds == "records" and any(one.path for one in loaded.plan.table.linked):
        problem = TacitError(
            "linked tables of records are made from one file", code="invalid_plan", fix='a path is for holds = "cells"'
        )
        raise loaded.locate_error(problem, "table", "linked")


def _ready_made(loaded: LoadedTablePlan) -> None:
    """A JJ file has cells, sums, statuses, levels, bounds and costs: nothing else may speak of them."""
    if not loaded.ready_made:
        return
    plan = loaded.plan
    more = {"table": plan.table.model_fields_set, "hierarchies": plan.hierarchies, "rule": plan.rule, "mark": plan.mark}
    more["intruder"] = plan.intruder.model_fields_set & {"within"}
    for part, said in more.items():
        if said:
            problem = TacitError(
                f"a .jj file says all about its cells, and [{part}] speaks of them too",
                code="invalid_plan",
                fix=f"leave [{part}] out",
            )
            raise loaded.locate_error(problem, part)
    if isinstance(loaded.way, Suppress) and "cost" in loaded.way.model_fields_set:
        problem = TacitError("a .jj file has the costs of its cells", code="privacy_budget", fix="leave 'cost' out")
        raise loaded.locate_error(problem, "protect", "cost")


def _way_check(loaded: LoadedTablePlan) -> None:
    table = loaded.plan.table
    if loaded.way.method == "cell_key":
        for key in ("response", "weight", "holding"):
            if getattr(table, key):
                problem = TacitError(
                    f"cell keys are for plain counts of records, without {key}",
                    code="conflicting_parameters",
                    fix=f"leave {key!r} out",
                )
                raise loaded.locate_error(problem, "table", key)
        if table.holds == "cells" or loaded.ready_made:
            problem = TacitError("cell keys need the records", code="invalid_plan", fix='use holds = "records"')
            raise loaded.locate_error(problem, "protect", "method")


def _check_output(loaded: LoadedTablePlan) -> None:
    """What would only be found out when all the work is done."""
    output = loaded.plan.output
    if output.file is not None:
        if not _is_file_name(output.file):
            problem = TacitError(
                f"{output.file!r} is not the name of a file", code="cannot_write", fix="give a name without folders"
            )
            raise loaded.locate_error(problem, "output", "file")
        if Path(output.file).suffix.lower() not in SUFFIXES:
            problem = TacitError(
                f"tables are not published as {output.file!r}",
                code="wrong_type",
                fix=f"use a name that ends in {' or '.join(SUFFIXES)}",
            )
            raise loaded.locate_error(problem, "output", "file")
    if output.form == "pivot" and (loaded.plan.table.linked or loaded.ready_made):
        problem = TacitError(
            "linked and ready-made tables make no pivot table", code="invalid_plan", fix='use form = "long"'
        )
        raise loaded.locate_error(problem, "output", "form")


def _is_file_name(name: str) -> bool:
    return (
        name == Path(name).name and name not in ("", "..") and name.isprintable() and not set(name) & set('\\:*?"<>|')
    )
