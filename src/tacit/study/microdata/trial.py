"""One candidate of a study of records: masked, measured, attacked and judged as a release is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ...attack.attacked import Attacked
from ...errors import Cancelled, TacitError
from ...loss import ALL as LOSSES
from ...loss.headline import headline
from ...loss.score import Weighed, beside, coarser
from ...models.by_column import protected as confidential_only
from ...models.verdict import Verdict
from ...plan.gate import results_behind, verdicts_on
from ...plan.load import with_models
from ...plan.made import Chosen, Made, attacked_by_all
from ...plan.protected import protected
from ...plan.sorts import ABOUT
from ...protect.load import from_json
from ...release.masked import Masked, Method
from ...result import Result, Results
from ...risk import ALL as RISKS
from ..evaluation import Figure, counted
from .task import RecordTask

__all__ = ["RecordTrial", "spoken_of"]


class RecordTrial:
    """The records protected by some steps, and what the attacks on them have found so far."""

    def __init__(self, task: RecordTask, steps: Sequence[Mapping[str, Any]]) -> None:
        methods = tuple(from_json(with_models(step, task.plan.requirements)) for step in steps)
        self._task, self._masked = task, _masked(task, methods)
        self._made = Made(chosen=task.chosen)

    def figures(self) -> Iterator[tuple[Figure, ...]]:
        """The figures of each measure and attack, the cheap ones first."""
        task, masked = self._task, self._masked
        for one in task.loss:
            yield (Figure("loss", one.name, _lost(task, masked, one)),)
        for one in task.risk:
            if one.name in RISKS:
                yield (Figure("risk", one.name, _measured(task, masked, one)),)
        scenario, people = task.adversary.facing(masked)
        for kind, sort in ABOUT.items():
            for name, attack in task.chosen.about.get(sort, {}).items():
                alone = Chosen(about={sort: {name: attack}}, columns=task.chosen.columns, second=task.chosen.second)
                made = attacked_by_all(masked.release, scenario, people, alone, seed=task.seed)
                self._made = _both(self._made, made)
                shares = {_named(one): share for one in made.every if (share := _share(kind, one)) is not None}
                yield tuple(Figure("risk", kind, share, said) for said, share in shares.items())

    def verdicts(self) -> tuple[Verdict, ...]:
        """Every requirement judged by what all attacks found."""
        task, masked = self._task, self._masked
        for one in task.risk:
            if one.name in ABOUT:
                results_behind(one.name, self._made)
        rows = masked.rows()
        return verdicts_on(task.plan.requirements, masked.release, self._made, original=task.original, lineage=rows)


def spoken_of(task: RecordTask) -> dict[str, tuple[str, ...]]:
    """The columns that each loss compares when nothing is masked; a loss that has no meaning for the data is an error."""
    same = Masked(task.original, ())
    found = {}
    for one in task.loss:
        results = LOSSES[one.name].call(same, original=task.original, **one.options)
        parts = results if isinstance(results, Results) else (results,)
        found[one.name] = tuple(dict.fromkeys(part.column for part in parts if part.column in task.original.columns))
    return found


def _masked(task: RecordTask, methods: tuple[Method, ...]) -> Masked:
    try:
        return protected(replace(task.plan, steps=methods), task.original, task.seed, None)
    except Cancelled:
        raise
    except TacitError as problem:
        if not methods:
            raise
        # Its place is one under [[protect]], and the steps are not from there.
        raise TacitError(problem.what, fix=problem.fix, column=problem.column) from None


def _both(one: Made, other: Made) -> Made:
    return replace(
        one,
        attacks=one.attacks + other.attacks,
        learnt=one.learnt + other.learnt,
        presence=one.presence + other.presence,
    )


def _lost(task: RecordTask, masked: Masked, one: Weighed) -> float:
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


def _measured(task: RecordTask, masked: Masked, one: Weighed) -> float:
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
    return None if result is None else counted(kind, float(result.value))
