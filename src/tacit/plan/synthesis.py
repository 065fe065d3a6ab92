"""What is special about a synthetic file: who was kept back, which attacks are made, how it is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any, Literal

import numpy as np
import polars as pl

from ..attack import ATTACKS
from ..attack._scenarios import whole_records
from ..attack.attack import Attack, ProgramLimit
from ..attack.closest_record import closest_record
from ..attack.copies import Copies
from ..attack.file_membership import Membership
from ..attack.runner import AttackResult
from ..errors import Cancelled, TacitError, check_int, format_value
from ..loss import contingency, holdout_prediction, moments, propensity, summary
from ..progress import Progress, report_progress, sub_progress
from ..protect.pipeline import Pipeline
from ..release.households import one_per_household
from ..release.masked import Masked, Method
from ..release.release import Release
from ..release.trace import declared_effects, method_name
from ..result import Result, Results
from ..seed import DEFAULT_SEED, child_seed, make_generator
from .adversary import Adversary
from .attack_run import ABOUT, AttackSelection, attacks_about
from .dp_job import declared_columns
from .load import LoadedPlan
from .schema import Synth

CAPTURED = "captured"
"""The finding by which a step says what it fitted, as every generator does."""

"""The row of the catalogue at which every method that makes records up stands."""

NO_CONTROL = (
    "nobody was kept back and there is no control: holdout = 0.2 under [synth], or control = … under [intruder]"
)

LEAST = 10
"""So many people are needed on either side for any figure to mean something."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Synthesis:
    """The files that were made, from how many people, and beside whom they were attacked.

    ``rows`` are those of the data file that the generator saw (None: all), ``control`` says where the outsiders come from.
    """

    files: tuple[Masked, ...]
    trained: int
    outsiders: int
    control: Literal["kept back", "a file", "nobody"]
    rows: np.ndarray | None = None

    @staticmethod
    def of(files: Sequence[Masked], adversary: Adversary, kept: HeldOut) -> Synthesis:
        """From the parts of a job."""
        others = adversary.control
        return Synthesis(
            files=tuple(files),
            trained=kept.training.size,
            outsiders=0 if others is None else others.size,
            control="nobody" if others is None else "a file" if kept.held is None else "kept back",
            rows=kept.rows,
        )

    @property
    def is_fully_synthetic(self) -> bool:
        """Whether no record of any file is anybody's."""
        return all((one.rows() < 0).all() for one in self.files)

    @property
    def fitted_statistics(self) -> Mapping[str, Any]:
        """Step → what it was fitted to, of the first file; nothing else is promised."""
        steps = ((step.method, step.outcome.get(CAPTURED)) for step in self.files[0].trace)
        return {method: found.public_value() for method, found in steps if found is not None and found.publishable}

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``result.json`` and ``--json``; which people were kept back is not among them."""
        return {
            "files": len(self.files),
            "trained": self.trained,
            "outsiders": self.outsiders,
            "control": self.control,
            "captured": dict(self.fitted_statistics),
        }


def kept_back(plan: LoadedPlan, data: Release, key: int | bytes) -> HeldOut:
    """The data without the people whom a plan for synthetic files keeps back, and these; everybody learns else."""
    share = None if plan.plan.synth is None else plan.plan.synth.holdout
    if share is None:
        return HeldOut(training=data)
    if plan.plan.intruder.control is not None:
        both = TacitError(
            "people are kept back, and a control is named too",
            code="invalid_plan",
            fix="keep one of holdout and control",
        )
        raise plan.locate_error(both, "synth", "holdout")
    try:
        return held_out(data, share, seed=key)
    except TacitError as problem:
        if declared_columns(plan.steps):  # how many people there are may be what a guarantee hides
            return HeldOut(training=data)
        raise plan.locate_error(problem, "synth", "holdout") from None


def _is_generator(step: Method) -> bool:
    effects = declared_effects(type(step))
    return effects is not None and effects.synthetic


def refuse_no_generator(plan: LoadedPlan) -> None:
    """Refuse a plan for synthetic files none of whose steps makes records up: it is a masking job."""
    if plan.plan.synth is not None and not any(map(_is_generator, plan.steps)):
        problem = TacitError(
            "no step makes synthetic records",
            code="invalid_plan",
            fix='add a generator, e.g. method = "synth_trees", or take [synth] out and use: tacit release',
        )
        raise plan.locate_error(problem, "protect" if plan.plan.protect else "synth")


def as_synthesis(plan: LoadedPlan) -> LoadedPlan:
    """The plan as one for synthetic files, whether it says so or not."""
    if plan.plan.synth is not None:
        return plan
    return replace(plan, plan=plan.plan.model_copy(update={"synth": Synth()}))


def implicate_count(plan: LoadedPlan) -> int:
    """How many files are asked for."""
    count = 1 if plan.plan.synth is None else plan.plan.synth.implicates
    try:
        check_int("implicates", count, least=1)
        _spent_once(plan, count)
    except TacitError as problem:
        raise plan.locate_error(problem, "synth", "implicates") from None
    return count


def _spent_once(plan: LoadedPlan, count: int) -> None:
    """Refuse several files by a method with a budget: each would spend it again, and each trace would tell of one."""
    private = next((step for step in plan.steps if hasattr(step, "epsilon")), None)
    if count > 1 and private is not None:
        raise TacitError(
            f"each of {count} files by {method_name(private)} would spend epsilon={private.epsilon} again",
            code="privacy_budget",
            fix="release one file; several would need epsilon divided by their number, each made by itself",
        )


def pool_files(files: Sequence[Masked]) -> Masked:
    """All files as one, as whoever gets them has them; a person may then stand in several rows."""
    if len(files) == 1:
        return files[0]
    first, *others = (one.release for one in files)
    every = first.append(pl.concat([pl.DataFrame([one.series(name) for name in first.columns]) for one in others]))
    return Masked(every, files[0].trace, np.concatenate([one.rows() for one in files]))


def chosen_attacks(plan: LoadedPlan, adversary: Adversary, masked: Masked, chosen: AttackSelection) -> AttackSelection:
    """Every sort of attack on synthetic files, by whole records unless it is said what the intruder knows.

    Nobody is to be found in a file whose rows are nobody's. Attacks that take long on so many people are made when they
    are named under [[attack]].
    """
    original, held = adversary.original, adversary.control
    about: dict[str, Mapping[str, Attack]] = {
        sort: chosen.about.get(sort) or attacks_about(sort, plan.attacks)
        for sort in dict.fromkeys(ABOUT.values())
        if sort != "linkability" or chosen.second
    }
    if (masked.rows() < 0).all():
        about["identity"] = {}
    near = about["membership"]["membership"]
    if near != replace(near, by="density"):  # type: ignore[type-var]
        about["membership"] = {**about["membership"], "density": Membership(by="density")}
    about["copies"] = {"exact_copies": Copies(percent=0), **about["copies"]}
    size = original.size + (0 if held is None else held.size)
    long = [name for name in about["membership"] if _takes_long(name, size, plan.attacks)]
    about["membership"] = {name: one for name, one in about["membership"].items() if name not in long}
    knows = plan.plan.intruder.knows
    asking = tuple(knows) if knows else whole_records(masked.release, original, held)
    return replace(chosen, about=about, asking=asking, beside=tuple(_not_made(name, size) for name in long))


def _takes_long(name: str, size: int, named: Mapping[str, Any]) -> bool:
    upto = ATTACKS[name].upto if name in ATTACKS else None
    return upto is not None and size > upto and name not in named


def _not_made(name: str, size: int) -> AttackResult:
    upto = ATTACKS[name].upto
    why_not = ProgramLimit(
        f'it takes long on {size:,} people, more than {upto:,}: name it, method = "{name}" under [[attack]]'
    )
    return AttackResult(name=name, about="membership", result=None, why_not=why_not)


def attack_by_distance(release: Release, adversary: Adversary) -> AttackResult:
    """Whether the released records lie nearer to the training data than to the people kept back."""
    name, original, held = "closest_record", adversary.original, adversary.control
    if held is None:
        return AttackResult(name=name, about="membership", result=None, why_not=NO_CONTROL)
    try:
        result = closest_record(release, original=original, control=held)
        return AttackResult(name=name, about="membership", result=result)
    except Cancelled:
        raise
    except TacitError as problem:
        return AttackResult(name=name, about="membership", result=None, why_not=problem.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RepeatedMethod:
    """The steps of a plan, run as often as files are made, the files as one."""

    steps: Pipeline
    count: int

    def apply(self, release: Release, *, seed: Any = None, progress: Progress | None = None) -> Masked:
        """All files as one."""
        made = []
        for number in range(self.count):
            own = child_seed(seed, "implicate", number) if isinstance(seed, int | bytes) else seed
            share = sub_progress(progress, number / self.count, (number + 1) / self.count)
            made.append(self.steps.apply(release, seed=own, progress=share))
        return pool_files(made)


def masking_program(plan: LoadedPlan) -> Method | None:
    """What an intruder runs who has the plan: its steps, as often as there are files; None where there is no step."""
    if not plan.steps:
        return None
    steps, count = Pipeline(steps=plan.steps), implicate_count(plan)
    return steps if count == 1 else _RepeatedMethod(steps=steps, count=count)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """The training data, those kept back (None: nobody), and which rows of the file the former are."""

    training: Release
    held: Release | None = None
    rows: np.ndarray | None = None


def held_out(original: Release, share: float, *, seed: int | bytes) -> HeldOut:
    """A random ``share`` of the people kept back; a household stays together, on either side.

    Households are drawn until the share is reached. O(n log n).

    >>> import polars as pl
    >>> kept = held_out(Release(pl.DataFrame({"age": list(range(100))})), 0.2, seed=7)
    >>> kept.training.size, len(kept.rows), kept.held.size
    (80, 80, 20)
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise TacitError(
            f"holdout = {format_value(share)} is not a share of the people",
            code="out_of_range",
            parameter="holdout",
            fix="give a number between 0 and 1, e.g. 0.2 or 0.5",
        )
    first, units = one_per_household(original)
    order = make_generator(child_seed(seed, "holdout")).permutation(len(first))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    size = np.bincount(units, minlength=len(order))[order]
    count = int(np.searchsorted(np.cumsum(size), round(share * original.size))) + 1
    back = place[units] < count
    for side, what in ((back, "kept back"), (~back, "left to learn from")):
        if side.sum() < LEAST:
            raise TacitError(
                f"holdout = {share:g} leaves {int(side.sum())} of {original.size} people {what}, fewer than {LEAST}",
                code="too_few_records",
                parameter="holdout",
                fix="choose another share, or give people who are not in the data: control = … under [intruder]",
            )
    rows = np.flatnonzero(~back)
    return HeldOut(training=original.take(rows), held=original.take(np.flatnonzero(back)), rows=rows)


