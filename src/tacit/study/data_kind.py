"""What a study needs to know of the sort of data that it is about: all else is the same for records and networks.

A noun of a plan that is to be studied gives an object of :class:`DataKind`, which makes a :class:`Task` of a plan and its
data, and a :class:`Trial` of every candidate. They are listed in :mod:`.data_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..errors import TacitError
from ..loss.score import WeightedMeasure
from ..models.verdict import Verdict
from ..registry import Entry
from .evaluation import Figure
from .space import Strategy

NOTHING_REQUIRED = {"reidentification": 1.0}
"""What stands in the plan of data of which nothing is required: a bound that every release meets."""


class StudyPlan(Protocol):
    """A checked plan with a section [study], whatever it is about; ``plan`` are its sections."""

    @property
    def plan(self) -> Any:
        """The sections: title, require, protect, study."""

    @property
    def text(self) -> str:
        """What the user wrote."""

    @property
    def folder(self) -> Path:
        """What its paths are relative to."""

    def locate_error(self, problem: TacitError, *path: str | int) -> TacitError:
        """The error with the line and key of the plan in front."""


class Trial(Protocol):
    """One candidate: protected data, measured and attacked step by step."""

    def figures(self) -> Iterator[tuple[Figure, ...]]:
        """What is found, the cheap first; whoever has heard enough asks no further."""

    def verdicts(self) -> Iterable[Verdict]:
        """The requirements judged by all that was found; an error where a risk that is weighed could not be."""


class Task(Protocol):
    """What every candidate of a study is put through: the same data, intruder, attacks, measures and requirements."""

    @property
    def noun(self) -> DataKind:
        """What sort of data it is about."""

    @property
    def plan(self) -> StudyPlan:
        """What was asked."""

    @property
    def risk(self) -> tuple[WeightedMeasure, ...]:
        """What the risk is made of."""

    @property
    def loss(self) -> tuple[WeightedMeasure, ...]:
        """What the loss is made of."""

    @property
    def seed(self) -> int | bytes:
        """Of every draw."""

    @property
    def title(self) -> str:
        """What the map is called."""

    @property
    def attacks(self) -> tuple[str, ...]:
        """The attacks on every candidate, by name."""

    @property
    def is_partial(self) -> bool:
        """Whether a release is attacked by more than these."""

    @property
    def risk_limits(self) -> Mapping[str, float]:
        """Kind of risk → the most that is allowed, as it stands on the map."""

    @property
    def content_digest(self) -> str:
        """A digest of all that the outcome of a candidate depends on beside its steps."""

    def with_all_attacks(self) -> Task | None:
        """The same with all attacks that a release is attacked by; None where these are made already."""


class DataKind(Protocol):
    """How plans and data of one sort are read, protected and spoken of."""

    @property
    def command(self) -> str:
        """The command that makes a release of a plan."""

    @property
    def methods(self) -> Mapping[str, Entry]:
        """What a strategy may be made of, by plan name."""

    def load(self, text: str, *, folder: Path, name: str) -> Any:
        """The plan in a text."""

    def is_plan(self, what: object) -> bool:
        """Whether this is a plan of this sort."""

    def data_of(self, what: object) -> Any:
        """The data in this; None when they are of another sort."""

    def plan_for_data(self, data: Any, require: Mapping[str, Any] | None, intruder: Mapping[str, Any]) -> Any:
        """A plan for data in memory, of which nothing is required where ``require`` is None or empty."""

    def load_original(self, plan: Any) -> Any:
        """The data that a plan names."""

    def make_task(self, plan: Any, original: Any, *, seed: int | bytes) -> Task:
        """What a plan asks of every candidate; an error points at its key."""

    def default_strategies(self, plan: Any, original: Any) -> list[Strategy]:
        """What is tried when nothing is said."""

    def make_trial(self, task: Any, steps: Sequence[Mapping[str, Any]]) -> Trial:
        """The data of a task protected by these steps."""
