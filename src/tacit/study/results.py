"""A study: every candidate that was tried, where it lies, which of them are worth looking at, and which one was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import TacitError
from ..loss.score import WeightedMeasure
from ..result import DisplayMixin, format_fact
from .candidate import Candidate
from .evaluation import Evaluation
from .plan_text import plan_with_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A candidate on the map; number 0 is the file without any protection but the removal of identifiers.

    ``risk`` and ``loss`` are None when it failed; of one that was stopped they are what it has at least. ``attacked`` is what
    all attacks of a release found, where it was attacked by them: its verdicts are then by these.
    """

    number: int
    candidate: Candidate
    evaluation: Evaluation
    risk: float | None
    loss: float | None
    attacked: Mapping[str, float] = field(default_factory=dict)

    @property
    def strategy(self) -> str:
        """What it is called on the map."""
        return self.candidate.strategy

    @property
    def done(self) -> bool:
        """Whether it was evaluated to the end."""
        return self.evaluation.state == "done"

    @property
    def holds(self) -> bool:
        """Whether it meets every requirement, as far as anybody knows."""
        return bool(self.evaluation.holds)

    @property
    def parameters(self) -> str:
        """What the strategy had left open, in words."""
        return ", ".join(f"{name} {format_fact(value)}" for name, value in self.candidate.values.items())

    def plan(self, text: str) -> str:
        """The plan in ``text`` with the steps of this point instead of its own."""
        return plan_with_steps(text, self.candidate.steps, said=f"point {self.number}: {self.strategy}")

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        own = {"number": self.number, "strategy": self.strategy, "parameters": dict(self.candidate.values)}
        return (
            own
            | {
                "risk": self.risk,
                "loss": self.loss,
                "holds": self.evaluation.holds,
                "attacked by all": dict(self.attacked),
                "steps": [dict(step) for step in self.candidate.steps],
            }
            | self.evaluation.as_json()
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study(DisplayMixin):
    """What was tried (``points``), the ``front`` of those that no other beats in both, and the number ``chosen``.

    The choice is among those that meet every requirement and every bound of ``at_most``, by the weights of ``prefer``;
    None when there is no such candidate, then ``nearest`` has the one that misses least. ``required`` are the bounds on the
    kinds of risk. ``ended`` says why the search ended, ``notes`` what a reader has to know.
    """

    title: str
    points: tuple[Point, ...]
    front: tuple[int, ...]
    chosen: int | None
    nearest: int | None
    risk: tuple[WeightedMeasure, ...]
    loss: tuple[WeightedMeasure, ...]
    attacks: tuple[str, ...]
    required: Mapping[str, float] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    prefer: Mapping[str, float] = field(default_factory=dict)
    search: str = "optimiser"
    ended: str = ""
    notes: tuple[str, ...] = ()
    plan_text: str = ""

    def point(self, number: int) -> Point:
        """The point with that number."""
        found = next((point for point in self.points if point.number == number), None)
        if found is None:
            raise TacitError(
                f"there is no point {number}",
                code="unknown_name",
                fix=f"points are numbered from 0 to {self.points[-1].number}",
            )
        return found

    @property
    def best(self) -> Point:
        """The chosen point, or the one that misses the requirements least."""
        number = self.chosen if self.chosen is not None else self.nearest
        if number is None:
            raise TacitError(
                "no candidate could be evaluated", code="invalid_plan", fix="see why each failed: study.points"
            )
        return self.point(number)

    def plan(self, number: int | None = None) -> str:
        """The plan that makes this point, the best one unless another is named, as the text of a plan file."""
        return (self.best if number is None else self.point(number)).plan(self.plan_text)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The choice and the front, line by line."""
        yield "candidates", f"{len(self.points) - 1}: {self.ended}"
        for number in self.front:
            point = self.point(number)
            mark = " ← chosen" if number == self.chosen else ""
            held = "meets the requirements" if point.holds else "does not meet them"
            said = f"{point.parameters}: " if point.parameters else ""
            yield (
                f"{number} {point.strategy}",
                f"{said}risk {format_fact(point.risk)}, loss {format_fact(point.loss)}, {held}{mark}",
            )

    def frame(self) -> Any:
        """A row for each point, with every part of risk and loss: a Polars table."""
        import polars as pl

        kinds = [one.name for one in self.risk]
        losses = [one.name for one in self.loss]
        attacks = list(dict.fromkeys(name for point in self.points for name in point.evaluation.attacks))
        rows = [
            {
                "number": point.number,
                "strategy": point.strategy,
                "parameters": point.parameters,
                "state": point.evaluation.state,
                "holds": point.evaluation.holds,
                "front": point.number in self.front,
                "risk": point.risk,
                "loss": point.loss,
                **{f"risk: {name}": point.evaluation.risks.get(name) for name in kinds},
                **{f"attack: {name}": point.evaluation.attacks.get(name) for name in attacks},
                **{f"loss: {name}": point.evaluation.losses.get(name) for name in losses},
                "why": point.evaluation.why,
            }
            for point in self.points
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        return {
            "title": self.title,
            "chosen": self.chosen,
            "nearest": self.nearest,
            "front": list(self.front),
            "weights": {
                "risk": {one.name: one.weight for one in self.risk},
                "loss": {one.name: one.weight for one in self.loss},
            },
            "required": dict(self.required),
            "at most": dict(self.at_most),
            "ended": self.ended,
            "notes": list(self.notes),
            "points": [point.as_json() for point in self.points],
        }
