"""One list of the people attacked and of people who are not in the release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from ..errors import TacitError

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..release.release import Release


def with_outsiders(scenario: Scenario, control: Release, *, population: Release | None = None) -> Scenario:
    """The same intruder with one list of its people and of others who are not in the release."""
    lacks = next((column for column in scenario.knows if column not in control.columns), None)
    if lacks is not None:
        raise TacitError(
            "is not in the control", column=lacks, fix="give the control the columns that the intruder knows"
        )
    listed = scenario.file.append(pl.DataFrame([control.series(column) for column in scenario.knows]))
    also = scenario.also if population is None else (population,)
    return replace(scenario, file=listed, inside=False, covers=False, acquaintances=None, also=also, households=None)
