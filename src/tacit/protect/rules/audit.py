"""The verdict on hidden patterns: everything mined anew by a miner that the hiding did not use."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative
from ...frozen import FrozenDict
from ...result import DisplayMixin, Result, Results, format_fact
from ..parameters import is_number
from .baskets import Baskets
from .frequent import MOST, derived_rules, ordered_sets
from .patterns import ItemSets, Pattern, Rule, format_pattern, parse_patterns
from .thresholds import least_count, share_of


@dataclass(frozen=True, slots=True, eq=False)
class MinedPatterns:
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


def mine_patterns(baskets: Baskets, *, minsup: float, minconf: float | None = None) -> MinedPatterns:
    """The patterns of a file by :func:`.mine_independently.mine_independently`; a blocked file as one reads it who takes "?" for absent."""
    sets = mine_independently(baskets, minsup=minsup)
    return MinedPatterns(set(sets) if minconf is None else set(derived_rules(sets, minconf)), sets)


def hiding_failure(after: MinedPatterns, before: MinedPatterns, sensitive: Any) -> Result:
    r"""The share of the sensitive patterns that can still be mined: :math:`|R(D')| / |R(D)|`.

    R are the named patterns that are frequent, and for a named set all frequent sets (or rules) that contain it.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> hiding_failure(mine_patterns(after, minsup=2), mine_patterns(before, minsup=2), "a, b").value
    0.0
    """
    named = parse_patterns(sensitive)
    was, still = before.sensitive(named), after.sensitive(named)
    facts = {"sensitive patterns before": len(was), "still found": len(still)}
    if not was:
        facts["note"] = "nothing to hide: none of them can be mined from the original"  # type: ignore[assignment]
    return _make_result("hiding failure", len(still) / len(was) if was else float(bool(still)), "attribute", facts)


def lost(after: MinedPatterns, before: MinedPatterns, sensitive: Any) -> Result:
    r"""The share of the other patterns that can no longer be mined, the misses cost: :math:`|N(D) \setminus N(D')| / |N(D)|`.

    N are the patterns that are not sensitive.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> lost(mine_patterns(after, minsup=2), mine_patterns(before, minsup=2), "a, b").facts
    {'other patterns': 2, 'lost': 0}
    """
    named = parse_patterns(sensitive)
    was = set(before.found) - before.sensitive(named)
    gone = was - set(after.found)
    return _make_result(
        "lost", len(gone) / len(was) if was else 0.0, "utility", {"other patterns": len(was), "lost": len(gone)}
    )


def ghost(after: MinedPatterns, before: MinedPatterns) -> Result:
    r"""The share of patterns mined now that nobody could mine before: :math:`|P(D') \setminus P(D)| / |P(D')|`.

    Always 0 for sets when items are only removed; rules can appear, because a body that loses support makes its rules
    more confident.

    >>> before, after = Baskets.of([["a", "b"], ["a", "b"], ["b", "c"]]), Baskets.of([["a"], ["a", "b"], ["b", "c"]])
    >>> ghost(mine_patterns(after, minsup=1, minconf=0.5), mine_patterns(before, minsup=1, minconf=0.5)).facts
    {'patterns found': 4, 'ghosts': 1}
    """
    new = set(after.found) - set(before.found)
    facts = {"patterns found": len(after.found), "ghosts": len(new)}
    return _make_result("ghost", len(new) / len(after.found) if after.found else 0.0, "utility", facts)


def dissimilarity(after: Baskets, before: Baskets) -> Result:
    r"""The share of the items in all baskets that were taken out or marked: :math:`\sum_i (f_i - f'_i) / \sum_i f_i`.

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
    return _make_result("dissimilarity", share, "utility", facts)


def _make_result(name: str, value: float, about: Any, facts: Mapping[str, object]) -> Result:
    return Result(name=name, value=value, worse="high", about=about, facts=facts)


