"""What methods check alike: column names, whole numbers, the seed; and what a changed column no longer has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..release.trace import method_name, to_plain_data
from ..seed import child_seed, make_generator

if TYPE_CHECKING:
    import numpy as np

    from ..release.release import Release
    from ..seed import Seed


LARGEST_FLOAT = sys.float_info.max


def column_names(given: object) -> tuple[str, ...]:
    """One name or several, as a tuple; which columns the table has is known only when the method is applied."""
    if not isinstance(given, str | list | tuple):
        raise TacitError(
            f"columns={format_value(given)} are no column names",
            code="wrong_type",
            parameter="columns",
            fix="e.g. columns='income' or columns=['income', 'age']",
        )
    found = check_columns(given)
    if not found:
        raise TacitError("no column is named", code="no_usable_column", fix="e.g. columns='income'")
    return found


def column_name(given: object) -> str:
    """One name."""
    if not isinstance(given, str):
        raise TacitError(
            f"column={format_value(given)} is no column name",
            code="wrong_type",
            parameter="column",
            fix="e.g. column='income'",
        )
    return given


def is_number(value: object) -> bool:
    """Whether it is a finite number that a floating-point number can be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_FLOAT


def check_share(value: object, name: str = "suppression") -> None:
    """Check that a parameter is a share of the records."""
    if not is_number(value) or not 0 <= value <= 1:  # type: ignore[operator]
        raise TacitError(
            f"{name}={format_value(value)} is no share of the records",
            code="out_of_range",
            parameter=name,
            fix=f"e.g. {name}=0.05 for 5 %",
        )


def column_weights(given: object) -> FrozenDict[str, float]:
    """How much each column counts, 1 where nothing is said; none is negative, and one at least counts."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"weights={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="weights",
            fix="e.g. weights={'age': 2, 'zip': 0.5}",
        )
    for column, weight in given.items():
        if not is_number(weight) or weight < 0:
            raise TacitError(
                f"has the weight {format_value(weight)}",
                code="unsuitable_column",
                column=str(column),
                fix="give a number from 0 on, e.g. 2",
            )
    return FrozenDict(given)


def per_column(name: str, given: object, columns: Sequence[str], fits: Callable[[float], bool], fix: str) -> Any:
    """A number for all columns, or one for each by name; ``fits`` says which numbers will do."""
    if isinstance(given, Mapping):
        for column in columns:
            if column not in given:
                raise TacitError(
                    f"has no {name}",
                    code="unsuitable_column",
                    column=column,
                    fix=f"name every column in {name}, or give one number",
                )
        for column, value in given.items():
            if column not in columns:
                raise TacitError(
                    f"has a {name} and is not among the columns",
                    code="column_not_chosen",
                    column=str(column),
                    fix=suggest_alternative(str(column), columns),
                )
            if not is_number(value) or not fits(value):
                raise TacitError(f"has {name}={format_value(value)}", code="unsuitable_column", column=column, fix=fix)
        return FrozenDict(given)
    if not is_number(given) or not fits(given):  # type: ignore[arg-type]
        raise TacitError(f"has {name}={format_value(given)}", code="unsuitable_column", column=columns[0], fix=fix)
    return given


def value_for(given: Any, column: str) -> float:
    """What :func:`per_column` checked, for one column."""
    return float(given[column] if isinstance(given, Mapping) else given)


def strata_names(given: object, columns: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns that make strata, none of them masked."""
    found = () if given is None else column_names(given)
    for column in found:
        if column in columns:
            raise TacitError(
                "makes the strata and is masked",
                code="already_masked",
                column=column,
                fix="leave it out of one of the two",
            )
    return found


AFTERWARDS = ("bounds", "totals", "exact")
"""Parameters of what is done to the values after the draws: with other ones the draws stay the same."""


def seed_of(method: object, seed: Seed | None, *, without: Collection[str] = ()) -> bytes:
    """The seed of a method with its parameters; there is no draw without a seed.

    With the same draws z behind two releases of a value x, x + σz and x + 2σz, whoever has both knows x; and two columns
    or steps that share their draws give each other away. So the method and its parameters are part of the key, but for
    those of :data:`AFTERWARDS` and ``without``.
    """
    import numpy as np

    if seed is None:
        raise TacitError(
            f"{method_name(method)} draws at random and got no seed",
            code="seed",
            fix="seed=7 to repeat the draw; tacit release draws a secret one",
        )
    own = seed.bytes(16) if isinstance(seed, np.random.Generator) else seed
    left_out = {*AFTERWARDS, *without}
    law = {one.name: to_plain_data(getattr(method, one.name)) for one in fields(method) if one.name not in left_out}  # type: ignore[arg-type]
    return child_seed(own, method_name(method), json.dumps(law, sort_keys=True, default=str))


def make_rng(method: object, seed: Seed | None) -> np.random.Generator:
    """The generator of a method that draws at random."""
    return make_generator(seed_of(method, seed))


def drop_metadata(release: Release, columns: Collection[str], *, hierarchies: bool) -> Release:
    """The release whose changed columns lose the labels of their old values and, when asked for, their hierarchies."""

    def others(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if name not in columns}

    kept = {"value_labels": others(release.value_labels)}
    if hierarchies:
        kept |= {"hierarchies": others(release.hierarchies), "levels": others(release.levels)}
    return release.with_metadata(**kept)
