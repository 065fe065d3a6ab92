"""How a cell of a heat map looks to its reader: its text, its shade, its status, and what is said on demand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..plan.table.outcome import TableOutcome
from ..tables.amount import amount
from ..tables.problem import Status
from .audience import Audience
from .blocks import Cell

__all__ = ["Painter"]

SHADES = 8
LEGENDS = {
    ("suppressed", "internal"): (
        ("unsafe", "unsafe by a rule, suppressed"),
        ("secondary", "suppressed to protect others"),
        ("shade-6", "published; stronger is larger"),
    ),
    ("suppressed", "public"): (("suppressed", "not published"), ("shade-6", "published; stronger is larger")),
    ("changed", "internal"): (("unsafe", "unsafe by a rule"), ("moved", "changed"), ("shade-6", "as it was")),
    ("as it is", "internal"): (("unsafe", "unsafe by a rule"), ("shade-6", "stronger is larger")),
    ("changed", "public"): (("shade-6", "stronger is larger"),),
}


@dataclass(frozen=True, slots=True, eq=False)
class Painter:
    """Draws cells for one audience.

    The public sees published figures and that others are not: which of these were unsafe, and what the audit computed, would
    help an intruder. The review board sees every figure with its interval, levels and reason.
    """

    outcome: TableOutcome
    audience: Audience
    shades: np.ndarray
    intervals: dict[int, tuple[float, float]]

    @classmethod
    def of(cls, outcome: TableOutcome, audience: Audience) -> Painter:
        """A painter with what it needs looked up once. O(cells)."""
        audit = getattr(outcome.protected, "audit", None)
        found = None if audit is None or audience == "public" else audit.intervals
        known = (
            {}
            if found is None
            else dict(zip(found.cells.tolist(), zip(found.low.tolist(), found.high.tolist(), strict=True), strict=True))
        )
        return cls(outcome, audience, _shades(outcome.figures, outcome.hidden), known)

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """What the colours mean."""
        if self.outcome.protected is None:
            return LEGENDS["as it is", "internal"]
        return LEGENDS["changed" if self.outcome.hidden is None else "suppressed", self.audience]

    def cell(self, place: int) -> Cell:
        """The cell of a number."""
        hidden = self.outcome.hidden
        if hidden is not None and hidden[place]:
            return Cell("×", 0, "suppressed") if self.audience == "public" else self._suppressed(place)
        figure = amount(float(self.outcome.figures[place]))
        if hidden is None and self.audience == "internal":
            return self._changed(place, figure)
        return Cell(figure, int(self.shades[place]))

    def _suppressed(self, place: int) -> Cell:
        problem = self.outcome.problem
        unsafe = problem.status[place] == Status.UNSAFE
        said = [f"{problem.table.name(place)}: {amount(float(problem.table.values[place]))}"]
        if place in self.intervals:
            said.append(f"everybody can compute {amount(self.intervals[place])}")
        if unsafe:
            said += [f"must reach {amount(self._need(place))}", problem.why.get(place, "")]
        text = amount(float(problem.table.values[place]))
        return Cell(
            f"{'●' if unsafe else '○'} {text}", 0, "unsafe" if unsafe else "secondary", "; ".join(filter(None, said))
        )

    def _changed(self, place: int, figure: str) -> Cell:
        problem = self.outcome.problem
        true, place_name = float(problem.table.values[place]), problem.table.name(place)
        unsafe, same = problem.status[place] == Status.UNSAFE, float(self.outcome.figures[place]) == true
        if same and not unsafe:
            return Cell(figure, int(self.shades[place]))
        said = f"{place_name}: {figure} as it was" if same else f"{place_name}: {amount(true)} became {figure}"
        if unsafe:
            said = "; ".join(
                filter(None, [said, f"must reach {amount(self._need(place))}", problem.why.get(place, "")])
            )
        return Cell(figure, int(self.shades[place]), "unsafe" if unsafe else "moved", said)

    def _need(self, place: int) -> tuple[float, float]:
        """The interval that an unsafe cell must be uncertain over."""
        problem, value = self.outcome.problem, float(self.outcome.problem.table.values[place])
        return value - float(problem.lower[place]), value + float(problem.upper[place])


def _shades(figures: np.ndarray, hidden: np.ndarray | None) -> np.ndarray:
    """Darkness by the logarithm of the figure, 0 for zero; suppressed ones have no part in it, or shades would bound them."""
    size = np.log1p(np.abs(np.nan_to_num(figures)))
    if hidden is not None:
        size[hidden] = 0.0
    largest = size.max(initial=0.0)
    return np.ceil(SHADES * size / largest).astype(int) if largest else np.zeros(len(figures), dtype=int)