def mine_independently(baskets: Baskets, *, minsup: float, most: int = MOST) -> ItemSets:
    """The frequent sets, found anew and independently: what every verdict rests on.

    Horizontal where :func:`.frequent.frequent` is vertical: the transactions that hold an item, cut to the items after
    it, are counted by themselves, and so on (Agarwal et al. 2001). No compiled code, no bits, no shared line with the
    miner that the hiding methods use. Time O(cells of all projections), memory O(cells · depth).

    >>> dict(mine_independently(Baskets.of([["bread", "milk"], ["bread", "milk", "tea"], ["tea"]]), minsup=2))
    {('bread',): 2, ('milk',): 2, ('tea',): 2, ('bread', 'milk'): 2}

    References
    ----------
    Agarwal, Aggarwal, Prasad (2001), A tree projection algorithm for generation of frequent item sets, JPDC 61, 350–371.
    """
    least, found = least_count(minsup, baskets.size), dict[tuple[int, ...], int]()
    waiting: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]] = [((), baskets.held.rows, baskets.held.codes)]
    while waiting:
        prefix, rows, codes = waiting.pop()
        counts = np.bincount(codes, minlength=0)
        often = np.flatnonzero(counts >= least)
        kept = (counts >= least)[codes] if len(codes) else np.zeros(0, dtype=bool)
        rows, codes = rows[kept], codes[kept]
        by_item, ends = np.argsort(codes, kind="stable"), np.cumsum(counts[often])
        row_end = np.searchsorted(rows, rows, side="right")
        for item, count, end in zip(often.tolist(), counts[often].tolist(), ends.tolist(), strict=True):
            longer = (*prefix, item)
            found[longer] = count
            if len(found) > most:
                raise TacitError(
                    f"more than {most:,} sets are frequent", code="out_of_range", fix="use a higher minsup"
                )
            cells = by_item[end - count : end]
            after = _concatenated_ranges(cells + 1, row_end[cells])
            if len(after) >= least:
                waiting.append((longer, rows[after], codes[after]))
    return ordered_sets(found, baskets)


