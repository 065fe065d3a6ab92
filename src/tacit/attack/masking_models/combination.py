"""All published steps together: how somebody who was told them compares each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from polars.exceptions import PolarsError

from ...release.step_effects import Effect, flatten_steps, may_change_column, step_effect
from .._columns import common_columns, compare_column
from . import MASKING_MODELS
from .knowledge import MaskingKnowledge, exact_windows, same_type

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace
    from .knowledge import MaskingModel


UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, PolarsError)
"""What a law may run into when a trace says something of another type or shape than the method writes."""


def combine_steps(release: Release, scenario: Scenario) -> tuple[MaskingKnowledge, ...]:
    """What is known of every common column, in an order that does not matter.

    A column that no step touched must be equal; one that was only brought to labels of its hierarchy, equal at its
    published level. One that a single step changed is compared by the law of its method, and one that several changed,
    or a method without a law, as if nothing had been told of it. Hidden columns (pseudonyms) are not compared.
    """
    steps = flatten_steps(scenario.told)
    effects = [step_effect(step, release) for step in steps]
    by_step: dict[int, list[str]] = {}
    known: list[MaskingKnowledge] = []
    for column in common_columns(release, scenario.file):
        places = [place for place, step in enumerate(steps) if may_change_column(step, column, release)]
        if any(effects[place].kind == "hides" and effects[place].columns for place in places):
            continue
        if len(places) == 1 and steps[places[0]].model in MASKING_MODELS:
            by_step.setdefault(places[0], []).append(column)
        else:
            here = [steps[place] for place in places]
            coarse = bool(places) and all(
                _has_hierarchy_labels(effects[place], steps[place], MASKING_MODELS) for place in places
            )
            known.append(_generic_comparison(release, scenario, column, here, coarse=coarse))
    for place, columns in by_step.items():
        law = _by_law(MASKING_MODELS[str(steps[place].model)], steps[place], tuple(columns), release, scenario)
        left = [column for column in columns if column not in law.columns]
        known.append(replace(law, law=True))
        known.extend(_generic_comparison(release, scenario, column, [steps[place]], coarse=False) for column in left)
    return tuple(known)


def _has_hierarchy_labels(did: Effect, step: Trace, models: Mapping[str, MaskingModel]) -> bool:
    """Whether the step puts labels of the hierarchy for values; one with a masking model puts others, which no level explains."""
    return did.kind == "coarsens" and step.model not in models


def _by_law(
    law: MaskingModel, step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario
) -> MaskingKnowledge:
    """What the law says; nothing when the trace cannot be read, for it may be typed by anybody."""
    try:
        return law(step, columns, release, scenario)
    except UNREADABLE:
        return MaskingKnowledge(columns=(), compared=(), certain=True)


def without_published(known: MaskingKnowledge, release: Release, file: Release) -> MaskingKnowledge:
    """The columns compared as if nothing had been told of them."""
    pairs = tuple(pair for column in known.columns for pair in compare_column(release, file, column, units=False))
    return replace(known, compared=pairs, certain=False)


def by_distance(known: MaskingKnowledge, release: Release, file: Release) -> MaskingKnowledge:
    """The same windows, and costs by distance as if nothing had been told."""
    bounds = []
    for pair in known.compared:
        if pair.table is not None:
            bounds.append(replace(pair, table=np.where(np.isinf(pair.table), np.inf, 0.0), usual=0.0))
        elif pair.low is not None or pair.high is not None:
            bounds.append(replace(pair, weight=0.0))
    plain = [pair for column in known.columns for pair in compare_column(release, file, column, units=False)]
    return replace(known, compared=(*bounds, *plain))


def _generic_comparison(
    release: Release, scenario: Scenario, column: str, steps: Sequence[Trace], *, coarse: bool
) -> MaskingKnowledge:
    """The comparison that needs no law: a hard one where values stand as they stood or are covered, else a soft one."""
    pairs = compare_column(release, scenario.file, column, units=False)
    if coarse and (column in release.mixed or (release.levels.get(column) and column in release.hierarchies)):
        return MaskingKnowledge(columns=(column,), compared=exact_windows(pairs), certain=True)
    if not steps and same_type(release, scenario.file, column):
        return MaskingKnowledge(columns=(column,), compared=exact_windows(pairs), certain=True)
    if not steps:
        why = "is of another type in the intruder's file"
    elif len(steps) > 1:
        why = f"was changed by {', '.join(dict.fromkeys(step.method for step in steps))}, one after the other"
    else:
        why = f"was changed by {steps[0].method}, of which the trace says too little, or what cannot be read"
    note = f"column {column!r} {why}: it is compared as if nothing had been told of it"
    return MaskingKnowledge(columns=(column,), compared=pairs, certain=False, notes=(note,))
