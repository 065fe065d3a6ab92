"""How much a file discloses as it is: a sentence for everybody, then every measure with what it means."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.coverage import gaps_of_columns
from ..plan.measure import measured_by_name
from ..plan.outcome import Outcome
from ..plan.warnings import column_warnings, unprotected_columns
from ..progress import Progress
from ..release.release import Release
from ..result import Result
from ..risk import MEASURES
from .statement import statement
from .words import to_prose

FIRST = ("k_anonymity", "sample_uniques", "l_diversity", "t_closeness", "individual_risk", "attackers")
"""Measures that everybody asks for; they come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A result with the plan name of its measure and what that means; ``usual``: one that everybody asks for."""

    name: str
    meaning: str
    usual: bool
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureSummary:
    """The sentences, the measures, and notes on what was not measured or needs to be looked at."""

    sentences: tuple[str, ...]
    measures: tuple[Measure, ...]
    notes: tuple[str, ...]


def summarise_disclosure(release: Release, *, progress: Progress | None = None) -> DisclosureSummary:
    """What ``tacit audit`` finds: who is alone with what an intruder may know, and every risk measure that applies.

    >>> import polars as pl
    >>> people = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")
    >>> summarise_disclosure(people).sentences
    ('1 of 3 records (33 %) is alone with their zip: whoever knows these finds them.',)
    """
    results, notes = measured_by_name(release, progress=progress)
    outcome = Outcome(
        title="",
        original=release,
        masked=None,
        verdicts=(),
        before=tuple(result for _, result in results),
        gaps=gaps_of_columns(release),
        unprotected=unprotected_columns(release),
    )
    every = [
        Measure(name=name, meaning=to_prose(MEASURES[name].summary), usual=name in FIRST, result=result)
        for name, result in results
    ]
    ranked = sorted(every, key=lambda one: FIRST.index(one.name) if one.usual else len(FIRST))
    return DisclosureSummary(
        sentences=statement(outcome).reasons, measures=tuple(ranked), notes=(*notes, *column_warnings(release))
    )
