"""δ-presence as a requirement: nobody can be too sure that somebody is, or is not, in the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Note, TacitError, format_value
from ..registry import Tags, describe
from ..risk.delta_presence import PresenceBounds, presence_bounds, presence_by_class
from ..risk.population_match import PopulationMatch, match_population
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


ROUNDING = 1e-12


@describe(
    tags=Tags(about="identity", kind="model", shown="proven"),
    example={"high": 0.5},
    needs=("population",),
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPresence:
    r"""The chance of being in the release lies between ``low`` and ``high`` for everybody of the population.

    .. math:: \delta_{low} \le f_j / F_j \le \delta_{high}

    for the f records and F people with the same quasi-identifiers; under ``missing="any"`` the bounds of
    :func:`tacit.risk.delta_presence`, so that what holds holds for everybody. With ``low`` above 0 people whose keys no record has
    break it, whatever is done to the records (the verdict counts them): only coarser keys help. The population is
    data, so an argument of :meth:`holds`, never part of the model. O(n + N).

    >>> import numpy as np, polars as pl
    >>> from tacit import Release
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"]}), quasi="zip")
    >>> bool(DeltaPresence(high=0.5).holds(town.take(np.array([0, 2])), population=town))
    True

    References
    ----------
    Nergiz, Atzori, Clifton (2007), Hiding the presence of individuals from shared databases, SIGMOD, 665–676.
    """

    high: float
    low: float = 0.0

    def __post_init__(self) -> None:
        for name in ("high", "low"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise TacitError(
                    f"{name}={format_value(value)} is not a chance",
                    code="out_of_range",
                    parameter=name,
                    fix=f"give a number from 0 to 1, e.g. {name}=0.5",
                )
        if self.low > self.high:
            raise TacitError(
                f"low={format_value(self.low)} is above high={format_value(self.high)}",
                code="out_of_range",
                parameter="low",
                fix="give low below high, e.g. low=0, high=0.5",
            )

    def demands(self, release: Release) -> tuple[Demand, ...]:  # noqa: ARG002 - the same of every release
        """Records over people of every class between the bounds."""
        return (Demand(low=float(self.low), high=float(self.high)),)

    def holds(self, release: Release | Masked, *, population: Release | Masked | None = None) -> Verdict:
        """Whether it does, against this population; the bound that is missed by more is reported."""
        both = match_population(release, population)
        bounds = presence_bounds(both)
        above, below = self.high - bounds.largest, bounds.smallest - self.low
        failing = self._failing_classes(both, bounds)
        said = f"{both.absent} people of the population have keys that no record has: they are surely absent"
        note = Note(said, code="surely_absent", people=both.absent)
        upper = above <= below or self.low == 0
        return Verdict(
            holds=min(above, below) >= -ROUNDING,
            model="delta-presence",
            required=self.high if upper else self.low,
            found=bounds.largest if upper else bounds.smallest,
            margin=above if upper else below,
            failing_classes=int(failing.sum()),
            failing_records=int(both.exact_records[failing].sum()),
            notes=(note,) if both.absent and self.low > 0 else (),
        )

    def _failing_classes(self, both: PopulationMatch, bounds: PresenceBounds) -> np.ndarray:
        """The classes of the release that match somebody whose chance may lie outside the bounds."""
        shares, size = presence_by_class(both), both.classes.of_record.size
        outside = np.zeros(both.joint.of_record.size)
        outside[size:] = (bounds.above > self.high + ROUNDING) | (bounds.below < self.low - ROUNDING)
        failing = (shares > self.high + ROUNDING) | (shares < self.low - ROUNDING)
        failing[both.classes.of_record] |= (both.joint.totals(outside) > 0.5)[both.joint.of_record[:size]]
        return failing
