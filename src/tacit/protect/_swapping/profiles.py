"""Columns given by name, and profiles of them that are tried in order."""

from __future__ import annotations

from ...errors import TacitError, check_columns, format_value


def checked_names(parameter: str, given: object) -> tuple[str, ...]:
    """One name or several, as a tuple."""
    found = check_columns(given) if isinstance(given, str | list | tuple) else ()
    if not found:
        raise TacitError(
            f"{parameter}={format_value(given)} names no column",
            code="no_usable_column",
            parameter=parameter,
            fix=f"e.g. {parameter}=['province', 'town']",
        )
    return found


def checked_profiles(given: object) -> tuple[tuple[str, ...], ...]:
    """Profiles as tuples of names; one profile may be given as its names alone, and none is one without columns.

    >>> checked_profiles(["type", "age"]), checked_profiles([["type", "age"], ["type"]]), checked_profiles([])
    ((('type', 'age'),), (('type', 'age'), ('type',)), ((),))
    """
    if isinstance(given, str):
        return ((given,),)
    if not isinstance(given, list | tuple):
        raise TacitError(
            f"similar={format_value(given)} names no columns",
            code="no_usable_column",
            parameter="similar",
            fix="e.g. similar=[['type', 'age'], ['type']]",
        )
    if all(isinstance(one, str) for one in given):
        return (check_columns(given),)
    if not all(isinstance(one, list | tuple) for one in given):
        raise TacitError(
            "similar mixes names and profiles",
            code="conflicting_parameters",
            fix="e.g. similar=[['type', 'age'], ['type']]",
        )
    return tuple(check_columns(one) for one in given)
