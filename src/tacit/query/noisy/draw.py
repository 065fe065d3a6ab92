"""The moment at which data are touched: tally, keep the groups that may be shown, and add the noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..tally import Code, Measure, Source
from .design import Design
from .figure import Drawn
from .part import Part
from .pick import Pick

__all__ = ["drawn"]

Group = tuple[Code, ...]


def drawn(source: Source, design: Design) -> Mapping[Group, Drawn]:
    """The noisy parts of every group that is shown, in the order of the keys.

    Two parts of the plan: groups by declared keys are all there, empty ones with the noise alone; of other groups those
    whose noisy number of units is above the threshold. Every part is one draw over all groups. O(groups · parts).
    """
    tallied = _tallied(source, design)
    noise: dict[Part | Pick, list[int]] = {}
    groups: Sequence[Group] = design.groups if design.groups is not None else list(tallied)
    if design.groups is None:
        counts = design.laws[design.gate].added(_exact(design.gate, tallied, groups))
        kept = [place for place, count in enumerate(counts) if count > design.threshold]
        groups, noise[design.gate] = [groups[place] for place in kept], [counts[place] for place in kept]
    for part in design.sums:
        if part not in noise:
            noise[part] = design.laws[part].added(_exact(part, tallied, groups))
    for choice in design.picks:
        noise[choice] = _picked(source, design, choice, groups)
    return {group: {part: noise[part][place] for part in noise} for place, group in enumerate(groups)}


def _tallied(source: Source, design: Design) -> dict[Group, dict[Measure, int]]:
    """The exact measures of the groups that occur; nothing is asked where no part is a sum."""
    measures = tuple(dict.fromkeys(measure for part in design.sums for measure in part.measures))
    if not measures:
        return {}
    question = design.question
    found = source.tally(question.where, question.by, measures, joined=question.joined)
    return {
        group: {measure: found.measures[measure][place] for measure in measures}
        for place, group in enumerate(found.groups)
    }


def _exact(part: Part, tallied: Mapping[Group, Mapping[Measure, int]], groups: Sequence[Group]) -> list[int]:
    nothing = dict.fromkeys(part.measures, 0)
    return [part.exact(tallied.get(group, nothing)) for group in groups]


def _picked(source: Source, design: Design, choice: Pick, groups: Sequence[Group]) -> list[int]:
    """The quantile of each group from the numbers of rows in the bins of its column."""
    question, rows = design.question, Measure("rows")
    found = source.tally(question.where, (*question.by, choice.key), (rows,), joined=question.joined)
    counts: dict[Group, dict[int, int]] = {group: {} for group in groups}
    for (*group, start), number in zip(found.groups, found.measures[rows], strict=True):
        if start is not None and tuple(group) in counts:
            counts[tuple(group)][choice.place(int(start))] = number
    return [choice.drawn(counts[group], design.laws[choice]) for group in groups]
