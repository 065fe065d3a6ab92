"""The search for the best release: try, attack, measure, and keep what was found out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import Cancelled, TacitError, whole
from ..plan.load import LoadedPlan
from ..progress import Progress, report
from ..release.release import Release
from ..seed import child
from .asked import asked, strategies_of
from .budget import Budget, in_words, seconds_of
from .candidate import Candidate
from .choice import acceptable, chosen, nearest
from .evaluate import evaluation_of, spoken_of
from .evaluation import Evaluation, counted, cut, place_of
from .findings import Point, Study
from .front import Place, front
from .optimiser import Optimiser
from .pool import Pool
from .search import Grid, Random, Search
from .space import Strategy
from .store import Store
from .task import Task
from .usual import usual

__all__ = ["explore"]

BATCH = 8
"""Candidates that are asked for at a time; the same on every machine, so that the same ones are asked."""
AS_IT_IS, AS_PLANNED = "as it is", "the plan as it stands"
FEW_ATTACKS = "each candidate was attacked by {attacks} only; tacit release attacks the one that you choose by all attacks that apply"
ONE_DRAW = "each candidate was drawn once: another seed moves its figures, and tacit release draws anew"


def explore(
    what: LoadedPlan | Release | str | Path,
    *,
    seed: int | bytes = 0,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
    require: Mapping[str, Any] | None = None,
    knows: Sequence[str] | None = None,
    **said: Any,
) -> Study:
    """Try methods and parameters on a file, attack every candidate, measure its loss, and find those worth taking (F-06).

    ``what`` is a plan or its path, or a release; then ``require`` says what is required (nothing when absent) and ``knows``
    what the intruder knows. All other keywords are those of the section [study] and win over it: ``strategy`` (what is tried),
    ``risk`` and ``loss`` (weights), ``attacks``, ``search`` (optimiser, random, grid), ``candidates``, ``budget`` (``"10m"``),
    ``prefer``, ``at_most``. With the same seed the same candidates are tried in the same order; a budget only cuts it. What is found out
    is kept in the SQLite file ``store``, so that an interrupted study goes on where it was. ``workers`` is the number of
    processes, one for each core when absent. Nothing is released, and every release draws a seed of its own.

    The cost is that of a masking, its losses and attacks for each candidate; those that a candidate that will do beats in both
    risk and loss are stopped as soon as that is known.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [float(x * x) for x in range(40)]}), quasi="pay", kinds={"pay": "continuous"})
    >>> group = {"name": "groups", "steps": [{"method": "mdav", "columns": ["pay"], "k": {"from": 2, "to": 8}}]}
    >>> found = explore(r, strategy=[group], search="grid", candidates=3, workers=1, loss={"squared_error": 1})
    >>> [(point.number, point.parameters, round(point.risk, 3), round(point.loss, 3)) for point in found.points]
    [(0, '', 1.0, 0.0), (1, 'k 8', 0.125, 0.049), (2, 'k 2', 0.5, 0.002), (3, 'k 5', 0.2, 0.019)]

    References
    ----------
    Duncan, Keller-McNulty and Stokes (2001), Disclosure risk vs. data utility: the R-U confidentiality map, NISS technical
    report 121.
    """
    if workers is not None:
        whole("workers", workers, least=1)
    child(seed, "study")  # refuses what is no seed
    plan, original = asked(what, require=require, knows=knows, said=said)
    report(progress, "looking at the file as it is", 0.0)
    strategies = strategies_of(plan) or usual(original, plan.plan.require)
    task = _spoken(Task.of(plan, original, seed=seed))
    kept = Store(":memory:" if store is None else store, task=task.content)
    try:
        first = _as_it_is(task)
        with Pool(task, workers=workers) as pool:
            points, ended = _tried(_Run(task, strategies, kept, pool, progress), first)
    except Cancelled:
        raise Cancelled("the study was interrupted", fix=_resumed(store)) from None
    finally:
        kept.close()
    return _study(task, points, ended, said=_of_strategies(strategies, points))


def _spoken(task: Task) -> Task:
    try:
        return replace(task, columns=spoken_of(task))
    except TacitError as problem:
        raise task.plan.at(problem, "study", "loss") from None


def _as_it_is(task: Task) -> Point:
    """Point 0; what cannot be found out here cannot be found out of any candidate, so that its error is the user's."""
    try:
        found = evaluation_of(task, ())
    except TacitError as problem:
        if problem.where in task.plan.plan.require:
            raise task.plan.at(problem, "require", problem.where) from None
        if problem.where in {one.name for one in task.risk}:
            raise task.plan.at(problem, "study", "risk") from None
        raise
    return _point(task, 0, Candidate(strategy=AS_IT_IS, steps=()), found)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What the loop needs."""

    task: Task
    strategies: Sequence[Strategy]
    store: Store
    pool: Pool
    progress: Progress | None


def _tried(run: _Run, first: Point) -> tuple[list[Point], str]:
    """Batch after batch until there are enough, none are left or the time is over."""
    study = run.task.plan.plan.study
    budget = Budget(seconds_of(study.budget))
    search = _search(run, study.candidates)
    points = [first]
    for batch in _batches(run, search, study.candidates):
        rivals = _rivals(points, study.at_most)
        found: list[Place | None] = []
        for candidate, evaluation in _each(run, batch, rivals, budget, len(points) - 1):
            point = _point(run.task, len(points), candidate, evaluation)
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


def _batches(run: _Run, search: Search, most: int) -> Iterator[list[Candidate]]:
    """The plan as it stands, then what the search asks for, a fixed number at a time."""
    own = run.task.plan.plan.protect
    if own:
        yield [Candidate(strategy=AS_PLANNED, steps=tuple(own))]
    left = most - bool(own)
    while left > 0:
        batch = search.ask(min(BATCH, left))
        if not batch:
            return
        left -= len(batch)
        yield batch


def _each(
    run: _Run, batch: Sequence[Candidate], rivals: Sequence[Place], budget: Budget, done: int
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


def _known(run: _Run, candidate: Candidate, rivals: Sequence[Place]) -> Evaluation | None:
    """What the store has of a candidate; one that stopped counts only where it would stop again."""
    found = run.store.get(candidate)
    if found is None or found.state != "stopped":
        return found
    again = replace(found, state="done")
    return found if cut(again, rivals, risk=run.task.risk, loss=run.task.loss).state == "stopped" else None


def _search(run: _Run, most: int) -> Search:
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


def _point(task: Task, number: int, candidate: Candidate, found: Evaluation) -> Point:
    failed = found.state == "failed"
    risk, loss = (None, None) if failed else place_of(found.figures, task.risk, task.loss)
    return Point(number=number, candidate=candidate, evaluation=found, risk=risk, loss=loss)


def _of_strategies(strategies: Sequence[Strategy], points: Sequence[Point]) -> tuple[str, ...]:
    """What a reader has to know of strategies that the map does not show: every candidate failed, or none was tried."""
    tried = {one.name: [point.evaluation for point in points if point.strategy == one.name] for one in strategies}
    failed = [
        f"every candidate of {name!r} failed, the first because: {found[0].why}"
        for name, found in tried.items()
        if found and all(one.state == "failed" for one in found)
    ]
    idle = [repr(name) for name, found in tried.items() if not found]
    return (*failed, *([f"of {', '.join(idle)} nothing was tried: allow more candidates or time"] if idle else []))


def _study(task: Task, points: Sequence[Point], ended: str, *, said: tuple[str, ...]) -> Study:
    plan = task.plan.plan
    done = [point for point in points if point.done]
    best = front([(point.risk, point.loss) for point in done])  # type: ignore[misc]
    tried = [point for point in done if point.number] or done
    required = task.plan.requirements.attacks
    attacks = tuple(name for made in task.chosen.about.values() for name in made)
    return Study(
        title=plan.title or f"Release of {task.plan.data_path.name}",
        points=tuple(points),
        front=tuple(done[place].number for place in best),
        chosen=chosen(done, prefer=plan.study.prefer, at_most=plan.study.at_most),
        nearest=nearest(tried, at_most=plan.study.at_most),
        risk=task.risk,
        loss=task.loss,
        attacks=attacks,
        required={name: counted(name, bound.at_most) for name, bound in required.items() if bound.at_most},
        at_most=plan.study.at_most,
        prefer=plan.study.prefer,
        search=plan.study.search,
        ended=ended,
        notes=(*said, *([FEW_ATTACKS.format(attacks=", ".join(attacks))] if attacks else []), ONE_DRAW),
        plan_text=task.plan.text,
    )


def _said(budget: Budget, done: int, planned: int) -> str:
    left = f", about {in_words(budget.left(done, planned))} left" if done else ""
    return f"candidate {done + 1} of {planned}{left}"


def _share(budget: Budget, done: int, planned: int) -> float:
    timed = 0.0 if budget.seconds is None else budget.spent / budget.seconds
    return min(1.0, max(done / planned, timed))


def _resumed(store: str | Path | None) -> str:
    if store is None:
        return "start it again; with store=… it goes on where it was"
    return f"run the same again: it goes on where it was, what was found is kept in {str(store)!r}"