def measure_utility(
    files: Sequence[Masked],
    original: Release,
    held: Release | None,
    *,
    predict: Sequence[str] = (),
    seed: int | bytes = DEFAULT_SEED,
    progress: Progress | None = None,
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The losses of the files against the training data, the mean over them where they are several; and what could not be measured.

    Moments, or all usual losses where rows can be paired (partial synthesis); pMSE and its ratios; tables of one to three
    columns; and models taught by the file and tested on the people ``held`` back.
    """
    measures: list[tuple[str, Callable[[Masked], Results]]] = [
        ("losses", partial(_default_losses, original=original)),
        ("propensity", lambda one: Results(tuple(propensity(one, original=original, seed=seed))[:1])),
        ("tables of up to three columns", partial(contingency, original=original)),
    ]
    notes: list[str] = []
    if held is not None:
        asked = partial(holdout_prediction, original=original, holdout=held, target=predict or None, seed=seed)
        measures.append(("prediction of people held back", asked))
    else:
        notes.append("prediction of people held back was not measured: nobody was kept back")
    found: list[Result] = []
    for place, (name, measure) in enumerate(measures):
        report_progress(progress, f"measuring utility: {name}", place / len(measures))
        try:
            found += _mean_results([measure(one) for one in files])
        except Cancelled:
            raise
        except TacitError as problem:
            if predict and problem.column in predict:
                raise
            column = f"column {problem.column!r} " if problem.column else ""
            notes.append(f"{name}: not measured, {column}{problem.what} ({problem.fix})")
    return tuple(found), tuple(notes)


def _default_losses(masked: Masked, *, original: Release) -> Results:
    return (moments if (masked.rows() < 0).all() else summary)(masked, original=original)


def _mean_results(found: Sequence[Results]) -> list[Result]:
    """Result by result the mean over the files, with the least and the most; the facts are those of the first."""
    if len(found) == 1:
        return list(found[0])
    shared = {_result_key(one) for one in found[0]}.intersection(
        *({_result_key(one) for one in rest} for rest in found[1:])
    )
    means = []
    for first in found[0]:
        if _result_key(first) not in shared:
            continue
        values = [float(one.value) for part in found for one in part if _result_key(one) == _result_key(first)]
        means.append(
            Result(
                name=first.name,
                column=first.column,
                value=fmean(values),
                worse=first.worse,
                about=first.about,
                facts={**first.facts, "over the files": (float(np.min(values)), float(np.max(values)))},
            )
        )
    return means


def _result_key(result: Result) -> tuple[str, str | None]:
    return result.name, result.column
