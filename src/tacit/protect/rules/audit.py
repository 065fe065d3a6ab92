"""The verdict on hidden patterns: everything mined anew by a miner that the hiding did not use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import TacitError, instead, typed
from ...frozen import FrozenDict
from ...result import Results, Shown, shown
from ..parameters import number
from .baskets import Baskets
from .measures import Mined, dissimilarity, ghost, hiding_failure, lost, mined
from .patterns import Pattern, Rule, patterns, written
from .pile_up import pile_up
from .thresholds import least_count

__all__ = ["Audit", "audit"]

MEASURES = ("hiding_failure", "lost", "ghost", "dissimilarity", "pile_up")
SUSPICIOUS = 0.5
"""From this share of the sensitive patterns in the band on, a warning is given."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(Shown):
    """What an independent miner found, and whether it is within what was required; internal, it names the patterns."""

    results: Results
    required: Mapping[str, float]
    supports: tuple[tuple[Pattern, int, int], ...]
    """Each sensitive pattern with its support before and after."""

    @property
    def failing(self) -> tuple[str, ...]:
        """The requirements that do not hold."""
        found = dict(zip(MEASURES, (one.value for one in self.results), strict=False))
        return tuple(name for name, most in self.required.items() if found.get(name, 0.0) > most)

    @property
    def holds(self) -> bool:
        """Whether all requirements hold."""
        return not self.failing

    @property
    def warning(self) -> str | None:
        """Said when the sensitive patterns pile up under the threshold."""
        piled = next((one for one in self.results if one.name == "pile-up"), None)
        if piled is None or piled.value <= SUSPICIOUS:
            return None
        return f"{shown(100 * piled.value)} % of the sensitive patterns lie just under the threshold: use spread or margin, or more of them"

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "verdict", "holds" if self.holds else f"fails: {', '.join(self.failing)}"
        for one in self.results:
            yield (
                one.name,
                ", ".join([shown(one.value), *(f"{name} {shown(fact)}" for name, fact in one.facts.items())]),
            )
        for pattern, before, after in self.supports:
            yield written(pattern), f"support {before:,} before, {after:,} after"
        if self.warning:
            yield "warning", self.warning

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``."""
        return {
            "holds": self.holds,
            "failing": list(self.failing),
            "required": dict(self.required),
            "results": [one.as_json() for one in self.results],
            "sensitive": [
                {"pattern": written(one), "before": before, "after": after} for one, before, after in self.supports
            ],
            "warning": self.warning,
        }


def audit(
    after: Baskets,
    before: Baskets,
    sensitive: Any,
    *,
    minsup: float,
    minconf: float | None = None,
    require: Mapping[str, float] | None = None,
) -> Audit:
    """Mine the file before and after hiding, independently, and compare (D-08).

    Hiding failure, lost and ghost patterns, dissimilarity, and pile-up under the threshold where there is room below it.
    ``require`` bounds any of them from above; a hiding failure of 0 is required unless another bound is given. With
    ``minconf`` the patterns are rules, else sets. Cost: three runs of :func:`.remined.remined`.

    >>> from tacit.protect.rules import MinFia, hide
    >>> b = Baskets.of([["bread", "milk"]] * 4 + [["bread", "tea"]] * 6)
    >>> a = audit(hide(b, ["bread, milk"], minsup=4, method=MinFia()).baskets, b, ["bread, milk"], minsup=4)
    >>> a.holds, [(one.name, round(one.value, 2)) for one in a.results]
    (True, [('hiding failure', 0.0), ('lost', 0.25), ('ghost', 0.0), ('dissimilarity', 0.05), ('pile-up', 1.0)])
    """
    named, required = patterns(sensitive), _required(require)
    then, now = (mined(held, minsup=minsup, minconf=minconf) for held in (before, after))
    results = [hiding_failure(now, then, named), lost(now, then, named), ghost(now, then), dissimilarity(after, before)]
    if least_count(minsup, after.size) > 1:
        results.append(pile_up(after, named, minsup=minsup, minconf=minconf, now=now))
    supports = tuple((one, _support(then, before, one), _support(now, after, one)) for one in named)
    return Audit(Results(tuple(results)), required, supports)


def _support(found: Mined, baskets: Baskets, pattern: Pattern) -> int:
    items = pattern.items if isinstance(pattern, Rule) else pattern
    if items in found.counts:
        return found.counts[items]
    # An item that was taken out everywhere is not in the file that was read back.
    return baskets.support(items) if set(items) <= set(baskets.items) else 0


def _required(given: Mapping[str, float] | None) -> FrozenDict[str, float]:
    for name, most in (given or {}).items():
        if name not in MEASURES:
            raise TacitError(f"nothing is measured that is called {typed(name)}", fix=instead(str(name), MEASURES))
        if not number(most) or not 0 <= most <= 1:
            raise TacitError(f"{name}={typed(most)} is no share", fix=f"e.g. {name}=0.1")
    return FrozenDict({"hiding_failure": 0.0, **(given or {})})
