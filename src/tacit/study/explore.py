"""The search for the best release: try, attack, measure, and keep what was found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from ..errors import Cancelled, TacitError, check_int, format_value, suggest_alternative
from ..plan.schema import Study as Section
from ..progress import Progress, report_progress
from ..protect.nonreproducible import nonreproducible_methods
from ..seed import DEFAULT_SEED, child_seed
from .budget import seconds_of
from .candidate import Candidate
from .data_kind import StudyPlan, Task
from .data_kinds import noun_of, read_plan
from .evaluate import evaluate_candidate, evaluation_of
from .front import front
from .loop import Run, evaluate_batches, point_of
from .pool import Pool
from .results import Point, Study
from .selection import checked_axes, is_acceptable, nearest_candidate, rank_candidates
from .space import Strategy
from .store import Store

AS_IT_IS = "as it is"

NAMED = 3
"""Strategies that a note names one by one."""

FEW_ATTACKS = (
    "each candidate was attacked by {attacks} only; {command} attacks the one that you take by all attacks that apply"
)

BY_ALL = "each candidate was attacked by {attacks}, and {best} by all attacks of a release"

FELL = "{names} would be preferred, but {verb} not hold against all attacks"

ONE_DRAW = "each candidate was drawn once: another seed moves its figures, and {command} draws anew"

MOST = 8
"""Candidates that are attacked by all, until one holds."""

BOTH = {"risk": 1.0, "loss": 1.0}
"""Without requirements the least loss is that of the data as they are: risk and loss count alike."""


def explore(
    what: Any,
    *,
    seed: int | bytes = DEFAULT_SEED,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
    require: Mapping[str, Any] | None = None,
    knows: Sequence[str] | None = None,
    intruder: Mapping[str, Any] | None = None,
    **said: Any,
) -> Study:
    """Try methods and parameters on a file or a network, attack every candidate, measure its loss, and find those worth taking.

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
        check_int("workers", workers, least=1)
    child_seed(seed, "study")  # refuses what is no seed
    plan, original = resolve_plan(what, require=require, knows=knows, intruder=intruder, said=said)
    report_progress(progress, "looking at the data as they are", 0.0)
    noun = noun_of(plan)
    strategies = strategies_of(plan) or noun.default_strategies(plan, original)
    task = noun.make_task(plan, original, seed=seed)
    kept = Store(":memory:" if store is None else store, task=task.content_digest)
    try:
        first = _as_it_is(task)
        with Pool(task, workers=workers) as pool:
            points, ended = evaluate_batches(Run(task, strategies, kept, pool, progress), first)
        judged, best = confirm_candidates(task, points, kept, progress=progress)
    except Cancelled:
        raise Cancelled("the study was interrupted", fix=_resume_hint(store)) from None
    finally:
        kept.close()
    points = [judged.get(point.number, point) for point in points]
    notes = (*_of_strategies(strategies, points), *_of_attacks(task, judged, best), *_of_draws(task, strategies))
    return _build_study(task, points, best, ended=ended, notes=notes)


def _as_it_is(task: Task) -> Point:
    """Point 0; what cannot be found out here cannot be found out of any candidate, so that its error is the user's."""
    try:
        found = evaluation_of(task, ())
    except TacitError as problem:
        if problem.where is not None and problem.where in task.plan.plan.require:
            raise task.plan.locate_error(_without_measure(problem), "require", problem.where) from None
        if problem.where in {one.name for one in task.risk}:
            raise task.plan.locate_error(_without_measure(problem), "study", "risk") from None
        raise
    return point_of(task, 0, Candidate(strategy=AS_IT_IS, steps=()), found)


def _without_measure(problem: TacitError) -> TacitError:
    """The error without the measure that it is about, for which its line in the plan stands."""
    return problem.restate(where=None)


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
    return ONE_DRAW.format(command=task.noun.command), *nonreproducible_methods(methods, task.noun.methods)


def _of_attacks(task: Task, judged: Mapping[int, Point], best: int | None) -> Iterator[str]:
    """By what the candidates were attacked, and which of them fell when they were attacked by all."""
    attacks = ", ".join(task.attacks)
    fallen = [f"point {number}" for number in judged if number != best]
    if fallen:
        yield FELL.format(names=" and ".join(fallen), verb="does" if len(fallen) == 1 else "do")
    if judged:
        yield BY_ALL.format(attacks=attacks, best=" and ".join(f"point {number}" for number in judged))
    elif task.is_partial:
        yield FEW_ATTACKS.format(attacks=attacks, command=task.noun.command)


def _build_study(task: Task, points: Sequence[Point], best: int | None, *, ended: str, notes: tuple[str, ...]) -> Study:
    plan = task.plan.plan
    done = [point for point in points if point.done]
    unbeaten = front([(point.risk, point.loss) for point in done])  # type: ignore[misc]
    protected = [point for point in done if point.number] or done
    return Study(
        title=task.title,
        points=tuple(points),
        front=tuple(done[place].number for place in unbeaten),
        chosen=best,
        nearest=nearest_candidate(protected, at_most=plan.study.at_most),
        risk=task.risk,
        loss=task.loss,
        attacks=task.attacks,
        required=task.risk_limits,
        at_most=plan.study.at_most,
        prefer=plan.study.prefer,
        search=plan.study.search,
        ended=ended,
        notes=notes,
        plan_text=task.plan.text,
    )


