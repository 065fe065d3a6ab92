"""A checked plan about a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...graphs.attack.attack import GraphAttack
from ...graphs.masked import GraphMethod
from ..parse import where_in
from ..register import Fingerprint, fingerprint_of
from .require import GraphRequirements
from .schema import GraphPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGraphPlan:
    """A checked plan about a network, its text, the folder that its paths are relative to, and what its sections stand for."""

    plan: GraphPlan
    text: str
    folder: Path
    name: str
    steps: tuple[GraphMethod, ...]
    attacks: Mapping[str, GraphAttack]
    requirements: GraphRequirements

    @property
    def edges_path(self) -> Path:
        """The file of edges."""
        return self.folder / self.plan.graph.edges

    @property
    def nodes_path(self) -> Path | None:
        """The file of nodes, if there is one."""
        return None if self.plan.graph.nodes is None else self.folder / self.plan.graph.nodes

    @property
    def inputs(self) -> tuple[Path, ...]:
        """All files that the job reads, the plan among them."""
        nodes = () if self.nodes_path is None else (self.nodes_path,)
        return self.folder / self.name, self.edges_path, *nodes

    @property
    def output_folder(self) -> Path:
        """The folder that the plan names for its result."""
        return self.folder / self.plan.output.directory

    def fingerprint(self) -> Fingerprint:
        """By what the register knows a plan again: its data, all that it does with them, and what it requires."""
        left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}, "graph": {"nodes"}}
        sections = self.plan.model_dump(mode="json", exclude=left_out)
        required = sections.pop("require")
        return fingerprint_of(self.inputs[1:], steps=sections, requirements=required)

    def locate_error(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""
        return problem if problem.where else problem.with_location(where_in(self.name, self.text, path))
