"""Why no generalisation will do: which model cannot be met, and the nearest that can."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import TacitError
from ...result import shown
from ..possible import asks_something, nearest_met
from .apply import generalised

if TYPE_CHECKING:
    from ...models.demand import Model
    from ...models.verdict import Verdict
    from ...release.release import Release

__all__ = ["BOUND", "FIXED", "FREE", "impossible", "too_large", "unverified"]


FREE = "with every column at its highest level"
BOUND = "with every column at the highest level that is allowed"
FIXED = "at the fixed levels"
"""Which is the coarsest node: as high as columns can, or as they may, or the only one."""
RAISE = "raise highest="


def impossible(
    release: Release,
    models: Sequence[Model],
    *,
    highest: Mapping[str, int],
    limit: int,
    failing: int,
    place: str = FREE,
) -> TacitError:
    """The error for models that not even the coarsest node meets, ``failing`` of whose records miss one of them.

    ``place`` says which node that is: FREE, BOUND where some column may not climb to its top, FIXED where no level is open.
    """
    coarsest = generalised(release, highest)
    verdicts = [model.holds(coarsest) for model in models]
    for verdict in verdicts:
        if verdict.failing_records > limit or (not verdict.holds and verdict.failing_records == release.size):
            return _alone(release, verdict, place)
    several = len(models) > 1
    together = "each model can be met alone, but not all together: " if several else "not enough records meet it: "
    remedies = [RAISE] if place != FREE else []
    remedies += ["leave out or weaken a model", f"allow {_share(release, failing)}"]
    return TacitError(
        f"{together}{place} {failing} records miss {'one of them' if several else 'the model'}, and {limit} may be removed",
        fix=", or ".join(remedies),
    )


def _alone(release: Release, verdict: Verdict, place: str) -> TacitError:
    of = f" of {verdict.column}" if verdict.column else ""
    remedies = [RAISE] if place != FREE else []
    if asks_something(verdict):
        remedies.append(f"ask for {nearest_met(verdict)}")
    if 0 < verdict.failing_records < release.size:
        remedies.append(f"allow {_share(release, verdict.failing_records)}")
    return TacitError(
        f"{verdict.model}{of} cannot be met: {shown(verdict.required)} is asked, and {place} it is {shown(verdict.found)}",
        fix=", or ".join(remedies or ["leave it out"]),
    )


def _share(release: Release, records: int) -> str:
    """The suppression limit under which so many records may go."""
    return f"suppression={math.ceil(records / release.size * 1e4) / 1e4:g} ({records} records)"


def unverified(passed: int, *, removed: bool) -> TacitError:
    """The error when every node that the search admits misses a model on the released table."""
    why = "the whole file's distribution changes with the records removed, and " if removed else ""
    fix = "take suppression=0, where nothing is removed, or a weaker bound" if removed else "take a weaker bound"
    return TacitError(
        f"the {passed} generalisations that would do all miss a model on the released table: {why}what is asked of a "
        "population is measured there alone",
        fix=f"{fix}; where keys are missing, missing='any' lets them match people of the population",
    )


def too_large(nodes: int, groups: int, *, rate: float) -> TacitError:
    """The error for a lattice that cannot be searched in reasonable time, before it is tried."""
    return TacitError(
        f"{nodes:,} combinations of levels over {groups:,} classes may take {nodes * groups / rate / 60:,.0f} minutes "
        "to search to the end",
        fix="give seconds=60 for the best that is found in that time, or narrow the levels with lowest= and highest=",
    )
