"""The transparency record: method and parameters as they would be published, and what the run found in the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..json_text import to_plain_values
from ..registry import MethodEffects, describe_type, plan_name


def method_name(method: object) -> str:
    """The plan name of a method, model or attack, or of its class: RankSwap → rank_swap, KAnonymity → k_anonymity."""
    return plan_name((method if isinstance(method, type) else type(method)).__name__)


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

    def public_value(self) -> Any:
        """The value as the public sees it."""
        if not self.counts:
            return self.value
        if isinstance(self.value, Mapping):
            return {name: _veil_small_count(count) for name, count in self.value.items()}
        return _veil_small_count(self.value)


def _veil_small_count(count: int) -> int | str:
    return f"fewer than {FEWEST}" if 0 < count < FEWEST else count


@dataclass(frozen=True, slots=True)
class Trace:
    """One step: the method's plan name, its parameters, and the outcome derived from the data (never a seed).

    ``effects`` is what the method declares to do to a file. None means that nobody knows what it does: it may have done
    anything.
    """

    method: str
    parameters: Mapping[str, Any]
    outcome: Mapping[str, Finding] = field(default_factory=dict)
    effects: MethodEffects | None = None

    @property
    def model(self) -> str | None:
        """The masking model that describes the step, if there is one."""
        return self.effects.model if self.effects is not None else None

    @staticmethod
    def of(method: Any, **outcome: Finding) -> Trace:
        """The trace of a method: its dataclass fields are its parameters, and its effects those that it declares."""
        parameters = {one.name: to_plain_data(getattr(method, one.name)) for one in fields(method)}
        return Trace(method_name(method), parameters, outcome, declared_effects(type(method)))

    def as_json(self, *, public: bool) -> dict[str, Any]:
        """Plain values; the public form leaves out what must not be published."""
        if public:
            found = {name: finding.public_value() for name, finding in self.outcome.items() if finding.publishable}
        else:
            found = {name: finding.value for name, finding in self.outcome.items()}
        plain = {"method": self.method, "parameters": to_plain_data(self.parameters), "outcome": to_plain_data(found)}
        return plain if self.effects is None else {**plain, "effects": self.effects.as_json()}

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> Trace:
        """The step as a reader of its public form has it: what was found in the data counts as published.

        >>> Trace.from_json({"method": "rank_swap", "parameters": {"percent": 5}}).parameters["percent"]
        5
        """
        found = {name: Finding(value, publishable=True) for name, value in given.get("outcome", {}).items()}
        effects = MethodEffects.from_json(given.get("effects"))
        return Trace(str(given["method"]), dict(given.get("parameters", {})), found, effects)


def declared_effects(method: type) -> MethodEffects | None:
    """What a class of masking methods declares to do to a file; None when it declares nothing."""
    description = describe_type(method)
    return description.effects if description is not None else None


def to_plain_data(value: Any) -> Any:
    """The value as JSON gives it back: lists for tuples, dictionaries for mappings.

    A nested method becomes a dictionary with its name under ``method``, a nested model one with its name under ``model``.
    """
    return to_plain_values(value, describe=_describe_nested)


def _describe_nested(value: Any) -> dict[str, Any]:
    word = "method" if hasattr(value, "apply") else "model"
    return {word: method_name(value), **{one.name: getattr(value, one.name) for one in fields(value)}}
