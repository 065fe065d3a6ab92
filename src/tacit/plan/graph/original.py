"""The network of a plan, read with its roles."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...graphs.build import with_roles
from ...graphs.files.read import read_graph
from ...graphs.graph import Graph
from ..hierarchies import load_hierarchies
from .loaded_plan import LoadedGraphPlan

ROLES = ("identifier", "quasi", "confidential", "unrestricted")


def original_of(loaded: LoadedGraphPlan) -> Graph:
    """The original network; an error points at the file or the role that it is about."""
    of, roles = loaded.plan.graph, loaded.plan.roles
    ends: Any = None if of.ends is None else tuple(of.ends)
    try:
        found = read_graph(
            loaded.edges_path,
            nodes=loaded.nodes_path,
            label=of.label,
            ends=ends,
            directed=of.directed,
            **loaded.plan.data.model_dump(include={"separator", "encoding"}),
        )
    except TacitError as problem:
        raise loaded.locate_error(problem, "graph", "edges") from None
    try:
        return with_roles(
            found,
            identifier=roles.identifier,
            quasi=roles.quasi,
            confidential=roles.confidential,
            unrestricted=roles.unrestricted,
            kinds=loaded.plan.kinds,
            hierarchies=load_hierarchies(loaded),
            missing=loaded.plan.data.missing,
        )
    except TacitError as problem:
        raise loaded.locate_error(problem, *_error_path(loaded, problem.column)) from None


def _error_path(loaded: LoadedGraphPlan, column: str | None) -> tuple[str, ...]:
    """The section and key of the plan that an error about an attribute belongs to."""
    declared = (section for section in ("hierarchies", "kinds") if column in getattr(loaded.plan, section))
    given = ("roles", next((key for key in ROLES if column in getattr(loaded.plan.roles, key)), ""))
    place = next(((section, column) for section in declared if column is not None), given)
    return tuple(filter(None, place))
