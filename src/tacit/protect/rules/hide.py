"""Hide sensitive patterns in baskets: choose, take out, look again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, format_value
from ...progress import report_progress
from ...release.trace import Finding, Trace, method_name, to_plain_data
from ..parameters import is_number, make_rng
from .baskets import Baskets, Cells
from .fia import MinFia
from .frequent import mined_codes
from .patterns import Pattern, Rule, format_pattern, parse_patterns
from .problem import Choice, FrequentPattern, HidingMethod, Limit, Problem, SensitivePattern
from .rounds import until_hidden
from .thresholds import least_count, parse_confidence, share_of

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


@dataclass(frozen=True, slots=True, eq=False)
class HidingResult:
    """``baskets`` and ``trace`` may be published; the rest tells what was hidden.

    ``changed`` are the places taken out or marked, decoys among them; ``absent`` the sensitive patterns that could not
    be mined in the first place: there was nothing to hide.
    """

    baskets: Baskets
    trace: tuple[Trace, ...]
    changed: Cells
    absent: tuple[Pattern, ...]
    evidence: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Hidden by {self.trace[0].method}: {self.baskets!r}, {len(self.changed):,} places changed"


def hide(
    baskets: Baskets,
    sensitive: Sequence[Any] | str,
    *,
    minsup: float,
    method: HidingMethod,
    minconf: float | None = None,
    psi: float | None = None,
    margin: float = 0.0,
    spread: float = 0.0,
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> HidingResult:
    r"""Change as few places as the method can so that no sensitive pattern is mined any more.

    A sensitive set is hidden when its support is below ``minsup``; a sensitive rule when its support is, or its
    confidence is below ``minconf``. ``psi``, the disclosure threshold of Oliveira and Zaïane, asks for something else: of
    each pattern's support the share psi is left, whatever the threshold; 0 leaves none, and with a psi above
    minsup/support the pattern is still found (hiding failure says so).

    Whoever mines a little below the threshold may find the hidden sets piled up under it. ``margin`` leaves every
    pattern that share of its threshold further below; ``spread`` draws one such share for each pattern, from 0 to
    spread (a seed is needed). See :func:`.audit.pile_up`.

    Removals from the body of one rule may make another more confident: the patterns are counted again after each round
    until all are hidden. Every round removes something, so it ends. **Claim**: afterwards every sensitive pattern is
    below its limit. *Checked* on the result by :func:`.audit.audit`, whose miner shares nothing with this one. Removing
    items never makes a set frequent; rules can appear, because a body that loses support makes its rules more
    confident.

    >>> b = Baskets.of([["bread", "milk"]] * 3 + [["bread"], ["milk"]])
    >>> from tacit.protect.rules import Exact
    >>> h = hide(b, ["bread, milk"], minsup=3, method=Exact())
    >>> h, h.baskets.support(["bread", "milk"]), h.evidence["proven"]
    (Hidden by exact: 5 transactions of 2 items, 1 places changed, 2, True)

    References
    ----------
    Atallah et al. (1999), Disclosure limitation of sensitive rules, IEEE KDEX, 45–52.
    Gkoulalas-Divanis and Verykios (2010), Association rule hiding for data mining, Springer.
    """
    asked = HidingRequest(
        sensitive=sensitive,
        minsup=minsup,
        method=method,
        minconf=minconf,
        psi=psi,
        margin=margin,
        spread=spread,
    )
    rng = make_rng(asked, seed) if asked.is_random else None
    blocking = isinstance(method, Block)
    found = [
        _find_pattern(baskets, one, asked.threshold(one, baskets.size), blocking=blocking) for one in asked.patterns
    ]
    limits = [asked.limit(one.limit, len(one.rows), _body_support(one), rng) for one in found]

    def problem_after(cells: Cells) -> Problem:
        now = baskets.with_unknown(cells) if blocking else baskets.without(cells)
        sought = tuple(
            _find_pattern(now, one, limit, blocking=blocking) for one, limit in zip(asked.patterns, limits, strict=True)
        )
        least = least_count(minsup, now.size)
        kept = kept_sets(now, least, sought)
        return Problem(size=now.size, lengths=now.lengths, least=least, sought=sought, kept=kept)

    cells, evidence = until_hidden(problem_after, method, progress)
    if isinstance(method, Block) and rng is not None:
        units = [baskets.item_codes(one.items if isinstance(one, Rule) else one) for one in asked.patterns]
        extra, evidence["decoys_alike"] = decoys_of(baskets, cells, units, method.decoys, rng)
        veiled = cells.union(extra)
        # A decoy in a head takes its transaction from those in which the rule can be seen to fail.
        more, _ = until_hidden(lambda gone: problem_after(veiled.union(gone)), method, progress)
        cells, evidence["decoys"] = veiled.union(more), len(extra)
    after = baskets.with_unknown(cells) if blocking else baskets.without(cells)
    report_progress(progress, "hiding", 1.0)
    absent = tuple(one for one, held in zip(asked.patterns, found, strict=True) if not held.is_exposed)
    return HidingResult(after, (publish_trace(asked, len(cells)),), cells, absent, evidence)


def _find_pattern(baskets: Baskets, pattern: Pattern, limit: Limit, *, blocking: bool) -> SensitivePattern:
    """A sensitive pattern as it stands in the baskets; a body counts where nothing of the head is unknown."""
    units = baskets.item_codes(pattern.items if isinstance(pattern, Rule) else pattern)
    supports = baskets.supports
    often = {unit: int(supports[unit]) for unit in units}
    if not isinstance(pattern, Rule):
        return SensitivePattern(units=units, victims=units, rows=baskets.rows(units), limit=limit, often=often)
    body, head = baskets.item_codes(pattern.body), baskets.item_codes(pattern.head)
    known = np.ones(baskets.size, dtype=bool)
    known[baskets.unknown.rows[np.isin(baskets.unknown.codes, head)]] = False
    whole, rows = baskets.rows(body), baskets.rows(units)
    return SensitivePattern(
        units=units,
        victims=head,
        rows=rows,
        limit=limit,
        often=often,
        body_units=units if blocking else body,
        body_rows=whole[known[whole]],
    )


def _body_support(one: SensitivePattern) -> int:
    return 0 if one.body_rows is None else len(one.body_rows)


def kept_sets(
    baskets: Baskets, least: int, sought: Sequence[SensitivePattern]
) -> Callable[[bool], Sequence[FrequentPattern]]:
    """Mined when asked for: frequent sets that have an item of a sensitive pattern and none that must end inside.

    A set around a rule that stays frequent (its confidence falls, not its support) is to be kept as well.
    """

    def kept(every: bool) -> Sequence[FrequentPattern]:
        ending = [frozenset(one.units) for one in sought if one.most_left < least]
        units = {unit for one in sought for unit in one.units}
        family = {
            codes
            for codes in mined_codes(baskets, least)
            if units.intersection(codes) and not any(one.issubset(codes) for one in ending)
        }
        wanted = family if every else _maximal_sets(family)
        of_item = _rows_of_items(baskets)
        return [
            FrequentPattern(codes, _common_rows(of_item, codes))
            for codes in sorted(wanted, key=lambda one: (len(one), one))
        ]

    return kept


def _maximal_sets(family: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The sets that lie in no other of a family that has every part of its members."""
    inner = {part for codes in family for part in combinations(codes, len(codes) - 1)}
    return family - inner


