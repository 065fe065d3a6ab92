"""All steps of a plan, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import TacitError
from ..progress import Progress, report_progress, sub_progress
from ..protect import DropHousehold, DropIdentifiers, NewHouseholds, Pseudonymise, Shuffle
from ..release.masked import Masked, Method
from ..release.release import Release
from ..seed import child_seed
from .load import LoadedPlan

IDENTIFIERS, HOUSEHOLDS = ("roles", "identifier"), ("roles", "household")


class Step(NamedTuple):
    """A method, and the key of the plan that it stands under."""

    path: tuple[str | int, ...]
    method: Method


def protect_release(plan: LoadedPlan, original: Release, key: int | bytes, progress: Progress | None) -> Masked:
    """All steps of the plan, between those that every release gets: identifiers first, random order last."""
    masked, steps = Masked(original, ()), steps_of(plan, original)
    for place in range(len(steps)):
        share = sub_progress(progress, place / len(steps), (place + 1) / len(steps))
        masked = after_step(plan, masked, steps, place, key, share)
    return masked


def steps_of(plan: LoadedPlan, original: Release) -> list[Step]:
    """Every step with the key of the plan that it stands under, in the order in which they are done."""
    own = [Step(("protect", place), step) for place, step in enumerate(plan.steps)]
    return [*_identifier_steps(plan), *own, *_final_steps(plan, original)]


def after_step(
    plan: LoadedPlan, masked: Masked, steps: Sequence[Step], place: int, key: int | bytes, progress: Progress | None
) -> Masked:
    """What comes of one step on what the steps before it made; its draws depend on the seed and its place alone."""
    path, step = steps[place]
    if path == HOUSEHOLDS and masked.release.household is None:  # a private generator leaves it out
        return masked
    report_progress(progress, f"protecting: {type(step).__name__}", 0.0)
    try:
        return masked.then(step, seed=child_seed(key, "step", place), progress=progress)
    except TacitError as problem:
        raise plan.locate_error(_dropped_column_error(plan, problem), *path) from None


def _dropped_column_error(plan: LoadedPlan, problem: TacitError) -> TacitError:
    """An error about a column that is no longer there because it identifies people, with the remedy."""
    if problem.column not in {given.column for given in plan.identifiers if not given.pseudonym}:
        return problem
    return TacitError(
        "is an identifier and was dropped before this step",
        code="unsuitable_column",
        column=problem.column,
        fix=f'keep it as a pseudonym: identifier = [{{ column = "{problem.column}", pseudonym = "hmac" }}]',
    )


def _identifier_steps(plan: LoadedPlan) -> Iterator[Step]:
    """Pseudonyms for the identifiers that get one, and the end of all others."""
    hashed = tuple(given.column for given in plan.identifiers if given.pseudonym)
    if hashed:
        key_file = plan.plan.roles.key_file
        pseudonyms = Pseudonymise(columns=hashed, key_file=str(plan.folder / key_file) if key_file else None)
        yield Step(IDENTIFIERS, pseudonyms)
    if len(hashed) < len(plan.identifiers):
        yield Step(IDENTIFIERS, DropIdentifiers())


def _final_steps(plan: LoadedPlan, original: Release) -> Iterator[Step]:
    """The household number left out, or drawn anew where the plan keeps it; and random order, which tells no household."""
    if original.household is not None:
        yield Step(HOUSEHOLDS, NewHouseholds() if plan.plan.roles.keep_household else DropHousehold())
    yield Step(("output",), Shuffle())
