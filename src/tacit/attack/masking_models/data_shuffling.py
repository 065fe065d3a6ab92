"""Shuffled values: given the columns by which they were dealt out, they tell nothing about whose they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .knowledge import MaskingKnowledge, masked_columns, step_parameter

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


def data_shuffle_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    """Columns that were dealt out anew by the ranks of the given columns.

    Given those, a released value does not depend on the record's own: an intruder who knows them all gains nothing from
    a comparison of the shuffled columns, and would only be misled by it. They are then not compared. Whoever lacks
    some of them knows them a little through the shuffled columns, which are left to a comparison by distance. O(1).
    """
    given = step_parameter(step, "given", ())
    names = (given,) if isinstance(given, str) else tuple(given)
    known = all(name in scenario.file.columns and name in release.columns for name in names)
    shuffled = masked_columns(step, columns) if known else ()
    note = "shuffled columns tell no more about whose they were than the columns by which they were dealt out"
    return MaskingKnowledge(columns=shuffled, compared=(), certain=True, notes=(note,) if shuffled else ())