def _rows_of_items(baskets: Baskets) -> list[np.ndarray]:
    order = np.argsort(baskets.held.codes, kind="stable")
    return np.split(baskets.held.rows[order], np.cumsum(baskets.supports)[:-1])


def _common_rows(of_item: list[np.ndarray], codes: Sequence[int]) -> np.ndarray:
    """The rows of all these items."""
    ordered = sorted((of_item[code] for code in codes), key=len)
    found = ordered[0]
    for rows in ordered[1:]:
        found = found[np.isin(found, rows, assume_unique=True)]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingRequest:
    """What is sensitive, from when on a pattern counts as found, and how far below that it must fall."""

    sensitive: Sequence[Any] | str
    minsup: float
    method: HidingMethod
    minconf: float | None = None
    psi: float | None = None
    margin: float = 0.0
    spread: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", parse_patterns(self.sensitive))
        if isinstance(self.method, type) or not hasattr(self.method, "choose"):
            raise TacitError(
                f"method={format_value(self.method)} hides nothing",
                code="invalid_parameter",
                parameter="method",
                fix="e.g. method=Exact()",
            )
        if self.minconf is not None:
            parse_confidence(self.minconf)
        elif any(isinstance(one, Rule) for one in self.patterns):
            raise TacitError(
                "a rule is sensitive and no confidence is given", code="missing_parameter", fix="e.g. minconf=0.6"
            )
        for name in ("psi", "margin", "spread"):
            if getattr(self, name) is not None:
                share_of(getattr(self, name), name, zero=True)
        if self.psi is not None and (self.margin or self.spread):
            raise TacitError(
                "psi says how much is left, whatever the threshold",
                code="too_few_records",
                fix="leave margin and spread out",
            )

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The sensitive patterns."""
        return self.sensitive  # type: ignore[return-value]

    @property
    def is_random(self) -> bool:
        """Whether anything is drawn."""
        return self.spread > 0 or (isinstance(self.method, Block) and self.method.decoys > 0)

    def threshold(self, pattern: Pattern, size: int) -> Limit:
        """From when on a pattern counts as found among ``size`` rows."""
        rule = isinstance(pattern, Rule) and self.minconf is not None
        return Limit(least=least_count(self.minsup, size), conf=parse_confidence(self.minconf) if rule else None)

    def limit(self, threshold: Limit, support: int, body: int, rng: np.random.Generator | None) -> Limit:
        """The threshold with its margins, or the share psi of the support."""
        if self.psi is not None:
            left = floor(share_of(self.psi, "psi", zero=True) * support)
            return Limit(least=threshold.least, conf=threshold.conf, fixed=left)
        top = threshold.most_left(body) + 1
        margin = floor(Fraction(self.margin) * top)
        if rng is not None and self.spread:
            margin += int(rng.integers(0, floor(Fraction(self.spread) * top) + 1))
        return Limit(least=threshold.least, conf=threshold.conf, margin=margin)


def publish_trace(asked: HidingRequest, changed: int) -> Trace:
    """The step as it may be published: the way of choosing and how much changed, never what was hidden or how far."""
    method = asked.method
    parameters = {one.name: to_plain_data(getattr(method, one.name)) for one in fields(method)}  # type: ignore[arg-type]
    kept = ("minsup", "minconf", "psi", "margin", "spread")
    outcome = {
        "changed": Finding(changed, publishable=True, counts=True),
        "sensitive": Finding([format_pattern(one) for one in asked.patterns], publishable=False),
        **{name: Finding(getattr(asked, name), publishable=False) for name in kept},
    }
    return Trace(method_name(method), parameters, outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Replace items by "?" instead of taking them out: nothing false is published, supports become intervals.

    ``by`` chooses the places. ``decoys`` marks are added for each of them in transactions *without* the item that hold the
    rest of the pattern and are as long, as far as there are any (``decoys_alike`` in the evidence): with none, every mark would say
    that the item was there, and with decoys anywhere the rest of the pattern would tell marks from decoys. A pattern counts as hidden when the transactions
    that surely hold it are fewer than the threshold less the safety margin (``margin`` of :func:`.hide.hide`); of a rule
    also when its confidence is below, counted where nothing of its head is unknown. The most that may hold a pattern is
    never less than the truth. Time and memory as ``by``.

    >>> from tacit.protect.rules import Baskets, MinFia, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> hide(shop, "bread, milk", minsup=3, method=Block(by=MinFia(), decoys=0)).baskets.interval(["bread", "milk"])
    (2, 6)

    References
    ----------
    Saygin, Verykios, Clifton (2001), Using unknowns to prevent discovery of association rules, SIGMOD Record 30(4), 45–54.
    """

    by: HidingMethod = field(default_factory=MinFia)
    decoys: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.by, Block) or not hasattr(self.by, "choose"):
            raise TacitError(
                f"by={format_value(self.by)} does not choose places",
                code="invalid_parameter",
                parameter="by",
                fix="e.g. by=SlidingWindow()",
            )
        if not is_number(self.decoys) or self.decoys < 0:
            raise TacitError(
                f"decoys={format_value(self.decoys)} is no number of marks",
                code="wrong_kind",
                parameter="decoys",
                fix="e.g. decoys=1.0",
            )

    def choose(self, problem: Problem) -> Choice:
        """The places to mark, decoys apart."""
        return self.by.choose(problem)


