"""How re-identification falls with protection: a plan run for several values of one parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..attack.curve import Curve, Masking, Value, curve
from ..errors import TacitError, suggest_alternative
from ..progress import Progress
from ..protect import METHODS
from ..protect.load import from_json
from ..release.masked import Masked, Method
from ..release.release import Release
from ..seed import secret_seed
from .load import LoadedPlan, with_models
from .original import original_of
from .protection import protect_release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveFindings:
    """The curve of one parameter of one step, with what the plan requires at most (None: nothing)."""

    title: str
    method: str
    parameter: str
    knows: tuple[str, ...]
    curve: Curve
    required: float | None = None

    @property
    def flat_note(self) -> str | None:
        """What to say when no value of the parameter makes a difference; None when one does."""
        shares = {point.worst.result.value for point in self.curve.points if point.worst.result is not None}
        if len(self.curve.points) < 2 or len(shares) > 1:
            return None
        return (
            f"{self.parameter!r} of {self.method} makes no difference to an intruder who knows {', '.join(self.knows)}; "
            "if the step changes other columns, name them in [intruder] knows"
        )


def parameter_curve(
    plan: LoadedPlan,
    parameter: str,
    values: Sequence[Any],
    *,
    step: int | None = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> CurveFindings:
    """Mask the plan's file for each value of ``parameter`` of one step, all other steps as they stand, and attack it.

    ``step`` counts from 1; it may be left out when only one step takes the parameter. Nothing is written, and nothing is
    released: this is for choosing the parameter.
    """
    if not values:
        raise TacitError("no value was given for the curve", code="invalid_plan", fix="e.g. --values 2,5,10")
    place = _step_index(plan, parameter, step)
    variants = [(value, _step_variant(plan, place, parameter, value)) for value in values]
    original, key = original_of(plan), secret_seed() if seed is None else seed
    knows = tuple(plan.plan.intruder.knows or original.quasi)
    maskings: dict[Value, Masking] = {str(value): _masking_function(plan, place, made, key) for value, made in variants}
    bound = plan.requirements.reidentification
    return CurveFindings(
        title=plan.plan.title or f"Release of {plan.data_path.name}",
        method=str(plan.plan.protect[place]["method"]),
        parameter=parameter,
        knows=knows,
        curve=curve(original, maskings, knows=knows, seed=key, progress=progress),
        required=None if bound is None else bound.at_most,
    )


def _step_index(plan: LoadedPlan, parameter: str, step: int | None) -> int:
    """The step that is meant, counted from 0."""
    steps = [str(given["method"]) for given in plan.plan.protect]
    takes = [place for place, name in enumerate(steps) if parameter in METHODS[name].parameters]
    if not takes:
        known = sorted({one for name in steps for one in METHODS[name].parameters})
        raise TacitError(
            f"no step of the plan takes {parameter!r}", code="invalid_plan", fix=suggest_alternative(parameter, known)
        )
    if step is None and len(takes) == 1:
        return takes[0]
    listed = ", ".join(f"--step {place + 1} ({steps[place]})" for place in takes)
    if step is None:
        raise TacitError(f"several steps take {parameter!r}", code="invalid_plan", fix=f"say which: {listed}")
    if step - 1 not in takes:
        raise TacitError(
            f"step {step} of the plan does not take {parameter!r}", code="unknown_name", fix=f"say {listed}"
        )
    return step - 1


def _step_variant(plan: LoadedPlan, place: int, parameter: str, value: Any) -> Method:
    given = {**plan.plan.protect[place], parameter: value}
    try:
        return from_json(with_models(given, plan.requirements))
    except TacitError as problem:
        raise plan.locate_error(problem, "protect", place) from None


def _masking_function(plan: LoadedPlan, place: int, made: Method, key: int | bytes) -> Callable[[Release], Masked]:
    steps = (*plan.steps[:place], made, *plan.steps[place + 1 :])
    changed = replace(plan, steps=steps)
    return lambda original: protect_release(changed, original, key, None)
