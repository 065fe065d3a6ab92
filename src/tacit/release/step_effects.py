"""What each published step does to which columns, as far as its trace tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from .trace import Finding, Trace

if TYPE_CHECKING:
    from .release import Release


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


class MethodEffects(NamedTuple):
    """What a method does, declared once: every question about a published step is answered from here.

    ``columns`` are the parameters or findings that name the columns it changes; a method that goes by a ``role`` changes
    the columns of that role (``"keys"``: the quasi-identifiers). ``drops`` and ``adds`` say that it may leave records out
    or invent some, ``blanks`` that it may make cells missing, ``synthetic`` that it draws records anew,
    ``exchanges`` that two records get each other's values,
    ``regroups`` that the records of a household number need no longer be all those of one household.
    """

    kind: Kind
    columns: tuple[str, ...] = ()
    role: Literal["keys", "household", "weight"] | None = None
    drops: bool = False
    adds: bool = False
    blanks: bool = False
    synthetic: bool = False
    exchanges: bool = False
    regroups: bool = False


EFFECTS: dict[str, MethodEffects] = {
    "add_noise": MethodEffects("changes", ("columns", "totals")),
    "anonymise": MethodEffects("nothing"),  # the method that it took has a step of its own
    "data_shuffle": MethodEffects("changes", ("columns", "totals")),
    "data_swap": MethodEffects("changes", ("columns",), exchanges=True),
    "dp_identity": MethodEffects("changes", ("columns",)),
    "dp_marginals": MethodEffects("changes", ("categories", "bounds"), synthetic=True),
    "dp_microaggregate": MethodEffects("changes", ("columns",)),
    "dp_network": MethodEffects("changes", ("categories", "bounds"), synthetic=True),
    "drop_household": MethodEffects("nothing"),
    "drop_identifiers": MethodEffects("nothing"),
    "dummy_records": MethodEffects("changes", role="weight", adds=True),  # weights are made to add up again
    "full_domain": MethodEffects("coarsens", ("levels",), drops=True),
    "generalise": MethodEffects("coarsens", ("levels",)),
    "generalise_composition": MethodEffects("nothing", blanks=True),
    "geo_mask": MethodEffects("changes", ("latitude", "longitude")),
    "hide_rules": MethodEffects("nothing", blanks=True),
    "k_member": MethodEffects("coarsens", role="keys"),
    "local_recode": MethodEffects("coarsens", role="keys"),
    "mask_terms": MethodEffects("changes", ("column",), drops=True, adds=True),
    "mdav": MethodEffects("changes", ("columns",)),
    "microaggregate": MethodEffects("changes", ("columns", "totals")),
    "mondrian": MethodEffects("coarsens", role="keys"),
    "multiply_noise": MethodEffects("changes", ("columns", "totals")),
    "new_households": MethodEffects("hides", role="household"),
    "pipeline": MethodEffects("nothing"),  # its steps have traces of their own
    "pram": MethodEffects("changes", ("columns",)),
    "pseudonymise": MethodEffects("hides", ("columns",)),
    "randomised_response": MethodEffects("changes", ("columns",)),
    "rank_swap": MethodEffects("changes", ("columns", "totals"), exchanges=True),
    "recode": MethodEffects("coarsens", ("column",)),
    "record_swap": MethodEffects("changes", ("geography", "along"), exchanges=True),
    "resample": MethodEffects("changes", ("columns", "totals")),
    "rotate": MethodEffects("changes", ("columns", "totals")),
    "round": MethodEffects("changes", ("columns", "totals")),
    "sample": MethodEffects("changes", role="weight", drops=True),  # weights are made to add up again
    "semantic_noise": MethodEffects("changes", ("columns",)),
    "semantic_swap": MethodEffects("changes", ("columns",), exchanges=True),
    "shift_dates": MethodEffects("changes", ("columns",)),
    "shuffle": MethodEffects("nothing"),
    "split_households": MethodEffects("hides", role="household", regroups=True),
    "suppress_cells": MethodEffects("nothing", blanks=True),
    "suppress_households": MethodEffects("hides", role="household", drops=True, regroups=True),
    "suppress_records": MethodEffects("nothing", drops=True),
    "swap_members": MethodEffects("changes", ("columns",), exchanges=True, regroups=True),
    "synth_copula": MethodEffects("changes", ("columns", "totals"), synthetic=True),
    "synth_moments": MethodEffects("changes", ("columns", "totals"), synthetic=True),
    "synth_marginals": MethodEffects("changes", ("columns", "totals"), synthetic=True),
    "synth_network": MethodEffects("changes", ("columns", "totals"), synthetic=True),
    "synth_trees": MethodEffects("changes", ("columns", "totals"), synthetic=True),
    "top_bottom_code": MethodEffects("coarsens", ("column",)),
    "v_mdav": MethodEffects("changes", ("columns",)),
}
"""Plan name of the method → what it does. tests/release/test_effects.py applies every method and holds it to its line."""


def published_outcome(step: Trace, name: str, default: Any = None) -> Any:
    """What the run of a step found, as the public has it; the default where nothing of that name was published."""
    found = step.outcome.get(name, default)
    if not isinstance(found, Finding):
        return found
    return found.public_value() if found.publishable else default


def flatten_steps(trace: Iterable[Trace]) -> tuple[Trace, ...]:
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


def step_effect(step: Trace, release: Release) -> Effect:
    """What the step does, and to which columns."""
    if step.method not in EFFECTS:
        return Effect("unknown", _column_names(step.parameters.get("columns", step.parameters.get("column"))) or None)
    does = EFFECTS[step.method]
    if does.kind == "nothing":
        return Effect(does.kind, ())
    if does.role is not None:
        return Effect(does.kind, _of_role(does.role, release))
    first, *others = (_published_value(step, place) for place in does.columns)
    columns = _column_names(first)
    if not columns and not isinstance(first, Mapping):
        return Effect(does.kind, None)
    return Effect(
        does.kind, tuple(dict.fromkeys([*columns, *(name for other in others for name in _column_names(other))]))
    )


def _published_value(step: Trace, name: str) -> Any:
    return step.parameters.get(name, published_outcome(step, name))


def may_change_column(step: Trace, column: str, release: Release) -> bool:
    """Whether the step may have changed values of the column."""
    did = step_effect(step, release)
    return did.kind != "nothing" and (did.columns is None or column in did.columns)


def drops_records(trace: Iterable[Trace]) -> bool:
    """Whether somebody may have been left out of the release; nobody knows what an unknown method does."""
    return any(_may_affect_records(step, "drops", "removed") for step in flatten_steps(trace))


def adds_records(trace: Iterable[Trace]) -> bool:
    """Whether a released record may be nobody's."""
    return any(_may_affect_records(step, "adds", "dummies") for step in flatten_steps(trace))


