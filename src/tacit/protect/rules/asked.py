"""What a user asks to hide, checked, and what it means in numbers of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

from ...errors import TacitError, typed
from ...release.trace import Finding, Trace, method_name, plain
from .blocking import Block
from .patterns import Pattern, Rule, patterns, written
from .problem import HidingMethod, Limit
from .thresholds import confidence, least_count, share_of

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Asked", "told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is sensitive, from when on a pattern counts as found, and how far below that it must fall."""

    sensitive: Sequence[Any] | str
    minsup: float
    method: HidingMethod
    minconf: float | None = None
    psi: float | None = None
    margin: float = 0.0
    spread: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", patterns(self.sensitive))
        if isinstance(self.method, type) or not hasattr(self.method, "choose"):
            raise TacitError(f"method={typed(self.method)} hides nothing", fix="e.g. method=Exact()")
        if self.minconf is not None:
            confidence(self.minconf)
        elif any(isinstance(one, Rule) for one in self.patterns):
            raise TacitError("a rule is sensitive and no confidence is given", fix="e.g. minconf=0.6")
        for name in ("psi", "margin", "spread"):
            if getattr(self, name) is not None:
                share_of(getattr(self, name), name, zero=True)
        if self.psi is not None and (self.margin or self.spread):
            raise TacitError("psi says how much is left, whatever the threshold", fix="leave margin and spread out")

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The sensitive patterns."""
        return self.sensitive  # type: ignore[return-value]

    @property
    def random(self) -> bool:
        """Whether anything is drawn."""
        return self.spread > 0 or (isinstance(self.method, Block) and self.method.decoys > 0)

    def threshold(self, pattern: Pattern, size: int) -> Limit:
        """From when on a pattern counts as found among ``size`` rows."""
        rule = isinstance(pattern, Rule) and self.minconf is not None
        return Limit(least=least_count(self.minsup, size), conf=confidence(self.minconf) if rule else None)

    def limit(self, threshold: Limit, support: int, body: int, rng: np.random.Generator | None) -> Limit:
        """The threshold with its margins, or the share psi of the support."""
        if self.psi is not None:
            left = floor(share_of(self.psi, "psi", zero=True) * support)
            return Limit(least=threshold.least, conf=threshold.conf, fixed=left)
        top = threshold.leave(body) + 1
        margin = floor(Fraction(self.margin) * top)
        if rng is not None and self.spread:
            margin += int(rng.integers(0, floor(Fraction(self.spread) * top) + 1))
        return Limit(least=threshold.least, conf=threshold.conf, margin=margin)


def told(asked: Asked, changed: int) -> Trace:
    """The step as it may be published: the way of choosing and how much changed, never what was hidden or how far."""
    method = asked.method
    parameters = {one.name: plain(getattr(method, one.name)) for one in fields(method)}  # type: ignore[arg-type]
    kept = ("minsup", "minconf", "psi", "margin", "spread")
    outcome = {
        "changed": Finding(changed, publishable=True, counts=True),
        "sensitive": Finding([written(one) for one in asked.patterns], publishable=False),
        **{name: Finding(getattr(asked, name), publishable=False) for name in kept},
    }
    return Trace(method_name(method), parameters, outcome)
