"""Candidates asked for, evaluated and told of, batch after batch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import TacitError
from ..progress import Progress, report
from ..seed import child
from .budget import Budget, in_words, seconds_of
from .candidate import Candidate
from .choice import acceptable
from .evaluation import Evaluation, cut, place_of
from .findings import Point
from .front import Place, front
from .noun import Task
from .pool import Pool
from .search import TRIES, Grid, Random, Search
from .space import Open, Path, Range, Strategy
from .store import Store

if TYPE_CHECKING:
    from optuna.trial import Trial


BATCH = 8
"""Candidates that are asked for at a time; the same on every machine, so that the same ones are asked."""

AS_PLANNED = "the plan as it stands"

ENOUGH = 4
"""Candidates after which the pace is known: the first ones wait for their processes to start."""

STRATEGY = "strategy"


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


class Optimiser:
    """Tree-structured Parzen estimators: ask where good candidates are dense and bad ones are rare.

    What takes most of the map (hypervolume) counts as good. Strategies are a parameter like the others, and each has
    parameters of its own. The first candidates are the middle and both ends of every strategy: least and most protection
    bound the front, and chance seldom meets them.

    References
    ----------
    Ozaki, Tanigaki, Watanabe and Onishi (2020), Multiobjective tree-structured Parzen estimator for computationally
    expensive optimization problems, GECCO, 533–541.
    Akiba, Sano, Yanase, Ohta and Koyama (2019), Optuna: a next-generation hyperparameter optimization framework, KDD,
    2623–2631.
    """

    def __init__(self, strategies: Sequence[Strategy], *, seed: int | bytes) -> None:
        try:
            import optuna
        except ImportError:
            raise TacitError(
                "the optimiser needs Optuna, which is not installed",
                fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'; or search = \"random\"",
            ) from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        own = int.from_bytes(child(seed, "optimiser")[:4], "little")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(seed=own, multivariate=True, group=True, constant_liar=True)
        self._study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        self._strategies = {strategy.name: strategy for strategy in strategies}
        for share in (0.5, 1.0, 0.0):
            for strategy in strategies:
                self._study.enqueue_trial(_across(strategy, share))
        self._asked: dict[str, list[Trial]] = {}
        self._known: dict[str, Place | None] = {}

    def ask(self, count: int) -> list[Candidate]:
        """Some that were not asked before; those asked again are answered with what is known of them."""
        found: dict[str, Candidate] = {}
        tries = 0
        while len(found) < count and tries < TRIES:
            trial = self._study.ask()
            candidate = self._suggested(trial)
            tries += 1
            if candidate.key in self._known:
                self._answer(trial, self._known[candidate.key])
                continue
            if candidate.key not in found:
                tries = 0
            found.setdefault(candidate.key, candidate)
            self._asked.setdefault(candidate.key, []).append(trial)
        return list(found.values())

    def tell(self, found: Sequence[Place | None]) -> None:
        """Answer what was asked last."""
        for (key, trials), place in zip(list(self._asked.items()), found, strict=False):
            self._known[key] = place
            for trial in trials:
                self._answer(trial, place)
            del self._asked[key]

    def _answer(self, trial: Trial, place: Place | None) -> None:
        from optuna.trial import TrialState

        if place is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, list(place))

    def _suggested(self, trial: Trial) -> Candidate:
        names = list(self._strategies)
        name = names[0] if len(names) == 1 else trial.suggest_categorical(STRATEGY, names)
        strategy = self._strategies[str(name)]
        return Candidate.of(
            strategy, {path: _value(trial, str(name), path, one) for path, one in strategy.open.items()}
        )


def _across(strategy: Strategy, share: float) -> dict[str, Any]:
    """The parameters, by their labels, of the candidate that lies this share of the way through every range and list."""
    found = {
        _label(strategy.name, path): given.at(share) if isinstance(given, Range) else given.of.index(given.at(share))
        for path, given in strategy.open.items()
    }
    return {STRATEGY: strategy.name, **found}


def _label(strategy: str, path: Path) -> str:
    return f"{strategy}: {'.'.join(map(str, path))}"


def _value(trial: Trial, strategy: str, path: Path, given: Open) -> Any:
    """What the optimiser proposes for a parameter; a choice goes by its place in the list, which may hold anything."""
    label = _label(strategy, path)
    if not isinstance(given, Range):
        return given.of[trial.suggest_categorical(label, list(range(len(given.of))))]
    if given.whole:
        return trial.suggest_int(label, int(given.low), int(given.high), log=given.log)
    return given.near(trial.suggest_float(label, given.low, given.high, log=given.log))
