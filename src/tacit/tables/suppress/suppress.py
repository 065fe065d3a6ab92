"""Cell suppression from the front: choose a method, run it, and let the audit say whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...errors import TacitError, instead
from ...progress import Progress, part
from ..audit.audit import Audit, audit
from ..pattern import Pattern
from ..problem import Problem
from .chain import by_elimination, by_flow, by_hypercube, heuristic
from .choose import choose, limits_for
from .exact.exact import exact
from .flow import flow
from .insiders import against_insiders
from .limits import CannotProtect, Limits
from .ordered import ordered
from .possible import check_left, check_usable
from .suppressed import Suppressed

__all__ = ["METHODS", "suppress"]

_HEURISTICS: dict[str, Callable[..., Pattern]] = {
    "heuristic": heuristic,
    "flow": by_flow,
    "elimination": by_elimination,
    "hypercube": by_hypercube,
}

METHODS = ("auto", "exact", *_HEURISTICS)
"""The names of the methods."""


def suppress(
    problem: Problem,
    *,
    method: str = "auto",
    limits: Limits | None = None,
    insiders: bool | None = None,
    progress: Progress | None = None,
) -> Suppressed:
    """The unsafe cells and the cheapest further ones left out, so that no outsider gets nearer than the levels (G-04).

    ``method`` is ``exact`` (proven optimum, or the best found within ``limits`` and a bound), ``heuristic`` (several
    attempts joined), one of ``flow``, ``elimination``, ``hypercube`` alone, or ``auto``: exact where a proof is within
    reach, else the heuristic chain. ``insiders`` also protects against sole contributors, who know their own cells; that is
    done where the contributors are known, unless said otherwise. Always ends in the audit, whose verdict the result
    carries. The same table gives the same pattern, in whatever order its cells come.

    Cost: seconds for 2-D tables of 10⁴ cells; minutes for 3-D tables of as many; see the guide on table suppression.
    """
    if method not in METHODS:
        raise TacitError(f"the method {method!r} is unknown", fix=instead(str(method), METHODS))
    check_usable(problem)
    check_left(problem, problem.must)
    work, order = ordered(problem)
    found = _pattern(work, choose(work) if method == "auto" else method, limits, part(progress, 0.0, 0.6))
    inside = work.table.contributors is not None if insiders is None else insiders
    if inside:
        more = against_insiders(work, found.hidden, progress=part(progress, 0.6, 0.7))
        if (more != found.hidden).any():
            found = _changed(work, found, more, "insiders")
    hidden, verdict = _audited(problem, found, order, inside, part(progress, 0.7, 0.9))
    mended = _mended(work, found, np.isin(order, verdict.short))
    if mended is not None:
        found = mended
        hidden, verdict = _audited(problem, found, order, inside, part(progress, 0.9, 1.0))
    check_left(problem, hidden)
    return Suppressed(problem=problem, pattern=replace(found, hidden=hidden), audit=verdict)


def _pattern(problem: Problem, method: str, limits: Limits | None, progress: Progress | None) -> Pattern:
    if not len(problem.primaries):
        cost = problem.total_cost(problem.must)
        return Pattern(hidden=problem.must, cost=cost, bound=cost, methods=("none needed",))
    if method != "exact":
        return _HEURISTICS[method](problem, progress=progress)
    first = heuristic(problem, progress=part(progress, 0.0, 0.3))
    if first.proven:
        return first
    return exact(
        problem,
        limits=limits_for(problem) if limits is None else limits,
        start=first.hidden,
        progress=part(progress, 0.3, 1.0),
    )


def _audited(
    problem: Problem, found: Pattern, order: np.ndarray, inside: bool, progress: Progress | None
) -> tuple[np.ndarray, Audit]:
    """The pattern put back into the order of the table, and the verdict on that."""
    hidden = np.zeros(problem.size, dtype=bool)
    hidden[order] = found.hidden
    return hidden, audit(problem, hidden, insiders=int(inside), progress=progress)


def _mended(problem: Problem, found: Pattern, short: np.ndarray) -> Pattern | None:
    """One more flow, over widened levels, for cells that arithmetic left short; None when that hides nothing more."""
    if not short.any():
        return None
    levels = {name: np.where(short, 1 + 1e-3, 1.0) * getattr(problem, name) for name in ("lower", "upper", "sliding")}
    try:
        hidden = flow(replace(problem, **levels), start=found.hidden)
    except CannotProtect:
        return None
    return _changed(problem, found, hidden, "repair") if (hidden != found.hidden).any() else None


def _changed(problem: Problem, found: Pattern, hidden: np.ndarray, why: str) -> Pattern:
    """The pattern with further cells; its bound still holds, as it is one for fewer demands."""
    return replace(found, hidden=hidden, cost=problem.total_cost(hidden), methods=(*found.methods, why))
