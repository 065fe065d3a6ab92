"""What was answered so far about one confidential column, and whether one more answer is safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..atoms import Labels
from ..refusal import Refusal
from .rules import Rules
from .sum_audit import SumAudit

KEPT = 50_000_000
"""The most numbers that the audit of a column keeps; 400 MB."""

STEPS = 2_000_000_000
"""The most steps of one decision; a few seconds. Both limits depend on questions and the public part alone."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answered:
    """The audit, the sets (a row each), their units and column; ``lost``: something was answered that cannot be audited. A value."""

    audit: SumAudit
    sets: npt.NDArray[np.bool_]
    sizes: Labels
    about: Labels
    lost: bool = False

    @classmethod
    def nothing(cls, units: Labels, prime: int, *, width: int = 1, ties: tuple[tuple[int, ...], ...] = ()) -> Answered:
        """No answer yet about ``width`` columns that identities tie to each other."""
        audit = SumAudit.empty(units, prime, width=width, ties=ties)
        none = np.zeros(0, np.int64)
        return cls(audit=audit, sets=np.zeros((0, len(units)), bool), sizes=none, about=none)

    def more(self, sets: Sequence[Labels], columns: Sequence[int] = (0,)) -> Answered:
        """After sums of some columns over some more sets."""
        found = self
        for column in columns:
            found = found._more(sets, column)
        return found

    def _more(self, sets: Sequence[Labels], column: int) -> Answered:
        rows = np.zeros((len(sets), self.sets.shape[1]), bool)
        for row, chosen in zip(rows, sets, strict=True):
            row[chosen] = True
        sizes = np.array([self._size(chosen) for chosen in sets], np.int64)
        return replace(
            self,
            audit=self.audit.asked(sets, column),
            sets=np.vstack([self.sets, rows]),
            sizes=np.concatenate([self.sizes, sizes]),
            about=np.concatenate([self.about, np.full(len(sets), column)]),
        )

    def without_account(self) -> Answered:
        """After an answer of which nobody knows what it was about."""
        return replace(self, lost=True)

    def check(self, sets: Sequence[Labels], rules: Rules, columns: Sequence[int] = (0,)) -> None:
        """Refuse sums of some columns over these sets if, with what was answered, they would tell too much."""
        if self.lost:
            raise _unknown_past()
        self._check_work(len(sets) * len(columns))
        for column in columns:
            same = self.about == column
            for chosen in sets:
                size, common = self._size(chosen), in_common(chosen, self.sets[same], self.audit.units)
                check_difference(size, self.sizes[same], common, rules.least)
                if rules.overlap is not None:
                    check_overlap(size, self.sizes[same], common, rules.overlap)
        after = self.audit
        for column in columns:
            after = after.asked(sets, column)
        exposed = after.exposed(rules.least)
        if exposed and exposed - self.audit.exposed(rules.least):
            raise Refusal(
                "would_disclose",
                f"together with earlier answers it would determine the sum of fewer than {rules.least} units",
                fix="ask about other or wider groups; earlier answers can be read again",
            )

    def _size(self, chosen: Labels) -> int:
        return int(self.audit.units[chosen].sum())

    def _check_work(self, count: int) -> None:
        """Refuse what cannot be audited in reasonable time and memory."""
        (rank, cells), (earlier, atoms) = self.audit.space.rows.shape, self.sets.shape
        kept = (rank + count) * min(atoms, cells * (count + 1)) + (earlier + count) * atoms // 8
        if kept > KEPT or count * kept > STEPS:
            raise Refusal(
                "too_complex",
                f"the audit of {count} more sums after {earlier} earlier ones would take too long",
                fix="ask for fewer groups; the owner of the data may declare fewer or coarser columns",
            )


def _unknown_past() -> Refusal:
    return Refusal(
        "would_disclose",
        "earlier answers about this column cannot be audited: another version, mode or declaration was in force",
        fix="the owner of the data gives the earlier version too, or offers the column under a new name of the data set",
    )


def in_common(chosen: Labels, earlier: npt.NDArray[np.bool_], units: Labels) -> Counts:
    """Units that a set of atoms shares with each earlier one (a row each). O(earlier · atoms)."""
    from ...kernels.overlaps import overlaps

    weights = np.zeros(len(units), np.int64)
    weights[chosen] = units[chosen]
    found: Counts = overlaps(earlier, weights)
    return found


def check_overlap(size: int, sizes: Counts, common: Counts, most: int) -> None:
    """Refuse a set that has more than ``most`` units in common with an earlier one; the same set again is nothing new."""
    same = (common == size) & (sizes == size)
    if bool(((common > most) & ~same).any()):
        raise Refusal(
            "overlap",
            f"more than {most} units are also in a set that was asked about before",
            fix="ask about other units, or read the earlier answer again",
        )


def check_difference(size: int, sizes: Counts, common: Counts, least: int) -> None:
    """Refuse a set that lies within an earlier one, or around it, and differs from it by fewer than ``least`` units."""
    nested = (common == size) | (common == sizes)
    apart = size + sizes - 2 * common
    if bool((nested & (apart > 0) & (apart < least)).any()):
        raise Refusal(
            "small_set",
            f"fewer than {least} units make the difference to a set that was asked about before",
            fix="ask about a set that differs by more units",
        )
