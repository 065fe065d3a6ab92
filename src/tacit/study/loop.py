"""Candidates asked for, evaluated and told of, batch after batch.

In which order candidates are tried: all combinations of a grid, or at random.

Every search is asked for a fixed number of candidates at a time and told what came of them, so that with the same seed
it asks for the same ones, however many processes there are and however long they take.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import TacitError
from ..progress import Progress, report_progress
from ..seed import child_seed, make_generator
from .budget import Budget, in_words, seconds_of
from .candidate import Candidate
from .data_kind import Task
from .evaluation import Evaluation, place_of, stop_when_dominated
from .front import Place, front
from .pool import Pool
from .results import Point
from .selection import is_acceptable
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

TRIES = 50
"""How often a search looks for a candidate that it has not tried before it gives up: the space is exhausted."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What the loop needs: the task, what is tried, where it is kept, who computes, and who listens."""

    task: Task
    strategies: Sequence[Strategy]
    store: Store
    pool: Pool
    progress: Progress | None


def evaluate_batches(run: Run, first: Point) -> tuple[list[Point], str]:
    """Batch after batch until there are enough, none are left or the time is over."""
    study = run.task.plan.plan.study
    budget = Budget(seconds_of(study.budget))
    search = _make_search(run, study.candidates)
    points = [first]
    for batch in _candidate_batches(run, search, study.candidates):
        rivals = _acceptable_front(points, study.at_most)
        found: list[Place | None] = []
        for candidate, evaluation in _evaluate_batch(run, batch, rivals, budget, len(points) - 1):
            point = point_of(run.task, len(points), candidate, evaluation)
            points.append(point)
            found.append(None if point.risk is None or point.loss is None else (point.risk, point.loss))
        if len(found) < len(batch):
            if len(points) == 1:
                raise TacitError(
                    f"the budget of {in_words(budget.seconds or 0)} was over before the first candidate was done",
                    code="privacy_budget",
                    fix="allow more time, or explore a sample of the records",
                )
            return points, f"the budget of {in_words(budget.seconds or 0)} was over"
        if batch[0].strategy != AS_PLANNED:
            search.tell(found)
    if len(points) - 1 < study.candidates:
        return points, "there are no more to try"
    return points, "as many as were asked for"


def _candidate_batches(run: Run, search: Search, most: int) -> Iterator[list[Candidate]]:
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


def _evaluate_batch(
    run: Run, batch: Sequence[Candidate], rivals: Sequence[Place], budget: Budget, done: int
) -> Iterator[tuple[Candidate, Evaluation]]:
    """Each candidate with what came of it, in order; fewer when the time is over."""
    task, planned = run.task, run.task.plan.plan.study.candidates
    known = [_stored_evaluation(run, candidate, rivals) for candidate in batch]
    unknown = [candidate for candidate, found in zip(batch, known, strict=True) if found is None]
    fresh = run.pool.evaluate_each(unknown, rivals, run.store.put)
    for place, (candidate, found) in enumerate(zip(batch, known, strict=True)):
        while found is None:
            report_progress(
                run.progress,
                _progress_text(budget, done + place, planned),
                _progress_share(budget, done + place, planned),
            )
            if budget.is_over:
                return
            found = next(fresh)
        yield candidate, stop_when_dominated(found, rivals, risk=task.risk, loss=task.loss)


def _stored_evaluation(run: Run, candidate: Candidate, rivals: Sequence[Place]) -> Evaluation | None:
    """What the store has of a candidate; one that stopped counts only where it would stop again."""
    found = run.store.get(candidate)
    if found is None or found.state != "stopped":
        return found
    again = replace(found, state="done")
    return (
        found if stop_when_dominated(again, rivals, risk=run.task.risk, loss=run.task.loss).state == "stopped" else None
    )


def _make_search(run: Run, most: int) -> Search:
    seed = run.task.seed
    match run.task.plan.plan.study.search:
        case "grid":
            return Grid(run.strategies, most=most, seed=seed)
        case "random":
            return Random(run.strategies, seed=seed)
        case _:
            return Optimiser(run.strategies, seed=seed)


