"""What an attack says of exactly one person: a conjunction of conditions on released columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredicateClaims:
    """Predicates, each said to hold for exactly one person.

    Predicate p is the conjunction of the conditions from ``start[p]`` to ``start[p+1]``. Condition i asks that the value of
    ``columns[column[i]]`` is among those of the release's codes ``first[i]`` to ``last[i]``: one category, or an interval of
    numbers, which reaches halfway to the next released values (and on for ever past the smallest and largest one).
    ``weights[p]`` is the chance that a random person satisfies the predicate, as the intruder estimates it; ``asked`` is
    how many predicates were wanted. ``release`` is what the conditions are written in. Memory O(conditions).
    """

    about: ClassVar[str] = "singling out"
    release: Release
    columns: tuple[str, ...]
    start: np.ndarray
    column: np.ndarray
    first: np.ndarray
    last: np.ndarray
    weights: np.ndarray
    asked: int
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.start[0] == 0 and self.start[-1] == len(self.column), "the predicates do not span the conditions"
        assert len(self.column) == len(self.first) == len(self.last), "a condition has a column and two ends"
        assert (self.first <= self.last).all(), "a condition has two ends"
        assert len(self.weights) == self.predicate_count, "each predicate has one weight"
        assert ((self.weights >= 0) & (self.weights <= 1)).all(), "a weight is a share"
        assert self.predicate_count <= self.asked, "more predicates than were wanted"

    @property
    def predicate_count(self) -> int:
        """How many predicates there are."""
        return len(self.start) - 1
