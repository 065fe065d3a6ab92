"""A bound on any measured number: the way in which risks become requirements without the models knowing the attacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError
from .verdict import Verdict

if TYPE_CHECKING:
    from ..result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A result is at most, or at least, so much; with an interval its worse end counts.

    >>> from tacit import Result
    >>> bool(Threshold(at_most=0.05).holds(Result(name="share", value=0.04, worse="high", about="identity")))
    True
    """

    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        bound = self.at_least if self.at_most is None else self.at_most
        if (
            (self.at_most is None) == (self.at_least is None)
            or isinstance(bound, bool)
            or not isinstance(bound, int | float)
        ):
            raise TacitError(
                "a threshold has one bound, a number",
                code="invalid_parameter",
                fix="give at_most= or at_least=, e.g. at_most=0.05",
            )

    def holds(self, result: Result) -> Verdict:
        """The verdict on a result."""
        if self.at_most is not None:
            found, required = (result.interval[1] if result.interval else result.value), self.at_most
            margin = required - found
        else:
            assert self.at_least is not None
            found, required = (result.interval[0] if result.interval else result.value), self.at_least
            margin = found - required
        return Verdict(
            holds=margin >= 0,
            model=result.name,
            id=result.id,
            column=result.column,
            required=required,
            found=found,
            margin=margin,
        )