def _acceptable_front(points: Sequence[Point], at_most: Mapping[str, float]) -> list[Place]:
    """The candidates that will do and are not beaten among themselves: what is worse than one of them is decided."""
    places = [(point.risk, point.loss) for point in points if is_acceptable(point, at_most)]
    known = [(risk, loss) for risk, loss in places if risk is not None and loss is not None]
    return [known[place] for place in front(known)]


def point_of(task: Task, number: int, candidate: Candidate, found: Evaluation) -> Point:
    """A candidate at its place on the map."""
    failed = found.state == "failed"
    risk, loss = (None, None) if failed else place_of(found.figures, task.risk, task.loss)
    return Point(number=number, candidate=candidate, evaluation=found, risk=risk, loss=loss)


def _progress_text(budget: Budget, done: int, planned: int) -> str:
    left = f", about {in_words(budget.seconds_left(done, planned))} left" if done >= ENOUGH else ""
    return f"candidate {done + 1} of {planned}{left}"


def _progress_share(budget: Budget, done: int, planned: int) -> float:
    timed = 0.0 if budget.seconds is None else budget.seconds_spent / budget.seconds
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
                code="not_installed",
                fix="pip install 'tacit[study]', in a clone pip install -e '.[study]'; or search = \"random\"",
            ) from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        own = int.from_bytes(child_seed(seed, "optimiser")[:4], "little")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(seed=own, multivariate=True, group=True, constant_liar=True)
        self._study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        self._strategies = {strategy.name: strategy for strategy in strategies}
        for share in (0.5, 1.0, 0.0):
            for strategy in strategies:
                self._study.enqueue_trial(_parameters_at(strategy, share))
        self._asked: dict[str, list[Trial]] = {}
        self._known: dict[str, Place | None] = {}

    def ask(self, count: int) -> list[Candidate]:
        """Some that were not asked before; those asked again are answered with what is known of them."""
        found: dict[str, Candidate] = {}
        tries = 0
        while len(found) < count and tries < TRIES:
            trial = self._study.ask()
            candidate = self._suggest_candidate(trial)
            tries += 1
            if candidate.key in self._known:
                self._tell_trial(trial, self._known[candidate.key])
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
                self._tell_trial(trial, place)
            del self._asked[key]

    def _tell_trial(self, trial: Trial, place: Place | None) -> None:
        from optuna.trial import TrialState

        if place is None:
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, list(place))

    def _suggest_candidate(self, trial: Trial) -> Candidate:
        names = list(self._strategies)
        name = names[0] if len(names) == 1 else trial.suggest_categorical(STRATEGY, names)
        strategy = self._strategies[str(name)]
        return Candidate.of(
            strategy,
            {path: _suggest_value(trial, str(name), path, one) for path, one in strategy.open_parameters.items()},
        )


def _parameters_at(strategy: Strategy, share: float) -> dict[str, Any]:
    """The parameters, by their labels, of the candidate that lies this share of the way through every range and list."""
    found = {
        _parameter_label(strategy.name, path): given.value_at(share)
        if isinstance(given, Range)
        else given.of.index(given.value_at(share))
        for path, given in strategy.open_parameters.items()
    }
    return {STRATEGY: strategy.name, **found}


def _parameter_label(strategy: str, path: Path) -> str:
    return f"{strategy}: {'.'.join(map(str, path))}"


def _suggest_value(trial: Trial, strategy: str, path: Path, given: Open) -> Any:
    """What the optimiser proposes for a parameter; a choice goes by its place in the list, which may hold anything."""
    label = _parameter_label(strategy, path)
    if not isinstance(given, Range):
        return given.of[trial.suggest_categorical(label, list(range(len(given.of))))]
    if given.is_whole:
        return trial.suggest_int(label, int(given.low), int(given.high), log=given.log)
    return given.snap_value(trial.suggest_float(label, given.low, given.high, log=given.log))


