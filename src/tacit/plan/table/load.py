"""From the text of a plan about tables to a checked plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError, instead
from ...tables.rules.load import from_json
from ...tables.rules.rule import Rule
from ..parse import blamed, parsed, section, text_of, where_in
from .check import checked
from .loaded import LoadedTablePlan
from .schema import TablePlan
from .ways import WAYS, Way


def load_table_plan(path: str | Path) -> LoadedTablePlan:
    """The plan in a TOML file."""
    text, file = text_of(path), Path(path)
    return table_plan(text, folder=file.parent, name=file.name)


def table_plan(text: str, *, folder: Path = Path(), name: str = "plan", draft: bool = False) -> LoadedTablePlan:
    """The plan in a text; in a ``draft`` dimensions and rules may be to come."""
    plan = parsed(text, name, TablePlan)
    rules = tuple(_rule(given, number, text, name) for number, given in enumerate(plan.rule))
    found = LoadedTablePlan(
        plan=plan, text=text, folder=folder, name=name, rules=rules, way=_way(plan.protect, text, name)
    )
    checked(found, draft=draft)
    return found


def _rule(given: Mapping[str, Any], number: int, text: str, name: str) -> Rule:
    try:
        return from_json(given)
    except TacitError as problem:
        raise problem.at(where_in(name, text, ("rule", number, *blamed(problem, given)))) from None


def _way(given: Mapping[str, Any], text: str, name: str) -> Way:
    method = given.get("method", "suppress")
    if method not in WAYS:
        problem = TacitError(f"the method {method!r} is unknown", fix=instead(str(method), list(WAYS)))
        raise problem.at(where_in(name, text, ("protect", "method")))
    return section(given, WAYS[method], text, name, ("protect",))
