"""The table of a task: given as it is, or built from records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import TacitError, format_value, suggest_alternative
from ..build.records import tabulate
from ..rules.rule import Rule
from ..table import Table

BUILDING = ("by", "response", "weight", "holding", "hierarchies", "total", "top", "more", "missing")
"""What may be said about a table that is built from records."""


def given_table(data: Any, building: dict[str, Any], *, rules: Sequence[Rule]) -> Table:
    """The table itself, or the records added up as ``building`` says (:func:`tacit.tables.tabulate`).

    Of the largest contributions to each cell at least three are kept, and all that the rules look at.
    """
    extra = next((word for word in building if word not in BUILDING), None)
    if extra is not None:
        raise TacitError(
            f"there is no parameter {extra!r}", code="wrong_type", fix=suggest_alternative(extra, BUILDING)
        )
    if isinstance(data, Table):
        if building:
            word = next(iter(building))
            raise TacitError(
                f"{word}={format_value(building[word])} says nothing about a ready table",
                code="conflicting_parameters",
                parameter=word,
                fix="leave it out",
            )
        return data
    if not building.get("by"):
        raise TacitError(
            "the table has no dimension", code="invalid_table", fix="name at least one, e.g. by=['region']"
        )
    return tabulate(data, **({"top": max(3, *(rule.contributions_needed for rule in rules))} | building))
