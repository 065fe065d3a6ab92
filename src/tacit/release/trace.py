"""The transparency record: method and parameters as they would be published, and what the run found in the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Finding", "Trace", "method_name"]


def method_name(method: object) -> str:
    """The plan name of a method, from its class: RankSwap → rank_swap."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(method).__name__).lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """A value that the run derived from the data, and whether it may be published."""

    value: Any
    publishable: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """One step: the method's plan name, its parameters, and the outcome derived from the data (never a seed)."""

    method: str
    parameters: Mapping[str, Any]
    outcome: Mapping[str, Finding] = field(default_factory=dict)

    @staticmethod
    def of(method: Any, **outcome: Finding) -> Trace:
        """The trace of a method: its dataclass fields are its parameters."""
        return Trace(method_name(method), asdict(method), outcome)

    def as_json(self, *, public: bool) -> dict[str, Any]:
        """Plain values; the public form leaves out what must not be published."""
        found = {name: finding.value for name, finding in self.outcome.items() if finding.publishable or not public}
        return {"method": self.method, "parameters": dict(self.parameters), "outcome": found}
