"""One candidate put through its task: masked, measured, attacked, judged; and stopped as soon as it is decided."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ..attack.attacked import Attacked
from ..errors import Cancelled, TacitError
from ..loss import ALL as LOSSES
from ..loss.headline import headline
from ..loss.score import Weighed, beside, coarser
from ..models.by_column import protected as confidential_only
from ..plan.gate import results_behind, verdicts_on
from ..plan.load import with_models
from ..plan.made import Chosen, Made, attacked_by_all
from ..plan.protected import protected
from ..plan.sorts import ABOUT
from ..protect.load import from_json
from ..release.masked import Masked, Method
from ..result import Result, Results
from ..risk import ALL as RISKS
from .evaluation import INSIDE, Evaluation, Figure, counted, cut
from .front import Place
from .task import Task

__all__ = ["evaluated", "evaluation_of", "spoken_of"]

DIGITS = 10


def evaluated(task: Task, steps: Sequence[Mapping[str, Any]], *, rivals: Sequence[Place] = ()) -> Evaluation:
    """What comes of protecting the data by these steps; failed, with the reason, where they cannot be made or measured.

    Of an error that is not ours only its kind is told, because its text may quote the data.
    """
    started = time.process_time()
    try:
        found = evaluation_of(task, steps, rivals=rivals)
    except Cancelled:
        raise
    except TacitError as problem:
        found = Evaluation(state="failed", why=" ".join(str(problem).replace("\n  fix:", "; fix:").split()))
    except Exception as problem:
        found = Evaluation(state="failed", why=f"{INSIDE}{type(problem).__name__}")
    return replace(found, seconds=time.process_time() - started)


def evaluation_of(task: Task, steps: Sequence[Mapping[str, Any]], *, rivals: Sequence[Place] = ()) -> Evaluation:
    """The figures and verdicts of the data protected by these steps.

    ``rivals`` are candidates that will do: once one of them is better in everything than what is known so far, the
    rest is not computed. A risk that is weighed and that no attack applies to is an error, not a risk of 0.
    """
    methods = tuple(from_json(with_models(step, task.plan.requirements)) for step in steps)
    masked = _masked(task, methods)
    known, made = Evaluation(state="done"), Made(chosen=task.chosen)
    for figures, more in _found(task, masked):
        made = _both(made, more)
        known = cut(replace(known, figures=known.figures + figures), rivals, risk=task.risk, loss=task.loss)
        if known.state == "stopped":
            return known
    for one in task.risk:
        if one.name in ABOUT:
            results_behind(one.name, made)
    verdicts = verdicts_on(task.plan.requirements, masked.release, made, original=task.original, lineage=masked.rows())
    return replace(known, verdicts=tuple(_plain(verdict.as_json()) for verdict in verdicts))


def spoken_of(task: Task) -> dict[str, tuple[str, ...]]:
    """The columns that each loss compares when nothing is masked; a loss that has no meaning for the data is an error."""
    same = Masked(task.original, ())
    found = {}
    for one in task.loss:
        results = LOSSES[one.name].call(same, original=task.original, **one.options)
        parts = results if isinstance(results, Results) else (results,)
        found[one.name] = tuple(dict.fromkeys(part.column for part in parts if part.column in task.original.columns))
    return found


def _masked(task: Task, methods: tuple[Method, ...]) -> Masked:
    try:
        return protected(replace(task.plan, steps=methods), task.original, task.seed, None)
    except Cancelled:
        raise
    except TacitError as problem:
        if not methods:
            raise
        # Its place is one under [[protect]], and the steps are not from there.
        raise TacitError(problem.what, fix=problem.fix, column=problem.column) from None


def _found(task: Task, masked: Masked) -> Iterator[tuple[tuple[Figure, ...], Made]]:
    """The figures of each measure and attack, the cheap ones first, with what the attacks found."""
    nothing = Made(chosen=task.chosen)
    for one in task.loss:
        yield (Figure("loss", one.name, _steady(_lost(task, masked, one))),), nothing
    for one in task.risk:
        if one.name in RISKS:
            yield (Figure("risk", one.name, _steady(_measured(task, masked, one))),), nothing
    scenario, people = task.adversary.facing(masked)
    for kind, sort in ABOUT.items():
        for name, attack in task.chosen.about.get(sort, {}).items():
            alone = Chosen(about={sort: {name: attack}}, columns=task.chosen.columns, second=task.chosen.second)
            made = attacked_by_all(masked.release, scenario, people, alone, seed=task.seed)
            shares = {_named(one): share for one in made.every if (share := _share(kind, one)) is not None}
            yield tuple(Figure("risk", kind, share, said) for said, share in shares.items()), made


def _both(one: Made, other: Made) -> Made:
    return replace(
        one,
        attacks=one.attacks + other.attacks,
        learnt=one.learnt + other.learnt,
        presence=one.presence + other.presence,
    )


def _lost(task: Task, masked: Masked, one: Weighed) -> float:
    """The loss by one measure; where nothing can be compared any more, all is lost but what another loss measures."""
    apart = beside(one.name, coarser(masked.release, task.original, task.loss))
    expected = task.columns.get(one.name, ())
    try:
        found = LOSSES[one.name].call(masked, original=task.original, **one.options)
    except Cancelled:
        raise
    except TacitError:
        return 0.0 if apart and {*expected} <= {*apart} else 1.0
    return headline(found, columns=expected, apart=apart)


def _measured(task: Task, masked: Masked, one: Weighed) -> float:
    """A measure of risk as one share: the mean over the confidential columns, or over all where there is none."""
    entry = RISKS[one.name]
    beside = {"original": task.original} if "original" in entry.needs else {}
    try:
        found: Result | Results = entry.call(masked, **beside, **one.options)
    except TacitError as problem:
        raise problem.at(one.name) from None
    if isinstance(found, Results) and beside:
        found = confidential_only(found, task.original)
    parts = list(found) if isinstance(found, Results) else [found]
    if any(part.worse != "high" or not 0 <= part.value <= 1 for part in parts):
        raise TacitError(
            f"{one.name} is no share between 0 and 1, so that it cannot be weighed",
            fix="require it of the release instead, under [require]",
            where=one.name,
        )
    return fmean(part.value for part in parts)


def _named(found: Attacked) -> str:
    column = found.result.column if found.result is not None else None
    return f"{found.name} of {column}" if column else found.name


def _share(kind: str, found: Attacked) -> float | None:
    """What an attack found; None when it was not run."""
    result = found.gain or found.result
    return None if result is None else _steady(counted(kind, float(result.value)))


def _steady(value: float) -> float:
    """The number without its last digits, which depend on how many threads summed it up: a study must not."""
    return float(f"{value:.{DIGITS}g}")


def _plain(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict as it is stored: numbers of NumPy become those of Python."""
    plain = {name: value.item() if hasattr(value, "item") else value for name, value in verdict.items()}
    return {name: _steady(value) if isinstance(value, float) else value for name, value in plain.items()}
