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


class Does(NamedTuple):
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


EFFECTS: dict[str, Does] = {
    "add_noise": Does("changes", ("columns", "totals")),
    "anonymise": Does("nothing"),  # the method that it took has a step of its own
    "data_shuffle": Does("changes", ("columns", "totals")),
    "data_swap": Does("changes", ("columns",), exchanges=True),
    "dp_identity": Does("changes", ("columns",)),
    "dp_marginals": Does("changes", ("categories", "bounds"), synthetic=True),
    "dp_microaggregate": Does("changes", ("columns",)),
    "dp_network": Does("changes", ("categories", "bounds"), synthetic=True),
    "drop_household": Does("nothing"),
    "drop_identifiers": Does("nothing"),
    "dummy_records": Does("changes", role="weight", adds=True),  # weights are made to add up again
    "full_domain": Does("coarsens", ("levels",), drops=True),
    "generalise": Does("coarsens", ("levels",)),
    "generalise_composition": Does("nothing", blanks=True),
    "geo_mask": Does("changes", ("latitude", "longitude")),
    "hide_rules": Does("nothing", blanks=True),
    "k_member": Does("coarsens", role="keys"),
    "local_recode": Does("coarsens", role="keys"),
    "mask_terms": Does("changes", ("column",), drops=True, adds=True),
    "mdav": Does("changes", ("columns",)),
    "microaggregate": Does("changes", ("columns", "totals")),
    "mondrian": Does("coarsens", role="keys"),
    "multiply_noise": Does("changes", ("columns", "totals")),
    "new_households": Does("hides", role="household"),
    "pipeline": Does("nothing"),  # its steps have traces of their own
    "pram": Does("changes", ("columns",)),
    "pseudonymise": Does("hides", ("columns",)),
    "randomised_response": Does("changes", ("columns",)),
    "rank_swap": Does("changes", ("columns", "totals"), exchanges=True),
    "recode": Does("coarsens", ("column",)),
    "record_swap": Does("changes", ("geography", "along"), exchanges=True),
    "resample": Does("changes", ("columns", "totals")),
    "rotate": Does("changes", ("columns", "totals")),
    "round": Does("changes", ("columns", "totals")),
    "sample": Does("changes", role="weight", drops=True),  # weights are made to add up again
    "semantic_noise": Does("changes", ("columns",)),
    "semantic_swap": Does("changes", ("columns",), exchanges=True),
    "shift_dates": Does("changes", ("columns",)),
    "shuffle": Does("nothing"),
    "split_households": Does("hides", role="household", regroups=True),
    "suppress_cells": Does("nothing", blanks=True),
    "suppress_households": Does("hides", role="household", drops=True, regroups=True),
    "suppress_records": Does("nothing", drops=True),
    "swap_members": Does("changes", ("columns",), exchanges=True, regroups=True),
    "synth_copula": Does("changes", ("columns", "totals"), synthetic=True),
    "synth_moments": Does("changes", ("columns", "totals"), synthetic=True),
    "synth_marginals": Does("changes", ("columns", "totals"), synthetic=True),
    "synth_network": Does("changes", ("columns", "totals"), synthetic=True),
    "synth_trees": Does("changes", ("columns", "totals"), synthetic=True),
    "top_bottom_code": Does("coarsens", ("column",)),
    "v_mdav": Does("changes", ("columns",)),
}
"""Plan name of the method → what it does. tests/release/test_effects.py applies every method and holds it to its line."""


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
    does = EFFECTS[step.method]
    if does.kind == "nothing":
        return Effect(does.kind, ())
    if does.role is not None:
        return Effect(does.kind, _of_role(does.role, release))
    first, *others = (_said(step, place) for place in does.columns)
    columns = _named(first)
    if not columns and not isinstance(first, Mapping):
        return Effect(does.kind, None)
    return Effect(does.kind, tuple(dict.fromkeys([*columns, *(name for other in others for name in _named(other))])))


def _said(step: Trace, name: str) -> Any:
    return step.parameters.get(name, told(step, name))


def touches(step: Trace, column: str, release: Release) -> bool:
    """Whether the step may have changed values of the column."""
    did = effect(step, release)
    return did.kind != "nothing" and (did.columns is None or column in did.columns)


def drops_records(trace: Iterable[Trace]) -> bool:
    """Whether somebody may have been left out of the release; nobody knows what an unknown method does."""
    return any(_may(step, "drops", "removed") for step in flattened(trace))


def adds_records(trace: Iterable[Trace]) -> bool:
    """Whether a released record may be nobody's."""
    return any(_may(step, "adds", "dummies") for step in flattened(trace))


def blanks_cells(trace: Iterable[Trace]) -> bool:
    """Whether values may have been made missing, so that columns had more of them before."""
    return any(step.method not in EFFECTS or EFFECTS[step.method].blanks for step in flattened(trace))


def exchanges_values(trace: Iterable[Trace]) -> bool:
    """Whether two records got each other's values, so that both people are found or missed."""
    return any(step.method in EFFECTS and EFFECTS[step.method].exchanges for step in flattened(trace))


def regroups_households(trace: Iterable[Trace]) -> bool:
    """Whether a released household number may stand for something else than a whole household."""
    return any(step.method not in EFFECTS or EFFECTS[step.method].regroups for step in flattened(trace))


def masks_values(step: Trace) -> bool:
    """Whether the step does more than hide who is who: it changes, coarsens, removes or adds something that is measured."""
    does = EFFECTS.get(step.method)
    return does is None or does.kind in ("coarsens", "changes") or does.drops or does.adds or does.blanks


def _may(step: Trace, what: Literal["drops", "adds"], counted: str) -> bool:
    does = EFFECTS.get(step.method)
    if does is None:
        return True
    if does.synthetic:
        partial = step.parameters.get("columns") or step.parameters.get("where")
        return not partial  # of a full synthesis every record is nobody's
    return bool(getattr(does, what)) and bool(told(step, counted) != 0)


def _of_role(role: Literal["keys", "household", "weight"], release: Release) -> tuple[str, ...] | None:
    """The columns of a role, which stands in the description of the release; None where there are no keys."""
    if role == "keys":
        return tuple(dict.fromkeys([*release.quasi, *release.mixed])) or None
    column = release.household if role == "household" else release.weight
    return () if column is None else (column,)


def _named(given: object) -> tuple[str, ...]:
    """Column names in a parameter: one, a list, lists in a list, or the keys of a mapping that says 0 of none of them."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Mapping):
        return tuple(str(name) for name, part in given.items() if part != 0)
    if isinstance(given, list | tuple):
        return tuple(name for part in given for name in _named(part))
    return ()
