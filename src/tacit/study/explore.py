"""The search for the best release: try, attack, measure, and keep what was found out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import Cancelled, TacitError, whole
from ..progress import Progress, report
from ..protect.drawn_anew import drawn_anew
from ..seed import child
from .asked import asked, strategies_of
from .candidate import Candidate
from .choice import nearest
from .confirm import confirmed
from .evaluate import evaluation_of
from .findings import Point, Study
from .front import front
from .loop import Run, point_of, tried
from .noun import Task
from .nouns import noun_of
from .pool import Pool
from .space import Strategy
from .store import Store

__all__ = ["explore"]

AS_IT_IS = "as it is"
NAMED = 3
"""Strategies that a note names one by one."""
FEW_ATTACKS = (
    "each candidate was attacked by {attacks} only; {command} attacks the one that you take by all attacks that apply"
)
BY_ALL = "each candidate was attacked by {attacks}, and {best} by all attacks of a release"
FELL = "{names} would be preferred, but {verb} not hold against all attacks"
ONE_DRAW = "each candidate was drawn once: another seed moves its figures, and {command} draws anew"


def explore(
    what: Any,
    *,
    seed: int | bytes = 0,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
    require: Mapping[str, Any] | None = None,
    knows: Sequence[str] | None = None,
    intruder: Mapping[str, Any] | None = None,
    **said: Any,
) -> Study:
    """Try methods and parameters on a file or a network, attack every candidate, measure its loss, and find those worth taking (F-06).

    ``what`` is a plan or its path, a release or a graph; of the latter two ``require`` says what is required (nothing when
    absent), ``knows`` which columns or attributes the intruder knows, and ``intruder`` has what else stands under [intruder] in a
    plan, for example ``{"structure": "degree"}`` of a network. All other keywords are those of the section [study] and win over it: ``strategy`` (what is tried),
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
    plan, original = asked(what, require=require, knows=knows, intruder=intruder, said=said)
    report(progress, "looking at the data as they are", 0.0)
    noun = noun_of(plan)
    strategies = strategies_of(plan) or noun.usual(plan, original)
    task = noun.task(plan, original, seed=seed)
    kept = Store(":memory:" if store is None else store, task=task.content)
    try:
        first = _as_it_is(task)
        with Pool(task, workers=workers) as pool:
            points, ended = tried(Run(task, strategies, kept, pool, progress), first)
        judged, best = confirmed(task, points, kept, progress=progress)
    except Cancelled:
        raise Cancelled("the study was interrupted", fix=_resumed(store)) from None
    finally:
        kept.close()
    points = [judged.get(point.number, point) for point in points]
    notes = (*_of_strategies(strategies, points), *_of_attacks(task, judged, best), *_of_draws(task, strategies))
    return _study(task, points, best, ended=ended, notes=notes)


def _as_it_is(task: Task) -> Point:
    """Point 0; what cannot be found out here cannot be found out of any candidate, so that its error is the user's."""
    try:
        found = evaluation_of(task, ())
    except TacitError as problem:
        if problem.where is not None and problem.where in task.plan.plan.require:
            raise task.plan.at(_bare(problem), "require", problem.where) from None
        if problem.where in {one.name for one in task.risk}:
            raise task.plan.at(_bare(problem), "study", "risk") from None
        raise
    return point_of(task, 0, Candidate(strategy=AS_IT_IS, steps=()), found)


def _bare(problem: TacitError) -> TacitError:
    """The error without the measure that it is about, for which its line in the plan stands."""
    return TacitError(problem.what, fix=problem.fix, column=problem.column)


def _of_strategies(strategies: Sequence[Strategy], points: Sequence[Point]) -> tuple[str, ...]:
    """What a reader has to know of strategies that the map does not show: every candidate failed, or none was tried."""
    by_name = {one.name: [point.evaluation for point in points if point.strategy == one.name] for one in strategies}
    failed = [
        f"every candidate of {name!r} failed, the first because: {found[0].why}"
        for name, found in by_name.items()
        if found and all(one.state == "failed" for one in found)
    ]
    idle = [repr(name) for name, found in by_name.items() if not found]
    named = ", ".join(idle) if len(idle) <= NAMED else f"{len(idle)} of {len(by_name)} strategies"
    return (*failed, *([f"of {named} nothing was tried: allow more candidates or time"] if idle else []))


def _of_draws(task: Task, strategies: Sequence[Strategy]) -> tuple[str, ...]:
    methods = (str(step["method"]) for strategy in strategies for step in strategy.steps)
    return ONE_DRAW.format(command=task.noun.command), *drawn_anew(methods, task.noun.methods)


def _of_attacks(task: Task, judged: Mapping[int, Point], best: int | None) -> Iterator[str]:
    """By what the candidates were attacked, and which of them fell when they were attacked by all."""
    attacks = ", ".join(task.attacks)
    fallen = [f"point {number}" for number in judged if number != best]
    if fallen:
        yield FELL.format(names=" and ".join(fallen), verb="does" if len(fallen) == 1 else "do")
    if judged:
        yield BY_ALL.format(attacks=attacks, best=" and ".join(f"point {number}" for number in judged))
    elif task.partly:
        yield FEW_ATTACKS.format(attacks=attacks, command=task.noun.command)


def _study(task: Task, points: Sequence[Point], best: int | None, *, ended: str, notes: tuple[str, ...]) -> Study:
    plan = task.plan.plan
    done = [point for point in points if point.done]
    unbeaten = front([(point.risk, point.loss) for point in done])  # type: ignore[misc]
    protected = [point for point in done if point.number] or done
    return Study(
        title=task.title,
        points=tuple(points),
        front=tuple(done[place].number for place in unbeaten),
        chosen=best,
        nearest=nearest(protected, at_most=plan.study.at_most),
        risk=task.risk,
        loss=task.loss,
        attacks=task.attacks,
        required=task.required,
        at_most=plan.study.at_most,
        prefer=plan.study.prefer,
        search=plan.study.search,
        ended=ended,
        notes=notes,
        plan_text=task.plan.text,
    )


def _resumed(store: str | Path | None) -> str:
    if store is None:
        return "start it again; with store=… it goes on where it was"
    return f"run the same again: it goes on where it was, what was found is kept in {str(store)!r}"
