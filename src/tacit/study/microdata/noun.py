"""Records as a study sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...entry import Entry
from ...errors import TacitError
from ...plan.load import LoadedPlan, from_text
from ...plan.original import original_of
from ...plan.require import Requirements
from ...protect import ALL as METHODS
from ...release.masked import Masked, release_of
from ...release.release import Release
from ..noun import NOTHING_REQUIRED
from ..space import Strategy
from ..written import as_toml
from .task import RecordTask
from .trial import RecordTrial, spoken_of
from .usual import usual

__all__ = ["MICRODATA", "Microdata"]


@dataclass(frozen=True, slots=True)
class Microdata:
    """Releases, protected by :mod:`tacit.protect`, attacked by :mod:`tacit.attack`, and compared by :mod:`tacit.loss`."""

    command: str = "tacit release"

    @property
    def methods(self) -> Mapping[str, Entry]:
        """The masking methods."""
        return METHODS

    def load(self, text: str, *, folder: Path, name: str) -> LoadedPlan:
        """The plan in a text."""
        return from_text(text, folder=folder, name=name)

    def planned(self, what: object) -> bool:
        """Whether this is a plan about records."""
        return isinstance(what, LoadedPlan)

    def data_of(self, what: object) -> Release | None:
        """The release in this; None when it is none."""
        return release_of(what) if isinstance(what, Release | Masked) else None

    def described(self, data: Release, require: Mapping[str, Any] | None, intruder: Mapping[str, Any]) -> LoadedPlan:
        """A plan for data that are in memory; the path of their file is for the user to fill in."""
        roles = {
            "identifier": list(data.identifiers),
            "quasi": list(data.quasi),
            "confidential": list(data.confidential),
            "weight": data.weight,
            "household": data.household,
        }
        sections: dict[str, dict[str, Any]] = {
            "data": {"path": "data.csv", "missing": data.missing},
            "roles": {role: columns for role, columns in roles.items() if columns},
            "kinds": dict(data.declared_kinds),
            "hierarchies": {column: dict(ladder.spec()) for column, ladder in data.hierarchies.items()},
            "require": dict(require or NOTHING_REQUIRED),
            "intruder": dict(intruder),
        }
        text = as_toml({name: section for name, section in sections.items() if section})
        plan = from_text(text, name="explore(…)")
        return plan if require else replace(plan, requirements=Requirements(models={}))

    def original(self, plan: LoadedPlan) -> Release:
        """The file that a plan names."""
        return original_of(plan)

    def task(self, plan: LoadedPlan, original: Release, *, seed: int | bytes) -> RecordTask:
        """What a plan asks of every candidate, with the columns that each loss speaks of before the masking."""
        found = RecordTask.of(self, plan, original, seed=seed)
        try:
            return replace(found, columns=spoken_of(found))
        except TacitError as problem:
            raise plan.at(problem, "study", "loss") from None

    def usual(self, plan: LoadedPlan, original: Release) -> list[Strategy]:
        """The usual methods for the kinds of the columns."""
        return usual(original, plan.plan.require)

    def trial(self, task: RecordTask, steps: Sequence[Mapping[str, Any]]) -> RecordTrial:
        """The records protected by these steps."""
        return RecordTrial(task, steps)


MICRODATA = Microdata()
