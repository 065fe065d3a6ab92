"""All steps of a plan, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import TacitError
from ..progress import Progress, part, report
from ..protect import DropIdentifiers, NewHouseholds, Pseudonymise, Shuffle
from ..release.masked import Masked, Method
from ..release.release import Release
from ..seed import child
from .load import LoadedPlan

__all__ = ["protected"]

HOUSEHOLDS = ("roles", "household")


def protected(plan: LoadedPlan, original: Release, key: int | bytes, progress: Progress | None) -> Masked:
    """All steps of the plan, between those that every release gets: identifiers first, random order last."""
    masked = Masked(original, ())
    steps = [*_first(plan), *((("protect", place), step) for place, step in enumerate(plan.steps)), *_last(original)]
    for place, (path, step) in enumerate(steps):
        if path == HOUSEHOLDS and masked.release.household is None:  # a private generator leaves it out
            continue
        name = type(step).__name__
        report(progress, f"protecting: {name}", place / len(steps))
        try:
            share = part(progress, place / len(steps), (place + 1) / len(steps))
            masked = masked.then(step, seed=child(key, "step", place), progress=share)
        except TacitError as problem:
            raise plan.at(_dropped(plan, problem), *path) from None
    return masked


def _dropped(plan: LoadedPlan, problem: TacitError) -> TacitError:
    """An error about a column that is no longer there because it identifies people, with the remedy."""
    if problem.column not in {given.column for given in plan.identifiers if not given.pseudonym}:
        return problem
    return TacitError(
        "is an identifier and was dropped before this step",
        column=problem.column,
        fix=f'keep it as a pseudonym: identifier = [{{ column = "{problem.column}", pseudonym = "hmac" }}]',
    )


def _first(plan: LoadedPlan) -> Iterator[tuple[tuple[str | int, ...], Method]]:
    """Pseudonyms for the identifiers that get one, and the end of all others."""
    hashed = tuple(given.column for given in plan.identifiers if given.pseudonym)
    if hashed:
        key_file = plan.plan.roles.key_file
        yield (
            ("roles", "identifier"),
            Pseudonymise(columns=hashed, key_file=str(plan.folder / key_file) if key_file else None),
        )
    if len(hashed) < len(plan.identifiers):
        yield ("roles", "identifier"), DropIdentifiers()


def _last(original: Release) -> Iterator[tuple[tuple[str | int, ...], Method]]:
    if original.household is not None:
        yield HOUSEHOLDS, NewHouseholds()
    yield ("output",), Shuffle()
