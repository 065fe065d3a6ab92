"""What each published step does to which columns, as far as its trace tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .trace import Finding, Trace

if TYPE_CHECKING:
    from .release import Release

__all__ = [
    "EFFECTS",
    "Effect",
    "adds_records",
    "blanks_cells",
    "drops_records",
    "effect",
    "flattened",
    "told",
    "touches",
]

Kind: TypeAlias = Literal["nothing", "hides", "coarsens", "changes", "unknown"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a step does to its columns; ``columns`` is None when it was not told which they are: then it may be any.

    ``"nothing"``: values stay, are left out or are made missing. ``"hides"``: other values stand there that mean nothing
    to an intruder. ``"coarsens"``: a true value is covered by what is released. ``"changes"``: it may be anything that
    the law of the method allows. ``"unknown"``: nobody here knows the method.
    """

    kind: Kind
    columns: tuple[str, ...] | None


EFFECTS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "add_noise": ("changes", ("columns", "totals")),
    "anonymise": ("nothing", ()),  # the method that it took has a step of its own
    "data_shuffle": ("changes", ("columns", "totals")),
    "data_swap": ("changes", ("columns",)),
    "dp_identity": ("changes", ("columns",)),
    "dp_marginals": ("changes", ("categories", "bounds")),
    "dp_microaggregate": ("changes", ("columns",)),
    "dp_network": ("changes", ("categories", "bounds")),
    "drop_identifiers": ("nothing", ()),
    "dummy_records": ("changes", ()),
    "full_domain": ("coarsens", ("levels",)),
    "generalise": ("coarsens", ("levels",)),
    "geo_mask": ("changes", ("latitude", "longitude")),
    "hide_rules": ("nothing", ()),
    "k_member": ("coarsens", ()),
    "local_recode": ("coarsens", ()),
    "mask_terms": ("changes", ("column",)),
    "mdav": ("changes", ("columns",)),
    "microaggregate": ("changes", ("columns", "totals")),
    "mondrian": ("coarsens", ()),
    "multiply_noise": ("changes", ("columns", "totals")),
    "new_households": ("hides", ()),
    "pipeline": ("nothing", ()),  # its steps have traces of their own
    "pram": ("changes", ("columns",)),
    "pseudonymise": ("hides", ("columns",)),
    "randomised_response": ("changes", ("columns",)),
    "rank_swap": ("changes", ("columns", "totals")),
    "recode": ("coarsens", ("column",)),
    "record_swap": ("changes", ("geography", "along")),
    "resample": ("changes", ("columns", "totals")),
    "rotate": ("changes", ("columns", "totals")),
    "round": ("changes", ("columns", "totals")),
    "sample": ("changes", ()),
    "semantic_noise": ("changes", ("columns",)),
    "semantic_swap": ("changes", ("columns",)),
    "shift_dates": ("changes", ("columns",)),
    "shuffle": ("nothing", ()),
    "suppress_cells": ("nothing", ()),
    "suppress_records": ("nothing", ()),
    "synth_copula": ("changes", ("columns", "totals")),
    "synth_moments": ("changes", ("columns", "totals")),
    "synth_marginals": ("changes", ("columns", "totals")),
    "synth_network": ("changes", ("columns", "totals")),
    "synth_trees": ("changes", ("columns", "totals")),
    "top_bottom_code": ("coarsens", ("column",)),
    "v_mdav": ("changes", ("columns",)),
}
"""Plan name of the method → what it does, and the parameters or findings that name the columns."""

DROPPING = ("sample", "suppress_records", "full_domain", "mask_terms")
BLANKING = ("suppress_cells", "hide_rules")
ADDING = ("dummy_records", "mask_terms")
SYNTHETIC = ("synth_", "dp_network", "dp_marginals")
"""How the names of methods begin that make records anew."""


def told(step: Trace, name: str, default: Any = None) -> Any:
    """What the run of a step found, as the public has it; the default where nothing of that name was published."""
    found = step.outcome.get(name, default)
    if not isinstance(found, Finding):
        return found
    return found.published() if found.publishable else default


def flattened(trace: Iterable[Trace]) -> tuple[Trace, ...]:
    """The steps one by one: a pipeline that was told as one step becomes those in it."""
    steps: list[Trace] = []
    for step in trace:
        inner = step.parameters.get("steps") if step.method == "pipeline" else None
        if not isinstance(inner, list | tuple):
            steps.append(step)
            continue
        for one in inner:
            if isinstance(one, Mapping) and "method" in one:
                steps.append(Trace(str(one["method"]), {name: part for name, part in one.items() if name != "method"}))
    return tuple(steps)


def effect(step: Trace, release: Release) -> Effect:
    """What the step does, and to which columns."""
    if step.method not in EFFECTS:
        return Effect("unknown", _named(step.parameters.get("columns", step.parameters.get("column"))) or None)
    kind, places = EFFECTS[step.method]
    if kind == "nothing":
        return Effect(kind, ())
    if not places:
        return Effect(kind, _by_role(step.method, release))
    first, *others = (_said(step, place) for place in places)
    columns = _named(first)
    if not columns and not isinstance(first, Mapping):
        return Effect(kind, None)
    return Effect(kind, tuple(dict.fromkeys([*columns, *(name for other in others for name in _named(other))])))


def _said(step: Trace, name: str) -> Any:
    return step.parameters.get(name, told(step, name))


def touches(step: Trace, column: str, release: Release) -> bool:
    """Whether the step may have changed values of the column."""
    did = effect(step, release)
    return did.kind != "nothing" and (did.columns is None or column in did.columns)


def drops_records(trace: Iterable[Trace]) -> bool:
    """Whether somebody may have been left out of the release; nobody knows what an unknown method does."""
    return any(_may(step, DROPPING, "removed") for step in flattened(trace))


def adds_records(trace: Iterable[Trace]) -> bool:
    """Whether a released record may be nobody's."""
    return any(_may(step, ADDING, "dummies") for step in flattened(trace))


def blanks_cells(trace: Iterable[Trace]) -> bool:
    """Whether values may have been made missing, so that columns had more of them before."""
    return any(step.method not in EFFECTS or step.method in BLANKING for step in flattened(trace))


def _may(step: Trace, methods: tuple[str, ...], counted: str) -> bool:
    if step.method in EFFECTS and step.method.startswith(SYNTHETIC):
        partial = step.parameters.get("columns") or step.parameters.get("where")
        return not partial  # of a full synthesis every record is nobody's
    return step.method not in EFFECTS or (step.method in methods and told(step, counted) != 0)


def _by_role(method: str, release: Release) -> tuple[str, ...] | None:
    """The columns of methods that go by roles, which stand in the description of the release."""
    if method == "new_households":
        return () if release.household is None else (release.household,)
    if method in ("dummy_records", "sample"):  # weights are made to add up again
        return () if release.weight is None else (release.weight,)
    return tuple(dict.fromkeys([*release.quasi, *release.mixed])) or None


def _named(given: object) -> tuple[str, ...]:
    """Column names in a parameter: one, a list, lists in a list, or the keys of a mapping that says 0 of none of them."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Mapping):
        return tuple(str(name) for name, part in given.items() if part != 0)
    if isinstance(given, list | tuple):
        return tuple(name for part in given for name in _named(part))
    return ()