def _resume_hint(store: str | Path | None) -> str:
    if store is None:
        return "start it again; with store=… it goes on where it was"
    return f"run the same again: it goes on where it was, what was found is kept in {str(store)!r}"


def confirm_candidates(
    task: Task, points: Sequence[Point], store: Store, *, progress: Progress | None
) -> tuple[dict[int, Point], int | None]:
    """The best candidates judged by all attacks, by their numbers, and the first of them that still will do.

    They are taken in the order of preference; after one that fails, only one with less risk. A point keeps its place on the map,
    where all were attacked alike, and gets the verdicts and the attacks of a release. Without more attacks to make there is nothing to
    confirm: the first is the choice.
    """
    study = task.plan.plan.study
    order = rank_candidates(points, prefer=study.prefer, at_most=study.at_most)
    thorough = task.with_all_attacks()
    if thorough is None:
        return {}, order[0].number if order else None
    seen: dict[int, Point] = {}
    least = float("inf")
    for point in order:
        if len(seen) == MOST or (point.risk or 0.0) >= least:
            continue
        report_progress(progress, f"attacking point {point.number} by all", 1.0)
        found = store.of(thorough.content_digest).get(point.candidate) or evaluate_candidate(
            thorough, point.candidate.steps
        )
        store.of(thorough.content_digest).put(point.candidate, found)
        verdicts = found.verdicts if found.state == "done" else point.evaluation.verdicts
        seen[point.number] = replace(
            point, evaluation=replace(point.evaluation, verdicts=verdicts), attacked=found.attacks
        )
        if found.state == "done" and is_acceptable(seen[point.number], study.at_most):
            return seen, point.number
        least = min(least, point.risk or 0.0)
    return seen, None


def resolve_plan(
    what: Any,
    *,
    require: Mapping[str, Any] | None = None,
    knows: Sequence[str] | None = None,
    intruder: Mapping[str, Any] | None = None,
    said: Mapping[str, Any],
) -> tuple[Any, Any]:
    """The plan of a study and its data; ``said`` wins over the section [study]."""
    if isinstance(what, str | Path):
        what = read_plan(what)
    noun = noun_of(what)
    if noun.is_plan(what):
        if require is not None or knows is not None or intruder is not None:
            raise TacitError(
                "a plan says itself what is required and what the intruder knows",
                code="invalid_plan",
                fix="change [require] or [intruder] in the plan",
            )
        plan, original = what, noun.load_original(what)
    else:
        original = noun.data_of(what)
        known = {} if knows is None else {"knows": list(knows)}
        plan = noun.plan_for_data(original, require, {**(intruder or {}), **known})
        if not require:
            said = {"prefer": BOTH, **said}
    section = _parse_section({**plan.plan.study.model_dump(), **_plain_options(said)})
    plan = replace(plan, plan=plan.plan.model_copy(update={"study": section}))
    _check_section(plan, section)
    return plan, original


def strategies_of(plan: StudyPlan) -> list[Strategy]:
    """What the plan says is to be tried, each under a name of its own."""
    methods = noun_of(plan).methods
    found: dict[str, Strategy] = {}
    for place, given in enumerate(plan.plan.study.strategy):
        try:
            if given.name in found:
                raise TacitError(
                    f"two strategies are called {given.name!r}",
                    code="invalid_plan",
                    fix="give one of them another name",
                )
            found[given.name] = Strategy.of(given.name, given.steps, methods=methods)
        except TacitError as problem:
            raise plan.locate_error(problem, "study", "strategy", place) from None
    return list(found.values())


def _plain_options(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, with strategies as they stand in a plan; they may be given as such."""
    given = said.get("strategy")
    if not isinstance(given, list | tuple):
        return dict(said)
    plain = [
        {"name": one.name, "steps": [dict(step) for step in one.steps]} if isinstance(one, Strategy) else one
        for one in given
    ]
    return {**said, "strategy": plain}


def _parse_section(said: Mapping[str, Any]) -> Section:
    known = Section.model_fields
    wrong = next((name for name in said if name not in known), None)
    if wrong is not None:
        raise TacitError(
            f"a study takes no {wrong!r}", code="unknown_name", fix=suggest_alternative(wrong, list(known))
        )
    try:
        return Section.model_validate(dict(said))
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        if first["type"] == "literal_error":
            words = get_args(known[place].annotation)
            raise TacitError(
                f"{place} = {format_value(first['input'])} is unknown",
                code="unknown_name",
                parameter=place,
                fix=suggest_alternative(str(first["input"]), words),
            ) from None
        raise TacitError(
            f"{place}: {first['msg'][0].lower()}{first['msg'][1:]}", code="invalid_plan", fix="correct it, see [study]"
        ) from None


def _check_section(plan: StudyPlan, section: Section) -> None:
    """Refuses values that cannot be meant, with their line in the plan."""
    checks: dict[str, Callable[[], object]] = {
        "candidates": lambda: check_int("candidates", section.candidates, least=1),
        "budget": lambda: seconds_of(section.budget),
        "at_most": lambda: checked_axes(section.at_most, "at_most"),
        "prefer": lambda: _check_preference(section.prefer),
    }
    for key, check in checks.items():
        try:
            check()
        except TacitError as problem:
            raise plan.locate_error(problem, "study", key) from None


def _check_preference(prefer: Mapping[str, Any]) -> None:
    if not any(checked_axes(prefer, "prefer").values()):
        raise TacitError(
            "prefer counts neither risk nor loss", code="invalid_plan", fix="e.g. prefer = { risk = 1, loss = 1 }"
        )
