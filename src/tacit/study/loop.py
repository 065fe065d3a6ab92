"""Candidates asked for, evaluated and told of, batch after batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import TacitError
from ..progress import Progress, report
from .budget import Budget, in_words, seconds_of
from .candidate import Candidate
from .choice import acceptable
from .evaluation import Evaluation, cut, place_of
from .findings import Point
from .front import Place, front
from .noun import Task
from .optimiser import Optimiser
from .pool import Pool
from .search import Grid, Random, Search
from .space import Strategy
from .store import Store

__all__ = ["Run", "point_of", "tried"]

BATCH = 8
"""Candidates that are asked for at a time; the same on every machine, so that the same ones are asked."""
AS_PLANNED = "the plan as it stands"
ENOUGH = 4
"""Candidates after which the pace is known: the first ones wait for their processes to start."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What the loop needs: the task, what is tried, where it is kept, who computes, and who listens."""

    task: Task
    strategies: Sequence[Strategy]
    store: Store
    pool: Pool
    progress: Progress | None


def tried(run: Run, first: Point) -> tuple[list[Point], str]:
    """Batch after batch until there are enough, none are left or the time is over."""
    study = run.task.plan.plan.study
    budget = Budget(seconds_of(study.budget))
    search = _search(run, study.candidates)
    points = [first]
    for batch in _batches(run, search, study.candidates):
        rivals = _rivals(points, study.at_most)
        found: list[Place | None] = []
        for candidate, evaluation in _each(run, batch, rivals, budget, len(points) - 1):
            point = point_of(run.task, len(points), candidate, evaluation)
            points.append(point)
            found.append(None if point.risk is None or point.loss is None else (point.risk, point.loss))
        if len(found) < len(batch):
            if len(points) == 1:
                raise TacitError(
                    f"the budget of {in_words(budget.seconds or 0)} was over before the first candidate was done",
                    fix="allow more time, or explore a sample of the records",
                )
            return points, f"the budget of {in_words(budget.seconds or 0)} was over"
        if batch[0].strategy != AS_PLANNED:
            search.tell(found)
    if len(points) - 1 < study.candidates:
        return points, "there are no more to try"
    return points, "as many as were asked for"


def _batches(run: Run, search: Search, most: int) -> Iterator[list[Candidate]]:
    """The plan as it stands, then what the search asks for, a fixed number at a time."""
    own = run.task.plan.plan.protect
    if own:
        yield [Candidate(strategy=AS_PLANNED, steps=tuple(own), methods=run.task.noun.methods)]
    left = most - bool(own)
    while left > 0:
        batch = search.ask(min(BATCH, left))
        if not batch:
            return
        left -= len(batch)
        yield batch


def _each(
    run: Run, batch: Sequence[Candidate], rivals: Sequence[Place], budget: Budget, done: int
) -> Iterator[tuple[Candidate, Evaluation]]:
    """Each candidate with what came of it, in order; fewer when the time is over."""
    task, planned = run.task, run.task.plan.plan.study.candidates
    known = [_known(run, candidate, rivals) for candidate in batch]
    unknown = [candidate for candidate, found in zip(batch, known, strict=True) if found is None]
    fresh = run.pool.each(unknown, rivals, run.store.put)
    for place, (candidate, found) in enumerate(zip(batch, known, strict=True)):
        while found is None:
            report(run.progress, _said(budget, done + place, planned), _share(budget, done + place, planned))
            if budget.over:
                return
            found = next(fresh)
        yield candidate, cut(found, rivals, risk=task.risk, loss=task.loss)


def _known(run: Run, candidate: Candidate, rivals: Sequence[Place]) -> Evaluation | None:
    """What the store has of a candidate; one that stopped counts only where it would stop again."""
    found = run.store.get(candidate)
    if found is None or found.state != "stopped":
        return found
    again = replace(found, state="done")
    return found if cut(again, rivals, risk=run.task.risk, loss=run.task.loss).state == "stopped" else None


def _search(run: Run, most: int) -> Search:
    seed = run.task.seed
    match run.task.plan.plan.study.search:
        case "grid":
            return Grid(run.strategies, most=most, seed=seed)
        case "random":
            return Random(run.strategies, seed=seed)
        case _:
            return Optimiser(run.strategies, seed=seed)


def _rivals(points: Sequence[Point], at_most: Mapping[str, float]) -> list[Place]:
    """The candidates that will do and are not beaten among themselves: what is worse than one of them is decided."""
    places = [(point.risk, point.loss) for point in points if acceptable(point, at_most)]
    known = [(risk, loss) for risk, loss in places if risk is not None and loss is not None]
    return [known[place] for place in front(known)]


def point_of(task: Task, number: int, candidate: Candidate, found: Evaluation) -> Point:
    """A candidate at its place on the map."""
    failed = found.state == "failed"
    risk, loss = (None, None) if failed else place_of(found.figures, task.risk, task.loss)
    return Point(number=number, candidate=candidate, evaluation=found, risk=risk, loss=loss)


def _said(budget: Budget, done: int, planned: int) -> str:
    left = f", about {in_words(budget.left(done, planned))} left" if done >= ENOUGH else ""
    return f"candidate {done + 1} of {planned}{left}"


def _share(budget: Budget, done: int, planned: int) -> float:
    timed = 0.0 if budget.seconds is None else budget.spent / budget.seconds
    return min(1.0, max(done / planned, timed))
