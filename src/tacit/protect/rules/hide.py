"""Hide sensitive patterns in baskets: choose, take out, look again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...progress import report
from ...release.trace import Trace
from ..parameters import random
from .asked import Asked, told
from .baskets import Baskets, Cells
from .blocking import Block, decoys_of
from .kept import kept_sets
from .patterns import Pattern, Rule
from .problem import HidingMethod, Limit, Problem, Sought
from .rounds import until_hidden
from .thresholds import least_count

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed

__all__ = ["Hidden", "hide"]


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
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
) -> Hidden:
    r"""Change as few places as the method can so that no sensitive pattern is mined any more (D-08).

    A sensitive set is hidden when its support is below ``minsup``; a sensitive rule when its support is, or its
    confidence is below ``minconf``. ``psi``, the disclosure threshold of Oliveira and Zaïane, asks for something else: of
    each pattern's support the share psi is left, whatever the threshold; 0 leaves none, and with a psi above
    minsup/support the pattern is still found (hiding failure says so).

    Whoever mines a little below the threshold may find the hidden sets piled up under it. ``margin`` leaves every
    pattern that share of its threshold further below; ``spread`` draws one such share for each pattern, from 0 to
    spread (a seed is needed). See :func:`.pile_up.pile_up`.

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
    asked = Asked(
        sensitive=sensitive,
        minsup=minsup,
        method=method,
        minconf=minconf,
        psi=psi,
        margin=margin,
        spread=spread,
    )
    rng = random(asked, seed) if asked.random else None
    blocking = isinstance(method, Block)
    found = [_sought(baskets, one, asked.threshold(one, baskets.size), blocking=blocking) for one in asked.patterns]
    limits = [asked.limit(one.limit, len(one.rows), _body(one), rng) for one in found]

    def problem_after(cells: Cells) -> Problem:
        now = baskets.marked(cells) if blocking else baskets.without(cells)
        sought = tuple(
            _sought(now, one, limit, blocking=blocking) for one, limit in zip(asked.patterns, limits, strict=True)
        )
        least = least_count(minsup, now.size)
        kept = kept_sets(now, least, sought)
        return Problem(size=now.size, lengths=now.lengths, least=least, sought=sought, kept=kept)

    cells, evidence = until_hidden(problem_after, method, progress)
    if isinstance(method, Block) and rng is not None:
        units = [baskets.code(one.items if isinstance(one, Rule) else one) for one in asked.patterns]
        extra, evidence["decoys_alike"] = decoys_of(baskets, cells, units, method.decoys, rng)
        veiled = cells.joined(extra)
        # A decoy in a head takes its transaction from those in which the rule can be seen to fail.
        more, _ = until_hidden(lambda gone: problem_after(veiled.joined(gone)), method, progress)
        cells, evidence["decoys"] = veiled.joined(more), len(extra)
    after = baskets.marked(cells) if blocking else baskets.without(cells)
    report(progress, "hiding", 1.0)
    absent = tuple(one for one, held in zip(asked.patterns, found, strict=True) if not held.open)
    return Hidden(after, (told(asked, len(cells)),), cells, absent, evidence)


def _sought(baskets: Baskets, pattern: Pattern, limit: Limit, *, blocking: bool) -> Sought:
    """A sensitive pattern as it stands in the baskets; a body counts where nothing of the head is unknown."""
    units = baskets.code(pattern.items if isinstance(pattern, Rule) else pattern)
    supports = baskets.supports
    often = {unit: int(supports[unit]) for unit in units}
    if not isinstance(pattern, Rule):
        return Sought(units=units, victims=units, rows=baskets.rows(units), limit=limit, often=often)
    body, head = baskets.code(pattern.body), baskets.code(pattern.head)
    known = np.ones(baskets.size, dtype=bool)
    known[baskets.unknown.rows[np.isin(baskets.unknown.codes, head)]] = False
    whole, rows = baskets.rows(body), baskets.rows(units)
    return Sought(
        units=units,
        victims=head,
        rows=rows,
        limit=limit,
        often=often,
        body_units=units if blocking else body,
        body_rows=whole[known[whole]],
    )


def _body(one: Sought) -> int:
    return 0 if one.body_rows is None else len(one.body_rows)
