"""What hiding achieved and what it cost: hiding failure, lost and ghost patterns, dissimilarity."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...result import Result
from .baskets import Baskets
from .frequent import derived_rules
from .patterns import Pattern, Rule, patterns
from .remined import remined

__all__ = ["Mined", "dissimilarity", "ghost", "hiding_failure", "lost", "mined"]


@dataclass(frozen=True, slots=True, eq=False)
class Mined:
    """All patterns of one file at one threshold, mined anew: sets, or rules when a confidence is given."""

    found: Collection[Pattern]
    counts: Mapping[tuple[str, ...], int]

    def sensitive(self, named: Sequence[Pattern]) -> set[Pattern]:
        """Those that would tell: the named ones, and whatever has a named set inside."""
        exact, sets = set(named), [set(one) for one in named if not isinstance(one, Rule)]
        return {
            one
            for one in self.found
            if one in exact or any(inner.issubset(one.items if isinstance(one, Rule) else one) for inner in sets)
        }


def mined(baskets: Baskets, *, minsup: float, minconf: float | None = None) -> Mined:
    """The patterns of a file by :func:`.remined.remined`; a blocked file as one reads it who takes "?" for absent."""
    sets = remined(baskets, minsup=minsup)
    return Mined(set(sets) if minconf is None else set(derived_rules(sets, minconf)), sets)


def hiding_failure(after: Mined, before: Mined, sensitive: Any) -> Result:
    r"""The share of the sensitive patterns that can still be mined: :math:`|R(D')| / |R(D)|` (D-08).

    R are the named patterns that are frequent, and for a named set all frequent sets (or rules) that contain it.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> hiding_failure(mined(after, minsup=2), mined(before, minsup=2), "a, b").value
    0.0
    """
    named = patterns(sensitive)
    was, still = before.sensitive(named), after.sensitive(named)
    facts = {"sensitive patterns before": len(was), "still found": len(still)}
    if not was:
        facts["note"] = "nothing to hide: none of them can be mined from the original"  # type: ignore[assignment]
    return _result("hiding failure", len(still) / len(was) if was else float(bool(still)), "attribute", facts)


def lost(after: Mined, before: Mined, sensitive: Any) -> Result:
    r"""The share of the other patterns that can no longer be mined, the misses cost: :math:`|N(D) \setminus N(D')| / |N(D)|` (D-08).

    N are the patterns that are not sensitive.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> lost(mined(after, minsup=2), mined(before, minsup=2), "a, b").facts
    {'other patterns': 2, 'lost': 0}
    """
    named = patterns(sensitive)
    was = set(before.found) - before.sensitive(named)
    gone = was - set(after.found)
    return _result(
        "lost", len(gone) / len(was) if was else 0.0, "utility", {"other patterns": len(was), "lost": len(gone)}
    )


def ghost(after: Mined, before: Mined) -> Result:
    r"""The share of patterns mined now that nobody could mine before: :math:`|P(D') \setminus P(D)| / |P(D')|` (D-08).

    Always 0 for sets when items are only removed; rules can appear, because a body that loses support makes its rules
    more confident.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> ghost(mined(after, minsup=1, minconf=0.5), mined(before, minsup=1, minconf=0.5)).facts
    {'patterns found': 4, 'ghosts': 1}
    """
    new = set(after.found) - set(before.found)
    facts = {"patterns found": len(after.found), "ghosts": len(new)}
    return _result("ghost", len(new) / len(after.found) if after.found else 0.0, "utility", facts)


def dissimilarity(after: Baskets, before: Baskets) -> Result:
    r"""The share of the items in all baskets that were taken out or marked: :math:`\sum_i (f_i - f'_i) / \sum_i f_i` (D-08).

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> round(dissimilarity(after, before).value, 3)
    0.167
    """
    gone = len(before.held) - len(after.held)
    share = gone / len(before.held) if len(before.held) else 0.0
    changed = int((after.lengths != before.lengths).sum()) if after.size == before.size else None
    facts: dict[str, object] = {"items before": len(before.held), "taken out": gone}
    if len(after.unknown):
        facts["marked unknown"] = len(after.unknown)
    if changed is not None:
        facts["transactions changed"] = changed
    return _result("dissimilarity", share, "utility", facts)


def _result(name: str, value: float, about: Any, facts: Mapping[str, object]) -> Result:
    return Result(name=name, value=value, worse="high", about=about, facts=facts)