def blanks_cells(trace: Iterable[Trace]) -> bool:
    """Whether values may have been made missing, so that columns had more of them before."""
    return any(step.method not in EFFECTS or EFFECTS[step.method].blanks for step in flatten_steps(trace))


def exchanges_values(trace: Iterable[Trace]) -> bool:
    """Whether two records got each other's values, so that both people are found or missed."""
    return any(step.method in EFFECTS and EFFECTS[step.method].exchanges for step in flatten_steps(trace))


def regroups_households(trace: Iterable[Trace]) -> bool:
    """Whether a released household number may stand for something else than a whole household."""
    return any(step.method not in EFFECTS or EFFECTS[step.method].regroups for step in flatten_steps(trace))


def masks_values(step: Trace) -> bool:
    """Whether the step does more than hide who is who: it changes, coarsens, removes or adds something that is measured."""
    does = EFFECTS.get(step.method)
    return does is None or does.kind in ("coarsens", "changes") or does.drops or does.adds or does.blanks


def _may_affect_records(step: Trace, what: Literal["drops", "adds"], counted: str) -> bool:
    does = EFFECTS.get(step.method)
    if does is None:
        return True
    if does.synthetic:
        partial = step.parameters.get("columns") or step.parameters.get("where")
        return not partial  # of a full synthesis every record is nobody's
    return bool(getattr(does, what)) and bool(published_outcome(step, counted) != 0)


def _of_role(role: Literal["keys", "household", "weight"], release: Release) -> tuple[str, ...] | None:
    """The columns of a role, which stands in the description of the release; None where there are no keys."""
    if role == "keys":
        return tuple(dict.fromkeys([*release.quasi, *release.mixed])) or None
    column = release.household if role == "household" else release.weight
    return () if column is None else (column,)


def _column_names(given: object) -> tuple[str, ...]:
    """Column names in a parameter: one, a list, lists in a list, or the keys of a mapping that says 0 of none of them."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Mapping):
        return tuple(str(name) for name, part in given.items() if part != 0)
    if isinstance(given, list | tuple):
        return tuple(name for part in given for name in _column_names(part))
    return ()
