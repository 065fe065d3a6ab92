"""A checked plan about tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...tables.rules.rule import Rule
from ..parse import where_in
from ..register import Fingerprint, fingerprint_of
from .methods import Way
from .schema import TablePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTablePlan:
    """A checked plan about tables, its text, the folder that its paths are relative to, and what its sections stand for."""

    plan: TablePlan
    text: str
    folder: Path
    name: str
    rules: tuple[Rule, ...]
    way: Way

    @property
    def data_path(self) -> Path:
        """The file to read."""
        return self.folder / self.plan.data.path

    @property
    def ready_made(self) -> bool:
        """Whether the file is a ready-made problem, which says itself which cells are unsafe."""
        return self.data_path.suffix.lower() == ".jj"

    @property
    def inputs(self) -> tuple[Path, ...]:
        """All files that the job reads, the plan among them."""
        trees = [given for given in self.plan.hierarchies.values() if isinstance(given, dict)]
        own = [*(one.path for one in self.plan.table.linked), self.plan.table.prior]
        own += [given.get(word) for given in trees for word in ("hrc", "nested", "file")]
        return self.folder / self.name, self.data_path, *(self.folder / one for one in own if isinstance(one, str))

    @property
    def output_folder(self) -> Path:
        """The folder that the plan names for its result."""
        return self.folder / self.plan.output.directory

    def fingerprint(self) -> Fingerprint:
        """By what the register knows a plan again: its data, all that it does with them, and which cells disclose."""
        left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}}
        sections = self.plan.model_dump(mode="json", by_alias=True, exclude=left_out)
        required = {name: sections.pop(name) for name in ("rule", "mark", "intruder")}
        return fingerprint_of(self.inputs[1:], steps=sections, requirements=required)

    @property
    def has_rules(self) -> bool:
        """Whether anything says which cells disclose; a mark that only waives, shows or prices a cell does not."""
        by_hand = any(mark.status in ("unsafe", "hidden") for mark in self.plan.mark)
        zeros = self.plan.table.zeros not in ("published", "candidates")
        return bool(self.rules) or by_hand or zeros or self.plan.table.prior is not None or self.ready_made

    def locate_error(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""
        return problem if problem.where else problem.with_location(where_in(self.name, self.text, path))
