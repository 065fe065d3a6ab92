"""The protection that a plan asks for, and why its result may not be published."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...progress import Progress
from ...tables.perturb.adjust import adjust
from ...tables.perturb.checked import levels_met
from ...tables.perturb.controlled import round_controlled
from ...tables.perturb.perturb_counts import with_noise
from ...tables.perturb.perturbed import Perturbed
from ...tables.perturb.ptable_design import design_ptable
from ...tables.perturb.random_rounding import round_random
from ...tables.perturb.recovered import short_of_levels
from ...tables.problem import Problem
from ...tables.suppress.limits import Limits
from ...tables.suppress.suppress import suppress
from ...tables.suppress.suppressed import Suppressed
from .loaded import LoadedTablePlan
from .ways import Adjust, CellKey, RoundControlled, RoundRandom, Suppress

__all__ = ["failures_of", "protected", "short_of"]


def protected(
    loaded: LoadedTablePlan, problem: Problem, *, seed: int | bytes, progress: Progress | None
) -> Suppressed | Perturbed:
    """Do what [protect] says."""
    way = loaded.way
    if isinstance(way, Suppress):
        given = {"nodes": way.nodes, "iterations": way.iterations, "seconds": way.seconds}
        said = {name: value for name, value in given.items() if value is not None}
        return suppress(
            problem,
            method=way.search,
            limits=Limits(**said) if said else None,  # type: ignore[arg-type]
            insiders=None if loaded.plan.intruder.insiders else False,
            progress=progress,
        )
    if isinstance(way, RoundControlled):
        return round_controlled(problem.table, base=way.base, seed=seed, progress=progress)
    if isinstance(way, RoundRandom):
        return round_random(problem.table, base=way.base, seed=seed)
    if isinstance(way, Adjust):
        return adjust(problem, seed=seed, progress=progress)
    assert isinstance(way, CellKey)
    return with_noise(problem.table, design_ptable(largest=way.largest, variance=way.variance, forbidden=way.forbidden))


def short_of(loaded: LoadedTablePlan, problem: Problem, found: Suppressed | Perturbed) -> np.ndarray:
    """The unsafe cells that can still be known more closely than their levels allow, by code that did not protect them."""
    if isinstance(found, Suppressed):
        return found.audit.short
    if isinstance(loaded.way, Adjust):
        return np.asarray(problem.primaries[~levels_met(problem, found.values)])
    return short_of_levels(problem, found) if len(problem.primaries) else problem.primaries


def failures_of(problem: Problem, found: Suppressed | Perturbed, short: np.ndarray) -> tuple[str, ...]:
    """Why the protected table may not be published, in sentences; none when it may."""
    return tuple(_suppressed(found) if isinstance(found, Suppressed) else _perturbed(problem, short))


def _suppressed(found: Suppressed) -> Iterator[str]:
    audit, name = found.audit, found.audit.problem.table.name
    for cells, what in (
        (audit.short, "can be computed more closely than their levels allow"),
        (audit.bare, "must be suppressed and are not"),
        (audit.withheld, "must be published and are not"),
    ):
        if len(cells):
            yield f"Cells that {what}: {len(cells)}, first {name(int(cells[0]))}."
    if audit.insiders:
        first = audit.insiders[0]
        learnt = name(int(np.r_[first.exact, first.short][0]))
        yield (
            "Sole respondents, who know their own cells and learn too much of others whatever else is left out: "
            f"{len(audit.insiders)}, first the one of {name(int(first.cells[0]))}, who learns {learnt}. "
            "Use coarser codes, or insiders = false under [intruder]."
        )


def _perturbed(problem: Problem, short: np.ndarray) -> Iterator[str]:
    if len(short):
        yield (
            f"Cells that can be known more closely than their levels allow: {len(short)} of {len(problem.primaries)} unsafe ones, "
            f"first {problem.table.name(int(short[0]))}. Use a larger base or more noise, or suppress cells instead."
        )