def decoys_of(
    baskets: Baskets, cells: Cells, patterns: Sequence[Sequence[int]], share: float, rng: np.random.Generator
) -> tuple[Cells, int]:
    """For each mark ``share`` decoys of the same item, in transactions that hold the rest of its pattern and not the item.

    Whoever sees that the rest of a pattern lies beside real marks only tells them from decoys. A decoy therefore stands in a
    transaction with the rest of the same pattern, of the length that is nearest to that of the marked one without its item. Where
    such transactions run out, others without the item are taken, which do separate. Also returned: how many are alike.
    """
    lengths = baskets.lengths
    with_rest = {(code, rest): baskets.rows(list(rest)) for code, rest in _pattern_remainders(cells, patterns)}
    free = {
        int(code): np.setdiff1d(np.arange(baskets.size), baskets.rows([code], maybe=True))
        for code in np.unique(cells.codes)
    }
    rows: list[int] = []
    codes: list[int] = []
    alike, owed = 0, 0.0
    for place in rng.permutation(len(cells)):
        row, code = int(cells.rows[place]), int(cells.codes[place])
        owed += share
        rests = [held for (item, _), held in with_rest.items() if item == code and row in held]
        while owed >= 1 and len(free[code]):
            owed -= 1
            fitting = np.intersect1d(free[code], rests[0]) if rests else free[code][:0]
            pool = fitting if len(fitting) else free[code]
            far = np.abs(lengths[pool] - (lengths[row] - 1))
            drawn = int(rng.choice(pool[far == far.min()] if len(fitting) else pool))
            free[code] = free[code][free[code] != drawn]
            rows.append(drawn)
            codes.append(code)
            alike += len(fitting) > 0
    return Cells.of(rows, codes), alike


def _pattern_remainders(cells: Cells, patterns: Sequence[Sequence[int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every marked item with the rest of each pattern that it is in."""
    for code in np.unique(cells.codes).tolist():
        for units in patterns:
            if code in units and len(units) > 1:
                yield code, tuple(unit for unit in units if unit != code)