def _concatenated_ranges(first: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """The whole numbers from each ``first`` to before its ``stop``, one stretch after the other."""
    length = stop - first
    found: np.ndarray = np.arange(int(length.sum())) + np.repeat(first - (np.cumsum(length) - length), length)
    return found


def pile_up(
    baskets: Baskets,
    sensitive: Any,
    *,
    minsup: float,
    minconf: float | None = None,
    width: float = 0.05,
    now: MinedPatterns | None = None,
) -> Result:
    r"""The share of the sensitive patterns that lie in a band just under the threshold.

    Whoever guesses the threshold mines the file twice, at it and ``width`` of it below (at least one transaction), and
    suspects what appears: hiding that stops as soon as a pattern is under the threshold piles all of them up there.
    Facts have how many patterns the band holds, and the share of them that is sensitive, which is the chance that a
    suspicion is right, beside that share among all patterns found at the lower threshold. A ``margin`` of more than
    ``width`` empties the band of them; a ``spread`` leaves some of them there and hides them among others.

    Two runs of :func:`.measures.mine_independently`, one if ``now`` has what is mined at the threshold.

    >>> b = Baskets.of([["bread", "milk"]] * 9 + [["bread", "tea"]] * 6 + [["milk"]])
    >>> print(pile_up(b, ["bread, milk"], minsup=10))
    pile-up                    1
    band                       9 to 10
    patterns in the band       1
    of them sensitive          1
    chance that a guess holds  1
    chance without the band    0.3333
    """
    share_of(width, "width", zero=False)
    least = least_count(minsup, baskets.size)
    lower = max(1, least - max(1, round(width * least)))
    if lower == least:
        raise TacitError("there is nothing below a support of 1", code="wrong_type", fix="use a higher minsup")
    low = mine_patterns(baskets, minsup=lower, minconf=None if minconf is None else minconf * (1 - width))
    now = now or mine_patterns(baskets, minsup=least, minconf=minconf)
    found = {*low.found, *low.counts}
    band, named = found - {*now.found, *now.counts}, set(parse_patterns(sensitive))
    inside = named & band
    facts = {
        "band": f"{lower:,} to {least:,}",
        "patterns in the band": len(band),
        "of them sensitive": len(inside),
        "chance that a guess holds": len(inside) / len(band) if band else 0.0,
        "chance without the band": len(named & found) / len(found) if found else 0.0,
    }
    value = len(inside) / len(named)
    return Result(name="pile-up", value=value, worse="high", about="attribute", facts=facts)


MEASURES = ("hiding_failure", "lost", "ghost", "dissimilarity", "pile_up")

SUSPICIOUS = 0.5
"""From this share of the sensitive patterns in the band on, a warning is given."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(DisplayMixin):
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
        return f"{format_fact(100 * piled.value)} % of the sensitive patterns lie just under the threshold: use spread or margin, or more of them"

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "verdict", "holds" if self.holds else f"fails: {', '.join(self.failing)}"
        for one in self.results:
            yield (
                one.name,
                ", ".join(
                    [format_fact(one.value), *(f"{name} {format_fact(fact)}" for name, fact in one.facts.items())]
                ),
            )
        for pattern, before, after in self.supports:
            yield format_pattern(pattern), f"support {before:,} before, {after:,} after"
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
                {"pattern": format_pattern(one), "before": before, "after": after}
                for one, before, after in self.supports
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
    """Mine the file before and after hiding, independently, and compare.

    Hiding failure, lost and ghost patterns, dissimilarity, and pile-up under the threshold where there is room below it.
    ``require`` bounds any of them from above; a hiding failure of 0 is required unless another bound is given. With
    ``minconf`` the patterns are rules, else sets. Cost: three runs of :func:`.measures.mine_independently`.

    >>> from tacit.protect.rules import MinFia, hide
    >>> b = Baskets.of([["bread", "milk"]] * 4 + [["bread", "tea"]] * 6)
    >>> a = audit(hide(b, ["bread, milk"], minsup=4, method=MinFia()).baskets, b, ["bread, milk"], minsup=4)
    >>> a.holds, [(one.name, round(one.value, 2)) for one in a.results]
    (True, [('hiding failure', 0.0), ('lost', 0.25), ('ghost', 0.0), ('dissimilarity', 0.05), ('pile-up', 1.0)])
    """
    named, required = parse_patterns(sensitive), _check_requirements(require)
    then, now = (mine_patterns(held, minsup=minsup, minconf=minconf) for held in (before, after))
    results = [hiding_failure(now, then, named), lost(now, then, named), ghost(now, then), dissimilarity(after, before)]
    if least_count(minsup, after.size) > 1:
        results.append(pile_up(after, named, minsup=minsup, minconf=minconf, now=now))
    supports = tuple((one, _pattern_support(then, before, one), _pattern_support(now, after, one)) for one in named)
    return Audit(Results(tuple(results)), required, supports)


def _pattern_support(found: MinedPatterns, baskets: Baskets, pattern: Pattern) -> int:
    items = pattern.items if isinstance(pattern, Rule) else pattern
    if items in found.counts:
        return found.counts[items]
    # An item that was taken out everywhere is not in the file that was read back.
    return baskets.support(items) if set(items) <= set(baskets.items) else 0


def _check_requirements(given: Mapping[str, float] | None) -> FrozenDict[str, float]:
    for name, most in (given or {}).items():
        if name not in MEASURES:
            raise TacitError(
                f"nothing is measured that is called {format_value(name)}",
                code="invalid_parameter",
                fix=suggest_alternative(str(name), MEASURES),
            )
        if not is_number(most) or not 0 <= most <= 1:
            raise TacitError(
                f"{name}={format_value(most)} is no share", code="out_of_range", parameter=name, fix=f"e.g. {name}=0.1"
            )
    return FrozenDict({"hiding_failure": 0.0, **(given or {})})
