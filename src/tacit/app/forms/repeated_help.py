"""The fields of a form below a sentence that says what the form is about: nothing is said twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .field import Field


def drop_repeated_help(fields: Iterable[Field], said: str) -> tuple[Field, ...]:
    """The fields without a help that was ``said`` above them, or that one before them has.

    >>> one = Field(name="k", label="k", control="whole", required=True, value="", help="At least k are alike.")
    >>> drop_repeated_help([one], "At least k are alike.")[0].help, drop_repeated_help([one], "")[0].help
    ('', 'At least k are alike.')
    """
    seen, found = {said}, []
    for one in fields:
        found.append(replace(one, help="") if one.help in seen else one)
        seen.add(one.help)
    return tuple(found)
