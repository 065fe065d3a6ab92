"""One way to protect the data: a strategy with all its parameters set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import TacitError
from ..protect import METHODS
from ..protect.load import from_json, to_json
from ..registry import Entry
from .space import Path, Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The steps of a plan, the strategy that they come from, and the parameters that the strategy had left open.

    Two candidates with the same ``key`` mask alike: the key has every parameter of every step, the unsaid ones too.
    """

    strategy: str
    steps: tuple[Mapping[str, Any], ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    methods: Mapping[str, Entry] = field(default_factory=lambda: METHODS, repr=False, compare=False)

    @staticmethod
    def of(strategy: Strategy, values: Mapping[Path, Any]) -> Candidate:
        """A strategy with a value for each of its open parameters."""
        said = {_parameter_label(strategy, path): value for path, value in values.items()}
        return Candidate(
            strategy=strategy.name, steps=strategy.fill_steps(values), values=said, methods=strategy.methods
        )

    @property
    def key(self) -> str:
        """The steps as text, the same for the same steps; those that cannot be made, as they were given."""
        try:
            made = [to_json(from_json(step, self.methods)) for step in self.steps]
        except TacitError:
            made = [dict(step) for step in self.steps]
        return json.dumps(made, sort_keys=True, default=str)


def _parameter_label(strategy: Strategy, path: Path) -> str:
    """The name of a parameter, with its method in front where there are several steps, numbered where it comes twice."""
    place, *inner = path
    name = ".".join(str(part) for part in inner if part != "models")
    methods = [step["method"] for step in strategy.steps]
    method = methods[int(place)]
    if len(methods) == 1:
        return name
    again = methods.count(method) > 1
    return f"{method} {methods[: int(place) + 1].count(method)}.{name}" if again else f"{method}.{name}"
