"""What every noisy aggregate can say: the parts it needs, its figure from their noisy values, and how good that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .noise_distribution import NoiseDistribution
from .part import Part
from .quantile_choice import QuantileChoice

Laws = Mapping[Part | QuantileChoice, NoiseDistribution]
"""The noise of every part."""

Drawn = Mapping[Part | QuantileChoice, int]
"""The noisy parts of one group: all that a figure may be made of."""


class NoisyAggregate(Protocol):
    """One aggregate. Everything but ``parts`` is post-processing: it never sees a true number."""

    @property
    def parts(self) -> tuple[Part | QuantileChoice, ...]:
        """What is drawn for it."""
        ...

    def figure(self, drawn: Drawn) -> Any:
        """The figure of a group, in the analyst's units."""
        ...

    def width(self, laws: Laws) -> float | None:
        """The half-width of a 95 % interval, where it does not depend on what is drawn."""
        ...

    def width_after(self, drawn: Drawn, laws: Laws) -> float | None:
        """The half-width, estimated from the noisy parts of a group."""
        ...

    def note(self, laws: Laws) -> str:
        """What an analyst should know of its accuracy beforehand; may be empty."""
        ...
