"""All published steps together: how somebody who was told them compares each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from polars.exceptions import PolarsError

from ...release.steps import Effect, effect, flattened, touches
from ..columns import common, compared
from ..compared import Compared
from .known import Known

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace
    from .known import Law


UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, PolarsError)
"""What a law may run into when a trace says something of another type or shape than the method writes."""


def combined(release: Release, scenario: Scenario) -> tuple[Known, ...]:
    """What is known of every common column, in an order that does not matter.

    A column that no step touched must be equal; one that was only brought to labels of its hierarchy, equal at its
    published level. One that a single step changed is compared by the law of its method, and one that several changed,
    or a method without a law, as if nothing had been told of it. Hidden columns (pseudonyms) are not compared.
    """
    from . import LAWS

    steps = flattened(scenario.told)
    effects = [effect(step, release) for step in steps]
    by_step: dict[int, list[str]] = {}
    known: list[Known] = []
    for column in common(release, scenario.file):
        places = [place for place, step in enumerate(steps) if touches(step, column, release)]
        if any(effects[place].kind == "hides" and effects[place].columns for place in places):
            continue
        if len(places) == 1 and steps[places[0]].method in LAWS:
            by_step.setdefault(places[0], []).append(column)
        else:
            here = [steps[place] for place in places]
            coarse = bool(places) and all(_labels(effects[place], steps[place], LAWS) for place in places)
            known.append(_generic(release, scenario, column, here, coarse=coarse))
    for place, columns in by_step.items():
        law = _by_law(LAWS[steps[place].method], steps[place], tuple(columns), release, scenario)
        left = [column for column in columns if column not in law.columns]
        known.append(replace(law, law=True))
        known.extend(_generic(release, scenario, column, [steps[place]], coarse=False) for column in left)
    return tuple(known)


def _labels(did: Effect, step: Trace, laws: Mapping[str, Law]) -> bool:
    """Whether the step puts labels of the hierarchy for values; one with a law puts others, which no level explains."""
    return did.kind == "coarsens" and step.method not in laws


def _by_law(law: Law, step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:
    """What the law says; nothing when the trace cannot be read, for it may be typed by anybody."""
    try:
        return law(step, columns, release, scenario)
    except UNREADABLE:
        return Known(columns=(), compared=(), certain=True)


def unchanged(release: Release, scenario: Scenario) -> tuple[Compared, ...]:
    """The columns that no step touched: a person's record is equal in them."""
    steps = flattened(scenario.told)
    kept = [
        column
        for column in common(release, scenario.file)
        if _same_type(release, scenario.file, column) and not any(touches(step, column, release) for step in steps)
    ]
    return tuple(one for column in kept for one in exactly(compared(release, scenario.file, column, units=False)))


def disbelieved(known: Known, release: Release, file: Release) -> Known:
    """The columns compared as if nothing had been told of them."""
    pairs = tuple(pair for column in known.columns for pair in compared(release, file, column, units=False))
    return replace(known, compared=pairs, certain=False)


def by_distance(known: Known, release: Release, file: Release) -> Known:
    """The same windows, and costs by distance as if nothing had been told."""
    bounds = []
    for pair in known.compared:
        if pair.table is not None:
            bounds.append(replace(pair, table=np.where(np.isinf(pair.table), np.inf, 0.0), usual=0.0))
        elif pair.low is not None or pair.high is not None:
            bounds.append(replace(pair, weight=0.0))
    plain = [pair for column in known.columns for pair in compared(release, file, column, units=False)]
    return replace(known, compared=(*bounds, *plain))


def exactly(pairs: Iterable[Compared]) -> tuple[Compared, ...]:
    """The comparisons with windows that leave no room: equal, or covered by the range of a label."""
    return tuple(
        replace(pair, low=None if pair.kind == "floor" else pair.intruder, high=pair.intruder) for pair in pairs
    )


def _generic(release: Release, scenario: Scenario, column: str, steps: Sequence[Trace], *, coarse: bool) -> Known:
    """The comparison that needs no law: a hard one where values stand as they stood or are covered, else a soft one."""
    pairs = compared(release, scenario.file, column, units=False)
    if coarse and (column in release.mixed or (release.levels.get(column) and column in release.hierarchies)):
        return Known(columns=(column,), compared=exactly(pairs), certain=True)
    if not steps and _same_type(release, scenario.file, column):
        return Known(columns=(column,), compared=exactly(pairs), certain=True)
    if not steps:
        why = "is of another type in the intruder's file"
    elif len(steps) > 1:
        why = f"was changed by {', '.join(dict.fromkeys(step.method for step in steps))}, one after the other"
    else:
        why = f"was changed by {steps[0].method}, of which the trace says too little, or what cannot be read"
    note = f"column {column!r} {why}: it is compared as if nothing had been told of it"
    return Known(columns=(column,), compared=pairs, certain=False, notes=(note,))


def _same_type(release: Release, file: Release, column: str) -> bool:
    """Whether equal values are written alike."""
    types = {release.types[column], file.types[column]}
    return len(types) == 1 or types <= {"integer", "number"} or types <= {"date", "datetime"}
