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


FEWEST = 10
"""Counts of records below this are not published."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A value that the run derived from the data, and whether it may be published.

    ``counts`` says that it counts records (a number, or numbers by name): the public sees "fewer than 10" of small ones.
    """

    value: Any
    publishable: bool
    counts: bool = False

    def published(self) -> Any:
        """The value as the public sees it."""
        if not self.counts:
            return self.value
        if isinstance(self.value, Mapping):
            return {name: _veiled(count) for name, count in self.value.items()}
        return _veiled(self.value)


def _veiled(count: int) -> int | str:
    return f"fewer than {FEWEST}" if 0 < count < FEWEST else count


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
        if public:
            found = {name: finding.published() for name, finding in self.outcome.items() if finding.publishable}
        else:
            found = {name: finding.value for name, finding in self.outcome.items()}
        return {"method": self.method, "parameters": _plain(self.parameters), "outcome": _plain(found)}


def _plain(value: Any) -> Any:
    """The value as JSON gives it back: lists for tuples, dictionaries for mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
