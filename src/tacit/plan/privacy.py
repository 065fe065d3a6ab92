"""The guarantee of differential privacy of a release, from the traces of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..release.masked import Masked


GUARANTEE = "guarantee"
"""The finding by which a step says what it guarantees."""
ADDED = "one record added or removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyGuarantee:
    """ε and δ of all released columns together, for neighbours of one relation; by which methods."""

    epsilon: float
    delta: float
    neighbours: str
    methods: tuple[str, ...]
    columns: tuple[str, ...]

    @staticmethod
    def of(masked: Masked | None) -> PrivacyGuarantee | None:
        """The guarantee of a release; None where a released column has none.

        Losses of several steps add up (basic composition). Where relations differ, all are stated for one record replaced, which is
        one removed and one added: 2ε and (1 + e^ε)δ.
        """
        found = (
            []
            if masked is None
            else [(step.method, step.outcome[GUARANTEE].value) for step in masked.trace if GUARANTEE in step.outcome]
        )
        covered = {column for _, one in found for column in one["columns"]}
        if masked is None or not found or not set(masked.release.columns) <= covered:
            return None
        alike = len({one["neighbours"] for _, one in found}) == 1
        losses = [(one["epsilon"], one["delta"]) if alike else _replace_guarantee(one) for _, one in found]
        return PrivacyGuarantee(
            epsilon=sum(epsilon for epsilon, _ in losses),
            delta=sum(delta for _, delta in losses),
            neighbours=found[0][1]["neighbours"] if alike else "one record replaced",
            methods=tuple(dict.fromkeys(method for method, _ in found)),
            columns=masked.release.columns,
        )

    def __str__(self) -> str:
        delta = f", δ = {self.delta:g}" if self.delta else ""
        return f"ε = {self.epsilon:g}{delta}, for {self.neighbours}"


def _replace_guarantee(one: Any) -> tuple[float, float]:
    if one["neighbours"] != ADDED:
        return one["epsilon"], one["delta"]
    return 2 * one["epsilon"], (1 + exp(one["epsilon"])) * one["delta"]
