"""The choice attacked as a release is: by all attacks, before it is recommended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..progress import Progress, report
from .choice import acceptable, ranked
from .evaluate import evaluated
from .findings import Point
from .noun import Task
from .store import Store

__all__ = ["confirmed"]

MOST = 8
"""Candidates that are attacked by all, until one holds."""


def confirmed(
    task: Task, points: Sequence[Point], store: Store, *, progress: Progress | None
) -> tuple[dict[int, Point], int | None]:
    """The best candidates judged by all attacks, by their numbers, and the first of them that still will do.

    They are taken in the order of preference; after one that fails, only one with less risk. A point keeps its place on the map,
    where all were attacked alike, and gets the verdicts and the attacks of a release. Without more attacks to make there is nothing to
    confirm: the first is the choice.
    """
    study = task.plan.plan.study
    order = ranked(points, prefer=study.prefer, at_most=study.at_most)
    thorough = task.thorough()
    if thorough is None:
        return {}, order[0].number if order else None
    seen: dict[int, Point] = {}
    least = float("inf")
    for point in order:
        if len(seen) == MOST or (point.risk or 0.0) >= least:
            continue
        report(progress, f"attacking point {point.number} by all", 1.0)
        found = store.of(thorough.content).get(point.candidate) or evaluated(thorough, point.candidate.steps)
        store.of(thorough.content).put(point.candidate, found)
        verdicts = found.verdicts if found.state == "done" else point.evaluation.verdicts
        seen[point.number] = replace(
            point, evaluation=replace(point.evaluation, verdicts=verdicts), attacked=found.attacks
        )
        if found.state == "done" and acceptable(seen[point.number], study.at_most):
            return seen, point.number
        least = min(least, point.risk or 0.0)
    return seen, None