class Search(Protocol):
    """Asks for candidates and learns from what is told of them."""

    def ask(self, count: int) -> list[Candidate]:
        """At most so many candidates that were not asked before; none when there are no more."""

    def tell(self, found: Sequence[Place | None]) -> None:
        """Where the candidates asked last lie, in their order; None for one that failed."""


class Grid:
    """All combinations of equally spaced levels, as many levels as ``most`` candidates allow for each strategy.

    The strategies share the candidates evenly, and take turns in random order, so that a search that is cut short has
    seen some of everything.

    >>> swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["pay"], "percent": {"from": 1, "to": 21}}])
    >>> sorted(found.values["percent"] for found in Grid([swap], most=5, seed=1).ask(9))
    [1, 6, 11, 16, 21]
    """

    def __init__(self, strategies: Sequence[Strategy], *, most: int, seed: int | bytes) -> None:
        shares = [most // len(strategies) + (place < most % len(strategies)) for place in range(len(strategies))]
        lists = [
            _shuffle_candidates(_grid_candidates(strategy, share), child_seed(seed, "grid", place))
            for place, (strategy, share) in enumerate(zip(strategies, shares, strict=True))
        ]
        longest = max(map(len, lists))
        turns = [found[turn] for turn in range(longest) for found in lists if turn < len(found)]
        self._left = list({candidate.key: candidate for candidate in turns}.values())

    def ask(self, count: int) -> list[Candidate]:
        """The next ones."""
        asked, self._left = self._left[:count], self._left[count:]
        return asked

    def tell(self, found: Sequence[Place | None]) -> None:
        """A grid learns nothing."""


class Random:
    """A strategy at random, and each of its open parameters at random.

    >>> swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["pay"], "percent": {"from": 1, "to": 3}}])
    >>> sorted(found.values["percent"] for found in Random([swap], seed=1).ask(9))
    [1, 2, 3]
    """

    def __init__(self, strategies: Sequence[Strategy], *, seed: int | bytes) -> None:
        self._strategies, self._draw = strategies, make_generator(child_seed(seed, "random"))
        self._seen: set[str] = set()

    def ask(self, count: int) -> list[Candidate]:
        """Some that were not asked before."""
        return draw_unseen(self._draw_candidate, count, self._seen)

    def tell(self, found: Sequence[Place | None]) -> None:
        """Chance learns nothing."""

    def _draw_candidate(self) -> Candidate:
        strategy = self._strategies[int(self._draw.integers(len(self._strategies)))]
        return Candidate.of(
            strategy, {path: given.value_at(self._draw.random()) for path, given in strategy.open_parameters.items()}
        )


def draw_unseen(draw: Callable[[], Candidate], count: int, seen: set[str]) -> list[Candidate]:
    """So many different candidates that are not among those ``seen``, which they then are."""
    found: list[Candidate] = []
    tries = 0
    while len(found) < count and tries < TRIES:
        candidate = draw()
        tries += 1
        if candidate.key not in seen:
            seen.add(candidate.key)
            found.append(candidate)
            tries = 0
    return found


def _grid_candidates(strategy: Strategy, most: int) -> list[Candidate]:
    """Every combination of the most levels that give no more than ``most`` candidates."""
    if not most:
        return []
    opened = strategy.open_parameters
    lists = [given.levels(1) for given in opened.values()]
    if prod(map(len, lists)) > most:
        raise TacitError(
            f"the choices of the strategy {strategy.name!r} alone make {prod(map(len, lists))} candidates, and it may have {most}",
            code="invalid_plan",
            fix="allow more candidates, leave choices out, or search at random or with the optimiser",
        )
    for count in range(2, most + 1):
        finer = [given.levels(count) for given in opened.values()]
        if prod(map(len, finer)) > most:
            break
        lists = finer
    return [Candidate.of(strategy, dict(zip(opened, values, strict=True))) for values in product(*lists)]


def _shuffle_candidates(candidates: list[Candidate], seed: bytes) -> list[Candidate]:
    return [candidates[place] for place in make_generator(seed).permutation(len(candidates))]
