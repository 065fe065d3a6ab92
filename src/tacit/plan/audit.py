"""An audit: the risk of a file as it is, and a verdict where something is required."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..errors import TacitError
from ..release.release import Release
from ..result import Result
from .attack_run import AttackResults
from .coverage import Gap, gaps_of_columns, gaps_of_requirements, gaps_of_rows
from .gate import verdicts_on
from .measure import measure_risks
from .outcome import Outcome
from .released_values import find_released_identifiers
from .require import Requirements
from .warnings import column_warnings, unprotected_columns


def run_audit(
    release: Release,
    *,
    title: str = "Audit",
    require: Mapping[str, Any] | None = None,
    wanted: Collection[str] = (),
    strict: bool = False,
) -> Outcome:
    """Every risk measure on a release, and the verdicts on what is required.

    Measures that take long on large files are taken when they are ``wanted``.
    """
    started = time.monotonic()
    requirements = Requirements.of(require) if require else None
    if requirements is not None and requirements.attacks:
        named = next(iter(requirements.attacks))
        raise TacitError(
            f"{named} needs the original file", code="missing_parameter", fix="use: tacit attack MASKED --original FILE"
        )
    results, notes = measure_risks(release, wanted=wanted)
    verdicts = verdicts_on(requirements, release, AttackResults()) if requirements else ()
    return Outcome(
        title=title,
        original=release,
        masked=None,
        verdicts=verdicts,
        before=results,
        strict=strict,
        unprotected=unprotected_columns(release),
        gaps=_find_gaps(requirements, release, results),
        notes=(*notes, *column_warnings(release)),
        seconds=time.monotonic() - started,
    )


def _find_gaps(requirements: Requirements | None, release: Release, results: Sequence[Result]) -> tuple[Gap, ...]:
    """An audit runs no attack, so that its requirements never cover identities."""
    uncovered = gaps_of_requirements(requirements, release, made=AttackResults(), after=results)
    return (*uncovered, *gaps_of_columns(release), *find_released_identifiers(release), *gaps_of_rows(release))
