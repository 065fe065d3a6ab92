"""What each published step does to which columns, as far as its trace tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..registry import EffectKind, MethodEffects
from .trace import Finding, Trace

if TYPE_CHECKING:
    from .release import Release


@dataclass(frozen=True, slots=True)
class Effect:
    """What a step does to its columns; ``columns`` is None when it was not told which they are: then it may be any.

    The kinds are those of :class:`tacit.registry.MethodEffects`; ``"unknown"``: the trace does not tell what the method does.
    """

    kind: EffectKind
    columns: tuple[str, ...] | None


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
        inner = step.parameters.get("steps")
        parts = (
            [one for one in inner if isinstance(one, Mapping) and "method" in one]
            if isinstance(inner, list | tuple)
            else []
        )
        if not parts:
            steps.append(step)
        for one in parts:
            effects = MethodEffects.from_json(one.get("effects"))
            parameters = {name: part for name, part in one.items() if name not in ("method", "effects")}
            steps.append(Trace(str(one["method"]), parameters, effects=effects))
    return tuple(steps)


def step_effect(step: Trace, release: Release) -> Effect:
    """What the step does, and to which columns."""
    does = step.effects
    if does is None:
        return Effect("unknown", _column_names(step.parameters.get("columns", step.parameters.get("column"))) or None)
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
    return any(step.effects is None or step.effects.blanks for step in flatten_steps(trace))


def exchanges_values(trace: Iterable[Trace]) -> bool:
    """Whether two records got each other's values, so that both people are found or missed."""
    return any(step.effects is not None and step.effects.exchanges for step in flatten_steps(trace))


def regroups_households(trace: Iterable[Trace]) -> bool:
    """Whether a released household number may stand for something else than a whole household."""
    return any(step.effects is None or step.effects.regroups for step in flatten_steps(trace))


def masks_values(step: Trace) -> bool:
    """Whether the step surely does more than hide who is who: it changes, coarsens, removes or adds something measured.

    Of a step whose effects nobody knows this cannot be said.
    """
    does = step.effects
    return does is not None and (does.kind in ("coarsens", "changes") or does.drops or does.adds or does.blanks)


def _may_affect_records(step: Trace, what: Literal["drops", "adds"], counted: str) -> bool:
    does = step.effects
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
