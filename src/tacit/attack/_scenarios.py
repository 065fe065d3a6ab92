"""Who attacks a masked release, and who is who: the worst case unless something else is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..claims.known_links import KnownLinks
from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, check_columns
from ..release.masked import Masked, checked_lineage, release_of
from ..release.release import Release
from ..release.trace import Trace

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..release.release import Release


def scenario_of(
    masked: Masked | Release,
    original: Release | Scenario,
    *,
    knows: str | Iterable[str] | None = None,
    told: tuple[Trace, ...] | None = None,
) -> Scenario:
    """The worst-case intruder who has the original, or the one given."""
    if isinstance(original, Scenario):
        if knows is not None or told is not None:
            raise TacitError(
                "the scenario says what the intruder knows and was told",
                code="attack_impossible",
                fix="leave knows= and told= away",
            )
        return original
    published = masked.trace if told is None and isinstance(masked, Masked) else told or ()
    return Scenario.worst_case(release_of(original), knows=knows, told=tuple(published))


def with_known_links(scenario: Scenario, truth: Truth | None) -> Scenario:
    """The worst case of an intruder who learns: unless it is said whom it has found already, it has found all others.

    What an attack claims of a person rests on the links of the others alone, see :class:`.learned.Learned`.
    """
    if truth is None or scenario.acquaintances is not None:
        return scenario
    return replace(scenario, acquaintances=KnownLinks(file=scenario.file, truth=truth))


def truth_of(masked: Masked | Release, original: Release | Scenario, lineage: np.ndarray | None) -> Truth:
    """The truth by lineage: row i of the original, or of the scenario's file that was made from it, is person i."""
    size = original.file.size if isinstance(original, Scenario) else release_of(original).size
    trace = masked.trace if isinstance(masked, Masked) else ()
    return Truth.by_lineage(_resolve_lineage(masked, size, lineage), size, trace=trace)


def _resolve_lineage(masked: Masked | Release, original: int, given: np.ndarray | None) -> np.ndarray:
    size = release_of(masked).size
    rows = masked.rows() if given is None and isinstance(masked, Masked) else given
    if rows is None:
        raise TacitError(
            "nobody said which released row is which original row",
            code="missing_parameter",
            fix="give the Masked itself, lineage=numpy.arange(original.size) when the rows stand as they stood, or truth=None when nobody knows",
        )
    if isinstance(masked, Masked) and masked.lineage is None and given is None and size != original:
        raise TacitError(
            f"the release has {size:,} rows as they stood, the original {original:,}",
            code="attack_impossible",
            fix="give the original from which the release was made, or say who is who: for an intruder who knows some rows "
            "of it, truth=Truth.by_lineage(masked.rows(), original.size).of_rows(rows)",
        )
    return checked_lineage(rows, masked=size, original=original)


def with_outsiders(scenario: Scenario, control: Release, *, population: Release | None = None) -> Scenario:
    """The same intruder with one list of its people and of others who are not in the release."""
    lacks = next((column for column in scenario.knows if column not in control.columns), None)
    if lacks is not None:
        raise TacitError(
            "is not in the control",
            code="unknown_column",
            column=lacks,
            fix="give the control the columns that the intruder knows",
        )
    listed = scenario.file.append(pl.DataFrame([control.series(column) for column in scenario.knows]))
    also = scenario.also if population is None else (population,)
    return replace(scenario, file=listed, inside=False, covers=False, acquaintances=None, also=also, households=None)


APART = ("identifier", "weight", "household")


def whole_records(
    release: Release, original: Release, control: Release | None = None, columns: str | Iterable[str] | None = None
) -> tuple[str, ...]:
    """The columns that all files have and that tell something of a person; or the given ones, checked to be such."""
    files = [release, *([] if control is None else [control])]
    if columns is not None:
        chosen = check_columns(columns, original.columns)
        for file, what in zip(files, ("release", "control"), strict=False):
            lacks = next((column for column in chosen if column not in file.columns), None)
            if lacks is not None:
                raise TacitError(
                    f"is not in the {what}", code="unknown_column", column=lacks, fix="name columns that all files have"
                )
        return chosen
    own = (column for column in original.columns if original.roles[column] not in APART)
    found = tuple(column for column in own if all(column in file.columns for file in files))
    if not found:
        raise TacitError(
            "the files have no column in common", code="no_usable_column", fix="give files with the same columns"
        )
    return found
