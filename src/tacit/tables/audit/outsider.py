"""Who reads the table: what he knows beyond the published figures, and how he calculates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...errors import TacitError, format_value
from ...frozen import FrozenDict
from ..published import Published
from .intervals import Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Outsider:
    """Somebody who reads the publication and does the arithmetic.

    ``knows`` gives, for some cells by number, between what and what they lie to his knowledge; ``tolerance`` within how much
    of the truth the published figures lie (0.5 for figures rounded to whole numbers); ``whole`` whether he uses that
    cells are whole numbers: True rounds inwards, "exact" solves for whole tables.
    """

    knows: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    whole: Whole = False
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if self.whole not in (True, False, "exact"):
            raise TacitError(
                f"whole={format_value(self.whole)} is not known",
                code="unknown_name",
                parameter="whole",
                fix="use False, True or 'exact'",
            )
        if isinstance(self.tolerance, bool) or not isinstance(self.tolerance, int | float) or not self.tolerance >= 0:
            raise TacitError(
                f"tolerance={format_value(self.tolerance)} is no size",
                code="wrong_type",
                parameter="tolerance",
                fix="e.g. tolerance=0.5 for whole figures",
            )
        object.__setattr__(self, "knows", FrozenDict(self.knows))

    def with_knowledge(self, published: Published) -> Published:
        """The publication with what he knows besides."""
        if not self.knows:
            return published
        cells = np.array(list(self.knows), dtype=np.int64)
        beyond = cells[(cells < 0) | (cells >= len(published.low))]
        if len(beyond):
            raise TacitError(
                f"there is no cell {beyond[0]}",
                code="out_of_range",
                fix=f"the table has cells 0 to {len(published.low) - 1}",
            )
        low, high = np.array(list(self.knows.values()), dtype=np.float64).T
        return published.with_known_bounds(cells, low, high)
