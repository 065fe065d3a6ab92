"""What a sensitivity rule is: a value that judges a table."""

from __future__ import annotations

from typing import Protocol

from ...errors import TacitError, format_value
from ..table import Table
from .levels import Levels


class Rule(Protocol):
    """A frozen dataclass: equal when its parameters are, plain data in a plan."""

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe by this rule, and the room that they need."""


def check_percentage(name: str, value: object, *, below: float = float("inf"), e_g: float) -> None:
    """Refuse what is not a number above 0 and below (or at) the end of its range."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < float(value) < below:  # type: ignore[arg-type]
        to = "above 0" if below == float("inf") else f"above 0 and below {below:g}"
        raise TacitError(
            f"{name}={format_value(value)} is not a percentage {to}",
            code="wrong_type",
            parameter=name,
            fix=f"e.g. {name}={e_g:g}",
        )
