"""What a user says about groups and what they show, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from ...errors import TacitError, instead, names, typed
from ...frozen import FrozenDict
from .centres import BY_FORM, Aggregate
from .embedding import form

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["aggregate_of", "checked_aggregates", "checked_groups", "known_columns", "one_of"]

Value = TypeVar("Value")


def one_of(name: str, value: object, words: Sequence[str]) -> None:
    """Refuse what is none of the words."""
    if value not in words:
        raise TacitError(f"{name}={typed(value)} is unknown", fix=f"use {name}={' or '.join(map(repr, words))}")


def checked_groups(given: object, columns: Sequence[str]) -> Literal["together", "each"] | tuple[tuple[str, ...], ...]:
    """Which columns are grouped together: a word, or lists that have every column once."""
    if given in ("together", "each"):
        return given
    if (
        isinstance(given, str)
        or not isinstance(given, list | tuple)
        or not all(isinstance(g, list | tuple) for g in given)
    ):
        raise TacitError(
            f"groups={typed(given)} is unknown",
            fix="use 'together', 'each', or lists of columns such as [['income', 'rent'], ['age']]",
        )
    found = tuple(names(group) for group in given if group)
    listed = names([column for group in found for column in group])
    alien = next((column for column in listed if column not in columns), None)
    if alien is not None:
        raise TacitError("is in a group and not among the columns", column=alien, fix=instead(alien, columns))
    lonely = next((column for column in columns if column not in listed), None)
    if lonely is not None:
        raise TacitError("is in no group", column=lonely, fix="put it into one, or leave it out of the columns")
    return found


def checked_aggregates(given: object) -> FrozenDict[str, Aggregate]:
    """Column → what a group shows of it."""
    if not isinstance(given, Mapping):
        raise TacitError(f"aggregate={typed(given)} is not given by column", fix="e.g. aggregate={'income': 'median'}")
    for column, word in given.items():
        if word not in get_args(Aggregate):
            raise TacitError(
                f"is to be shown by {typed(word)}", column=str(column), fix=instead(str(word), get_args(Aggregate))
            )
    return FrozenDict(given)


def known_columns(name: str, given: FrozenDict[str, Value], columns: Sequence[str]) -> FrozenDict[str, Value]:
    """A parameter given by column, every one of them masked."""
    for column in given:
        if column not in columns:
            raise TacitError(f"is in {name} and not among the columns", column=column, fix=instead(column, columns))
    return given


def aggregate_of(release: Release, column: str, given: Mapping[str, Aggregate]) -> Aggregate:
    """What a group shows of a column: as said, where its kind allows it."""
    fitting = BY_FORM[form(release, column)]
    word = given.get(column, fitting[0])
    if word not in fitting:
        hint = " (a centroid needs a hierarchy)" if word == "centroid" else ""
        raise TacitError(
            f"is {release.kind(column)} and has no {word}{hint}", column=column, fix=f"use {' or '.join(fitting)}"
        )
    return word
