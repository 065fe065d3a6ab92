"""Blocking: question marks instead of removals, so that a support becomes an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import TacitError, typed
from ..parameters import number
from .baskets import Baskets, Cells
from .fia import MinFia
from .problem import Choice, HidingMethod, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Replace items by "?" instead of taking them out (D-08): nothing false is published, supports become intervals.

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
            raise TacitError(f"by={typed(self.by)} does not choose places", fix="e.g. by=SlidingWindow()")
        if not number(self.decoys) or self.decoys < 0:
            raise TacitError(f"decoys={typed(self.decoys)} is no number of marks", fix="e.g. decoys=1.0")

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
    with_rest = {(code, rest): baskets.rows(list(rest)) for code, rest in _rests(cells, patterns)}
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


def _rests(cells: Cells, patterns: Sequence[Sequence[int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every marked item with the rest of each pattern that it is in."""
    for code in np.unique(cells.codes).tolist():
        for units in patterns:
            if code in units and len(units) > 1:
                yield code, tuple(unit for unit in units if unit != code)
