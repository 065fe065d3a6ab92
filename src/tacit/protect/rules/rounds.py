"""Choose and look again, until every sensitive pattern is below its limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...progress import report_progress
from .baskets import Cells
from .problem import HidingMethod, Problem

if TYPE_CHECKING:
    from ...progress import Progress


def until_hidden(
    problem_after: Callable[[Cells], Problem], method: HidingMethod, progress: Progress | None
) -> tuple[Cells, dict[str, Any]]:
    """The cells to take out; ``problem_after`` tells what is left to do when some are.

    One round is enough for sets. Rules may need more, where what is taken from one is in the body of another; a proof
    is of the first round, so it does not stand when there are several.
    """
    cells, evidence, done = Cells.of([], []), dict[str, Any](), 0
    while True:
        problem = problem_after(cells)
        if not any(one.is_exposed for one in problem.sought):
            return cells, {**evidence, "rounds": done}
        report_progress(progress, "hiding", 1 - 0.5**done)
        choice = method.choose(problem)
        if not len(choice.cells):
            raise AssertionError("a round of hiding changed nothing")
        cells, done = cells.union(choice.cells), done + 1
        evidence = dict(choice.evidence) if done == 1 else {"changes": len(cells), "proven": False}
