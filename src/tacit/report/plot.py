"""The chart of whatever was found, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..claims.roc import Roc
from ..dp.game import Game
from ..errors import TacitError
from ..per_record import Histogram, PerRecord
from ..result import Result
from ..risk.disclosure_curve import DisclosureCurve
from ..study.findings import Study
from .charts import bars, disclosure, intervals, ranges, roc_curve
from .game_chart import two_distributions
from .map_chart import risk_map

if TYPE_CHECKING:
    import altair as alt

__all__ = ["plot"]


def plot(
    found: Result | Sequence[Result] | PerRecord | Histogram | Roc | DisclosureCurve | Study | Game,
) -> alt.LayerChart:
    """The chart of a result (records per bin, or its value and interval), of several, of a histogram, curve, study or game.

    >>> plot(Histogram((0, 1, 2), (3, 4))).to_dict()["layer"][0]["mark"]["type"]
    'bar'
    """
    if isinstance(found, Result):
        found = (found,) if found.per_record is None else found.per_record
    if isinstance(found, PerRecord):
        found = found.histogram()
    if isinstance(found, Histogram):
        return bars(ranges(found), found.counts)
    if isinstance(found, Roc):
        return roc_curve(found)
    if isinstance(found, DisclosureCurve):
        return disclosure(found)
    if isinstance(found, Study):
        return risk_map(found)
    if isinstance(found, Game):
        return two_distributions(found)
    if isinstance(found, Sequence) and found and all(isinstance(part, Result) for part in found):
        return intervals([(part.name if part.column is None else part.column, part) for part in found])
    raise TacitError(
        f"a {type(found).__name__} has no chart",
        fix="plot a Result, several Results, a PerRecord, a Histogram, a curve, a Study or a Game",
    )
